//! Keys that owners create for themselves.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{PREFIX, get};
use crate::harness::{Api, Response, Server, TIMEOUT, assert_within_a_second, eventually};

const URL: &str = "https://example.com/";
const KEYS: &str = "/api/manage/v1/keys";

async fn create(api: &Api, body: &Value) -> Response {
    api.ask(Method::POST, KEYS).json(body).send().await
}

async fn create_once(api: &Api, idempotency_key: &str, body: &Value) -> Response {
    let ask = api.ask(Method::POST, KEYS).header("Idempotency-Key", idempotency_key);
    ask.json(body).send().await
}

async fn patch(api: &Api, id: &Value, body: &Value) -> Response {
    api.ask(Method::PATCH, &format!("{KEYS}/{id}")).json(body).send().await
}

fn secret(response: &Response) -> String {
    response.json()["secret"].as_str().expect("a new key has its secret").to_owned()
}

/// Returns a client with a new key of the owner `default`.
fn with_new_key(server: &Server, arguments: &[&str]) -> Api {
    server.with_key(&server.terse(&[&["key", "add", "default"], arguments].concat()).key())
}

#[tokio::test]
async fn new_key_has_its_secret_scope_and_event() {
    let server = Server::start();
    let api = server.api();
    let body = json!({
        "label": "reports", "scope": "read", "expires_at": "2099-01-01T00:00:00Z",
        "audit": {"reason": "owner-request", "note": "for the dashboard", "case_id": "T-1"},
    });
    let created = create(&api, &body).await.expect(201);
    let mut key = created.json();
    let location = created.header("location").expect("its address");
    assert_eq!(location, format!("{}{KEYS}/{}", server.base_url(), key["id"]));
    let reader = server.with_key(&secret(&created));
    reader.links().await.expect(200);
    reader.shorten(&json!({ "url": URL })).await.problem(403, "key-scope");

    key.as_object_mut().unwrap().remove("secret").unwrap();
    let path = &format!("/keys/{}", key["id"]);
    let mut shown = get(&api, path).await.expect(200).json();
    // The use of the key may be stored by now.
    shown["last_used_at"] = Value::Null;
    assert_eq!(shown, key);
    assert_eq!(key["expires_at"], "2099-01-01T00:00:00.000Z");
    let history = server.terse(&["history", "--json"]).done().stdout;
    let event: Value = serde_json::from_str(history.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&event["action"], &event["subject"]),
        (&json!("key add"), &json!(key["id"].to_string()))
    );
    assert_eq!(
        (&event["actor"]["type"], &event["audit"]["case_id"]),
        (&json!("owner_key"), &json!("T-1"))
    );

    let plain = create(&api, &json!({ "scope": "full" })).await.expect(201).json();
    assert_eq!((&plain["scope"], &plain["label"]), (&json!("full"), &Value::Null));
    assert_eq!(plain["expires_at"], Value::Null);
    for scope in ["read", "create", "edit", "full"] {
        let created = create(&api, &json!({ "scope": scope })).await.expect(201);
        let owner = get(&server.with_key(&secret(&created)), "/owner").await.expect(200).json();
        assert_eq!(owner["key"]["scope"], scope);
    }
}

#[tokio::test]
async fn invalid_request_creates_no_key() {
    let server = Server::start();
    let api = server.api();
    for (body, pointers) in [
        (json!({"scope": "admin"}), &["/scope"][..]),
        (json!({"scope": ["full"], "label": 1}), &["/label", "/scope"]),
        (json!({"scope": "manage"}), &["/scope"]),
        (json!({}), &["/scope"]),
        (
            json!({"scope": "read", "label": "a\nb", "expires_at": "tomorrow"}),
            &["/expires_at", "/label"],
        ),
        (
            json!({"scope": "read", "secret": "x", "id": 1, "revoked_at": null}),
            &["/id", "/revoked_at", "/secret"],
        ),
        (json!({"scope": "read", "audit": {"reason": "boredom"}}), &["/audit/reason"]),
    ] {
        create(&api, &body).await.invalid(pointers);
    }
    let past = json!({"scope": "read", "expires_at": "2001-01-01T00:00:00Z"});
    create(&api, &past).await.problem(409, "expiry-passed");
    assert_eq!(get(&api, "/keys").await.data().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn key_of_an_expiring_key_expires_no_later() {
    let server = Server::start();
    let api = with_new_key(&server, &["--scope", "full", "--expires", "1d"]);
    let own = get(&api, "/owner").await.json()["key"]["expires_at"].clone();
    for body in [
        json!({ "scope": "read" }),
        json!({ "scope": "read", "expires_at": null }),
        json!({ "scope": "read", "expires_at": own }),
    ] {
        let created = create(&api, &body).await.expect(201).json();
        assert_eq!(created["expires_at"], own, "{body}");
    }
    let later = json!({ "scope": "read", "expires_at": "2099-01-01T00:00:00Z" });
    create(&api, &later).await.problem(409, "expiry-after-key");
    create(&server.api(), &later).await.expect(201);
}

#[tokio::test]
async fn repeated_request_returns_the_first_expiry() {
    let server = Server::start();
    let api = with_new_key(&server, &["--scope", "full", "--expires", "1d"]);
    let own = get(&api, "/owner").await.json()["key"].clone();
    let first = create_once(&api, "one", &json!({ "scope": "read" })).await.expect(201);
    assert_eq!(first.json()["expires_at"], own["expires_at"]);
    let edit = json!({ "expires_at": "2098-01-01T00:00:00Z" });
    for id in [&own["id"], &first.json()["id"]] {
        patch(&server.api(), id, &edit).await.expect(200);
        let again = create_once(&api, "one", &json!({ "scope": "read" })).await.expect(201);
        assert_eq!(again.text(), first.text());
    }
}

#[tokio::test]
async fn repeated_request_returns_the_same_secret_to_the_same_key() {
    let server = Server::start();
    let second = Server::on(server.database());
    let api = server.api();
    let body = json!({ "label": "once", "scope": "read" });
    let first = create_once(&api, "one", &body).await.expect(201);
    assert_eq!(first.header("idempotent-replayed"), None);
    server.with_key(&secret(&first)).links().await.expect(200);
    for api in [api.clone(), second.with_key(server.key())] {
        let again = create_once(&api, "one", &body).await.expect(201);
        assert_eq!(
            (again.text(), again.header("location")),
            (first.text(), first.header("location"))
        );
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
    }
    let id = first.json()["id"].clone();
    let edit = json!({ "label": "renamed", "expires_at": "2098-01-01T00:00:00Z" });
    patch(&api, &id, &edit).await.expect(200);
    assert_eq!(create_once(&api, "one", &body).await.expect(201).text(), first.text());
    let events = server.terse(&["history", "--json"]).done().stdout;
    assert_eq!(events.matches("\"key add\"").count(), 1, "{events}");

    let other = with_new_key(&server, &["--scope", "full"]);
    create_once(&other, "one", &body).await.problem(409, "secret-unavailable");
    let reused = [
        (KEYS, json!({ "label": "twice", "scope": "read" })),
        ("/api/v1/shorten", json!({ "url": URL })),
    ];
    for (path, body) in reused {
        let ask = api.ask(Method::POST, path).header("Idempotency-Key", "one");
        ask.json(&body).send().await.problem(409, "idempotency-key-reused");
    }
    let shorten = api.ask(Method::POST, "/api/v1/shorten").header("Idempotency-Key", "link");
    shorten.json(&json!({ "url": URL })).send().await.expect(201);
    create_once(&api, "link", &body).await.problem(409, "idempotency-key-reused");
    // Another owner's keys are another namespace.
    server.database().owner("other", "unlimited");
    let other = server.terse(&["key", "add", "other", "--scope", "full"]).key();
    let other = create_once(&server.with_key(&other), "one", &body).await.expect(201);
    assert_ne!(secret(&other), secret(&first));
    let two = create_once(&api, "two", &body).await.expect(201);
    assert_ne!(secret(&two), secret(&first));

    api.ask(Method::DELETE, &format!("{KEYS}/{id}")).send().await.expect(204);
    create_once(&api, "one", &body).await.problem(409, "secret-unavailable");
    let id = two.json()["id"].to_string();
    server.terse(&["key", "expire", &id, "--at", "2001-01-01T00:00:00Z"]).done();
    create_once(&api, "two", &body).await.problem(409, "secret-unavailable");
}

#[tokio::test]
async fn concurrent_repetitions_create_one_key() {
    let server = Server::start();
    let second = Server::on(server.database());
    let mut clients = JoinSet::new();
    for number in 0..16 {
        let api = if number % 2 == 0 { server.api() } else { second.with_key(server.key()) };
        clients.spawn(async move {
            create_once(&api, "one", &json!({ "scope": "read" })).await.expect(201).text()
        });
    }
    let mut bodies = clients.join_all().await;
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert_eq!(get(&server.api(), "/keys").await.data().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn nonce_is_erased_after_a_day() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let first = create_once(&api, "one", &json!({ "scope": "read" })).await.expect(201);
    let content = database.bytes();
    let secret_bytes = secret(&first).into_bytes();
    let is_stored = content.windows(secret_bytes.len()).any(|bytes| bytes == secret_bytes);
    assert!(!is_stored, "the database reveals the secret");
    let nonces = "SELECT COUNT(*) FROM idempotency_keys WHERE nonce IS NOT NULL";
    assert_eq!(database.number(nonces).await, 1);
    // A day minus a minute, and a day.
    let age =
        |millis: u64| format!("UPDATE idempotency_keys SET created_at = created_at - {millis}");
    database.execute(&age(86_340_000)).await;
    create_once(&api, "one", &json!({ "scope": "read" })).await.expect(201);
    database.execute(&age(60_000)).await;
    let second = create_once(&api, "two", &json!({ "scope": "read" })).await.expect(201);
    assert_ne!(secret(&second), secret(&first));
    let new = create_once(&api, "one", &json!({ "scope": "read" })).await.expect(201);
    assert_eq!(new.header("idempotent-replayed"), None);
    database.execute(&age(86_400_000)).await;
    let link = api.ask(Method::POST, "/api/v1/shorten").header("Idempotency-Key", "one");
    link.json(&json!({ "url": "https://example.com/" })).send().await.expect(201);
    let replaced = "SELECT COUNT(*) FROM idempotency_keys
        WHERE key = 'one' AND nonce IS NULL AND event_id IS NULL";
    assert_eq!(database.number(replaced).await, 1);
    database.execute(&age(86_400_000)).await;
    let restarted = Server::on(database);
    eventually(TIMEOUT, "the nonces are erased", async || {
        database.number("SELECT COUNT(*) FROM idempotency_keys").await == 0
    })
    .await;
    restarted.api().links().await.expect(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn owner_has_at_most_100_valid_keys() {
    let server = Server::start();
    let second = Server::on(server.database());
    let api = server.api();
    let revoked = create(&api, &json!({ "scope": "read" })).await.expect(201).json()["id"].clone();
    api.ask(Method::DELETE, &format!("{KEYS}/{revoked}")).send().await.expect(204);
    let add_expired = ["key", "add", "default", "--expires", "2001-01-01T00:00:00Z"];
    server.terse(&[&add_expired[..], &["--label", "expired"]].concat()).done();
    let expired = server.database().key_id("default", "expired");
    let mut clients = JoinSet::new();
    for client in 0..8 {
        let api = if client % 2 == 0 { server.api() } else { second.with_key(server.key()) };
        clients.spawn(async move {
            let mut results = Vec::new();
            for _ in 0..15 {
                let response = create(&api, &json!({ "scope": "read" })).await;
                if response.status != 201 {
                    response.clone().problem(409, "key-limit-reached");
                }
                results.push(response);
            }
            results
        });
    }
    let all: Vec<Response> = clients.join_all().await.into_iter().flatten().collect();
    let created: Vec<&Response> = all.iter().filter(|response| response.status == 201).collect();
    assert_eq!(created.len(), 99);

    // No other way leads to one more.
    let refused = server.terse(&["key", "add", "default"]).failed();
    assert!(refused.contains("100 valid keys") && refused.contains("key revoke"), "{refused}");
    server.terse(&["key", "expire", &expired, "--at", "never"]).failed();
    let expired: Value = expired.parse().unwrap();
    let later = json!({ "expires_at": "2099-01-01T00:00:00Z" });
    patch(&api, &expired, &later).await.problem(409, "key-limit-reached");
    patch(&api, &created[0].json()["id"], &later).await.expect(200);
    server.terse(&[&add_expired[..], &["--label", "another"]].concat()).done();

    let id = &created[0].json()["id"];
    api.ask(Method::DELETE, &format!("{KEYS}/{id}")).send().await.expect(204);
    patch(&api, &expired, &later).await.expect(200);
    create(&api, &json!({ "scope": "read" })).await.problem(409, "key-limit-reached");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn revoked_or_suspended_author_creates_no_key() {
    let server = Server::start();
    let second = Server::on(server.database());
    for (round, command) in ["revoke", "suspend", "delete"].into_iter().enumerate() {
        let owner = format!("owner{round}");
        server.database().owner(&owner, "unlimited");
        let arguments = ["key", "add", &owner, "--scope", "full", "--label", "author"];
        let key = server.terse(&arguments).key();
        let id = server.database().key_id(&owner, "author");
        let mut clients = JoinSet::new();
        for number in 0..4 {
            let api = if number % 2 == 0 { server.with_key(&key) } else { second.with_key(&key) };
            clients.spawn(async move {
                let mut statuses = BTreeMap::<String, u32>::new();
                for number in 0..20 {
                    let response =
                        create_once(&api, &format!("key-{number}"), &json!({ "scope": "read" }))
                            .await;
                    let code = response.json()["code"].as_str().unwrap_or("created").to_owned();
                    *statuses.entry(code).or_default() += 1;
                }
                statuses
            });
        }
        match command {
            "revoke" => server.terse(&["key", "revoke", &id]).done(),
            "suspend" => server.terse(&["owner", "suspend", &owner]).done(),
            _ => server.terse(&["owner", "delete", &owner, "--confirm", &owner]).done(),
        };
        let before = server.terse(&["history", "--json"]).done().stdout;
        let expected = ["created", "unauthorized", "owner-suspended"];
        for statuses in clients.join_all().await {
            let all_known = statuses.keys().all(|code| expected.contains(&code.as_str()));
            assert!(all_known, "{command}: {statuses:?}");
        }
        let after = server.terse(&["history", "--json"]).done().stdout;
        let count = |events: &str| events.matches("\"key add\"").count();
        assert_eq!(count(&before), count(&after), "{command}: a key was created afterwards");
        assert_within_a_second("the key is refused", async || {
            create(&server.with_key(&key), &json!({ "scope": "read" })).await.status != 201
        })
        .await;
    }
    server.api().get(&format!("{PREFIX}/owner")).await.expect(200);
}

#[tokio::test]
async fn owner_is_added_with_the_key_that_the_options_describe() {
    let server = Server::start();
    let options = ["--label", "first", "--scope", "full", "--expires", "2099-01-01T00:00:00Z"];
    let key = server.terse(&[&["owner", "add", "acme"], &options[..]].concat()).key();
    let own = get(&server.with_key(&key), "/owner").await.expect(200).json()["key"].clone();
    assert_eq!((&own["label"], &own["scope"]), (&json!("first"), &json!("full")));
    assert_eq!(own["expires_at"], "2099-01-01T00:00:00.000Z");
    let none = server.terse(&["owner", "add", "keyless", "--no-key"]).done();
    assert_eq!(none.stdout, "");
    let none = server.terse(&["owner", "add", "silent", "--no-key", "--json"]).json();
    assert_eq!((none["name"].as_str(), none.get("key")), (Some("silent"), None));
    for owner in ["keyless", "silent"] {
        assert_eq!(server.terse(&["key", "list", owner, "--json"]).json(), json!([]));
    }
    let contradiction = server.terse(&["owner", "add", "x", "--no-key", "--scope", "read"]);
    contradiction.misused();
}
