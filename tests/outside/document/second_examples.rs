//! Requests that return the further examples of codes that have several.

use reqwest::Method;
use serde_json::{Value, json};

use super::provoke::{ask, managing, path_of};
use crate::harness::{Ask, Response, Server};

/// Sends a malformed request that returns the problem with this detail. Returns `None` if no further
/// example has it.
pub(super) async fn malformed(ask: Ask, detail: &str) -> Option<Response> {
    let (ask, body) = match detail {
        "The body is not JSON: number out of range at line 1 column 13." => {
            (ask, "{\"big\": 1e999}")
        }
        "The header Idempotency-Key appears with different values." => {
            (ask.header("Idempotency-Key", "one").header("Idempotency-Key", "other"), "{}")
        }
        "The header If-Match must be a list of entity tags, or *." => {
            (ask.header("If-Match", "other"), "{}")
        }
        _ => return None,
    };
    Some(ask.body("application/json", body.to_owned()).send().await)
}

/// Sends a request of an owner that returns this further example, and returns the server that
/// responded. `limited` is a server with the lowest limit of failed keys.
pub(super) async fn provoke<'a>(
    server: &'a Server,
    limited: &'a Server,
    operation: &str,
    example: &Value,
) -> Option<(&'a Server, Response)> {
    let detail = example["detail"].as_str().unwrap();
    let method = match operation {
        "manage.deleteLink" | "manage.revokeKey" | "manage.deleteWebhook" => Method::DELETE,
        _ if operation.starts_with("manage.update") => Method::PATCH,
        _ if operation.starts_with("manage.put") => Method::PUT,
        _ => Method::POST,
    };
    if let Some(response) = malformed(server.api().ask(method, path_of(operation)), detail).await {
        return Some((server, response));
    }
    let response = match (operation, detail) {
        (_, "Too many requests without a valid API key came from this address.") => {
            let number: u32 = operation.bytes().map(u32::from).sum();
            let client = format!("192.0.{}.{}", number / 256, number % 256);
            let api = limited.anyone().with("X-Forwarded-For", &client);
            ask(&api, operation).await;
            return Some((limited, ask(&api, operation).await));
        }
        (_, "The plan's limit of new links per day is reached until midnight UTC.") => {
            let name = format!("daily-{operation}");
            let limit = ["--links-per-day", "1", "--custom-codes", "true"];
            server.terse(&[&["plan", "add", &name], &limit[..]].concat()).done();
            let api = managing(server, &name, &name);
            api.create("https://example.org/").await;
            ask(&api, operation).await
        }
        ("shorten", "2 fields are not valid.") => {
            server.api().shorten(&json!({"title": "x".repeat(256)})).await
        }
        ("manage.createLink", "2 fields are not valid.") => {
            let body = json!({"destination_url": "example.org", "title": "x".repeat(256)});
            server.api().ask(Method::POST, path_of(operation)).json(&body).send().await
        }
        _ => return None,
    };
    Some((server, response))
}
