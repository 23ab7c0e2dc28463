//! SIGKILL between a request and its response: a retry with the same key creates one link.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::{SHORTEN, assert_replayed, post};
use crate::harness::{Connection, Response, Server, field, short_codes};

/// Number of concurrent clients.
const CLIENTS: usize = 8;

/// Body and `Location` of each response, by idempotency key.
type Responses = BTreeMap<String, (String, Option<String>)>;

/// Creates links, each with another idempotency key, until the server ends. Returns the last key,
/// which has no response.
fn create_until_killed(
    mut connection: Connection,
    key: &str,
    name: &str,
    responses: &Mutex<Responses>,
) -> String {
    for number in 0.. {
        let name = format!("{name}-{number}");
        match try_to_create(&mut connection, key, &name) {
            Ok(response) => record_response(&response.expect(201), &name, responses),
            Err(_) => return name,
        }
    }
    unreachable!("the server is killed")
}

fn try_to_create(connection: &mut Connection, key: &str, name: &str) -> std::io::Result<Response> {
    let fields = [
        field("X-API-Key", key),
        field("Content-Type", "application/json"),
        field("Idempotency-Key", name),
    ];
    let body = json!({"url": format!("https://example.com/{name}")}).to_string();
    connection.exchange("POST", SHORTEN.as_bytes(), &fields, body.as_bytes())
}

/// Records the response for a key, which must not change.
fn record_response(response: &Response, name: &str, responses: &Mutex<Responses>) {
    let now = (response.text(), response.header("location").map(str::to_owned));
    let mut responses = responses.lock().unwrap();
    let before = responses.entry(name.to_owned()).or_insert_with(|| now.clone());
    assert_eq!(*before, now, "{name}");
}

/// Kills the server this number of times, each time at another moment, and repeats the requests
/// without a response.
async fn kill_and_retry(kills: u64) {
    let mut server = Server::start();
    let key = server.key().to_owned();
    let responses = Arc::new(Mutex::new(Responses::new()));
    let mut replayed = 0;
    for kill in 0..kills {
        let (names, next) = thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let (connection, name) = (server.connect(), format!("{kill}-{client}"));
                    let (key, responses) = (&key, &responses);
                    scope.spawn(move || create_until_killed(connection, key, &name, responses))
                })
                .collect();
            // No two kills are at the same moment of a batch.
            thread::sleep(Duration::from_micros(2_000 + kill * 7_919 % 30_000));
            let database = server.kill9();
            let names: Vec<String> =
                clients.into_iter().map(|client| client.join().unwrap()).collect();
            (names, Server::on(&database))
        });
        server = next;
        let mut connection = server.connect();
        for name in &names {
            let response = try_to_create(&mut connection, &key, name).unwrap().expect(201);
            replayed += u64::from(response.header("idempotent-replayed").is_some());
            record_response(&response, name, &responses);
            let again = try_to_create(&mut connection, &key, name).unwrap();
            assert_replayed(&response, &again);
        }
        if kill % 50 == 0 {
            assert_one_link_per_key(&server, &key, &responses).await;
        }
    }
    assert_one_link_per_key(&server, &key, &responses).await;
    for (name, (text, _)) in responses.lock().unwrap().iter().take(500) {
        let response = try_to_create(&mut server.connect(), &key, name).unwrap().expect(201);
        assert_eq!(response.text(), *text);
    }
    assert!(
        replayed > 0 || kills < 50,
        "the server created some links without sending the response"
    );
}

async fn assert_one_link_per_key(server: &Server, key: &str, responses: &Mutex<Responses>) {
    let there = server.with_key(key).listed().await;
    let responses = responses.lock().unwrap();
    let links: Vec<_> =
        responses.values().map(|(text, _)| serde_json::from_str(text).unwrap()).collect();
    let codes = short_codes(&links).into_iter().collect();
    assert_eq!(there, codes, "a link for each key, and no other");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn response_is_replayed_after_a_kill() {
    let server = Server::start();
    let key = server.key().to_owned();
    let body = json!({"url": "https://example.com/"});
    let first = post(&server.api(), SHORTEN, "one", &body).await.expect(201);
    let server = Server::on(&server.kill9());
    let api = server.with_key(&key);
    // The base URL has changed; the response has not.
    let again = post(&api, SHORTEN, "one", &body).await;
    assert_replayed(&first, &again);
    assert_eq!(api.listed().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retry_after_a_kill_creates_one_link() {
    kill_and_retry(5).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn retries_after_a_thousand_kills_create_one_link_each() {
    kill_and_retry(1_000).await;
}
