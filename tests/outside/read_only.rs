//! Databases that read but accept no writes: a setting of PostgreSQL, a standby, a file opened with
//! `mode=ro`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::{Cluster, Database, Outcome, Server, TIMEOUT, eventually, only_on};
use crate::stalls::{metric, wait_for_ready_status};

const URL: &str = "https://example.com/";

/// Checks what a server does on a database that has just become read-only. Its link `code` has one
/// click, and `uncached` none.
async fn assert_reads_go_on(server: &Server, key: &str, [code, uncached]: [&str; 2]) {
    let api = server.with_key(key);
    let ready = server.anyone().get("/health/ready").await;
    assert_eq!(ready.json()["status"], "the database cannot commit");
    for (line, what) in [
        ("terse_database_up 0", "it is not up"),
        ("terse_database_state{state=\"cannot_commit\"} 1", "it cannot commit"),
        ("terse_database_state{state=\"down\"} 0", "it is not down"),
    ] {
        assert!(metric(server, line).await, "{what}");
    }
    assert_eq!(api.stats(code).await.data()["clicks"], 1, "reads go on");
    assert_eq!(api.listed().await.len(), 2);
    let started = Instant::now();
    for _ in 0..10 {
        server.anyone().get(&format!("/{code}")).await.expect(302);
        server.anyone().get(&format!("/{uncached}")).await.expect(302);
        api.shorten(&json!({"url": URL})).await.problem(503, "unavailable");
        api.qr(&json!({"short_code": code})).await.problem(503, "unavailable");
    }
    assert!(started.elapsed() < Duration::from_secs(8), "each waits for the database");
    api.qr_list().await.expect(200);
    api.stats(code).await.problem(503, "unavailable");
    for message in ["nothing can be committed; redirects continue", "it is read-only"] {
        eventually(TIMEOUT, message, async || server.log().contains(message)).await;
    }
}

async fn assert_clicks_count(server: &Server, key: &str, clicks: [(&str, u64); 2]) {
    let api = server.with_key(key);
    for (code, clicks) in clicks {
        eventually(TIMEOUT, "each click counts once", async || {
            let stats = api.stats(code).await;
            stats.status == 200 && stats.data()["clicks"] == clicks
        })
        .await;
    }
    api.create(URL).await;
}

/// Makes the sessions that begin from now on read-only or not, and ends the others.
pub(crate) fn set_read_only(cluster: &Cluster, is_read_only: bool) {
    let change = if is_read_only { "SET default_transaction_read_only = on" } else { "RESET ALL" };
    cluster.sql(&format!("ALTER ROLE terse {change}"));
    cluster.sql(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = 'terse'",
    );
}

fn assert_refused(outcome: Outcome) {
    let line = outcome.failed();
    assert!(line.contains("the database cannot commit: it is read-only"), "{line}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_that_is_read_only_reads_on() {
    only_on!(Postgres: "a file has no sessions");
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    let server = Server::on(&database);
    let (api, key) = (server.api(), server.key().to_owned());
    let (code, uncached) = (api.create(URL).await, api.create(URL).await);
    server.anyone().get(&format!("/{code}")).await.expect(302);
    assert_eq!(api.clicks(&code).await, 1);

    set_read_only(&cluster, true);
    wait_for_ready_status(&server, 503).await;
    eventually(TIMEOUT, "it is known to be read-only", async || {
        metric(&server, "terse_database_state{state=\"cannot_commit\"} 1").await
    })
    .await;
    assert_reads_go_on(&server, &key, [&code, &uncached]).await;
    assert_refused(server.terse(&["link", "disable", &code]));
    assert_refused(server.terse(&["key", "add", "default"]));
    server.terse(&["link", "show", &code]).done();

    set_read_only(&cluster, false);
    wait_for_ready_status(&server, 200).await;
    assert_clicks_count(&server, &key, [(&code, 11), (&uncached, 10)]).await;
    server.wait_for_log("the database commits again");
}

/// A server also starts on such a database, and finds clicks to store when it can write.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_starts_on_a_read_only_postgresql() {
    only_on!(Postgres: "`outage` does so for files");
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    let server = Server::on(&database);
    let (key, code) = (server.key().to_owned(), server.api().create(URL).await);
    set_read_only(&cluster, true);
    wait_for_ready_status(&server, 503).await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);

    let server = Server::on(&database);
    server.anyone().get(&format!("/{code}")).await.expect(302);
    wait_for_ready_status(&server, 503).await;
    server.with_key(&key).qr_list().await.expect(200);
    set_read_only(&cluster, false);
    wait_for_ready_status(&server, 200).await;
    let api = server.with_key(&key);
    eventually(TIMEOUT, "each click counts once", async || {
        let stats = api.stats(&code).await;
        stats.status == 200 && stats.data()["clicks"] == 2
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_that_is_read_only_reads_on() {
    only_on!(Sqlite: "PostgreSQL has a setting for that");
    let server = Server::start();
    let (api, key) = (server.api(), server.key().to_owned());
    let (code, uncached) = (api.create(URL).await, api.create(URL).await);
    server.anyone().get(&format!("/{code}")).await.expect(302);
    assert_eq!(api.clicks(&code).await, 1);
    let database = server.terminate().database;
    let url = format!("sqlite://{}?mode=ro", database.file().display());
    let server = Server::with(&database, &["--database-url", &url]);
    assert_reads_go_on(&server, &key, [&code, &uncached]).await;
    assert_eq!(server.terminate().code, Some(0));
    let server = Server::on(&database);
    assert_clicks_count(&server, &key, [(&code, 11), (&uncached, 10)]).await;
}
