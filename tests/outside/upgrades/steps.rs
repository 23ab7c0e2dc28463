//! Steps: commands and requests, with what the program of an earlier schema returned.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Database, Server};

/// Base URL of the servers, which responses contain.
const BASE_URL: &str = "https://go.example.org";

/// Returns a step that runs a command.
pub(super) fn command(arguments: &[&str]) -> Value {
    json!({ "command": arguments })
}

/// Returns a step that sends a request without a body, with this key unless it is empty.
pub(super) fn request(method: &str, target: &str, key: &str) -> Value {
    json!({ "method": method, "target": target, "key": key })
}

/// Returns a step that creates a link with this idempotency key.
pub(super) fn creation(key: &str, idempotency_key: &str, body: &Value) -> Value {
    idempotent("/api/v1/shorten", key, idempotency_key, body)
}

/// Returns a step that sends a body with this idempotency key.
pub(super) fn idempotent(target: &str, key: &str, idempotency_key: &str, body: &Value) -> Value {
    let mut step = request("POST", target, key);
    step["idempotency_key"] = idempotency_key.into();
    step["body"] = body.clone();
    step
}

/// Returns a step of an earlier program in the language of this one: the names of scopes, and the members
/// of keys and owners.
pub(super) fn translated(step: &Value) -> Value {
    fn translate(value: &mut Value) {
        match value {
            Value::Object(members) => {
                if let Some(scope) = members.get_mut("scope") {
                    let name = match scope.as_str() {
                        Some("full") => "edit",
                        Some("manage") => "full",
                        Some(other) => other,
                        None => return,
                    };
                    *scope = name.into();
                }
                // Only an owner has both.
                if members.contains_key("links")
                    && let Some(reason) = members.remove("suspended")
                {
                    members.insert("suspended_reason".to_owned(), reason);
                }
                if members.remove("is_revoked") == Some(0.into()) {
                    members.insert("revoked_at".to_owned(), Value::Null);
                }
                members.values_mut().for_each(translate);
            }
            Value::Array(items) => items.iter_mut().for_each(translate),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut step = step.clone();
    translate(&mut step);
    step
}

/// Serves a database, whose schema the server upgrades, and returns each step with its result.
pub(super) async fn run(database: &Arc<Database>, steps: &[Value]) -> Vec<Value> {
    let server = Server::on_with_base_url(database, BASE_URL);
    crate::click_days::wait_for_close(database).await;
    let mut done = Vec::new();
    for step in steps {
        let result = match step["command"].as_array() {
            Some(arguments) => output(database, arguments),
            None => response(&server, step).await,
        };
        let mut step = step.clone();
        step["result"] = result;
        done.push(step);
    }
    done
}

/// Returns the output of a command as JSON; JSON Lines become an array.
fn output(database: &Database, arguments: &[Value]) -> Value {
    let arguments: Vec<&str> = arguments.iter().map(|text| text.as_str().unwrap()).collect();
    let outcome = database.terse(&[&["--json"], &*arguments].concat()).done();
    serde_json::from_str(&outcome.stdout)
        .unwrap_or_else(|_| crate::link_commands::lines(&outcome.stdout).into())
}

/// Returns the parts of a response that stay the same when the request is repeated.
async fn response(server: &Server, step: &Value) -> Value {
    let text = |member: &str| step[member].as_str().unwrap_or_default();
    let method: Method = text("method").parse().unwrap();
    let client = match text("key") {
        "" => server.anyone(),
        key => server.with_key(key),
    };
    let mut request = client.ask(method, text("target"));
    if step["body"].is_object() {
        request = request.header("Idempotency-Key", text("idempotency_key")).json(&step["body"]);
    }
    let response = request.send().await;
    let mut result = json!({ "status": response.status });
    if let Some(location) = response.header("location") {
        result["location"] = location.into();
    }
    if response.media_type() == "application/json" {
        result["body"] = response.json();
    }
    result
}

/// Panics unless `found` is `expected`. Objects may have more members, which later versions add.
#[track_caller]
pub(super) fn assert_contains(found: &Value, expected: &Value, what: &str) {
    if let Some(members) = expected.as_object() {
        for (name, expected) in members {
            assert_contains(&found[name], expected, &format!("{what}, {name}"));
        }
    } else if let Some(items) = expected.as_array() {
        assert_eq!(found.as_array().map(Vec::len), Some(items.len()), "{what}: {found:#}");
        for (number, expected) in items.iter().enumerate() {
            assert_contains(&found[number], expected, &format!("{what}, {number}"));
        }
    } else {
        assert_eq!(found, expected, "{what}");
    }
}
