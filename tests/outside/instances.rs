//! Several equal instances on one database.

mod clocks;
mod connections;
mod contention;
mod isolation;
mod pooled;
mod start;
mod truth;
mod upgrade;
mod versions;

use std::sync::Arc;
use std::thread;

use serde_json::Value;

use crate::harness::{Connection, Database, Response, Server, field, find_object};

const URL: &str = "https://example.com/";

/// Starts two servers on one new database.
fn two_instances() -> [Server; 2] {
    let first = Server::start();
    let second = Server::on(first.database());
    [first, second]
}

/// Runs this number of clients concurrently, each on its own connection, distributed over the
/// servers; returns their results.
fn run_clients<T, F>(servers: &[Server], clients: usize, client: F) -> Vec<T>
where
    T: Send,
    F: Fn(usize, &mut Connection) -> T + Sync,
{
    thread::scope(|scope| {
        let start = |number: usize| {
            let (mut connection, client) = (servers[number % servers.len()].connect(), &client);
            scope.spawn(move || client(number, &mut connection))
        };
        let clients: Vec<_> = (0..clients).map(start).collect();
        clients.into_iter().map(|client| client.join().expect("it saw nothing wrong")).collect()
    })
}

/// Sends `POST /api/v1/shorten`.
fn shorten(connection: &mut Connection, key: &str, body: &Value) -> Response {
    let fields = [field("X-API-Key", key), field("Content-Type", "application/json")];
    let body = body.to_string();
    let response = connection.exchange("POST", b"/api/v1/shorten", &fields, body.as_bytes());
    response.expect("the server responds")
}

/// Sends `GET` with a key.
fn get(connection: &mut Connection, path: &str, key: &str) -> Response {
    let response = connection.exchange("GET", path.as_bytes(), &[field("X-API-Key", key)], b"");
    response.expect("the server responds")
}

/// Returns the number of an owner's links, as the command line shows it.
fn link_count(database: &Arc<Database>, owner: &str) -> u64 {
    let owners = database.terse(&["owner", "list", "--json"]).json();
    let owner = find_object(&owners, "name", owner).expect("the owner is listed");
    owner["links"].as_u64().expect("a number of links")
}
