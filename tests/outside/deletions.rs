//! Rows that an operator deletes with SQL.

use crate::harness::{Server, assert_within_a_second};

const URL: &str = "https://example.org/";

#[tokio::test]
async fn deleted_link_stops_redirecting_within_a_second_and_its_id_is_not_reused() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let first = api.create(URL).await;
    let path = format!("/{first}");
    // The link is cached, and has counted and pending clicks.
    server.anyone().get(&path).await.expect(302);
    assert_eq!(api.clicks(&first).await, 1);
    let id = database.number("SELECT MAX(id) FROM links").await;
    database.execute(&format!("DELETE FROM links WHERE id = {id}")).await;
    assert_within_a_second("the link is gone", async || {
        server.anyone().get(&path).await.status == 404
    })
    .await;
    let second = api.create(URL).await;
    assert!(database.number("SELECT MAX(id) FROM links").await > id);
    assert_eq!(api.clicks(&second).await, 0);
    server.anyone().get(&format!("/{second}")).await.expect(302);
    assert_eq!(api.clicks(&second).await, 1);
}

#[tokio::test]
async fn database_without_its_secret_is_refused() {
    let server = Server::start();
    let database = server.terminate().database;
    database.execute("DELETE FROM installation").await;
    let line = database.terse(&["serve", "--listen", "127.0.0.1:0"]).failed();
    assert!(line.contains("the database has no secret"), "{line}");
}
