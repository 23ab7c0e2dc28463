//! Requests in the usage of owners.

use reqwest::Method;
use serde_json::json;

use super::{Month, URL, usage_of};
use crate::harness::{Database, Server, Store, TIMEOUT, eventually};

fn requests(database: &Database, owner: &str) -> i64 {
    usage_of(database, Month::current(), owner)["requests"].as_i64().unwrap()
}

#[tokio::test]
async fn requests_count_unless_they_are_rejected() {
    let server = Server::start();
    server.terse(&["plan", "add", "slow", "--requests", "2/h"]).done();
    let database = std::sync::Arc::clone(server.database());
    let acme = server.api_of("acme", "unlimited");
    let slow = server.api_of("slow", "slow");
    let code = acme.create(URL).await;
    acme.get("/api/v1/links").await.expect(200);
    acme.stats(&code).await.expect(200);
    acme.stats("unknown").await.expect(404);
    let shorten = |body| acme.ask(Method::POST, "/api/v1/shorten").json(&body).send();
    shorten(json!({"url": URL, "custom_code": code})).await.expect(409);
    shorten(json!({"url": "none"})).await.expect(422);
    acme.get("/api/v1/links?limit=none").await.expect(400);
    acme.get("/api/manage/v1/owner").await.expect(200);
    // These do not count.
    let creator = server.terse(&["key", "add", "acme", "--scope", "create"]).key();
    server.with_key(&creator).get("/api/manage/v1/links").await.problem(403, "key-scope");
    server.anyone().get("/api/v1/links").await.expect(401);
    server.anyone().get(&format!("/{code}")).await.expect(302);
    acme.get("/api/v1/nothing").await.expect(404);
    acme.ask(Method::PUT, "/api/v1/links").send().await.expect(405);
    for status in [200, 200, 429] {
        slow.get("/api/v1/links").await.expect(status);
    }
    server.terse(&["owner", "suspend", "acme"]).done();
    eventually(TIMEOUT, "the owner is suspended", async || {
        acme.get("/api/manage/v1/owner").await.status == 403
    })
    .await;
    let before = requests(&database, "acme");
    assert!((0..=8).contains(&before), "{before}");
    let end = server.terminate();
    assert_eq!(end.code, Some(0));
    // The key may have been valid for some of the last requests.
    assert!(requests(&database, "acme") >= 8, "{}", requests(&database, "acme"));
    assert_eq!(requests(&database, "slow"), 2);
    assert_eq!(requests(&database, "default"), 0);
}

#[tokio::test]
async fn kill_loses_the_requests_since_the_last_store() {
    let server = Server::start();
    let key = server.key().to_owned();
    for _ in 0..3 {
        server.api().get("/api/v1/links").await.expect(200);
    }
    let database = std::sync::Arc::clone(server.database());
    eventually(TIMEOUT, "the requests are stored", async || requests(&database, "default") == 3)
        .await;
    server.api().get("/api/v1/links").await.expect(200);
    server.kill9();
    eventually(TIMEOUT, "its statements end", async || database.is_idle()).await;
    let stored = requests(&database, "default");
    assert!((3..=4).contains(&stored), "{stored}");
    // Each instance adds a row of its own.
    let number = if database.store() == Store::Sqlite { 1 } else { 2 };
    let servers: Vec<Server> = (0..number).map(|_| Server::on(&database)).collect();
    for server in &servers {
        server.with_key(&key).get("/api/v1/links").await.expect(200);
    }
    let instances = i64::try_from(servers.len()).unwrap();
    for server in servers {
        server.terminate();
    }
    assert_eq!(requests(&database, "default"), stored + instances);
    let rows = database.number("SELECT COUNT(*) FROM usage_requests").await;
    assert_eq!(rows, 1 + instances);
}
