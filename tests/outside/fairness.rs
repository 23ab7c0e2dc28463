//! Owners who send more than the server can do at once, and other owners meanwhile.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Api, Database, Response, Server, TIMEOUT, eventually};
use crate::outage::block_writers;

/// Number of creations of the flooding owner. A queue of 1 MiB holds about 20 of them.
const FLOOD: usize = 120;
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

/// Takes the finished creations, which must have been rejected, and returns their number.
fn count_rejected(creations: &mut JoinSet<Response>) -> usize {
    let mut rejected = 0;
    while let Some(response) = creations.try_join_next() {
        response.unwrap().problem(503, "unavailable");
        rejected += 1;
    }
    rejected
}

/// Returns the number of creations that wait for the database.
async fn pending(server: &Server) -> usize {
    let metrics = server.anyone().get("/metrics").await.text();
    let mut lines = metrics.lines();
    let pending = lines.find_map(|line| line.strip_prefix("terse_link_creations_pending "));
    pending.unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owner_who_fills_the_queue_makes_room_for_others() {
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::with(&database, &["--queue-size", "1"]);
    let (flooding, other) =
        (server.api_of("flooding", "unlimited"), server.api_of("other", "unlimited"));
    let holder = block_writers(&server).await;
    let mut flood = creations(&flooding, FLOOD);
    let mut rejected = 0;
    eventually(TIMEOUT, "the queue is full", async || {
        rejected += count_rejected(&mut flood);
        rejected > 0 && rejected + pending(&server).await == FLOOD
    })
    .await;
    let mut others = creations(&other, OTHERS);
    let full = rejected;
    eventually(TIMEOUT, "the others are in the queue", async || {
        rejected += count_rejected(&mut flood);
        rejected >= full + OTHERS && rejected + pending(&server).await == FLOOD + OTHERS
    })
    .await;
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
