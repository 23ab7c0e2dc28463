//! Links that owners create through this interface.

use reqwest::Method;
use serde_json::{Value, json};

use super::{PREFIX, get, link};
use crate::harness::{Api, Response, Server, assert_within_a_second};

const URL: &str = "https://example.com/";
pub(super) const LINKS: &str = "/api/manage/v1/links";

pub(super) async fn create(api: &Api, body: &Value) -> Response {
    api.ask(Method::POST, LINKS).json(body).send().await
}

async fn create_once(api: &Api, key: &str, body: &Value) -> Response {
    api.ask(Method::POST, LINKS).header("Idempotency-Key", key).json(body).send().await
}

/// Returns a request that sets all properties.
pub(super) fn full(code: &str) -> Value {
    json!({
        "destination_url": "https://example.com/?a=1#b",
        "custom_code": code,
        "title": "Spring catalogue",
        "campaign": "spring",
        "expires_at": "2099-01-01T00:00:00Z",
        "fallback_url": "https://example.org/late",
        "forward_query": true,
        "is_paused": false,
        "has_qr": true,
        "qr_error_correction": "H",
        "qr_margin": 2,
        "qr_foreground": "#1d3557",
        "qr_background": "#f1faee",
    })
}

#[tokio::test]
async fn link_is_created_with_all_properties() {
    let server = Server::start();
    let api = server.api();
    let body = full("all-of-it");
    let created = create(&api, &body).await.expect(201);
    let shown = get(&api, "/links/all-of-it").await.expect(200);
    assert_eq!(created.json(), shown.json());
    assert_eq!(created.header("etag"), shown.header("etag"));
    let location = format!("{}{LINKS}/all-of-it", server.base_url());
    assert_eq!(created.header("location"), Some(&*location));
    for (name, value) in body.as_object().unwrap() {
        let expected = match name.as_str() {
            "custom_code" => ("short_code", value.clone()),
            "expires_at" => ("expires_at", json!("2099-01-01T00:00:00.000Z")),
            other => (other, value.clone()),
        };
        assert_eq!(created.json()[expected.0], expected.1, "{name}");
    }
    let redirect = server.anyone().get("/all-of-it?x=2").await.expect(302);
    assert_eq!(redirect.header("location"), Some("https://example.com/?a=1&x=2#b"));
    server.anyone().get("/all-of-it/qr.svg").await.expect(200);

    let paused =
        create(&api, &json!({"destination_url": URL, "is_paused": true})).await.expect(201);
    assert_eq!(
        (&paused.json()["state"], &paused.json()["is_active"]),
        (&json!("paused"), &json!(false))
    );
    assert_eq!(link(&api, &paused.code()).await, paused.json());
    server.anyone().get(&format!("/{}", paused.code())).await.expect(410);

    let plain = create(&api, &json!({"destination_url": URL})).await.expect(201);
    let mut shortened = link(&api, &api.create(URL).await).await;
    for name in ["short_code", "short_url", "created_at", "updated_at"] {
        shortened[name] = plain.json()[name].clone();
    }
    assert_eq!(plain.json(), shortened, "both operations create the same link");
    assert_eq!(server.terse(&["history", "--json"]).done().stdout, "", "a creation is no change");
}

#[tokio::test]
async fn invalid_request_creates_no_link() {
    let server = Server::start();
    let api = server.api();
    let own = server.base_url();
    api.create_from(&json!({"url": URL, "custom_code": "taken"})).await;
    for (body, pointers) in [
        (json!({}), &["/destination_url"][..]),
        (json!({"url": URL}), &["/destination_url", "/url"]),
        (json!({"destination_url": null}), &["/destination_url"]),
        (
            json!({"destination_url": own, "fallback_url": own, "custom_code": "a"}),
            &["/custom_code", "/destination_url", "/fallback_url"],
        ),
        (json!({"destination_url": URL, "fallback_url": own}), &["/fallback_url"]),
        (json!({"destination_url": URL, "custom_code": "a/b"}), &["/custom_code"]),
        (json!({"destination_url": URL, "clicks": 1, "state": "active"}), &["/clicks", "/state"]),
        (
            json!({"destination_url": "x", "has_qr": 1, "is_paused": 2, "qr_margin": 17,
                "qr_foreground": "red", "title": 1}),
            &[
                "/destination_url",
                "/has_qr",
                "/is_paused",
                "/qr_foreground",
                "/qr_margin",
                "/title",
            ],
        ),
        (json!({"destination_url": URL, "audit": {"reason": "other"}}), &["/audit"]),
    ] {
        create(&api, &body).await.invalid(pointers);
    }
    for (member, value, code) in [
        ("custom_code", json!("taken"), "code-in-use"),
        ("custom_code", json!("docs"), "code-reserved"),
        ("expires_at", json!("2001-01-01T00:00:00Z"), "expiry-passed"),
        ("qr_foreground", json!("#ffffff"), "qr-colours-too-close"),
    ] {
        create(&api, &json!({"destination_url": URL, member: value})).await.problem(409, code);
    }
    server.terse(&["block", "add", "evil.example", "--reason", "malware"]).done();
    let evil = "https://evil.example/";
    assert_within_a_second("the destination is blocked", async || {
        api.shorten(&json!({"url": evil, "custom_code": "taken"})).await.status == 422
    })
    .await;
    for (body, pointer) in [
        (json!({"destination_url": evil}), "/destination_url"),
        (json!({"destination_url": URL, "fallback_url": evil}), "/fallback_url"),
    ] {
        let blocked = create(&api, &body).await.problem(422, "destination-blocked");
        assert!(blocked.pointers().contains(pointer), "{blocked:#?}");
    }
    assert_eq!(api.listed().await.len(), 1);
}

/// `/api/v1` ignores a custom code on a plan without custom codes.
#[tokio::test]
async fn custom_code_is_refused_on_a_plan_without_custom_codes() {
    let server = Server::start();
    server.database().plan("random", "2", false);
    let add = ["owner", "add", "random", "--plan", "random", "--scope", "full"];
    let api = server.with_key(&server.terse(&add).key());
    let with_code = |code: &str| json!({"destination_url": URL, "custom_code": code});
    server.api().create_from(&json!({"url": URL, "custom_code": "taken"})).await;
    for code in ["mine", "taken", "docs", "a/b"] {
        let response = create(&api, &with_code(code)).await;
        response.problem(409, "custom-codes-not-allowed");
    }
    // Another fault of the request comes first.
    create(&api, &json!({"destination_url": server.base_url(), "custom_code": "a/b"}))
        .await
        .invalid(&["/destination_url"]);
    let ask = api.ask(Method::POST, "/api/manage/v1/link-batches");
    let items = [with_code("mine"), json!({"destination_url": URL}), with_code("a/b")];
    let batch = ask.json(&json!({"links": items})).send().await.expect(200).data();
    let outcomes: Vec<_> = (0..3).map(|index| &batch[index]["problem"]["code"]).collect();
    let refused = json!("custom-codes-not-allowed");
    assert_eq!(outcomes, [&refused, &Value::Null, &refused]);
    let ignored = api.create_from(&json!({"url": URL, "custom_code": "mine"})).await;
    assert_ne!(ignored, "mine");
    // The plan is full, and the code comes first.
    create(&api, &with_code("mine")).await.problem(409, "custom-codes-not-allowed");
    create(&api, &json!({"destination_url": URL})).await.problem(409, "plan-limit-reached");
    // A repetition returns the link that it has created under another plan.
    server.terse(&["plan", "set", "random", "--custom-codes", "true", "--max-links", "3"]).done();
    let first = create_once(&api, "kept", &with_code("mine")).await.expect(201);
    server.terse(&["plan", "set", "random", "--custom-codes", "false"]).done();
    let again = create_once(&api, "kept", &with_code("mine")).await.expect(201);
    assert_eq!(again.text(), first.text());
}

#[tokio::test]
async fn repeated_creation_returns_the_first_response() {
    let server = Server::start();
    let second = Server::on(server.database());
    let api = server.api();
    let first = create_once(&api, "one", &full("once")).await.expect(201);
    let edit = json!({"title": "Changed", "expires_at": null, "is_paused": true});
    api.ask(Method::PATCH, &format!("{LINKS}/once")).json(&edit).send().await.expect(200);
    let other_key = server.terse(&["key", "add", "default", "--label", "other"]).key();
    for api in [api.clone(), second.with_key(server.key()), second.with_key(&other_key)] {
        let again = create_once(&api, "one", &full("once")).await.expect(201);
        assert_eq!(again.text(), first.text());
        for name in ["etag", "location"] {
            assert_eq!(again.header(name), first.header(name), "{name}");
        }
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
    }
    for (name, value) in full("once").as_object().unwrap() {
        let mut other = full("once");
        other.as_object_mut().unwrap().remove(name);
        if name != "destination_url" && *value != json!(false) {
            create_once(&api, "one", &other).await.problem(409, "idempotency-key-reused");
        }
    }
    // All operations of an owner share the keys.
    let shorten =
        |key: &str| api.ask(Method::POST, "/api/v1/shorten").header("Idempotency-Key", key);
    let plain = json!({"url": URL});
    shorten("one").json(&plain).send().await.problem(409, "idempotency-key-reused");
    // The reuse comes first among conflicts.
    for conflict in
        [json!({"expires_at": "2020-01-01T00:00:00Z"}), json!({"qr_foreground": "#fffffe"})]
    {
        let mut body = json!({"destination_url": URL});
        body.as_object_mut().unwrap().extend(conflict.as_object().unwrap().clone());
        create_once(&api, "one", &body).await.problem(409, "idempotency-key-reused");
    }
    shorten("two").json(&plain).send().await.expect(201);
    let same = json!({"destination_url": URL});
    create_once(&api, "two", &same).await.problem(409, "idempotency-key-reused");
    create_once(&api, "three", &same).await.expect(201);
    let nulls = json!({"destination_url": URL, "title": null, "has_qr": null, "is_paused": false});
    let again = create_once(&api, "three", &nulls).await.expect(201);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(get(&api, "/owner").await.json()["usage"]["links"], 3);
    assert!(PREFIX.len() < LINKS.len());
}
