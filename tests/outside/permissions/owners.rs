//! Operations for the keys of owners.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::json;

use super::{Attempt, Operation, operations};
use crate::harness::{Api, Server, assert_within_a_second};

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
    ("read", "GET", "/api/manage/v1/events"),
    ("read", "GET", "/api/manage/v1/events/{id}"),
    ("read", "GET", "/api/manage/v1/events/{id}/changes"),
    ("edit", "POST", "/api/manage/v1/events/{id}/stop"),
    ("read", "GET", "/api/manage/v1/reports/clicks"),
    ("read", "GET", "/api/manage/v1/external-links/{external_id}"),
    ("edit", "PUT", "/api/manage/v1/external-links/{external_id}"),
    ("create", "POST", "/api/manage/v1/links"),
    ("create", "POST", "/api/manage/v1/link-batches"),
    ("edit", "POST", "/api/manage/v1/link-changes"),
    ("read", "GET", "/api/manage/v1/campaigns"),
    ("edit", "PATCH", "/api/manage/v1/links/{code}"),
    ("full", "DELETE", "/api/manage/v1/links/{code}"),
    ("full", "GET", "/api/manage/v1/keys"),
    ("full", "POST", "/api/manage/v1/keys"),
    ("full", "GET", "/api/manage/v1/keys/{id}"),
    ("full", "PATCH", "/api/manage/v1/keys/{id}"),
    ("full", "DELETE", "/api/manage/v1/keys/{id}"),
    ("full", "GET", "/api/manage/v1/webhooks"),
    ("full", "POST", "/api/manage/v1/webhooks"),
    ("full", "GET", "/api/manage/v1/webhooks/{id}"),
    ("full", "PATCH", "/api/manage/v1/webhooks/{id}"),
    ("full", "DELETE", "/api/manage/v1/webhooks/{id}"),
    ("full", "POST", "/api/manage/v1/webhooks/{id}/rotate"),
    ("full", "POST", "/api/manage/v1/webhooks/{id}/test"),
    ("full", "GET", "/api/manage/v1/webhooks/{id}/deliveries"),
    ("full", "POST", "/api/manage/v1/webhooks/{id}/deliveries/{delivery_id}/retry"),
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

/// Returns the external identifier of a link in paths, which does not contain the code.
pub(crate) fn external_id_of(code: &str) -> String {
    format!("id-{}", code.chars().rev().collect::<String>())
}

/// Gives a link the external identifier that [`attempt`] names.
pub(crate) async fn name_link(api: &Api, code: &str) {
    let external_id = json!({ "external_id": external_id_of(code) });
    let ask = api.ask(Method::PATCH, &format!("/api/manage/v1/links/{code}"));
    ask.json(&external_id).send().await.expect(200);
}

/// Replaces the webhooks of an owner by a new one, and returns its identifier and that of a delivery.
pub(crate) async fn new_webhook(api: &Api) -> String {
    let path = "/api/manage/v1/webhooks";
    for webhook in api.get(path).await.expect(200).data().as_array().unwrap() {
        let webhook = format!("{path}/{}", webhook["id"]);
        api.ask(Method::DELETE, &webhook).send().await.expect(204);
    }
    // No program listens there.
    let body = json!({ "url": "http://127.0.0.1:1025/", "types": ["webhook.test"] });
    let created = api.ask(Method::POST, path).json(&body).send().await.expect(201).json();
    let webhook = format!("{path}/{}", created["id"]);
    api.ask(Method::POST, &format!("{webhook}/test")).send().await.expect(200);
    let deliveries = api.get(&format!("{webhook}/deliveries")).await.expect(200).data();
    format!("{} {}", created["id"], deliveries[0]["id"].as_str().unwrap())
}

/// Fills in an operation: `code` is the link in its path and body, also as its external
/// identifier behind `id-`, and `id` the key in its path, or the
/// webhook and its delivery. Returns whether the operation names one of them too.
pub(crate) fn attempt(operation: &Operation, code: &str, id: &str) -> (Attempt, bool) {
    let (id, delivery) = id.split_once(' ').unwrap_or((id, ""));
    let path = operation.template.replace("{code}", code).replace("{id}", id);
    let path = path.replace("{delivery_id}", delivery);
    let path = path.replace("{external_id}", &external_id_of(code));
    let mut body = operation.body();
    let names_link = body.as_ref().is_some_and(|body| body.get("short_code").is_some());
    if let Some(body) = body.as_mut().filter(|_| names_link) {
        body["short_code"] = json!(code);
    }
    // `PUT` creates what it does not find.
    let names_something =
        (operation.template != path && operation.method != Method::PUT) || names_link;
    if operation.method == Method::PUT
        && let Some(body) = &mut body
    {
        body.as_object_mut().unwrap().remove("external_id");
    }
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
        name_link(&server.api(), &code).await;
        let label = format!("key {number}");
        add_key(&["--label", &label]);
        let key = server.database().key_id("default", &label);
        let id = match () {
            () if operation.template.contains("/webhooks/{id}") => new_webhook(&server.api()).await,
            () if operation.template.contains("/events/{id}") => {
                let own = "SELECT MAX(id) FROM events WHERE action = 'link edit'";
                server.database().number(own).await.to_string()
            }
            () => key,
        };
        let (tried, names_something) = attempt(operation, &code, &id);
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
            let missing = match () {
                () if tried.path.contains("/keys/") => "key-not-found",
                () if tried.path.contains("/webhooks/") => "webhook-not-found",
                () if tried.path.contains("/v1/events/") => "event-not-found",
                () => "link-not-found",
            };
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
        let path = path.replace("{external_id}", "a");
        let other =
            if path == template || !path.ends_with("/a") { Method::PUT } else { Method::POST };
        server.anyone().ask(other, &path).send().await.problem(405, "method-not-allowed");
        if method == Method::GET {
            server.anyone().head(&path).await.expect(401);
        }
    }
}
