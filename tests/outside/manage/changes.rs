//! Changes and deletions of links by their owners.

use reqwest::Method;
use serde_json::{Value, json};

use super::{PREFIX, get, link};
use crate::harness::{Api, Response, Server, assert_within_a_second};

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
        "has_qr": 1,
        "qr_margin": 2,
        "qr_foreground": "#1d3557",
        "reason": "owner-request",
        "note": "a typing error",
        "case": "T-1",
    });
    let response = patch(&api, &code, &changes).await.expect(200);
    let mut changed = response.json();
    assert_eq!(response.header("etag"), Some(&*tag_of(&api, &code).await));
    for (name, value) in changes.as_object().unwrap() {
        if !["expires_at", "reason", "note", "case"].contains(&name.as_str()) {
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
        (&event["action"], &event["actor_type"]),
        (&json!("link edit"), &json!("owner_key"))
    );
    assert_eq!((&event["reason"], &event["case"]), (&json!("owner-request"), &json!("T-1")));
    server.terse(&["undo", &event["event"].to_string(), "--yes"]).done();
    changed = link(&api, &code).await;
    assert_eq!((&changed["title"], &changed["has_qr"]), (&json!("Old"), &json!(0)));
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
        (
            json!({"title": 1, "has_qr": true, "qr_margin": 17}),
            &["/has_qr", "/qr_margin", "/title"],
        ),
        (json!({"has_qr": 2, "a/b~c": 1}), &["/a~1b~0c", "/has_qr"]),
        (json!({"qr_foreground": null, "reason": "boredom"}), &["/qr_foreground", "/reason"]),
    ] {
        patch(&api, &code, &body).await.invalid(pointers);
    }
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

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_changes_of_one_version_succeed_once() {
    let server = Server::start();
    let second = Server::on(server.database());
    let code = server.api().create(URL).await;
    for round in 0..10 {
        let tag = tag_of(&server.api(), &code).await;
        let clients = (0..8).map(|number| {
            let api = if number % 2 == 0 { server.api() } else { second.with_key(server.key()) };
            let ask = api.ask(Method::PATCH, &format!("{PREFIX}/links/{code}"));
            let ask = ask.header("If-Match", &tag);
            tokio::spawn(ask.json(&json!({ "title": format!("{round}-{number}") })).send())
        });
        let mut statuses = Vec::new();
        for client in clients.collect::<Vec<_>>() {
            statuses.push(client.await.unwrap().status);
        }
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412, 412, 412, 412, 412, 412, 412], "{round}");
    }
}

#[tokio::test]
async fn deletion_retires_the_code() {
    let server = Server::start();
    let api = server.api();
    let code = api.create_from(&json!({"url": URL, "custom_code": "retired"})).await;
    let response =
        delete(&api, "retired?reason=owner-request&note=over&case=T-2").await.expect(204);
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
    assert_eq!((&event["action"], &event["note"]), (&json!("link delete"), &json!("over")));
    assert_eq!(get(&api, "/owner").await.json()["usage"]["links"], 0);
    for query in ["reason=boredom", "note=%FF", "case=a&case=b"] {
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
    let other = server.database().owner("other", "unlimited");
    let other = server.with_key(&other);
    patch(&other, &blocked, &json!({})).await.problem(403, "key-scope");
}
