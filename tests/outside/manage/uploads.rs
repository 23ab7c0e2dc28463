//! Bodies of batches that arrive slowly.

use std::sync::mpsc;
use std::thread;

use reqwest::Method;
use serde_json::json;

use crate::harness::{Connection, Server, TIMEOUT, field};

const BATCHES: &str = "/api/manage/v1/link-batches";
const MAX_BODY: usize = 4 * 1024 * 1024;
/// Memory for the bodies of an owner.
const MAX_BODIES: usize = 16 << 20;

/// Begins an upload of the largest body, and sends this many bytes of it.
fn begin(server: &Server, sent: usize) -> Connection {
    let mut connection = server.connect();
    let fields = [
        field("X-API-Key", server.key()),
        field("Content-Type", "application/json"),
        field("Content-Length", &MAX_BODY.to_string()),
    ];
    connection.send_head("POST", BATCHES.as_bytes(), &fields).unwrap();
    connection.send(&vec![b' '; sent]).unwrap();
    connection
}

async fn send_batch(server: &Server, key: &str) -> u16 {
    let links = json!({ "links": [{ "destination_url": "https://example.com/" }] });
    server.with_key(key).ask(Method::POST, BATCHES).json(&links).send().await.status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_uploads_delay_no_other_batch() {
    let server = Server::start();
    let uploads: Vec<Connection> = (0..40).map(|_| begin(&server, 1_000)).collect();
    for _ in 0..3 {
        assert_eq!(send_batch(&server, server.key()).await, 200);
    }
    drop(uploads);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_of_an_owner_have_bounded_memory() {
    let server = Server::start();
    let other = server.terse(&["owner", "add", "other", "--scope", "full"]).key();
    let (sender, responses) = mpsc::channel();
    for _ in 0..=MAX_BODIES / MAX_BODY {
        // Each lacks a byte, so the server keeps all that has arrived.
        let mut upload = begin(&server, MAX_BODY - 1);
        let sender = sender.clone();
        thread::spawn(move || {
            let response = upload.response("POST", BATCHES.as_bytes());
            let _ = sender.send((upload, response));
        });
    }
    let (_upload, refused) = responses.recv_timeout(TIMEOUT).expect("one upload finds no room");
    refused.unwrap().problem(503, "unavailable");
    assert_eq!(send_batch(&server, &other).await, 200);
}
