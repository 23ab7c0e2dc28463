//! Owners and keys that programs of the operator create.

use serde_json::{Value, json};

use super::{PREFIX, delete, done, get, send};
use crate::harness::{Api, Response, Server, assert_within_a_second, is_key};

async fn create(api: &Api, path: &str, key: &str, body: &Value) -> Response {
    let ask = api.ask(reqwest::Method::POST, &format!("{PREFIX}{path}"));
    ask.header("Idempotency-Key", key).json(body).send().await
}

#[tokio::test]
async fn owner_is_created_with_a_key_that_works() {
    let server = Server::with_operator();
    let api = server.operator("provisioner");
    let key = json!({ "label": "crm", "scope": "full", "expires_at": "2099-01-01T00:00:00Z" });
    let body =
        json!({ "name": "acme", "plan_name": "pro", "key": key, "audit": { "case_id": "C-1" } });
    let response = send(&api, "POST", "/owners", &body).await.expect(201);
    let created = response.json();
    let (owner, key) = (&created, &created["key"]);
    let names: Vec<&String> = owner.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "id",
            "name",
            "external_id",
            "plan_name",
            "links",
            "is_suspended",
            "suspended_reason",
            "suspended_at",
            "created_at",
            "last_active_on",
            "fallback_url",
            "etag",
            "key"
        ]
    );
    let names: Vec<&String> = key.as_object().unwrap().keys().collect();
    let members = ["id", "label", "scope", "hint", "created_at", "expires_at", "last_used_at"];
    assert_eq!(
        names,
        [&members[..], &["revoked_at", "etag", "secret", "owner_id", "owner_name"]].concat()
    );
    assert_eq!((&owner["name"], &owner["plan_name"]), (&json!("acme"), &json!("pro")));
    assert_eq!(response.header("location"), Some(&*format!("{PREFIX}/owners/{}", owner["id"])));
    let secret = key["secret"].as_str().unwrap();
    assert!(is_key(secret));
    server.with_key(secret).create("https://example.com/").await;
    let read = get(&api, &format!("/owners/{}", owner["id"])).await.expect(200).json();
    assert_eq!(read["links"], 1);
    assert_eq!(owner["last_active_on"], Value::Null);
    // The use is stored after the response.
    let is_active = async || {
        let read = get(&api, &format!("/owners/{}", owner["id"])).await.expect(200).json();
        let day = read["last_active_on"].as_str().map(str::to_owned);
        day.is_some_and(|day| read["created_at"].as_str().unwrap().starts_with(&day))
    };
    assert_within_a_second("the use of the key", is_active).await;
    let listed = get(&api, "/owners?name=acme").await.expect(200).data();
    let shown = server.terse(&["owner", "show", "acme", "--json"]).json();
    assert_eq!(listed[0], shown);
    assert_eq!(shown["last_active_on"], shown["created_at"].as_str().unwrap()[..10]);
    let event = server.terse(&["history", "--case", "C-1", "--json"]).json();
    assert_eq!(
        (&event["actor"]["name"], &event["actor"]["type"]),
        (&json!("provisioner"), &json!("operator_key"))
    );
    send(&api, "POST", "/owners", &body).await.problem(409, "owner-exists");
    let none = done(&api, "POST", "/owners", &json!({ "name": "bare" })).await;
    assert_eq!((&none["key"], &none["plan_name"]), (&Value::Null, &json!("free")));
    let missing = json!({ "name": "x", "plan_name": "nothing" });
    send(&api, "POST", "/owners", &missing).await.problem(404, "plan-not-found");
    let wrong = json!({ "name": "x", "key": { "scope": "all", "lable": "x" }, "plna": "pro" });
    let problem = send(&api, "POST", "/owners", &wrong).await.expect(422).json();
    let mut pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["pointer"].as_str().unwrap())
        .collect();
    pointers.sort_unstable();
    assert_eq!(pointers, ["/key/lable", "/key/scope", "/plna"]);
}

#[tokio::test]
async fn repeated_creation_returns_the_same_secret() {
    let server = Server::with_operator();
    let (api, other) = (server.operator("provisioner"), server.operator("admin"));
    let body = json!({ "name": "acme", "key": { "label": "crm" } });
    let first = create(&api, "/owners", "one", &body).await.expect(201);
    assert_eq!(first.header("idempotent-replayed"), None);
    let again = create(&api, "/owners", "one", &body).await.expect(201);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.json(), first.json());
    let first = first.json();
    create(&other, "/owners", "one", &body).await.problem(409, "secret-unavailable");
    let changed = json!({ "name": "acme", "key": { "label": "other" } });
    create(&api, "/owners", "one", &changed).await.problem(409, "idempotency-key-reused");

    let id = &first["id"];
    let path = format!("/owners/{id}/keys");
    create(&api, &path, "one", &json!({ "scope": "edit" }))
        .await
        .problem(409, "idempotency-key-reused");
    let key = create(&api, &path, "two", &json!({ "label": "second", "scope": "edit" }))
        .await
        .expect(201);
    let same = create(&api, &path, "two", &json!({ "label": "second", "scope": "edit" }))
        .await
        .expect(201);
    assert_eq!(key.json(), same.json());
    let key = key.json();
    assert_eq!((&key["owner_name"], &key["owner_id"]), (&json!("acme"), id));
    let secret = key["secret"].as_str().unwrap();
    server.with_key(secret).links().await.expect(200);
    delete(&api, &format!("/keys/{}", key["id"])).await.expect(204);
    create(&api, &path, "two", &json!({ "label": "second", "scope": "edit" }))
        .await
        .problem(409, "secret-unavailable");
    let plan = json!({ "name": "gold" });
    for replayed in [None, Some("true")] {
        let created = create(&other, "/plans", "three", &plan).await.expect(201);
        assert_eq!(created.header("idempotent-replayed"), replayed);
    }
    // Neither the database nor its log reveals a secret.
    let secrets = [secret, first["key"]["secret"].as_str().unwrap()];
    let log = server.log();
    let database = std::sync::Arc::clone(server.database());
    server.terminate();
    let dump = crate::upgrades::content::dump(&database);
    for secret in secrets {
        assert!(!log.contains(secret) && !dump.contains(&secret[6..]));
    }
}

/// Every repetition returns the first response, whatever has changed since.
#[tokio::test]
async fn repeated_creation_returns_the_first_response() {
    let server = Server::with_operator();
    let api = server.operator("admin");
    let owner = json!({ "name": "acme", "plan_name": "pro", "key": { "scope": "full" } });
    let first = create(&api, "/owners", "owner", &owner).await.expect(201);
    let id = first.json()["id"].clone();
    let keys = format!("/owners/{id}/keys");
    let domain = |host| json!({ "host": host, "owner_id": 2, "home_url": "https://example.com/" });
    let requests = [
        ("/owners", "owner", owner),
        (&*keys, "key", json!({ "scope": "edit", "expires_at": "2097-01-01T00:00:00Z" })),
        ("/plans", "plan", json!({ "name": "gold", "max_links": 10 })),
        ("/domains", "domain", domain("go.acme.example")),
        ("/domains", "second", domain("to.acme.example")),
    ];
    let mut responses = Vec::new();
    for (path, key, body) in &requests {
        responses.push(create(&api, path, key, body).await.expect(201));
    }
    let events = "SELECT COUNT(DISTINCT events.id) FROM idempotency_keys
        JOIN events ON events.id = event_id AND events.action LIKE '% add'";
    assert_eq!(server.database().number(events).await, 5);
    let owner_key = first.json()["key"].clone();
    server.with_key(owner_key["secret"].as_str().unwrap()).create("https://example.com/").await;
    let expiry = json!({ "expires_at": "2098-01-01T00:00:00Z" });
    let edits = [
        ("PATCH", format!("/keys/{}", owner_key["id"]), expiry.clone()),
        ("PATCH", format!("/keys/{}", responses[1].json()["id"]), expiry),
        ("PATCH", "/plans/gold".into(), json!({ "max_links": 20 })),
        ("PATCH", "/domains/go.acme.example".into(), json!({ "home_url": null })),
        ("PATCH", "/domains/to.acme.example".into(), json!({ "is_default": true })),
        (
            "PATCH",
            format!("/owners/{id}"),
            json!({ "name": "emca", "plan_name": "free", "fallback_url": "https://example.com/" }),
        ),
        ("POST", format!("/owners/{id}/suspend"), json!({})),
    ];
    for (method, path, body) in &edits {
        done(&api, method, path, body).await;
    }
    for ((path, key, body), first) in requests.iter().zip(&responses) {
        let again = create(&api, path, key, body).await.expect(201);
        assert_eq!(again.header("idempotent-replayed"), Some("true"), "{path}");
        assert_eq!(again.text(), first.text(), "{path}");
        assert_eq!(again.header("location"), first.header("location"), "{path}");
    }
}

#[tokio::test]
async fn repeated_creation_of_a_deleted_owner_returns_the_first_response() {
    let server = Server::with_operator();
    let api = server.operator("admin");
    let body =
        json!({ "name": "acme", "external_id": "customer-7", "audit": { "case_id": "C-1" } });
    let with_key = json!({ "name": "globex", "key": { "scope": "full" } });
    let first = create(&api, "/owners", "one", &body).await.expect(201);
    let other = create(&api, "/owners", "two", &with_key).await.expect(201);
    for created in [&first, &other] {
        let path = format!("/owners/{}", created.json()["id"]);
        done(&api, "POST", &format!("{path}/suspend"), &json!({})).await;
        delete(&api, &path).await.expect(204);
    }
    let again = create(&api, "/owners", "one", &body).await.expect(201);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.text(), first.text());
    for header in ["location", "event-id", "etag"] {
        assert_eq!(again.header(header), first.header(header), "{header}");
    }
    assert!(again.header("event-id").is_some());
    // Nothing gives its secret again.
    create(&api, "/owners", "two", &with_key).await.problem(409, "secret-unavailable");
    assert_eq!(get(&api, "/owners?name=acme").await.data(), json!([]));
}

/// Earlier versions recorded no facts.
#[tokio::test]
async fn key_that_an_earlier_version_created_is_replayed_with_its_expiry() {
    let server = Server::with_operator();
    let operator = server.operator("admin");
    let parent = json!({ "scope": "full", "expires_at": "2097-01-01T00:00:00.000Z" });
    let parent = create(&operator, "/owners/1/keys", "parent", &parent).await.expect(201).json();
    let api = server.with_key(parent["secret"].as_str().unwrap());
    let create = async || {
        let request = api.ask(reqwest::Method::POST, "/api/manage/v1/keys");
        let request = request
            .header("Idempotency-Key", "child")
            .json(&json!({ "label": "child", "scope": "read" }));
        request.send().await.expect(201)
    };
    let first = create().await;
    assert_eq!(first.json()["expires_at"], parent["expires_at"]);
    server.database().execute("UPDATE idempotency_keys SET origin = NULL").await;
    let again = create().await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.text(), first.text());
}

#[tokio::test]
async fn lost_connection_loses_no_key() {
    let server = Server::with_operator();
    let key = server.database().operator_key("billing", "provisioner");
    let body = json!({ "name": "acme", "key": {} }).to_string();
    let request = format!(
        "POST {PREFIX}/owners HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\nIdempotency-Key: lost\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut connection = std::net::TcpStream::connect(server.operator_authority()).unwrap();
    std::io::Write::write_all(&mut connection, request.as_bytes()).unwrap();
    drop(connection);
    let api = server.with_operator_key(&key);
    let body: Value = serde_json::from_str(&body).unwrap();
    let created = create(&api, "/owners", "lost", &body).await.expect(201).json();
    let secret = created["key"]["secret"].as_str().unwrap();
    server.with_key(secret).links().await.expect(200);
    let found = get(&api, "/owners?name=acme").await.expect(200).json();
    assert_eq!(found["data"].as_array().unwrap().len(), 1);
    let keys = get(&api, &format!("/owners/{}/keys", created["id"])).await.json();
    assert_eq!(keys["data"].as_array().unwrap().len(), 1, "{keys}");
}

#[tokio::test]
async fn concurrent_repetitions_create_one_owner() {
    let server = Server::with_operator();
    let api = server.operator("admin");
    let body = json!({ "name": "acme", "key": {} });
    let requests = (0..8).map(|_| create(&api, "/owners", "one", &body));
    let responses = futures_util::future::join_all(requests).await;
    let bodies: Vec<Value> = responses.into_iter().map(|one| one.expect(201).json()).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:#?}");
    let count = server.database().number("SELECT COUNT(*) FROM api_keys").await;
    assert_eq!(count, 2, "that of the default owner, and one");
}
