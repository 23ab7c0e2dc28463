//! SIGKILL between a request and its answer: whoever tries again under the same key has one link.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::{SHORTEN, is_the_same, post};
use crate::harness::{Answer, Connection, Server, field, short_codes};

/// Clients who ask at once.
const CLIENTS: usize = 8;

/// What a client was answered, by its key.
type Answered = BTreeMap<String, (String, Option<String>)>;

/// Asks for links under keys of its own until its server goes away; gives the key that was not
/// answered.
fn ask(mut connection: Connection, key: &str, name: &str, answered: &Mutex<Answered>) -> String {
    for number in 0.. {
        let name = format!("{name}-{number}");
        match try_to_create(&mut connection, key, &name) {
            Ok(answer) => note(&answer.expect(201), &name, answered),
            Err(_) => return name,
        }
    }
    unreachable!("the server is killed")
}

fn try_to_create(connection: &mut Connection, key: &str, name: &str) -> std::io::Result<Answer> {
    let fields = [
        field("X-API-Key", key),
        field("Content-Type", "application/json"),
        field("Idempotency-Key", name),
    ];
    let body = json!({"url": format!("https://example.com/{name}")}).to_string();
    connection.exchange("POST", SHORTEN.as_bytes(), &fields, body.as_bytes())
}

/// Remembers what was answered under a key; it never is another answer.
fn note(answer: &Answer, name: &str, answered: &Mutex<Answered>) {
    let now = (answer.text(), answer.header("location").map(str::to_owned));
    let mut answered = answered.lock().unwrap();
    let before = answered.entry(name.to_owned()).or_insert_with(|| now.clone());
    assert_eq!(*before, now, "{name}");
}

/// Kills the server so many times, each time at another moment of its work, and has what was not
/// answered asked for again.
async fn kill_and_try_again(kills: u64) {
    let mut server = Server::start();
    let key = server.key().to_owned();
    let answered = Arc::new(Mutex::new(Answered::new()));
    let mut replayed = 0;
    for kill in 0..kills {
        let (names, next) = thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let (connection, name) = (server.connect(), format!("{kill}-{client}"));
                    let (key, answered) = (&key, &answered);
                    scope.spawn(move || ask(connection, key, &name, answered))
                })
                .collect();
            // No two kills come at the same moment of a batch.
            thread::sleep(Duration::from_micros(2_000 + kill * 7_919 % 30_000));
            let database = server.kill9();
            let names: Vec<String> =
                clients.into_iter().map(|client| client.join().unwrap()).collect();
            (names, Server::on(&database))
        });
        server = next;
        let mut connection = server.connect();
        for name in &names {
            let answer = try_to_create(&mut connection, &key, name).unwrap().expect(201);
            replayed += u64::from(answer.header("idempotent-replayed").is_some());
            note(&answer, name, &answered);
            let again = try_to_create(&mut connection, &key, name).unwrap();
            is_the_same(&answer, &again);
        }
        if kill % 50 == 0 {
            one_link_a_key(&server, &key, &answered).await;
        }
    }
    one_link_a_key(&server, &key, &answered).await;
    for (name, (text, _)) in answered.lock().unwrap().iter().take(500) {
        let answer = try_to_create(&mut server.connect(), &key, name).unwrap().expect(201);
        assert_eq!(answer.text(), *text);
    }
    assert!(replayed > 0 || kills < 50, "some were made and not answered");
}

async fn one_link_a_key(server: &Server, key: &str, answered: &Mutex<Answered>) {
    let there = server.with_key(key).listed().await;
    let answered = answered.lock().unwrap();
    let links: Vec<_> =
        answered.values().map(|(text, _)| serde_json::from_str(text).unwrap()).collect();
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
    // The address is another one now, and the answer is not.
    let again = post(&api, SHORTEN, "one", &body).await;
    is_the_same(&first, &again);
    assert_eq!(api.listed().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retry_after_a_kill_creates_one_link() {
    kill_and_try_again(5).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn retries_after_a_thousand_kills_create_one_link_each() {
    kill_and_try_again(1_000).await;
}
