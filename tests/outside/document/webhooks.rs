//! Requests of the operations of webhooks.

use reqwest::Method;
use serde_json::{Value, json};

use super::provoke::send_invalid;
use crate::harness::{Api, Response, Server, TIMEOUT, eventually};
use crate::permissions::owners::new_webhook;

const PATH: &str = "/api/manage/v1/webhooks";

/// Returns the path of an operation, if it is one of webhooks.
pub(super) fn path_of(operation: &str) -> Option<&'static str> {
    Some(match operation {
        "manage.listWebhooks" | "manage.createWebhook" => PATH,
        "manage.getWebhook" | "manage.updateWebhook" | "manage.deleteWebhook" => {
            "/api/manage/v1/webhooks/999"
        }
        "manage.rotateWebhookSecret" => "/api/manage/v1/webhooks/999/rotate",
        "manage.testWebhook" => "/api/manage/v1/webhooks/999/test",
        "manage.listWebhookDeliveries" => "/api/manage/v1/webhooks/999/deliveries",
        "manage.retryWebhookDelivery" => "/api/manage/v1/webhooks/999/deliveries/msg_1_1/retry",
        _ => return None,
    })
}

fn method_of(operation: &str) -> Method {
    match operation {
        "manage.updateWebhook" => Method::PATCH,
        "manage.deleteWebhook" => Method::DELETE,
        _ if operation.contains(".list") || operation.contains(".get") => Method::GET,
        _ => Method::POST,
    }
}

fn example() -> Value {
    json!({ "url": "http://127.0.0.1:1025/", "types": ["link.created"] })
}

/// Calls an operation with a path of its own.
async fn send(api: &Api, operation: &str, path: &str, body: &Value) -> Response {
    let ask = api.ask(method_of(operation), path);
    let has_body = matches!(operation, "manage.createWebhook" | "manage.updateWebhook");
    if has_body { ask.json(body).send().await } else { ask.send().await }
}

/// Calls an operation with valid parameters, but for a webhook that does not exist.
pub(super) async fn ask(api: &Api, operation: &str) -> Response {
    send(api, operation, path_of(operation).unwrap(), &example()).await
}

/// Sends a request that returns this problem. Returns `None` if the operation is none of webhooks, or if
/// other operations return the problem in the same way.
pub(super) async fn provoke(server: &Server, operation: &str, code: &str) -> Option<Response> {
    let path = path_of(operation)?;
    let api = server.api();
    let new = async || {
        let ids = new_webhook(&api).await;
        let (webhook, delivery) = ids.split_once(' ').unwrap();
        (path.replace("999", webhook).replace("msg_1_1", delivery), webhook.to_owned())
    };
    Some(match (operation, code) {
        (_, "webhook-not-found") => ask(&api, operation).await,
        (_, "delivery-not-found") => {
            let (_, webhook) = new().await;
            ask_at(&api, operation, &path.replace("999", &webhook)).await
        }
        (_, "cursor-not-found") => {
            let (path, _) = new().await;
            api.get(&format!("{path}?cursor={:032x}", 1)).await
        }
        ("manage.listWebhooks" | "manage.listWebhookDeliveries", "malformed-request") => {
            api.get(&format!("{path}?limit=0")).await
        }
        (_, "invalid-input") => {
            let (path, _) = new().await;
            let body = json!({ "url": "https://user@example.org/", "types": ["link.created"] });
            send(&api, operation, &path, &body).await
        }
        (_, "precondition-failed") => {
            let (path, _) = new().await;
            let api = api.with("If-Match", "\"other\"");
            send(&api, operation, &path, &json!({})).await
        }
        ("manage.createWebhook", "webhook-limit-reached") => {
            let api = server.with_key(&server.terse(&["owner", "add", "hooked"]).key());
            for _ in 0..10 {
                ask(&api, operation).await.expect(201);
            }
            ask(&api, operation).await
        }
        ("manage.createWebhook", "idempotency-key-reused") => {
            let (_, _) = new().await;
            let api = api.with("Idempotency-Key", "reused-hook");
            ask(&api, operation).await.expect(201);
            let body = json!({ "url": "http://127.0.0.1:1026/", "types": ["link.created"] });
            send(&api, operation, path, &body).await
        }
        ("manage.createWebhook", "secret-unavailable") => {
            let (_, _) = new().await;
            let repeated = api.with("Idempotency-Key", "unavailable-hook");
            let created = ask(&repeated, operation).await.expect(201).json();
            let rotate = format!("{PATH}/{}/rotate", created["id"]);
            api.ask(Method::POST, &rotate).send().await.expect(200);
            ask(&repeated, operation).await
        }
        (
            "manage.rotateWebhookSecret" | "manage.testWebhook" | "manage.retryWebhookDelivery",
            "idempotency-key-reused",
        ) => {
            let (path, _) = new().await;
            let api = api.with("Idempotency-Key", operation);
            api.ask(Method::POST, &path).send().await.expect(200);
            let (other, _) = new().await;
            api.ask(Method::POST, &other).send().await
        }
        ("manage.rotateWebhookSecret", "secret-unavailable") => {
            let (path, _) = new().await;
            let repeated = api.with("Idempotency-Key", "unavailable-rotation");
            repeated.ask(Method::POST, &path).send().await.expect(200);
            api.ask(Method::POST, &path).send().await.expect(200);
            repeated.ask(Method::POST, &path).send().await
        }
        (_, "webhook-disabled") => {
            let (path, webhook) = new().await;
            server.terse(&["webhook", "disable", &webhook]).done();
            send(&api, operation, &path, &json!({ "is_enabled": true })).await
        }
        (_, "delivery-erased") => {
            let (path, webhook) = new().await;
            let erase = "UPDATE webhook_deliveries SET status = 'erased'";
            server.database().execute(erase).await;
            let erased = format!(
                "SELECT COUNT(*) FROM webhook_deliveries
                WHERE webhook_id = {webhook} AND status = 'erased'"
            );
            eventually(TIMEOUT, "the erasure", async || {
                server.database().number(&erased).await > 0
            })
            .await;
            ask_at(&api, operation, &path).await
        }
        (
            "manage.createWebhook" | "manage.updateWebhook",
            "malformed-request"
            | "body-too-large"
            | "unsupported-media-type"
            | "unsupported-content-encoding",
        ) => send_invalid(api.ask(method_of(operation), path), code).await,
        _ => return None,
    })
}

async fn ask_at(api: &Api, operation: &str, path: &str) -> Response {
    send(api, operation, path, &example()).await
}
