//! Owners who send more than the server can do at once, and other owners meanwhile.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Api, Database, Response, Server};
use crate::outage::hold;

/// A mebibyte of queue holds about 20 creations of links with this destination.
const FLOOD: usize = 60;
const OTHERS: usize = 4;

fn long_url() -> String {
    format!("https://example.com/{}", "x".repeat(8_000))
}

/// Sends this number of creations concurrently.
fn creations(api: &Api, number: usize) -> JoinSet<Response> {
    let mut creations = JoinSet::new();
    for _ in 0..number {
        let api = api.clone();
        creations.spawn(async move { api.shorten(&json!({"url": long_url()})).await });
    }
    creations
}

/// Waits for one more creation that finds no place in the queue.
async fn next_rejected(creations: &mut JoinSet<Response>) {
    creations.join_next().await.unwrap().unwrap().problem(503, "unavailable");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owner_who_fills_the_queue_makes_room_for_others() {
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::with(&database, &["--queue-size", "1"]);
    let (flooding, other) =
        (server.api_of("flooding", "unlimited"), server.api_of("other", "unlimited"));
    let holder = hold(&server).await;
    let mut flood = creations(&flooding, FLOOD);
    next_rejected(&mut flood).await;
    let mut others = creations(&other, OTHERS);
    while flood.len() > FLOOD / 2 {
        next_rejected(&mut flood).await;
    }
    for _ in 0..OTHERS {
        next_rejected(&mut flood).await;
    }
    holder.execute("ROLLBACK").await.unwrap();
    holder.close().await;
    while let Some(response) = others.join_next().await {
        response.unwrap().expect(201);
    }
    assert_eq!(other.listed().await.len(), OTHERS);
    let mut created = BTreeSet::new();
    while let Some(response) = flood.join_next().await {
        let response = response.unwrap();
        if response.status == 503 {
            response.problem(503, "unavailable");
        } else {
            created.insert(response.expect(201).code());
        }
    }
    assert_eq!(flooding.listed().await, created);
}
