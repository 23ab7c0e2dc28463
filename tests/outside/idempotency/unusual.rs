//! Malformed and expired idempotency keys.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

use super::{SHORTEN, URL, assert_replayed, is_replayed, post};
use crate::harness::{Database, Server, Store, eventually, field};
use crate::outage::block_with;

const DAY: u64 = 24 * 60 * 60 * 1_000;

#[tokio::test]
async fn malformed_idempotency_key_is_rejected() {
    let server = Server::start();
    let long = "x".repeat(256);
    for value in ["", "a b", "\"a", "\"\"", "\"a\"b", &long] {
        let fields = [
            field("X-API-Key", server.key()),
            field("Content-Type", "application/json"),
            field("Idempotency-Key", value),
        ];
        // The malformed key is reported before errors in the body.
        for body in [&br#"{"url":"https://example.com/"}"#[..], b"{}"] {
            let response = server.connect().exchange("POST", SHORTEN.as_bytes(), &fields, body);
            response.unwrap().problem(400, "malformed-request");
        }
    }
    let twice = server.api().with("Idempotency-Key", "one").with("Idempotency-Key", "two");
    twice.shorten(&json!({"url": URL})).await.problem(400, "malformed-request");
    let twice = server.api().with("Idempotency-Key", "one").with("Idempotency-Key", "one");
    twice.shorten(&json!({"url": URL})).await.expect(201);
    let longest = format!("\"{}\"", "x".repeat(255));
    post(&server.api(), SHORTEN, &longest, &json!({"url": URL})).await.expect(201);
    assert_eq!(server.api().listed().await.len(), 2);
}

#[tokio::test]
async fn key_type_and_size_errors_precede_a_malformed_idempotency_key() {
    let server = Server::start();
    let bad = server.api().with("Idempotency-Key", "a b");
    let anonymous = server.anyone().with("Idempotency-Key", "a b");
    anonymous.shorten(&json!({"url": URL})).await.problem(401, "unauthorized");
    let text = bad.ask(Method::POST, SHORTEN).body("text/plain", "{}").send().await;
    text.problem(415, "unsupported-media-type");
    let large = bad.ask(Method::POST, SHORTEN).body("application/json", "x".repeat(70_000));
    large.send().await.problem(413, "body-too-large");
}

#[tokio::test]
async fn validation_precedes_the_key_conflict() {
    let server = Server::start();
    let api = server.api();
    post(&api, SHORTEN, "one", &json!({"url": URL})).await.expect(201);
    for body in [
        json!({"url": "nonsense"}),
        json!({"url": format!("{}/x", server.base_url())}),
        json!({"url": URL, "custom_code": "no code"}),
    ] {
        post(&api, SHORTEN, "one", &body).await.problem(422, "invalid-input");
    }
    let missing = json!({"short_code": "missing"});
    post(&api, super::QR, "one", &missing).await.problem(404, "link-not-found");
}

async fn age_responses(database: &Database, milliseconds: u64) {
    let age = format!("UPDATE idempotency_keys SET created_at = created_at - {milliseconds}");
    database.execute(&age).await;
}

/// Returns the number of stored responses.
async fn stored_responses(database: &Database) -> i64 {
    database.number("SELECT COUNT(*) FROM idempotency_keys").await
}

#[tokio::test]
async fn idempotency_key_expires_after_a_day() {
    let server = Server::start();
    let (api, body) = (server.api(), json!({"url": URL}));
    let first = post(&api, SHORTEN, "one", &body).await.expect(201);
    let qr = json!({"short_code": first.code()});
    post(&api, super::QR, "two", &qr).await.expect(201);
    // The test takes less than the minute that remains.
    age_responses(server.database(), DAY - 60_000).await;
    assert_replayed(&first, &post(&api, SHORTEN, "one", &body).await);
    age_responses(server.database(), 60_000).await;
    let second = post(&api, SHORTEN, "one", &body).await.expect(201);
    assert!(!is_replayed(&second));
    assert_ne!(first.text(), second.text());
    assert_replayed(&second, &post(&api, SHORTEN, "one", &body).await);
    assert!(!is_replayed(&post(&api, super::QR, "two", &qr).await.expect(201)));
    age_responses(server.database(), DAY).await;
    let other = json!({"url": format!("{URL}other")});
    assert!(!is_replayed(&post(&api, SHORTEN, "one", &other).await.expect(201)));
    assert_eq!(api.listed().await.len(), 3);
}

#[tokio::test]
async fn expired_responses_are_deleted() {
    let server = Server::start();
    let key = server.key().to_owned();
    for number in 0..5 {
        post(&server.api(), SHORTEN, &format!("key-{number}"), &json!({"url": URL})).await;
    }
    age_responses(server.database(), DAY).await;
    post(&server.api(), SHORTEN, "new", &json!({"url": URL})).await.expect(201);
    let database = server.kill9();
    assert_eq!(stored_responses(&database).await, 6);
    // The server deletes expired responses at its start, and then each minute.
    let server = Server::on(&database);
    eventually(Duration::from_secs(20), "the server deletes old responses", async || {
        stored_responses(&database).await == 1
    })
    .await;
    let again = post(&server.with_key(&key), SHORTEN, "new", &json!({"url": URL})).await;
    assert!(is_replayed(&again), "{:?}: {again:?}", Store::chosen());
}

/// A trigger of the database makes the first stored response expire at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_creates_with_an_expired_key_create_one_link() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let rule = match database.store() {
        Store::Sqlite => {
            "CREATE TRIGGER aged AFTER INSERT ON idempotency_keys
            WHEN (SELECT COUNT(*) FROM idempotency_keys) = 1
            BEGIN UPDATE idempotency_keys SET created_at = created_at - 100000000; END"
        }
        Store::Postgres => {
            "CREATE FUNCTION aged() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF NOT EXISTS (SELECT FROM idempotency_keys) THEN
                    NEW.created_at := NEW.created_at - 100000000;
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER aged BEFORE INSERT ON idempotency_keys
            FOR EACH ROW EXECUTE FUNCTION aged()"
        }
    };
    database.execute(rule).await;
    // One creation waits for the owner's lock, and all others wait for that creation.
    let held = block_with(&server, "BEGIN; UPDATE owners SET plan = plan").await;
    let first = tokio::spawn({
        let api = api.clone();
        async move { api.create(URL).await }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut asked = JoinSet::new();
    for _ in 0..20 {
        let api = api.clone();
        asked.spawn(async move { post(&api, SHORTEN, "one", &json!({"url": URL})).await });
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    held.execute("COMMIT").await.unwrap();
    held.close().await;
    first.await.unwrap();
    let responses = asked.join_all().await.into_iter().map(|response| response.expect(201));
    let (replayed, created): (Vec<_>, Vec<_>) = responses.partition(is_replayed);
    // Two creations: the response of one has expired, and that of the other has replaced it.
    assert_eq!((created.len(), replayed.len()), (2, 18));
    let stored = created.iter().filter(|first| first.text() == replayed[0].text()).count();
    assert_eq!(stored, 1);
    assert!(replayed.iter().all(|response| response.text() == replayed[0].text()));
    assert_eq!(server.api().listed().await.len(), 3);
}
