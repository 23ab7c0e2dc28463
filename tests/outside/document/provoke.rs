//! Requests that return each declared problem.

use reqwest::Method;
use serde_json::{Value, json};

use super::{creations, webhooks};
use crate::codes;
use crate::harness::{Api, Ask, Response, Server, assert_within_a_second};

/// Short code of the link in most examples.
pub(super) const CODE: &str = "Vd7hK2m";

/// Returns the path of an operation, with the code of the examples.
pub(super) fn path_of(operation: &str) -> &'static str {
    match operation {
        "shorten" => "/api/v1/shorten",
        "listLinks" => "/api/v1/links",
        "getStats" => "/api/v1/stats/Vd7hK2m",
        "enableQrCode" | "listQrCodes" => "/api/v1/qrcodes",
        "manage.getOwner" => "/api/manage/v1/owner",
        "manage.listLinks" | "manage.createLink" => "/api/manage/v1/links",
        "manage.getExternalLink" | "manage.putExternalLink" => {
            "/api/manage/v1/external-links/product-4711"
        }
        "manage.changeLinks" => "/api/manage/v1/link-changes",
        "manage.listCampaigns" => "/api/manage/v1/campaigns",
        "manage.createLinks" => "/api/manage/v1/link-batches",
        "manage.getLink" | "manage.updateLink" | "manage.deleteLink" => {
            "/api/manage/v1/links/Vd7hK2m"
        }
        "manage.listLinkEvents" => "/api/manage/v1/links/Vd7hK2m/events",
        "manage.listEvents" => "/api/manage/v1/events",
        "manage.getEvent" => "/api/manage/v1/events/999999",
        "manage.listEventChanges" => "/api/manage/v1/events/999999/changes",
        "manage.stopEvent" => "/api/manage/v1/events/999999/stop",
        "manage.listKeys" | "manage.createKey" => "/api/manage/v1/keys",
        "manage.getKey" | "manage.updateKey" | "manage.revokeKey" => "/api/manage/v1/keys/1",
        "manage.getLinkClicks" => "/api/manage/v1/links/Vd7hK2m/clicks",
        "manage.getClickReport" => "/api/manage/v1/reports/clicks",
        _ => super::webhooks::path_of(operation)
            .unwrap_or_else(|| panic!("no path is known for {operation}")),
    }
}

/// Sends a request that returns this problem.
pub(super) async fn provoke(server: &Server, operation: &str, code: &str) -> Response {
    let api = server.api();
    let list = path_of(operation);
    if let Some(response) = creations::provoke(server, operation, code).await {
        return response;
    }
    if let Some(response) = webhooks::provoke(server, operation, code).await {
        return response;
    }
    match (operation, code) {
        ("shorten", "unauthorized") => server.anyone().shorten(&json!({})).await,
        ("enableQrCode", "unauthorized") => server.anyone().qr(&json!({})).await,
        ("getStats", "unauthorized") => server.anyone().stats(CODE).await,
        (_, "unauthorized") => ask(&server.anyone(), operation).await,
        (_, "cursor-not-found") => api.get(&format!("{list}?cursor={:032x}", 1)).await,
        (
            "getStats" | "manage.getLink" | "manage.getLinkClicks" | "manage.listLinkEvents",
            "link-not-found",
        ) => api.get(&list.replace(CODE, "unknown")).await,
        ("manage.listEvents", "link-not-found") => {
            api.get(&format!("{list}?short_code=unknown")).await
        }
        ("manage.stopEvent", "event-not-found") => ask(&api, operation).await,
        ("manage.stopEvent", "invalid-input") => {
            let body = json!({"audit": {"note": "a\u{7}"}});
            api.ask(Method::POST, list).json(&body).send().await
        }
        ("manage.stopEvent", "idempotency-key-reused") => {
            creations::name_link(&api, CODE).await;
            let events = api.get("/api/manage/v1/events?action=link%20edit&limit=1").await;
            let path = list.replace("999999", &events.data()[0]["id"].to_string());
            let api = api.with("Idempotency-Key", "stopped");
            api.ask(Method::POST, &path).json(&json!({})).send().await.expect(200);
            let body = json!({"audit": {"reason": "spam"}});
            api.ask(Method::POST, &path).json(&body).send().await
        }
        (_, "event-not-found") => api.get(list).await,
        ("manage.updateLink" | "manage.deleteLink", "link-not-found") => {
            change(&api, operation, "unknown", None, &json!({})).await
        }
        (_, "precondition-failed") => {
            let name = if operation.ends_with("Key") { "1" } else { CODE };
            change(&api, operation, name, Some("\"other\""), &json!({})).await
        }
        ("manage.getExternalLink" | "manage.putExternalLink", "link-not-found") => {
            let path = list.replace("product-4711", "%07");
            creations::ask_external(&api, operation, &path).await
        }
        ("manage.updateLink", "external-id-in-use") => {
            creations::name_link(&api, CODE).await;
            let other = api.create("https://example.org/").await;
            change(&api, operation, &other, None, &json!({"external_id": "taken"})).await
        }
        ("manage.getKey" | "manage.updateKey" | "manage.revokeKey", "key-not-found") => {
            change(&api, operation, "99", None, &json!({})).await
        }
        ("manage.revokeKey", "own-key") => change(&api, operation, "1", None, &json!({})).await,
        ("manage.updateKey", "invalid-input") => {
            change(&api, operation, "1", None, &json!({"label": "a\u{7}"})).await
        }
        ("manage.updateKey", "expiry-passed") => {
            let body = json!({"expires_at": "2020-01-01T00:00:00Z"});
            change(&api, operation, "1", None, &body).await
        }
        ("manage.updateKey", "expiry-after-key") => {
            let add = ["key", "add", "default", "--scope", "full", "--expires", "1d"];
            let api = server.with_key(&server.terse(&add).key());
            change(&api, operation, "1", None, &json!({"expires_at": "2099-01-01T00:00:00Z"})).await
        }
        ("manage.updateLink" | "manage.deleteLink", "link-disabled") => {
            let code = api.create("https://example.org/").await;
            server.terse(&["link", "disable", &code]).done();
            change(&api, operation, &code, None, &json!({})).await
        }
        ("manage.updateLink", "expiry-passed") => {
            let body = json!({"expires_at": "2020-01-01T00:00:00Z"});
            change(&api, operation, CODE, None, &body).await
        }
        ("manage.updateLink", "qr-colours-too-close") => {
            let body = json!({"qr_foreground": "#ffffff", "qr_background": "#f7f7f7"});
            change(&api, operation, CODE, None, &body).await
        }
        ("manage.updateLink", "invalid-input") => {
            let body = json!({"destination_url": "example.org"});
            change(&api, operation, CODE, None, &body).await
        }
        ("manage.updateLink", "destination-blocked") => {
            let body = json!({"destination_url": "https://evil.example/"});
            // Another operation may have blocked it already.
            server.terse(&["block", "add", "evil.example", "--reason", "phishing"]).done();
            // A patch could succeed before the server knows the block.
            assert_within_a_second("the destination is blocked", async || {
                api.shorten(&json!({"url": "https://evil.example/"})).await.status == 422
            })
            .await;
            change(&api, operation, CODE, None, &body).await
        }
        ("enableQrCode", "link-not-found") => api.qr(&json!({"short_code": "unknown"})).await,
        ("enableQrCode", "qr-colours-too-close") => {
            let pale =
                json!({"short_code": CODE, "foreground": "#ffffff", "background": "#f7f7f7"});
            api.qr(&pale).await
        }
        ("enableQrCode", "qr-code-too-long") => {
            let long = "語".repeat(255);
            codes::import(server.database(), &[&long], &[]);
            api.qr(&json!({"short_code": long, "error_correction": "H"})).await
        }
        ("manage.updateLink", "qr-code-too-long") => {
            let long = "字".repeat(255);
            codes::import(server.database(), &[&long], &[]);
            let body = json!({"qr_error_correction": "H"});
            change(&api, operation, &long, None, &body).await
        }
        ("enableQrCode", "invalid-input") => {
            api.qr(&json!({"short_code": CODE, "margin": 17})).await
        }
        ("shorten", "invalid-input") => api.shorten(&json!({"url": "example.org"})).await,
        ("shorten", "destination-blocked") => {
            let url = json!({"url": "https://evil.example/"});
            // Another operation may have blocked it already.
            server.terse(&["block", "add", "evil.example", "--reason", "phishing"]).done();
            assert_within_a_second("the destination is blocked", async || {
                api.shorten(&url).await.status == 422
            })
            .await;
            api.shorten(&url).await
        }
        ("shorten", "expiry-passed") => {
            let url = "https://example.org/";
            api.shorten(&json!({"url": url, "expires_at": "2020-01-01T00:00:00Z"})).await
        }
        (_, "owner-suspended") => {
            let api = managing(server, &format!("suspended-{operation}"), "free");
            let suspend =
                "UPDATE owners SET suspended_reason = 'spam' WHERE name LIKE 'suspended-%'";
            server.database().execute(suspend).await;
            ask(&api, operation).await
        }
        ("shorten" | "enableQrCode" | "manage.createLink" | "manage.createLinks", "key-scope") => {
            ask(&scoped(server, "read"), operation).await
        }
        (_, "key-scope") => ask(&scoped(server, "create"), operation).await,
        (_, "rate-limited") => throttled(server, operation).await,
        ("shorten", "code-in-use") => shorten_as(&api, CODE).await,
        ("shorten", "code-reserved") => shorten_as(&api, "docs").await,
        ("shorten", "plan-limit-reached") => {
            server.database().plan("small", "1", true);
            let api = server.api_of("small", "small");
            api.create("https://example.org/").await;
            api.shorten(&json!({"url": "https://example.org/"})).await
        }
        ("shorten", "idempotency-key-reused") => {
            let api = api.with("Idempotency-Key", "reused");
            api.create("https://example.org/").await;
            api.shorten(&json!({"url": "https://example.org/other"})).await
        }
        ("enableQrCode", "idempotency-key-reused") => {
            let api = api.with("Idempotency-Key", "reused-too");
            api.qr(&json!({"short_code": CODE})).await.expect(201);
            api.qr(&json!({"short_code": CODE, "margin": 2})).await
        }
        (
            "listLinks"
            | "listQrCodes"
            | "manage.listLinks"
            | "manage.listCampaigns"
            | "manage.listLinkEvents"
            | "manage.listEvents"
            | "manage.listEventChanges"
            | "manage.listKeys",
            "malformed-request",
        ) => api.get(&format!("{list}?limit=0")).await,
        ("manage.getLinkClicks", "malformed-request") => {
            api.get(&format!("{list}?from_day=2026-01-02&to_day=2026-01-01")).await
        }
        ("manage.getClickReport", "malformed-request") => {
            api.get(&format!("{list}?month=2026")).await
        }
        (
            "shorten" | "enableQrCode" | "manage.createKey" | "manage.createLink"
            | "manage.changeLinks" | "manage.createLinks" | "manage.stopEvent",
            _,
        ) => send_invalid(api.ask(Method::POST, list), code).await,
        ("manage.putExternalLink", _) => send_invalid(api.ask(Method::PUT, list), code).await,
        ("manage.updateLink" | "manage.updateKey", _) => {
            send_invalid(api.ask(Method::PATCH, list), code).await
        }
        _ => panic!("no request is known for {code} in {operation}"),
    }
}

/// Returns a client whose key, of the default owner, has this scope.
fn scoped(server: &Server, scope: &str) -> Api {
    server.with_key(&server.terse(&["key", "add", "default", "--scope", scope]).key())
}

/// Returns a client of a new owner whose key allows all operations.
pub(super) fn managing(server: &Server, owner: &str, plan: &str) -> Api {
    server.database().owner(owner, plan);
    server.with_key(&server.terse(&["key", "add", owner, "--scope", "full"]).key())
}

/// Calls an operation until the limit of the owner is reached.
async fn throttled(server: &Server, operation: &str) -> Response {
    let name = format!("limited-{operation}");
    server.terse(&["plan", "add", &name, "--requests", "100/min"]).done();
    let api = managing(server, &name, &name);
    for _ in 0..1_000 {
        let response = ask(&api, operation).await;
        if response.status == 429 {
            return response;
        }
    }
    panic!("no request of {operation} was throttled");
}

/// Calls an operation with valid parameters.
pub(super) async fn ask(api: &Api, operation: &str) -> Response {
    match operation {
        "shorten" => shorten_as(api, "asked").await,
        "enableQrCode" => api.qr(&json!({"short_code": CODE})).await,
        "getStats" => api.stats(CODE).await,
        "manage.createKey" | "manage.createLink" | "manage.createLinks" | "manage.changeLinks" => {
            creations::ask(api, operation).await
        }
        "manage.putExternalLink" => {
            creations::ask_external(api, operation, path_of(operation)).await
        }
        "manage.updateLink" => change(api, operation, CODE, None, &json!({})).await,
        "manage.updateKey" | "manage.revokeKey" => {
            change(api, operation, "99", None, &json!({})).await
        }
        "manage.deleteLink" => change(api, operation, CODE, Some("\"other\""), &json!({})).await,
        "manage.stopEvent" => {
            api.ask(Method::POST, path_of(operation)).json(&json!({})).send().await
        }
        _ if webhooks::path_of(operation).is_some() => webhooks::ask(api, operation).await,
        _ => api.get(path_of(operation)).await,
    }
}

async fn shorten_as(api: &Api, code: &str) -> Response {
    api.shorten(&json!({"url": "https://example.org/", "custom_code": code})).await
}

/// Changes or deletes a link.
async fn change(
    api: &Api,
    operation: &str,
    code: &str,
    if_match: Option<&str>,
    body: &Value,
) -> Response {
    let path = path_of(operation).replace(CODE, code).replace("keys/1", &format!("keys/{code}"));
    let ask = match operation {
        "manage.updateLink" | "manage.updateKey" => api.ask(Method::PATCH, &path).json(body),
        "manage.getKey" => api.ask(Method::GET, &path),
        "manage.putExternalLink" => {
            api.ask(Method::PUT, &path).json(&json!({"destination_url": "https://example.org/"}))
        }
        _ => api.ask(Method::DELETE, &path),
    };
    match if_match {
        Some(tag) => ask.header("If-Match", tag).send().await,
        None => ask.send().await,
    }
}

/// Sends an invalid body that returns this problem.
pub(super) async fn send_invalid(ask: Ask, code: &str) -> Response {
    let half = "{\"url\":";
    match code {
        "malformed-request" => ask.body("application/json", half.to_owned()).send().await,
        "body-too-large" => ask.body("application/json", " ".repeat((1 << 20) + 1)).send().await,
        "unsupported-content-encoding" => {
            let ask = ask.header("Content-Encoding", "gzip");
            ask.body("application/json", half.to_owned()).send().await
        }
        "unsupported-media-type" => ask.body("text/plain", half.to_owned()).send().await,
        _ => panic!("no request is known for {code}"),
    }
}
