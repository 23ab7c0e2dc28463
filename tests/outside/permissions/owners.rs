//! Operations for the keys of owners.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::json;

use super::{Attempt, Operation, operations};
use crate::harness::{Server, assert_within_a_second};

const SCOPES: [&str; 4] = ["read", "create", "edit", "full"];

/// The smallest scope that allows each operation, so that the documents are not their own judges.
const REQUIRED: &[(&str, &str, &str)] = &[
    ("any", "GET", "/api/manage/v1/owner"),
    ("read", "GET", "/api/v1/links"),
    ("read", "GET", "/api/v1/stats/{code}"),
    ("read", "GET", "/api/v1/qrcodes"),
    ("create", "POST", "/api/v1/shorten"),
    ("create", "POST", "/api/v1/qrcodes"),
    ("read", "GET", "/api/manage/v1/links"),
    ("read", "GET", "/api/manage/v1/links/{code}"),
    ("read", "GET", "/api/manage/v1/links/{code}/clicks"),
    ("read", "GET", "/api/manage/v1/links/{code}/events"),
    ("read", "GET", "/api/manage/v1/reports/clicks"),
    ("create", "POST", "/api/manage/v1/links"),
    ("create", "POST", "/api/manage/v1/link-batches"),
    ("edit", "PATCH", "/api/manage/v1/links/{code}"),
    ("full", "DELETE", "/api/manage/v1/links/{code}"),
    ("full", "GET", "/api/manage/v1/keys"),
    ("full", "POST", "/api/manage/v1/keys"),
    ("full", "GET", "/api/manage/v1/keys/{id}"),
    ("full", "PATCH", "/api/manage/v1/keys/{id}"),
    ("full", "DELETE", "/api/manage/v1/keys/{id}"),
];

/// Returns the scopes whose keys may call an operation, by the smallest one, which its document names.
pub(crate) fn scopes_of(operation: &Operation) -> &'static [&'static str] {
    match operation.requirement("x-required-scope").as_str() {
        Some("any") => &SCOPES,
        Some("read") => &["read", "edit", "full"],
        Some("create") => &["create", "edit", "full"],
        Some("edit") => &["edit", "full"],
        Some("full") => &["full"],
        unknown => panic!("{} needs the scope {unknown:?}", operation.id),
    }
}

#[test]
fn documents_name_the_smallest_scope_of_every_operation() {
    let row = |operation: &Operation| {
        let scope = operation.requirement("x-required-scope").as_str().unwrap_or_default();
        (scope.to_owned(), operation.method.to_string(), operation.template.clone())
    };
    let documented: BTreeSet<_> = operations(false).iter().map(row).collect();
    let row = |(scope, method, path): &(&str, &str, &str)| {
        ((*scope).to_owned(), (*method).to_owned(), (*path).to_owned())
    };
    assert_eq!(documented, REQUIRED.iter().map(row).collect());
    for operation in operations(true) {
        assert!(operation.requirement("x-required-scope").is_null(), "{}", operation.id);
    }
}

/// Fills in an operation: `code` is the link in its path and body, and `key` the key in its path.
/// Returns whether the operation names one of them too.
pub(crate) fn attempt(operation: &Operation, code: &str, key: &str) -> (Attempt, bool) {
    let path = operation.template.replace("{code}", code).replace("{id}", key);
    let mut body = operation.body();
    let names_link = body.as_ref().is_some_and(|body| body.get("short_code").is_some());
    if let Some(body) = body.as_mut().filter(|_| names_link) {
        body["short_code"] = json!(code);
    }
    let names_something = operation.template != path || names_link;
    (operation.attempt(path, body), names_something)
}

#[tokio::test]
async fn every_operation_accepts_exactly_the_keys_that_it_should() {
    let server = Server::start();
    let anyone = server.anyone();
    let add_key =
        |arguments: &[&str]| server.terse(&[&["key", "add", "default"], arguments].concat()).key();
    server.database().owner("other", "unlimited");
    let other = server.terse(&["key", "add", "other", "--scope", "full"]).key();
    server.database().owner("gone", "unlimited");
    let suspended = server.terse(&["key", "add", "gone", "--scope", "full"]).key();
    server.terse(&["owner", "suspend", "gone"]).done();
    let revoked = add_key(&["--scope", "full", "--label", "revoked"]);
    let id = server.database().key_id("default", "revoked");
    server.terse(&["key", "revoke", &id]).done();
    let expired = add_key(&["--scope", "full", "--expires", "2001-01-01T00:00:00Z"]);
    let operator = server.database().operator_key("root", "admin");
    let by_scope = SCOPES.map(|scope| (scope, add_key(&["--scope", scope])));
    assert_within_a_second("the owner is suspended", async || {
        server.with_key(&suspended).links().await.status == 403
    })
    .await;

    for (number, operation) in operations(false).iter().enumerate() {
        let code = server.api().create("https://example.com/").await;
        let label = format!("key {number}");
        add_key(&["--label", &label]);
        let key = server.database().key_id("default", &label);
        let (tried, names_something) = attempt(operation, &code, &key);
        let allowed = scopes_of(operation);
        let id = &operation.id;
        for api in [
            anyone.clone(),
            server.with_key("terse_unknownunknownunknown1"),
            server.with_key(&revoked),
            server.with_key(&expired),
            server.with_key(&operator),
        ] {
            tried.send(&api).await.problem(401, "unauthorized");
        }
        tried.send(&server.with_key(&suspended)).await.problem(403, "owner-suspended");
        for (scope, key) in &by_scope {
            let response = tried.send(&server.with_key(key)).await;
            if allowed.contains(scope) {
                assert!(response.status < 300, "{id} with {scope}: {response:#?}");
            } else {
                response.problem(403, "key-scope");
            }
        }
        let response = tried.send(&server.with_key(&other)).await;
        if names_something {
            let missing =
                if tried.path.contains("/keys/") { "key-not-found" } else { "link-not-found" };
            response.problem(404, missing);
        } else {
            assert!(response.status < 300, "{id} of another owner: {response:#?}");
            let text = response.text();
            let is_foreign = text.contains(&code) || text.contains(&label);
            assert!(!is_foreign, "{id} shows another owner's link or key: {text}");
        }
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_come_before_keys() {
    let server = Server::start();
    for path in ["/api/manage", "/api/manage/v1", "/api/manage/v1/", "/api/manage/v1/nothing"] {
        server.anyone().get(path).await.problem(404, "not-found");
    }
    for Operation { template, method, .. } in operations(false) {
        let path = template.replace("{code}", "abcdefg").replace("{id}", "7");
        server.anyone().ask(Method::PUT, &path).send().await.problem(405, "method-not-allowed");
        if method == Method::GET {
            server.anyone().head(&path).await.expect(401);
        }
    }
}
