//! Requests of the operations of `/api/manage/v1` that create something.

use reqwest::Method;
use serde_json::{Value, json};

use super::provoke::{CODE, path_of};
use crate::harness::{Api, Response, Server, assert_within_a_second};

/// Sends a request that returns this problem. Returns `None` if the problem is not one of creations.
pub(super) async fn provoke(server: &Server, operation: &str, code: &str) -> Option<Response> {
    let api = server.api();
    Some(match (operation, code) {
        ("manage.createKey", "invalid-input") => {
            send(&api, operation, &json!({"scope": "all"})).await
        }
        ("manage.createKey", "expiry-passed") => {
            send(&api, operation, &json!({"scope": "read", "expires_at": "2020-01-01T00:00:00Z"}))
                .await
        }
        ("manage.createKey", "expiry-after-key") => {
            let add = ["key", "add", "default", "--scope", "full", "--expires", "1d"];
            let api = server.with_key(&server.terse(&add).key());
            send(&api, operation, &json!({"scope": "read", "expires_at": "2099-01-01T00:00:00Z"}))
                .await
        }
        ("manage.createKey", "key-limit-reached") => {
            send(&at_key_limit(server, "hundred").await, operation, &json!({"scope": "read"})).await
        }
        ("manage.updateKey", "key-limit-reached") => {
            let api = at_key_limit(server, "hundred-too").await;
            let expired = ["--label", "expired", "--expires", "2020-01-01T00:00:00Z"];
            server.terse(&[&["key", "add", "hundred-too"], &expired[..]].concat()).done();
            let id = server.database().key_id("hundred-too", "expired");
            let ask = api.ask(Method::PATCH, &format!("/api/manage/v1/keys/{id}"));
            ask.json(&json!({"expires_at": null})).send().await
        }
        ("manage.createKey", "idempotency-key-reused") => {
            let api = api.with("Idempotency-Key", "reused-key");
            send(&api, operation, &json!({"scope": "read"})).await.expect(201);
            send(&api, operation, &json!({"scope": "create"})).await
        }
        ("manage.createKey", "secret-unavailable") => {
            let other = server.terse(&["key", "add", "default", "--scope", "full"]).key();
            for api in [api, server.with_key(&other)] {
                let api = api.with("Idempotency-Key", "unavailable");
                let response = send(&api, operation, &json!({"scope": "read"})).await;
                if response.status != 201 {
                    return Some(response);
                }
            }
            return None;
        }
        ("manage.createLink", "invalid-input") => send(&api, operation, &json!({})).await,
        ("manage.createLinks", "invalid-input") => {
            send(&api, operation, &json!({"links": []})).await
        }
        ("manage.createLinks", "body-too-large") => {
            let ask = api.ask(Method::POST, path_of(operation));
            ask.body("application/json", " ".repeat((4 << 20) + 1)).send().await
        }
        ("manage.createLink", "destination-blocked") => {
            let url = "https://evil.example/";
            // Another operation may have blocked it already.
            server.terse(&["block", "add", "evil.example", "--reason", "phishing"]).done();
            assert_within_a_second("the destination is blocked", async || {
                api.shorten(&json!({ "url": url })).await.status == 422
            })
            .await;
            send(&api, operation, &json!({"destination_url": url})).await
        }
        ("manage.createLink", "code-in-use") => {
            send(&api, operation, &link_with("custom_code", CODE)).await
        }
        ("manage.createLink", "code-reserved") => {
            send(&api, operation, &link_with("custom_code", "docs")).await
        }
        ("manage.createLink", "expiry-passed") => {
            send(&api, operation, &link_with("expires_at", "2020-01-01T00:00:00Z")).await
        }
        ("manage.createLink", "qr-colours-too-close") => {
            let mut body = link_with("qr_foreground", "#ffffff");
            body["qr_background"] = "#f7f7f7".into();
            send(&api, operation, &body).await
        }
        ("manage.createLink", "custom-codes-not-allowed") => {
            server.database().plan("random", "unlimited", false);
            let add = ["owner", "add", "random", "--plan", "random", "--scope", "full"];
            let api = server.with_key(&server.terse(&add).key());
            send(&api, operation, &link_with("custom_code", "mine")).await
        }
        ("manage.createLink", "plan-limit-reached") => {
            server.database().plan("single", "1", true);
            let add = ["owner", "add", "single", "--plan", "single", "--scope", "full"];
            let api = server.with_key(&server.terse(&add).key());
            ask(&api, operation).await.expect(201);
            ask(&api, operation).await
        }
        ("manage.createLink" | "manage.createLinks", "idempotency-key-reused") => {
            let api = api.with("Idempotency-Key", &format!("reused-{operation}"));
            ask(&api, operation).await;
            let link = link_with("title", "other");
            let body =
                if operation == "manage.createLink" { link } else { json!({"links": [link]}) };
            send(&api, operation, &body).await
        }
        _ => return None,
    })
}

fn link_with(name: &str, value: &str) -> Value {
    json!({ "destination_url": "https://example.org/", name: value })
}

/// Returns a client of a new owner who has as many keys as an owner may have.
async fn at_key_limit(server: &Server, owner: &str) -> Api {
    let key = server.terse(&["owner", "add", owner, "--scope", "full"]).key();
    let api = server.with_key(&key);
    for _ in 0..99 {
        send(&api, "manage.createKey", &json!({"scope": "read"})).await.expect(201);
    }
    api
}

/// Calls an operation with valid parameters.
pub(super) async fn ask(api: &Api, operation: &str) -> Response {
    let link = json!({"destination_url": "https://example.org/"});
    let body = match operation {
        "manage.createLink" => link,
        "manage.createLinks" => json!({"links": [link]}),
        "manage.createKey" => json!({"scope": "read"}),
        _ => json!({}),
    };
    send(api, operation, &body).await
}

async fn send(api: &Api, operation: &str, body: &Value) -> Response {
    api.ask(Method::POST, path_of(operation)).json(body).send().await
}
