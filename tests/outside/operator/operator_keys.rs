//! Operator keys that programs of the operator create and revoke.

use reqwest::Method;
use serde_json::{Value, json};

use super::{PREFIX, all, delete, done, get, send};
use crate::harness::Server;

const KEYS: &str = "/operator-keys";

#[tokio::test]
async fn key_is_created_used_and_revoked() {
    let server = Server::with_operator();
    let admin = server.operator("admin");
    let body =
        json!({ "name": "billing", "role": "provisioner", "expires_at": "2099-01-01T00:00:00Z" });
    let response = send(&admin, "POST", KEYS, &body).await.expect(201);
    let created = response.json();
    let path = format!("{KEYS}/{}", created["id"]);
    assert_eq!(response.header("location"), Some(&*format!("{PREFIX}{path}")));
    let secret = created["secret"].as_str().unwrap();
    assert!(created["hint"].as_str().is_some_and(|hint| hint.len() == 4 && secret.ends_with(hint)));
    let mut shown = created.clone();
    shown.as_object_mut().unwrap().remove("secret");
    let listed = all(&admin, KEYS).await;
    assert_eq!(listed[0], shown);
    assert!(!json!(listed).to_string().contains("terse_op_"), "{listed:?}");
    assert_eq!(listed[1]["name"], "admin");
    let row = &server.terse(&["operator", "list", "--json"]).json()[1];
    assert_eq!((&row["id"], &row["hint"]), (&created["id"], &created["hint"]));
    assert!(row["expires_at"].is_string(), "{row}");

    let api = server.with_operator_key(secret);
    done(&api, "POST", "/owners", &json!({ "name": "acme" })).await;
    let own = get(&api, "/operator").await.expect(200).json();
    assert_eq!((&own["id"], &own["role"]), (&created["id"], &json!("provisioner")));
    assert!(all(&api, KEYS).await.iter().any(|key| key["id"] == own["id"]));
    send(&admin, "POST", KEYS, &body).await.problem(409, "operator-key-exists");

    delete(&admin, &format!("{path}?reason=other&note=left")).await.expect(204);
    get(&api, "/operator").await.problem(401, "unauthorized");
    delete(&admin, &path).await.problem(404, "operator-key-not-found");
    for unknown in ["99", "x", "-1"] {
        delete(&admin, &format!("{KEYS}/{unknown}")).await.problem(404, "operator-key-not-found");
    }
    assert!(all(&admin, KEYS).await[0]["revoked_at"].is_string());
    // The name is free again.
    let next = done(&admin, "POST", KEYS, &body).await;
    assert_ne!((&next["id"], &next["secret"]), (&created["id"], &created["secret"]));

    let own = get(&admin, "/operator").await.json()["id"].clone();
    delete(&admin, &format!("{KEYS}/{own}")).await.problem(409, "own-key");
    get(&admin, "/operator").await.expect(200);
}

#[tokio::test]
async fn expired_key_is_rejected_and_keeps_its_name() {
    let server = Server::with_operator();
    let admin = server.operator("admin");
    let past = json!({ "name": "late", "role": "admin", "expires_at": "2020-01-01T00:00:00Z" });
    send(&admin, "POST", KEYS, &past).await.problem(409, "expiry-passed");
    let add = ["operator", "add", "late", "--role", "admin", "--expires", "2020-01-01"];
    let added = server.terse(&add);
    let late = server.with_operator_key(&added.operator_key());
    get(&late, "/operator").await.problem(401, "unauthorized");
    send(&late, "POST", "/owners", &json!({ "name": "acme" })).await.problem(401, "unauthorized");
    let again = json!({ "name": "late", "role": "admin" });
    send(&admin, "POST", KEYS, &again).await.problem(409, "operator-key-exists");
    server.terse(&["operator", "revoke", "late"]).done();
    let key = done(&admin, "POST", KEYS, &again).await;
    assert_eq!(key["expires_at"], Value::Null);
    // A key that expires during its use is rejected from then on.
    let expire = format!("UPDATE operator_keys SET expires_at = 1 WHERE id = {}", key["id"]);
    server.database().execute(&expire).await;
    let api = server.with_operator_key(key["secret"].as_str().unwrap());
    get(&api, "/operator").await.problem(401, "unauthorized");
}

#[tokio::test]
async fn repeated_creation_returns_the_same_secret() {
    let server = Server::with_operator();
    let (admin, other) =
        (server.operator("admin"), server.database().operator_key("other", "admin"));
    let create = async |api: &crate::harness::Api, key: &str, body: &Value| {
        let ask = api.ask(Method::POST, &format!("{PREFIX}{KEYS}"));
        ask.header("Idempotency-Key", key).json(body).send().await
    };
    let body = json!({ "name": "once", "role": "auditor", "audit": { "note": "x" } });
    let first = create(&admin, "one", &body).await.expect(201);
    server.with_operator_key(first.json()["secret"].as_str().unwrap());
    let again = create(&admin, "one", &body).await.expect(201);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!((again.text(), again.header("location")), (first.text(), first.header("location")));
    let events = "SELECT COUNT(*) FROM events WHERE action = 'operator add' AND subject = 'once'";
    assert_eq!(server.database().number(events).await, 1);
    for changed in [
        json!({ "name": "twice", "role": "auditor", "audit": { "note": "x" } }),
        json!({ "name": "once", "role": "admin", "audit": { "note": "x" } }),
        json!({ "name": "once", "role": "auditor", "expires_at": "2099-01-01T00:00:00Z", "audit": { "note": "x" } }),
        json!({ "name": "once", "role": "auditor" }),
    ] {
        create(&admin, "one", &changed).await.problem(409, "idempotency-key-reused");
    }
    let other = server.with_operator_key(&other);
    create(&other, "one", &body).await.problem(409, "secret-unavailable");
    delete(&admin, &format!("{KEYS}/{}", first.json()["id"])).await.expect(204);
    create(&admin, "one", &body).await.problem(409, "secret-unavailable");
    let dump = crate::upgrades::content::dump(server.database());
    assert!(!dump.contains(&first.json()["secret"].as_str().unwrap()["terse_op_".len()..]));
}
