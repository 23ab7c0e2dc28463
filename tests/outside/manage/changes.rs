//! Changes and deletions of links by their owners.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::{PREFIX, get, link};
use crate::harness::{Api, Ask, Response, Server, assert_within_a_second};

const URL: &str = "https://example.com/";

async fn patch(api: &Api, code: &str, body: &Value) -> Response {
    api.ask(Method::PATCH, &format!("{PREFIX}/links/{code}")).json(body).send().await
}

async fn delete(api: &Api, path: &str) -> Response {
    api.ask(Method::DELETE, &format!("{PREFIX}/links/{path}")).send().await
}

async fn tag_of(api: &Api, code: &str) -> String {
    let response = get(api, &format!("/links/{code}")).await.expect(200);
    response.header("etag").expect("a tag").to_owned()
}

#[tokio::test]
async fn patch_changes_what_it_names() {
    let server = Server::start();
    let api = server.api();
    let code = api.create_from(&json!({"url": URL, "title": "Old", "campaign": "old"})).await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let changes = json!({
        "destination_url": "https://example.org/new",
        "title": null,
        "expires_at": "2099-01-01T00:00:00Z",
        "fallback_url": "https://example.org/late",
        "has_qr": true,
        "qr_margin": 2,
        "qr_foreground": "#1d3557",
        "audit": {"reason": "owner-request", "note": "a typing error", "case_id": "T-1"},
    });
    let response = patch(&api, &code, &changes).await.expect(200);
    let mut changed = response.json();
    assert_eq!(response.header("etag"), Some(&*tag_of(&api, &code).await));
    for (name, value) in changes.as_object().unwrap() {
        if !["expires_at", "audit"].contains(&name.as_str()) {
            assert_eq!(&changed[name], value, "{name}");
        }
    }
    assert_eq!(changed["expires_at"], "2099-01-01T00:00:00.000Z");
    assert_eq!((&changed["campaign"], &changed["clicks"]), (&json!("old"), &json!(1)));
    assert_eq!(link(&api, &code).await, changed);
    assert_within_a_second("the redirect changes", async || {
        let redirect = server.anyone().head(&format!("/{code}")).await;
        redirect.header("location") == Some("https://example.org/new")
    })
    .await;
    server.anyone().get(&format!("/{code}/qr.svg")).await.expect(200);

    let history = server.terse(&["history", "--link", &code, "--json"]).done().stdout;
    let event: Value = serde_json::from_str(history.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&event["action"], &event["actor"]["type"]),
        (&json!("link edit"), &json!("owner_key"))
    );
    assert_eq!(
        (&event["audit"]["reason"], &event["audit"]["case_id"]),
        (&json!("owner-request"), &json!("T-1"))
    );
    server.terse(&["undo", &event["id"].to_string(), "--yes"]).done();
    changed = link(&api, &code).await;
    assert_eq!((&changed["title"], &changed["has_qr"]), (&json!("Old"), &json!(false)));
    assert_eq!((&changed["destination_url"], &changed["expires_at"]), (&json!(URL), &Value::Null));

    patch(&api, &code, &json!({})).await.expect(200);
    let events = server.terse(&["history", "--link", &code, "--json"]).done().stdout;
    assert_eq!(events.lines().count(), 2, "nothing changed: {events}");
}

#[tokio::test]
async fn invalid_patch_changes_nothing() {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    let before = link(&api, &code).await;
    for (body, pointers) in [
        (json!({"url": URL}), &["/url"][..]),
        (json!({"clicks": 1, "short_code": "x"}), &["/clicks", "/short_code"]),
        (json!({"destination_url": null}), &["/destination_url"]),
        (json!({"destination_url": "ftp://example.com"}), &["/destination_url"]),
        (json!({"destination_url": server.base_url()}), &["/destination_url"]),
        (json!({"fallback_url": server.base_url()}), &["/fallback_url"]),
        (json!({"title": 1, "has_qr": 1, "qr_margin": 17}), &["/has_qr", "/qr_margin", "/title"]),
        (json!({"has_qr": 2, "a/b~c": 1}), &["/a~1b~0c", "/has_qr"]),
        (
            json!({"qr_foreground": null, "audit": {"reason": "boredom"}, "reason": "other"}),
            &["/audit/reason", "/qr_foreground", "/reason"],
        ),
        (
            json!({"title": 1, "audit": {"reason": 1, "note": 1, "case_id": 1, "case": "T-1"}}),
            &["/audit/case", "/audit/case_id", "/audit/note", "/audit/reason", "/title"],
        ),
        (json!({"title": "New", "audit": "phishing"}), &["/audit"]),
        (json!({"title": "New", "audit": [{"reason": "other"}]}), &["/audit"]),
    ] {
        patch(&api, &code, &body).await.invalid(pointers);
    }
    let long = "x".repeat(256);
    patch(&api, &code, &json!({"": 1, "title": 1})).await.invalid(&["", "/title"]);
    patch(&api, &code, &json!({ long: 1 })).await.invalid(&[""]);
    let pale = json!({"title": "New", "qr_foreground": "#ffffff"});
    patch(&api, &code, &pale).await.problem(409, "qr-colours-too-close");
    let past = json!({"title": "New", "expires_at": "2001-01-01T00:00:00Z"});
    patch(&api, &code, &past).await.problem(409, "expiry-passed");
    server.terse(&["block", "add", "evil.example", "--reason", "malware"]).done();
    let evil = json!({"title": "New", "destination_url": "https://evil.example/"});
    // A patch could succeed before the server knows the block.
    assert_within_a_second("the destination is blocked", async || {
        api.shorten(&json!({"url": "https://evil.example/"})).await.status == 422
    })
    .await;
    let blocked = patch(&api, &code, &evil).await.problem(422, "destination-blocked");
    assert!(blocked.pointers().contains("/destination_url"), "{blocked:#?}");
    patch(&api, "nothere", &json!({"title": "New"})).await.problem(404, "link-not-found");
    let mut after = link(&api, &code).await;
    after["destination_url"] = before["destination_url"].clone();
    assert_eq!(after, before);
}

#[tokio::test]
async fn media_types_of_patches_are_json_and_merge_patch() {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    let ask = || api.ask(Method::PATCH, &format!("{PREFIX}/links/{code}"));
    ask().body("application/merge-patch+json; charset=utf-8", "{}").send().await.expect(200);
    let refused = ask().body("application/json-patch+json", "[]").send().await;
    let refused = refused.problem(415, "unsupported-media-type");
    let accepted = refused.header("accept-patch").expect("the accepted types");
    assert_eq!(accepted, "application/json, application/merge-patch+json");
    let gzip = ask().header("Content-Encoding", "gzip").json(&json!({})).send().await;
    gzip.problem(415, "unsupported-content-encoding");
}

#[tokio::test]
async fn precondition_names_the_version_to_change() {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    let first = tag_of(&api, &code).await;
    let change = async |tag: &str, title: &str| {
        let ask = api.ask(Method::PATCH, &format!("{PREFIX}/links/{code}"));
        ask.header("If-Match", tag).json(&json!({ "title": title })).send().await
    };
    change(&first, "one").await.expect(200);
    for stale in [&*first, &format!("W/{}", tag_of(&api, &code).await), "\"other\""] {
        change(stale, "two").await.problem(412, "precondition-failed");
    }
    let second = tag_of(&api, &code).await;
    change(&format!("{first}, {second}"), "three").await.expect(200);
    change("*", "four").await.expect(200);
    for malformed in ["four", "\"a"] {
        change(malformed, "five").await.problem(400, "malformed-request");
    }
    assert_eq!(link(&api, &code).await["title"], "four");
    let remove = async |tag: &str| {
        let ask = api.ask(Method::DELETE, &format!("{PREFIX}/links/{code}"));
        ask.header("If-Match", tag).send().await
    };
    remove(&first).await.problem(412, "precondition-failed");
    remove(&tag_of(&api, &code).await).await.expect(204);
    remove("*").await.problem(404, "link-not-found");
    change("*", "six").await.problem(404, "link-not-found");
}

/// Starts changes of one version of links at the same time through two servers, each with its number.
/// Exactly one of each link must succeed.
async fn assert_one_wins(starts: usize, clients: usize, ask: fn(&Api, &str, usize) -> Ask) {
    let server = Server::start();
    let second = Server::on(server.database());
    let apis = [server.api(), second.with_key(server.key())];
    for start in 0..starts {
        let code = apis[start % 2].create(URL).await;
        let tag = tag_of(&apis[0], &code).await;
        let aligned = Arc::new(Barrier::new(clients));
        let changes = (0..clients).map(|number| {
            let ask = ask(&apis[number % 2], &code, number).header("If-Match", &tag);
            let aligned = Arc::clone(&aligned);
            tokio::spawn(async move {
                aligned.wait().await;
                ask.send().await.status
            })
        });
        let mut statuses = Vec::new();
        for change in changes.collect::<Vec<_>>() {
            statuses.push(change.await.unwrap());
        }
        let won = statuses.iter().filter(|status| matches!(status, 200 | 204)).count();
        assert_eq!(won, 1, "start {start}: {statuses:?}");
        // After a deletion, there is no version left.
        let is_lost = |status: &u16| matches!(status, 200 | 204 | 404 | 412);
        assert!(statuses.iter().all(is_lost), "start {start}: {statuses:?}");
    }
    server.terse(&["check"]).done();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_concurrent_changes_succeeds() {
    assert_one_wins(300, 2, |api, code, number| {
        let ask = api.ask(Method::PATCH, &format!("{PREFIX}/links/{code}"));
        ask.json(&json!({ "is_paused": true, "title": number.to_string() }))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn change_and_deletion_of_one_version_exclude_each_other() {
    assert_one_wins(100, 4, |api, code, number| {
        let path = format!("{PREFIX}/links/{code}");
        if number % 2 == 0 {
            return api.ask(Method::DELETE, &path);
        }
        api.ask(Method::PATCH, &path).json(&json!({ "title": number.to_string() }))
    })
    .await;
}

#[tokio::test]
async fn deletion_retires_the_code() {
    let server = Server::start();
    let api = server.api();
    let code = api.create_from(&json!({"url": URL, "custom_code": "retired"})).await;
    let response =
        delete(&api, "retired?reason=owner-request&note=over&case_id=T-2").await.expect(204);
    assert!(response.body.is_empty(), "{response:#?}");
    delete(&api, &code).await.problem(404, "link-not-found");
    get(&api, "/links/retired").await.problem(404, "link-not-found");
    assert_within_a_second("the link is gone", async || {
        server.anyone().get("/retired").await.status == 410
    })
    .await;
    let again = json!({"url": URL, "custom_code": "retired"});
    api.shorten(&again).await.problem(409, "code-in-use");
    let history = server.terse(&["history", "--link", "retired", "--json"]).done().stdout;
    let event: Value = serde_json::from_str(history.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&event["action"], &event["audit"]["note"]),
        (&json!("link delete"), &json!("over"))
    );
    assert_eq!(get(&api, "/owner").await.json()["usage"]["links"], 0);
    for query in ["reason=boredom", "note=%FF", "case_id=a&case_id=b"] {
        delete(&api, &format!("retired?{query}")).await.problem(400, "malformed-request");
    }
}

#[tokio::test]
async fn operator_holds_disabled_and_blocked_links() {
    let server = Server::start();
    let api = server.api();
    let disabled = api.create(URL).await;
    let blocked = api.create("https://evil.example/").await;
    server.terse(&["link", "disable", &disabled, "--reason", "phishing"]).done();
    server.terse(&["block", "add", "evil.example", "--reason", "malware"]).done();
    for code in [&disabled, &blocked] {
        assert_within_a_second("the link is held", async || {
            patch(&api, code, &json!({"title": "x"})).await.status == 409
        })
        .await;
        patch(&api, code, &json!({"title": "x"})).await.problem(409, "link-disabled");
        delete(&api, code).await.problem(409, "link-disabled");
        let stale = api.ask(Method::DELETE, &format!("{PREFIX}/links/{code}"));
        stale.header("If-Match", "\"x\"").send().await.problem(412, "precondition-failed");
    }
    server.terse(&["link", "enable", &disabled]).done();
    delete(&api, &disabled).await.expect(204);
    let limited = server.terse(&["key", "add", "default", "--scope", "create"]).key();
    let limited = server.with_key(&limited);
    patch(&limited, &blocked, &json!({})).await.problem(403, "key-scope");
}
