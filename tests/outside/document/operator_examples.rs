//! A real server returns the examples of problems in the document of the operator's listener.

use std::collections::BTreeSet;
use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use super::examples::{assert_headers_match_examples, assert_matches_example, declared_problems};
use super::provoke::send_invalid;
use super::second_examples;
use crate::codes;
use crate::harness::{Api, Ask, Database, Response, Server, assert_within_a_second};
use crate::operator::PREFIX;

/// Short code of a link.
const CODE: &str = "Vd7hK2m";

/// Returns the method, the path and a body of a request that names what does not exist, or changes
/// nothing.
fn request(operation: &str) -> (&'static str, &'static str, Value) {
    let none = json!({});
    match operation {
        "getStatus" => ("GET", "/status", none),
        "getOperator" => ("GET", "/operator", none),
        "listOperatorKeys" => ("GET", "/operator-keys", none),
        "createOperatorKey" => {
            ("POST", "/operator-keys", json!({ "name": "billing", "role": "auditor" }))
        }
        "revokeOperatorKey" => ("DELETE", "/operator-keys/999", none),
        "listOwners" => ("GET", "/owners", none),
        "createOwner" => ("POST", "/owners", json!({ "name": "acme" })),
        "getOwner" => ("GET", "/owners/999", none),
        "updateOwner" => ("PATCH", "/owners/999", none),
        "deleteOwner" => ("DELETE", "/owners/999", none),
        "suspendOwner" => ("POST", "/owners/999/suspend", none),
        "resumeOwner" => ("POST", "/owners/999/resume", none),
        "listKeys" => ("GET", "/owners/999/keys", none),
        "createKey" => ("POST", "/owners/999/keys", json!({ "scope": "read" })),
        "getKey" => ("GET", "/keys/999", none),
        "updateKey" => ("PATCH", "/keys/999", none),
        "revokeKey" => ("DELETE", "/keys/999", none),
        "findKey" => {
            ("POST", "/key-search", json!({ "secret": "terse_0123456789abcdefghijABCDEFGHIJ01" }))
        }
        "listPlans" => ("GET", "/plans", none),
        "createPlan" => ("POST", "/plans", json!({ "name": "gold" })),
        "getPlan" => ("GET", "/plans/none", none),
        "updatePlan" => ("PATCH", "/plans/none", none),
        "deletePlan" => ("DELETE", "/plans/none", none),
        "listLinks" => ("GET", "/links", none),
        "getLink" => ("GET", "/links/unknown", none),
        "updateLink" => ("PATCH", "/links/unknown", none),
        "getLinkClicks" => ("GET", "/links/unknown/clicks", none),
        "listLinkEvents" => ("GET", "/links/unknown/events", none),
        "changeLinks" => (
            "POST",
            "/link-changes",
            json!({ "action": "disable", "selectors": { "code": ["unknown"] } }),
        ),
        "listBlocks" => ("GET", "/blocks", none),
        "createBlocks" => ("POST", "/blocks", json!({ "patterns": ["old.example"] })),
        "deleteBlock" => ("DELETE", "/blocks?pattern=none.example", none),
        "checkBlock" => ("GET", "/block-check?url=none.example", none),
        "listDomains" => ("GET", "/domains", none),
        "createDomain" => {
            ("POST", "/domains", json!({ "host": "go.acme.example", "owner_id": 999 }))
        }
        "getDomain" => ("GET", "/domains/none.example", none),
        "updateDomain" => ("PATCH", "/domains/none.example", none),
        "deleteDomain" => ("DELETE", "/domains/none.example", none),
        "listWebhooks" => ("GET", "/owners/999/webhooks", none),
        "disableWebhook" => ("POST", "/webhooks/999/disable", none),
        "enableWebhook" => ("POST", "/webhooks/999/enable", none),
        "listEvents" => ("GET", "/events", none),
        "getEvent" => ("GET", "/events/999999", none),
        "listEventChanges" => ("GET", "/events/999999/changes", none),
        "getUsage" => ("GET", "/usage", none),
        "getClickReport" => ("GET", "/reports/clicks", none),
        "undoEvent" => ("POST", "/events/999999/undo", none),
        "stopEvent" => ("POST", "/events/999999/stop", none),
        _ => panic!("no request is known for {operation}"),
    }
}

/// Returns the request without its body.
fn ask(api: &Api, operation: &str) -> Ask {
    let (method, path, _) = request(operation);
    api.ask(method.parse().unwrap(), &format!("{PREFIX}{path}"))
}

/// Sends the request to another path with another body.
async fn send_to(api: &Api, operation: &str, path: &str, body: &Value) -> Response {
    let (method, ..) = request(operation);
    let ask = api.ask(method.parse::<Method>().unwrap(), &format!("{PREFIX}{path}"));
    if matches!(method, "GET" | "DELETE") { ask.send().await } else { ask.json(body).send().await }
}

async fn send(api: &Api, operation: &str) -> Response {
    let (_, path, body) = request(operation);
    send_to(api, operation, path, &body).await
}

/// Clients of the operator's listener.
struct Clients<'a> {
    server: &'a Server,
    admin: Api,
    auditor: Api,
    provisioner: Api,
    /// Identifier of the owner `acme`, who has as many keys as an owner may have.
    acme: Value,
}

impl Clients<'_> {
    /// Sends a request that returns this problem.
    async fn provoke(&self, operation: &str, code: &str) -> Response {
        let Self { server, admin, auditor, provisioner, acme } = self;
        let (_, path, _) = request(operation);
        let of_acme = path.replace("999", &acme.to_string());
        match (operation, code) {
            (_, "unauthorized") => send(&server.operator_anyone(), operation).await,
            (_, "rate-limited") => throttled(server, operation).await,
            (
                "updatePlan" | "createPlan" | "deletePlan" | "deleteOwner" | "createOperatorKey"
                | "revokeOperatorKey",
                "operator-role",
            ) => send(provisioner, operation).await,
            (_, "operator-role") => send(auditor, operation).await,
            (_, "cursor-not-found") => {
                let path = path.replace("unknown", CODE).replace("999", &acme.to_string());
                send_to(admin, operation, &format!("{path}?cursor={:032x}", 1), &json!({})).await
            }
            (
                "listLinks" | "listDomains" | "listEvents" | "getUsage" | "getClickReport",
                "owner-not-found",
            ) => send_to(admin, operation, &format!("{path}?owner_id=999"), &json!({})).await,
            ("createDomain", "idempotency-key-reused") => {
                let body = json!({ "host": "reused.example", "owner_id": acme });
                self.twice(
                    operation,
                    &body,
                    |body| body["audit"] = json!({ "reason": "spam" }),
                    admin,
                )
                .await
            }
            ("createDomain", "domain-exists") => {
                let body = json!({ "host": "go.acme.example", "owner_id": acme });
                send_to(admin, operation, path, &body).await
            }
            ("createDomain", "domain-has-destinations") => {
                let body = json!({ "host": "acme.link", "owner_id": acme });
                send_to(admin, operation, path, &body).await
            }
            ("createDomain" | "updateDomain", "destination-blocked") => {
                let mut body = json!({ "home_url": "https://evil.example/" });
                let mut path = "/domains/go.acme.example";
                if operation == "createDomain" {
                    path = "/domains";
                    body["host"] = json!("other.example");
                    body["owner_id"] = acme.clone();
                }
                send_to(admin, operation, path, &body).await
            }
            ("listEvents", "link-not-found") => {
                send_to(admin, operation, "/events?short_code=unknown", &json!({})).await
            }
            ("changeLinks", "owner-not-found") => {
                let body = json!({ "action": "disable", "selectors": { "owner_id": 999 } });
                send_to(admin, operation, path, &body).await
            }
            ("createOwner" | "updateOwner", "plan-not-found") => {
                let body = match operation {
                    "createOwner" => json!({ "name": "other", "plan_name": "none" }),
                    _ => json!({ "plan_name": "none" }),
                };
                send_to(admin, operation, &of_acme, &body).await
            }
            ("updateOwner", "owner-exists") => {
                let default = path.replace("999", "1");
                send_to(admin, operation, &default, &json!({ "name": "acme" })).await
            }
            ("deletePlan", "plan-in-use") => {
                let body = json!({ "name": "golden", "plan_name": "gold" });
                send_to(admin, "createOwner", "/owners", &body).await.expect(201);
                send_to(admin, operation, "/plans/gold", &json!({})).await
            }
            ("revokeOperatorKey", "own-key") => {
                let own = admin.get(&format!("{PREFIX}/operator")).await.expect(200).json();
                send_to(admin, operation, &path.replace("999", &own["id"].to_string()), &json!({}))
                    .await
            }
            ("createOperatorKey", "secret-unavailable") => {
                let body = json!({ "name": "unavailable", "role": "auditor" });
                let second =
                    server.with_operator_key(&server.database().operator_key("second", "admin"));
                self.twice(operation, &body, |_| (), &second).await
            }
            ("createOperatorKey", "idempotency-key-reused") => {
                let body = json!({ "name": "reused", "role": "auditor" });
                self.twice(operation, &body, |body| body["role"] = json!("admin"), admin).await
            }
            ("deleteOwner", "owner-not-suspended") => {
                send_to(admin, operation, &of_acme, &json!({})).await
            }
            (
                "suspendOwner" | "resumeOwner" | "createBlocks" | "changeLinks" | "undoEvent"
                | "stopEvent" | "disableWebhook" | "enableWebhook",
                "idempotency-key-reused",
            ) => {
                let (_, path, mut body) = request(operation);
                // Event 30 blocks a pattern.
                let path = path.replace("999999", "30").replace("webhooks/999", "webhooks/1");
                let path = path.replace("999", &acme.to_string());
                let api = admin.with("Idempotency-Key", operation);
                send_to(&api, operation, &path, &body).await.expect(200);
                body["audit"] = json!({ "reason": "spam" });
                let response = send_to(&api, operation, &path, &body).await;
                send_to(admin, "resumeOwner", &format!("/owners/{acme}/resume"), &json!({})).await;
                response
            }
            ("undoEvent", "event-running") => {
                let run = "UPDATE events SET status = 'running', finished_at = 4102444800000
                    WHERE id = 31";
                server.database().execute(run).await;
                let response = send_to(admin, operation, "/events/31/undo", &json!({})).await;
                server.database().execute("UPDATE events SET status = NULL WHERE id = 31").await;
                response
            }
            (_, "idempotency-key-reused") => {
                let body =
                    json!({ "name": format!("{operation} 1"), "label": null, "scope": "read" });
                self.twice(
                    operation,
                    &body,
                    |body| body["audit"] = json!({ "reason": "spam" }),
                    admin,
                )
                .await
            }
            ("createOwner", "secret-unavailable") => {
                let body = json!({ "name": "unavailable", "key": {} });
                self.twice(operation, &body, |_| (), provisioner).await
            }
            ("createKey", "secret-unavailable") => {
                self.twice(operation, &json!({ "scope": "read" }), |_| (), provisioner).await
            }
            ("createKey", "key-limit-reached") => {
                send_to(admin, operation, &of_acme, &json!({ "scope": "read" })).await
            }
            ("updateKey", "key-limit-reached") => {
                let expired = ["--label", "expired", "--expires", "2020-01-01T00:00:00Z"];
                server.terse(&[&["key", "add", "acme"], &expired[..]].concat()).done();
                let id = server.database().key_id("acme", "expired");
                let path = path.replace("999", &id);
                send_to(admin, operation, &path, &json!({ "expires_at": null })).await
            }
            (_, "precondition-failed") => {
                let path = of_acme.replace("none.example", "go.acme.example");
                let path = path.replace("none", "gold").replace("unknown", CODE);
                let other = admin.with("If-Match", "\"other\"");
                send_to(&other, operation, &path, &json!({})).await
            }
            ("updateLink", _) if path_of_link(code).is_some() => {
                let (path, body) = path_of_link(code).unwrap();
                let ask = admin.ask(Method::PATCH, &format!("{PREFIX}/links/{path}"));
                ask.json(&body).send().await
            }
            ("undoEvent", "cannot-undo") => {
                send_to(admin, operation, "/events/31/undo", &json!({})).await
            }
            ("undoEvent", "domain-has-destinations") => {
                let body =
                    json!({ "host": "acme.link", "owner_id": acme, "accept_destinations": true });
                send_to(admin, "createDomain", "/domains", &body).await.expect(201);
                send_to(admin, "deleteDomain", "/domains/acme.link", &json!({})).await.expect(204);
                let events = admin.get(&format!("{PREFIX}/events?limit=1")).await.expect(200);
                let path = format!("/events/{}/undo", events.data()[0]["id"]);
                send_to(admin, operation, &path, &json!({})).await
            }
            ("changeLinks", "expiry-passed" | "destination-blocked") => {
                let update = match code {
                    "expiry-passed" => json!({ "expires_at": "2020-01-01T00:00:00Z" }),
                    _ => json!({ "fallback_url": "https://evil.example/" }),
                };
                let selectors = json!({ "q": "nothing" });
                let body = json!({ "action": "update", "selectors": selectors, "update": update });
                send_to(admin, operation, path, &body).await
            }
            (_, "expiry-passed") => {
                let past = "2020-01-01T00:00:00Z";
                let (path, body) = match operation {
                    "createOwner" => (path, json!({ "name": "x", "key": { "expires_at": past } })),
                    "createOperatorKey" => {
                        (path, json!({ "name": "x", "role": "admin", "expires_at": past }))
                    }
                    "createKey" => {
                        ("/owners/1/keys", json!({ "scope": "read", "expires_at": past }))
                    }
                    _ => (path, json!({ "patterns": ["x.example"], "expires_at": past })),
                };
                send_to(admin, operation, path, &body).await
            }
            ("createOwner" | "updateOwner", "external-id-in-use") => {
                let mut body = json!({ "external_id": "taken" });
                if operation == "createOwner" {
                    body["name"] = "x".into();
                }
                let path = if operation == "createOwner" { path } else { &of_acme };
                send_to(admin, operation, path, &body).await
            }
            (_, "destination-blocked") => {
                let body = json!({ "fallback_url": "https://evil.example/" });
                send_to(admin, operation, &of_acme, &body).await
            }
            (_, "invalid-input") => {
                let (path, body) = invalid(operation, path, acme);
                send_to(admin, operation, &path, &body).await
            }
            (_, "malformed-request") => match operation {
                "getUsage" | "getClickReport" => {
                    send_to(admin, operation, &format!("{path}?month=2026"), &json!({})).await
                }
                "deleteBlock" => send_to(admin, operation, "/blocks", &json!({})).await,
                "checkBlock" => send_to(admin, operation, "/block-check", &json!({})).await,
                "getLinkClicks" => {
                    let path = format!("{path}?from_day=2026-01-02&to_day=2026-01-01");
                    send_to(admin, operation, &path, &json!({})).await
                }
                _ if request(operation).0 == "GET" => {
                    let path = path.replace("unknown", CODE).replace("999", &acme.to_string());
                    send_to(admin, operation, &format!("{path}?limit=0"), &json!({})).await
                }
                _ if request(operation).0 == "DELETE" => {
                    send_to(admin, operation, &format!("{path}?reason=boredom"), &json!({})).await
                }
                _ => send_invalid(ask(admin, operation), code).await,
            },
            (_, "body-too-large" | "unsupported-media-type" | "unsupported-content-encoding") => {
                send_invalid(ask(admin, operation), code).await
            }
            _ => send(admin, operation).await,
        }
    }

    /// Sends a request with an `Idempotency-Key`, and then a changed one or one of another client.
    async fn twice(
        &self,
        operation: &str,
        body: &Value,
        change: impl Fn(&mut Value),
        second: &Api,
    ) -> Response {
        let mut body = body.clone();
        if operation == "createKey" {
            body.as_object_mut().unwrap().remove("name");
        } else {
            body.as_object_mut().unwrap().remove("label");
            body.as_object_mut().unwrap().remove("scope");
        }
        let path = request(operation).1.replace("999", "1");
        let key = format!("{operation} {body}").replace(['"', ' '], "-");
        let first = self.admin.with("Idempotency-Key", &key);
        send_to(&first, operation, &path, &body).await.expect(201);
        change(&mut body);
        send_to(&second.with("Idempotency-Key", &key), operation, &path, &body).await
    }
}

/// Returns the path and the body of a change of a link that returns this problem.
fn path_of_link(code: &str) -> Option<(String, Value)> {
    let body = match code {
        "expiry-passed" => json!({ "expires_at": "2020-01-01T00:00:00Z" }),
        "external-id-in-use" => {
            return Some(("other".to_owned(), json!({ "external_id": "taken" })));
        }
        "qr-colours-too-close" => {
            json!({ "qr_foreground": "#ffffff", "qr_background": "#f7f7f7" })
        }
        "qr-code-too-long" => {
            let long = "%E8%AA%9E".repeat(255);
            return Some((long, json!({ "qr_error_correction": "H" })));
        }
        "destination-blocked" => json!({ "destination_url": "https://evil.example/" }),
        "invalid-input" => json!({ "destination_url": "example.org" }),
        _ => return None,
    };
    Some((CODE.to_owned(), body))
}

/// Returns the path and an invalid body.
fn invalid(operation: &str, path: &'static str, acme: &Value) -> (String, Value) {
    let body = match operation {
        "createOwner" => json!({ "name": "" }),
        "updateOwner" => json!({ "fallback_url": "example.org" }),
        "suspendOwner" | "resumeOwner" | "undoEvent" | "stopEvent" | "disableWebhook"
        | "enableWebhook" => {
            json!({ "audit": { "note": "a\u{7}" } })
        }
        "createKey" => json!({ "label": "a\u{7}", "scope": "read" }),
        "updateKey" => json!({ "label": "a\u{7}" }),
        "findKey" => json!({ "secret": "x" }),
        "createOperatorKey" => json!({ "name": "x", "role": "root" }),
        "createPlan" => json!({ "name": "x", "burst": 7 }),
        "updatePlan" => return ("/plans/free".to_owned(), json!({ "burst": 7 })),
        "changeLinks" => json!({ "action": "disable", "selectors": {} }),
        "createBlocks" => json!({ "patterns": ["x.example"], "action": "forbid" }),
        "createDomain" => json!({ "host": "x.example" }),
        "updateDomain" => {
            return ("/domains/go.acme.example".to_owned(), json!({ "is_default": false }));
        }
        _ => panic!("no invalid body is known for {operation}"),
    };
    (path.replace("999", &acme.to_string()), body)
}

/// Calls an operation without a key until the limit of the client is reached.
async fn throttled(server: &Server, operation: &str) -> Response {
    let number: u32 = operation.bytes().map(u32::from).sum();
    let client = format!("192.0.{}.{}", number / 256, number % 256);
    let api = server.operator_anyone().with("X-Forwarded-For", &client);
    for _ in 0..1_000 {
        let response = send(&api, operation).await;
        if response.status == 429 {
            return response;
        }
    }
    panic!("no request of {operation} was throttled");
}

#[tokio::test]
async fn examples_of_operators_problems_match_the_server() {
    let database = Arc::new(Database::new().with_default_owner());
    let limits = ["--failed-keys", "100/min", "--trusted-proxies", "127.0.0.1"];
    let listener = ["--operator-listen", "127.0.0.1:0"];
    let server = Server::with(&database, &[&limits[..], &listener].concat());
    let admin = server.operator("admin");
    let [auditor, provisioner] = ["auditor", "provisioner"].map(|role| server.operator(role));
    server.api().create_from(&json!({ "url": "https://example.org/", "custom_code": CODE })).await;
    codes::import(&database, &["語".repeat(255).as_str()], &[]);
    server
        .api()
        .create_from(&json!({ "url": "https://example.org/", "custom_code": "other" }))
        .await;
    server.terse(&["link", "edit", CODE, "--external-id", "taken"]).done();
    server.terse(&["owner", "add", "named", "--external-id", "taken"]).done();
    let post = async |path: &str, body: Value| {
        let ask = admin.ask(Method::POST, &format!("{PREFIX}{path}"));
        ask.json(&body).send().await
    };
    post("/plans", json!({ "name": "gold" })).await.expect(201);
    post("/operator-keys", json!({ "name": "billing", "role": "auditor" })).await.expect(201);
    post("/blocks", json!({ "patterns": ["evil.example"], "reason": "phishing" }))
        .await
        .expect(200);
    // The example of an event that cannot be undone is event 31, which creates an owner.
    for number in database.number("SELECT MAX(id) FROM events").await..30 {
        let pattern = format!("filler{number}.example");
        post("/blocks", json!({ "patterns": [pattern] })).await.expect(200);
    }
    let acme = post("/owners", json!({ "name": "acme" })).await.expect(201).json();
    let acme = acme["id"].clone();
    post("/domains", json!({ "host": "go.acme.example", "owner_id": acme })).await.expect(201);
    for number in 1..=3 {
        server.api().create(&format!("https://acme.link/{number}")).await;
    }
    for _ in 0..100 {
        post(&format!("/owners/{acme}/keys"), json!({ "scope": "read" })).await.expect(201);
    }
    assert_within_a_second("the destination is blocked", async || {
        server.api().shorten(&json!({ "url": "https://evil.example/" })).await.status == 422
    })
    .await;
    let subscribed = json!({ "url": "https://example.org/", "types": ["link.created"] });
    let subscription = server.api().ask(Method::POST, "/api/manage/v1/webhooks");
    subscription.json(&subscribed).send().await.expect(201);
    let clients = Clients { server: &server, admin: admin.clone(), auditor, provisioner, acme };
    let mut problems = declared_problems();
    problems.retain(|(operation, ..)| operation.starts_with("operator."));
    let codes: BTreeSet<&str> =
        problems.iter().map(|(.., example)| example["code"].as_str().unwrap()).collect();
    assert_eq!(codes.len(), 40, "{codes:?}");
    for (name, status, _, example) in &problems {
        let operation = name.strip_prefix("operator.").unwrap();
        let code = example["code"].as_str().unwrap();
        let detail = example["detail"].as_str().unwrap();
        if let Some(response) = second_examples::malformed(ask(&admin, operation), detail).await {
            assert_matches_example(&server, &response, status, example);
            continue;
        }
        // No request causes an internal error, another test has an outage, and a deletion is aborted
        // only by a concurrent change.
        if !["internal-error", "unavailable", "deletion-aborted"].contains(&code) {
            let response = clients.provoke(operation, code).await;
            assert_matches_example(&server, &response, status, example);
            assert_headers_match_examples(&response, name, status);
        }
    }
}
