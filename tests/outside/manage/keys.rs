//! An owner's own keys, and the history of a link.

use reqwest::Method;
use serde_json::{Value, json};

use super::{PREFIX, get};
use crate::harness::{Api, Response, Server, assert_within_a_second};

pub(super) async fn change(api: &Api, method: Method, path: &str, body: Option<Value>) -> Response {
    let ask = api.ask(method, &format!("{PREFIX}{path}"));
    match body {
        Some(body) => ask.json(&body).send().await,
        None => ask.send().await,
    }
}

/// Adds a key of the owner `default`, and returns it with its identifier.
fn add(server: &Server, label: &str, arguments: &[&str]) -> (String, String) {
    let key =
        server.terse(&[&["key", "add", "default", "--label", label], arguments].concat()).key();
    (key, server.database().key_id("default", label))
}

#[tokio::test]
async fn keys_are_listed_newest_first() {
    let server = Server::start();
    let api = server.api();
    let (secret, first) = add(&server, "first", &["--scope", "read"]);
    let (_, second) = add(&server, "second", &["--expires", "2001-01-01T00:00:00Z"]);
    server.terse(&["key", "revoke", &first]).done();
    let all = get(&api, "/keys").await.expect(200).data();
    let id = |key: &Value| key["id"].clone();
    let labels: Vec<&Value> = all.as_array().unwrap().iter().map(|key| &key["label"]).collect();
    assert_eq!(labels, [&json!("second"), &json!("first"), &Value::Null]);
    let one = get(&api, &format!("/keys/{first}")).await.expect(200).json();
    assert_eq!(one, all[1]);
    assert_eq!(one["scope"], "read");
    assert!(one["revoked_at"].is_string() && all[0]["revoked_at"].is_null(), "{all}");
    assert!(
        one["hint"].as_str().is_some_and(|hint| secret.ends_with(hint) && hint.len() == 4),
        "{one}"
    );
    assert_eq!(all[0]["id"].to_string(), second);
    let page = get(&api, "/keys?limit=2").await.expect(200);
    assert_eq!(page.data(), json!([all[0], all[1]]));
    let rest = api.get(&page.next_page().unwrap()).await.expect(200);
    // The time of its last use may be stored meanwhile.
    assert_eq!((id(&rest.data()[0]), rest.next_page()), (id(&all[2]), None));
    for unknown in ["99", "x", "-1", "1.0", "%FF", "99999999999999999999"] {
        get(&api, &format!("/keys/{unknown}")).await.problem(404, "key-not-found");
    }
}

#[tokio::test]
async fn key_is_changed_and_revoked() {
    let server = Server::start();
    let api = server.api();
    let (key, id) = add(&server, "other", &[]);
    server.with_key(&key).links().await.expect(200);
    let path = format!("/keys/{id}");
    let body = json!({"label": "renamed", "expires_at": "2099-01-01T00:00:00Z"});
    let changed = change(&api, Method::PATCH, &path, Some(body)).await.expect(200).json();
    assert_eq!(changed["label"], "renamed");
    assert_eq!(changed["expires_at"], "2099-01-01T00:00:00.000Z");
    let body = json!({"label": null, "expires_at": null});
    let changed = change(&api, Method::PATCH, &path, Some(body)).await.expect(200).json();
    assert_eq!((&changed["label"], &changed["expires_at"]), (&Value::Null, &Value::Null));
    let body = json!({"scope": "full", "id": 1});
    change(&api, Method::PATCH, &path, Some(body)).await.invalid(&["/id", "/scope"]);
    let body = json!({"expires_at": "2001-01-01T00:00:00Z"});
    change(&api, Method::PATCH, &path, Some(body)).await.problem(409, "expiry-passed");

    change(&api, Method::DELETE, &format!("{path}?reason=other"), None).await.expect(204);
    assert_within_a_second("the key is refused", async || {
        server.with_key(&key).links().await.status == 401
    })
    .await;
    change(&api, Method::DELETE, &path, None).await.problem(404, "key-not-found");
    let body = json!({"label": "again"});
    change(&api, Method::PATCH, &path, Some(body)).await.problem(404, "key-not-found");
    let own = get(&api, "/owner").await.json()["key"]["id"].to_string();
    change(&api, Method::DELETE, &format!("/keys/{own}"), None).await.problem(409, "own-key");
    server.api().links().await.expect(200);
}

#[tokio::test]
async fn expiring_key_gives_no_later_expiry() {
    let server = Server::start();
    let (key, own) = add(&server, "short", &["--scope", "full", "--expires", "1d"]);
    let (_, other) = add(&server, "other", &["--expires", "2099-01-01T00:00:00Z"]);
    let api = server.with_key(&key);
    for id in [&own, &other] {
        for expiry in [Value::Null, json!("2098-01-01T00:00:00Z")] {
            let path = format!("/keys/{id}");
            let response =
                change(&api, Method::PATCH, &path, Some(json!({ "expires_at": expiry }))).await;
            response.problem(409, "expiry-after-key");
        }
    }
    let same = get(&api, "/owner").await.json()["key"]["expires_at"].clone();
    let path = format!("/keys/{other}");
    change(&api, Method::PATCH, &path, Some(json!({ "expires_at": same }))).await.expect(200);
    change(&api, Method::PATCH, &path, Some(json!({ "label": "x" }))).await.expect(200);
}

#[tokio::test]
async fn history_shows_own_changes_in_full_and_those_of_the_operator_in_part() {
    let server = Server::start();
    let api = server.api();
    let code = api.create("https://example.com/").await;
    let edit = json!({"title": "New", "audit": {
        "note": "mine", "case_id": "T-1", "reason": "owner-request"
    }});
    change(&api, Method::PATCH, &format!("/links/{code}"), Some(edit)).await.expect(200);
    let disable =
        ["link", "disable", &code, "--reason", "spam", "--note", "secret", "--case", "C-9"];
    server.terse(&disable).done();
    let response = get(&api, &format!("/links/{code}/events")).await.expect(200);
    let text = response.text();
    assert!(!text.contains("secret") && !text.contains("C-9"), "{text}");
    let events = response.data();
    let [by_operator, own] = events.as_array().unwrap().as_slice() else { panic!("{events}") };
    let actor = json!({"type": "command", "id": null, "name": null});
    assert_eq!((&by_operator["actor"], &by_operator["action"]), (&actor, &json!("link disable")));
    assert_eq!(by_operator["audit"], json!({"reason": "spam", "note": null, "case_id": null}));
    assert_eq!((&own["actor"]["type"], &own["action"]), (&json!("owner_key"), &json!("link edit")));
    assert_eq!(own["audit"], json!({"reason": "owner-request", "note": "mine", "case_id": "T-1"}));
    let page = get(&api, &format!("/links/{code}/events?limit=1")).await.expect(200);
    assert_eq!(page.data(), json!([by_operator]));
    let next = page.next_page().expect("an older event");
    assert_eq!(api.get(&next).await.expect(200).data(), json!([own]));
    let elsewhere = next.replace(&code, &api.create("https://example.com/").await);
    api.get(&elsewhere).await.problem(404, "cursor-not-found");
    get(&api, "/links/nothere/events").await.problem(404, "link-not-found");
}
