//! Steps: commands and requests, with what the program of an earlier schema returned.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

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

/// Names of members that commands printed with `--json` in earlier programs, and their present names.
const RENAMED: [(&str, &str); 8] = [
    ("owner", "owner_name"),
    ("plan", "plan_name"),
    ("until", "expires_at"),
    ("blocked", "is_blocked"),
    ("requests", "request_rate"),
    ("disabled", "disabled_reason"),
    ("event", "event_id"),
    ("at", "created_at"),
];
/// Members that were 0 or 1 in the output of commands.
const FLAGS: [&str; 6] =
    ["is_active", "is_paused", "has_qr", "forward_query", "is_final", "is_default"];

/// Returns a step of an earlier program in the language of this one.
pub(super) fn translated(step: &Value) -> Value {
    let mut step = step.clone();
    if let Some(command) = step["command"].as_array() {
        // Exports have kept their columns.
        if command[0] != "export" {
            let is_usage = command[0] == "usage";
            translate(&mut step["result"], is_usage);
        }
    } else {
        translate_scope(&mut step["body"]);
        translate_scope(&mut step["result"]["body"]);
        if let Some(body) = step["result"]["body"].as_object_mut()
            && body.remove("is_revoked") == Some(0.into())
        {
            body.insert("revoked_at".to_owned(), Value::Null);
        }
    }
    step
}

fn translate_scope(object: &mut Value) {
    let scope = match object.get("scope").and_then(Value::as_str) {
        Some("full") => "edit",
        Some("manage") => "full",
        Some(_) | None => return,
    };
    object["scope"] = scope.into();
}

/// Translates what events changed in a step of an earlier program, which printed recorded values, to the names
/// and types of the interface.
pub(super) fn translate_changes(step: &mut Value) {
    if step["command"].as_array().is_some_and(|command| command.contains(&json!("--event"))) {
        let result = &mut step["result"];
        match result.as_array_mut() {
            Some(changes) => changes.iter_mut().for_each(translate_change),
            None => translate_change(result),
        }
    }
}

fn translate_change(change: &mut Value) {
    let members = change.as_object_mut().unwrap();
    members.remove("event");
    members.remove("event_id");
    members.remove("kind");
    let sides = ["before", "after"].map(|side| members[side].clone());
    for (number, side) in ["before", "after"].into_iter().enumerate() {
        let Some(values) = members[side].as_object_mut() else { continue };
        let other = &sides[1 - number];
        values.retain(|name, value| {
            other.get(name) != Some(value)
                && !["destination_host", "default_at"].contains(&name.as_str())
                // The interface shows the default.
                && !(name.starts_with("qr_") && value.is_null())
        });
        for (old, new) in [("disabled_reason", "state_reason"), ("until", "expires_at")] {
            if let Some(value) = values.remove(old) {
                values.insert(new.to_owned(), value);
            }
        }
        for (name, value) in values.iter_mut() {
            if FLAGS.contains(&name.as_str())
                && let Some(number) = value.as_i64()
            {
                *value = (number == 1).into();
            }
            if name.ends_with("_at")
                && let Some(millis) = value.as_u64()
            {
                let time = SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
                *value = humantime::format_rfc3339_millis(time).to_string().into();
            }
        }
    }
}

/// Translates what a command printed: an object or an array.
fn translate(value: &mut Value, is_usage: bool) {
    if let Some(items) = value.as_array_mut() {
        items.iter_mut().for_each(|item| translate(item, is_usage));
    }
    for side in ["before", "after"] {
        if let Some(values) = value.get_mut(side) {
            translate_scope(values);
        }
    }
    let Some(old) = value.as_object().cloned() else { return };
    translate_scope(value);
    let members = value.as_object_mut().unwrap();
    let is_event = old.contains_key("actor") && old.contains_key("at");
    for (name, new) in RENAMED {
        if !(is_usage && name == "requests")
            && let Some(member) = members.remove(name)
        {
            members.insert(new.to_owned(), member);
        }
    }
    for name in FLAGS {
        if let Some(flag) = members.get_mut(name)
            && let Some(number) = flag.as_i64()
        {
            *flag = (number == 1).into();
        }
    }
    if is_event {
        members.remove("event_id");
        members.insert("id".to_owned(), old["event"].clone());
        let mut actor = json!({ "name": old["actor"] });
        if let Some(kind) = members.remove("actor_type") {
            actor["type"] = kind;
        }
        members.insert("actor".to_owned(), actor);
        let [reason, note, case] = ["reason", "note", "case"].map(|name| members.remove(name));
        members
            .insert("audit".to_owned(), json!({ "reason": reason, "note": note, "case_id": case }));
    } else if old.contains_key("destination_url") {
        let reason = members.remove("reason").unwrap_or_default();
        members.insert("state_reason".to_owned(), reason);
        if let Some(event) = members.get_mut("last_event") {
            let mut row = event.take();
            translate(&mut row, false);
            if let Some(row) = row.as_object_mut() {
                row.remove("audit");
            }
            *event = row;
        }
    } else if old.contains_key("hint") || old.contains_key("last_used_at") {
        members.remove("state");
    } else if old.contains_key("links") && old.contains_key("suspended") {
        let reason = members.remove("suspended").unwrap_or_default();
        members.insert("suspended_reason".to_owned(), reason);
    }
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
        // The order of patterns has changed.
        let ordered = |items: &[Value]| {
            let mut items = items.to_vec();
            items.sort_by_key(|item| item["pattern"].as_str().map(str::to_owned));
            items
        };
        let found = ordered(found.as_array().unwrap());
        for (number, (found, expected)) in found.iter().zip(ordered(items)).enumerate() {
            assert_contains(found, &expected, &format!("{what}, {number}"));
        }
    } else if let Some((second, found)) = expected.as_str().zip(found.as_str())
        && let Some(second) = second.strip_suffix('Z')
        && found.len() > second.len() + 1
    {
        // Commands printed times without milliseconds.
        assert_eq!(found.get(..second.len()), Some(second), "{what}");
    } else {
        assert_eq!(found, expected, "{what}");
    }
}
