//! Requests of the operations of `/api/manage/v1` that create something.

use reqwest::Method;
use serde_json::{Value, json};

use super::provoke::{CODE, managing, path_of};
use crate::codes;
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
        ("manage.createLink", "external-id-in-use") => {
            name_link(&api, CODE).await;
            send(&api, operation, &link_with("external_id", "taken")).await
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
        ("manage.changeLinks", "change-running") => {
            let running = "INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason,
                    changed, actor_type, status, finished_at)
                SELECT 31, 1, 'key 1', 'link pause', '2 codes', id, name, 'other', 2, 'owner_key', 'running',
                    4102444800000 FROM owners WHERE name = 'default'
                ON CONFLICT (id) DO UPDATE SET owner_id = excluded.owner_id,
                    actor_type = excluded.actor_type, status = excluded.status,
                    finished_at = excluded.finished_at";
            server.database().execute(running).await;
            let body = json!({"action": "pause", "selectors": {"code": [CODE]}});
            let response = send(&api, operation, &body).await;
            server.database().execute("UPDATE events SET status = 'done' WHERE id = 31").await;
            response
        }
        ("manage.changeLinks", "idempotency-key-reused") => {
            let api = api.with("Idempotency-Key", "reused-change");
            ask(&api, operation).await.expect(200);
            send(&api, operation, &json!({"action": "unpause", "selectors": {"q": "a"}})).await
        }
        ("manage.changeLinks", "invalid-input") => {
            send(&api, operation, &json!({"action": "pause", "selectors": {}})).await
        }
        ("manage.changeLinks", "expiry-passed") => {
            let body = update_of(json!({"expires_at": "2020-01-01T00:00:00Z"}));
            send(&api, operation, &body).await
        }
        ("manage.changeLinks", "destination-blocked") => {
            block_evil(server, &api).await;
            let body = update_of(json!({"fallback_url": "https://evil.example/"}));
            send(&api, operation, &body).await
        }
        ("manage.putExternalLink", _) => return provoke_put(server, code).await,
        _ => return None,
    })
}

/// Gives the link of the examples the external identifier `taken`.
pub(super) async fn name_link(api: &Api, code: &str) {
    let ask = api.ask(Method::PATCH, &format!("/api/manage/v1/links/{code}"));
    ask.json(&json!({"external_id": "taken"})).send().await.expect(200);
}

/// Puts a link, or reads it.
pub(super) async fn ask_external(api: &Api, operation: &str, path: &str) -> Response {
    if operation == "manage.getExternalLink" {
        return api.get(path).await;
    }
    let body = json!({"destination_url": "https://example.org/"});
    api.ask(Method::PUT, path).json(&body).send().await
}

/// Sends a link whose creation or change returns this problem.
async fn provoke_put(server: &Server, code: &str) -> Option<Response> {
    let mut api = server.api();
    let body = match code {
        "invalid-input" => link_with("external_id", "other"),
        "code-in-use" => link_with("custom_code", CODE),
        "code-reserved" => link_with("custom_code", "docs"),
        "expiry-passed" => link_with("expires_at", "2020-01-01T00:00:00Z"),
        "qr-colours-too-close" => {
            let mut body = link_with("qr_foreground", "#ffffff");
            body["qr_background"] = "#f7f7f7".into();
            body
        }
        "destination-blocked" => {
            block_evil(server, &api).await;
            json!({ "destination_url": "https://evil.example/" })
        }
        "custom-codes-not-allowed" => {
            server.database().plan("no-codes", "unlimited", false);
            api = managing(server, "no-codes", "no-codes");
            link_with("custom_code", "mine")
        }
        "plan-limit-reached" => {
            server.database().plan("one", "1", true);
            api = managing(server, "one", "one");
            api.create("https://example.org/").await;
            link_with("title", "second")
        }
        "link-disabled" => {
            let disabled = api.create("https://example.org/").await;
            server.terse(&["link", "edit", &disabled, "--external-id", "held"]).done();
            server.terse(&["link", "disable", &disabled]).done();
            let path = "/api/manage/v1/external-links/held";
            let body = link_with("title", "held");
            return Some(api.ask(Method::PUT, path).json(&body).send().await);
        }
        "qr-code-too-long" => {
            let long = "界".repeat(255);
            codes::import(server.database(), &[&long], &[]);
            let body = json!({"external_id": "long"});
            let link = format!("/api/manage/v1/links/{long}");
            api.ask(Method::PATCH, &link).json(&body).send().await.expect(200);
            let body = link_with("qr_error_correction", "H");
            let path = "/api/manage/v1/external-links/long";
            return Some(api.ask(Method::PUT, path).json(&body).send().await);
        }
        _ => return None,
    };
    let path = format!("/api/manage/v1/external-links/new-{code}");
    Some(api.ask(Method::PUT, &path).json(&body).send().await)
}

fn update_of(update: Value) -> Value {
    json!({"action": "update", "selectors": {"q": "nothing"}, "update": update})
}

/// Blocks the destination of the examples.
async fn block_evil(server: &Server, api: &Api) {
    server.terse(&["block", "add", "evil.example", "--reason", "phishing"]).done();
    assert_within_a_second("the destination is blocked", async || {
        api.shorten(&json!({ "url": "https://evil.example/" })).await.status == 422
    })
    .await;
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
        "manage.changeLinks" => json!({"action": "pause", "selectors": {"q": "nothing"}}),
        _ => json!({}),
    };
    send(api, operation, &body).await
}

async fn send(api: &Api, operation: &str, body: &Value) -> Response {
    api.ask(Method::POST, path_of(operation)).json(body).send().await
}
