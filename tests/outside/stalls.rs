//! A PostgreSQL server that reads but completes no commit, because it waits for a synchronous standby
//! that does not exist. The tests of the other stalls are in `standstills`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;

use crate::harness::{
    Cluster, Database, Load, Outcome, Proxy, Server, TIMEOUT, eventually, only_on,
};

const URL: &str = "https://example.com/";

/// Maximum number of connections of a pooler, of which a commit that waits occupies one.
const POOLED_CONNECTIONS: u32 = 5;

/// A database whose commits can be made to wait for a standby that does not exist.
pub(crate) struct Ghost {
    cluster: Arc<Cluster>,
    pub(crate) database: Arc<Database>,
    _pooler: Option<Proxy>,
}

impl Ghost {
    pub(crate) fn new() -> Self {
        let cluster = Cluster::private(&[]);
        let database = Arc::new(Database::on(&cluster).with_default_owner());
        Self { cluster, database, _pooler: None }
    }

    /// With `PgBouncer` in transaction mode between the server and the database.
    fn pooled() -> Self {
        let cluster = Cluster::private(&[]);
        let pooler = Proxy::pooling(&cluster, POOLED_CONNECTIONS);
        let database = Database::on(&cluster).with_default_owner().through(pooler.port());
        Self { cluster, database: Arc::new(database), _pooler: Some(pooler) }
    }

    pub(crate) fn stall(&self) {
        self.set_standby("ghost");
    }

    pub(crate) fn release(&self) {
        self.set_standby("");
    }

    fn set_standby(&self, name: &str) {
        self.cluster.sql(&format!("ALTER SYSTEM SET synchronous_standby_names = '{name}'"));
        self.cluster.sql("SELECT pg_reload_conf()");
    }

    /// Returns the number of sessions of Terse, and of those that wait for the standby.
    pub(crate) fn sessions(&self) -> (u64, u64) {
        let counts = self.cluster.sql(
            "SELECT count(*) || ' ' || count(*) FILTER (WHERE wait_event = 'SyncRep')
             FROM pg_stat_activity WHERE usename = 'terse'",
        );
        let (all, waiting) = counts.split_once(' ').unwrap();
        (all.parse().unwrap(), waiting.parse().unwrap())
    }
}

pub(crate) async fn wait_for_ready_status(server: &Server, status: u16) {
    eventually(TIMEOUT, &format!("readiness turns {status}"), async || {
        server.anyone().get("/health/ready").await.status == status
    })
    .await;
    let line = format!("terse_database_up {}", u8::from(status == 200));
    eventually(TIMEOUT, "the metric agrees", async || metric(server, &line).await).await;
}

pub(crate) async fn metric(server: &Server, line: &str) -> bool {
    let metrics = server.anyone().get("/metrics").await.text();
    metrics.lines().any(|found| found == line)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commits_that_wait_for_a_standby_are_an_outage_of_writes() {
    only_on!(Postgres: "a file has no standby");
    assert_outage_of_writes(&Ghost::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commits_that_wait_behind_a_pooler_are_an_outage_of_writes() {
    only_on!(Postgres: "a file has no pooler");
    assert_outage_of_writes(&Ghost::pooled()).await;
}

async fn assert_outage_of_writes(ghost: &Ghost) {
    let server = Server::on(&ghost.database);
    let api = server.api();
    let (code, uncached) = (api.create(URL).await, api.create(URL).await);
    server.anyone().head(&format!("/{code}")).await.expect(302);

    ghost.stall();
    // The first click is the probe.
    server.anyone().get(&format!("/{code}")).await.expect(302);
    wait_for_ready_status(&server, 503).await;
    let ready = server.anyone().get("/health/ready").await;
    assert_eq!(ready.json()["status"], "the database cannot commit");
    assert!(metric(&server, "terse_database_up 0").await);
    assert!(metric(&server, "terse_database_state{state=\"cannot_commit\"} 1").await);
    let started = Instant::now();
    for _ in 0..20 {
        server.anyone().get(&format!("/{code}")).await.expect(302);
        server.anyone().get(&format!("/{uncached}")).await.expect(302);
        api.shorten(&json!({"url": URL})).await.problem(503, "unavailable");
        api.qr(&json!({"short_code": code})).await.problem(503, "unavailable");
    }
    api.qr_list().await.expect(200);
    api.stats(&code).await.problem(503, "unavailable");
    assert!(started.elapsed() < Duration::from_secs(8), "each waits for a commit");
    let (_, waiting) = ghost.sessions();
    assert_eq!(waiting, 1, "only the probe waits");

    ghost.release();
    wait_for_ready_status(&server, 200).await;
    assert!(metric(&server, "terse_database_state{state=\"up\"} 1").await);
    for (code, clicks) in [(&code, 21), (&uncached, 20)] {
        eventually(TIMEOUT, "each click counts once", async || {
            let stats = api.stats(code).await;
            stats.status == 200 && stats.data()["clicks"] == clicks
        })
        .await;
    }
    for message in ["no synchronous standby confirms commits", "the database commits again"] {
        eventually(TIMEOUT, message, async || server.log().contains(message)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_server_notices_that_the_database_cannot_commit() {
    only_on!(Postgres: "a file has no standby");
    for ghost in [Ghost::new(), Ghost::pooled()] {
        let server = Server::on(&ghost.database);
        ghost.stall();
        wait_for_ready_status(&server, 503).await;
        ghost.release();
        wait_for_ready_status(&server, 200).await;
    }
}

/// The link exists, but neither its request nor any other can see it before the standby confirms it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idempotency_key_tells_whether_a_stalled_creation_succeeded() {
    only_on!(Postgres: "a file has no standby");
    let ghost = Ghost::new();
    let server = Server::on(&ghost.database);
    let api = server.api();
    let create = async || {
        let ask = api.ask(Method::POST, "/api/v1/shorten").header("Idempotency-Key", "one");
        ask.json(&json!({"url": URL})).send().await
    };
    api.create(URL).await;
    ghost.stall();
    create().await.problem(503, "unavailable");
    create().await.problem(503, "unavailable");
    ghost.release();
    wait_for_ready_status(&server, 200).await;
    create().await.expect(201);
    create().await.expect(201);
    assert_eq!(api.listed().await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_stops_during_a_stall_and_its_clicks_count_once() {
    only_on!(Postgres: "a file has no standby");
    let ghost = Ghost::new();
    let server = Server::on(&ghost.database);
    let api = server.api();
    let (code, key) = (api.create(URL).await, server.key().to_owned());
    ghost.stall();
    for _ in 0..5 {
        server.anyone().get(&format!("/{code}")).await.expect(302);
    }
    wait_for_ready_status(&server, 503).await;
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    // A server also starts during a stall, although it finds clicks to store.
    let server = Server::on(&ghost.database);
    server.anyone().get(&format!("/{code}")).await.expect(302);
    wait_for_ready_status(&server, 503).await;
    // PostgreSQL ends a statement that waits for the session of the old server after 5 seconds.
    assert!(ghost.sessions().1 >= 2, "the commit of the old server waits, too");
    for _ in 0..16 {
        server.anyone().get(&format!("/{code}")).await.expect(302);
        server.anyone().get("/health/ready").await.expect(503);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert!(!server.log().contains("the database commits again"), "{}", server.log());
    ghost.release();
    wait_for_ready_status(&server, 200).await;
    let api = server.with_key(&key);
    eventually(TIMEOUT, "each click counts once", async || {
        let stats = api.stats(&code).await;
        stats.status == 200 && stats.data()["clicks"] == 22
    })
    .await;
}

fn assert_unconfirmed(outcome: &Outcome) {
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    let expected = "stored on this server, not confirmed by its standby";
    assert!(outcome.stderr.contains(expected), "{outcome:?}");
    assert!(outcome.stderr.contains("(event "), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_says_that_no_standby_confirmed_its_change() {
    only_on!(Postgres: "a file has no standby");
    assert_commands_are_unconfirmed(&Ghost::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_behind_a_pooler_says_that_no_standby_confirmed_its_change() {
    only_on!(Postgres: "a file has no pooler");
    assert_commands_are_unconfirmed(&Ghost::pooled()).await;
}

async fn assert_commands_are_unconfirmed(ghost: &Ghost) {
    let server = Server::on(&ghost.database);
    let code = server.api().create(URL).await;
    ghost.stall();
    assert_unconfirmed(&server.terse(&["link", "disable", &code]));
    server.anyone().get(&format!("/{code}")).await.expect(410);
    let again = server.terse(&["link", "disable", &code]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.stderr.contains("nothing to change"), "{again:?}");
    // A repeated command would create another key.
    for create in [
        &["key", "add", "default"][..],
        &["owner", "add", "other"],
        &["operator", "add", "billing", "--role", "auditor"],
    ] {
        let created = server.terse(create);
        assert_unconfirmed(&created);
        assert!(created.stdout.starts_with("terse_"), "{created:?}");
        assert!(created.stderr.contains("do not repeat the command"), "{created:?}");
        assert!(!created.stderr.contains("safe"), "{created:?}");
    }
    ghost.release();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn bulk_change_stops_at_the_slice_that_no_standby_confirmed() {
    only_on!(Postgres: "a file has no standby");
    let ghost = Ghost::new();
    let server = Server::on(&ghost.database);
    let lines: String = (0..400).map(|number| format!("code{number},{URL}\n")).collect();
    let file = ghost.database.directory().join("in");
    std::fs::write(file, format!("short_code,destination_url\n{lines}")).unwrap();
    ghost.stall();
    let import = server.terse(&["import", "in", "--owner", "default"]);
    assert_eq!(import.code, Some(3), "{import:?}");
    ghost.release();
    server.terse(&["import", "in", "--owner", "default"]).done();
    ghost.stall();
    let key = server.terse(&["key", "add", "default"]);
    assert_unconfirmed(&key);
    server.with_key(key.stdout.trim()).qr_list().await.expect(200);
    let disable = ["link", "disable", "--host", "example.com", "--yes"];
    assert_unconfirmed(&server.terse(&disable));
    let count = "SELECT count(*) FROM links WHERE disabled_reason IS NOT NULL";
    assert_eq!(ghost.database.sql(count), "250");
    ghost.release();
    server.terse(&disable).done();
    assert_eq!(ghost.database.sql(count), "400");
}

/// Five stalls under load, with two servers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn five_stalls_lose_no_click_and_leave_no_session() {
    only_on!(Postgres: "a file has no standby");
    let ghost = Ghost::new();
    let servers = [Server::on(&ghost.database), Server::on(&ghost.database)];
    let api = servers[0].api();
    let mut codes = Vec::new();
    for _ in 0..10 {
        codes.push(api.create(URL).await);
    }
    let switched = api.create(URL).await;
    let mut load = Load::paced(Duration::from_millis(20));
    for server in &servers {
        load.visit(server, 5, &codes);
    }
    load.wait_for_redirects(500).await;
    let (before, _) = ghost.sessions();
    for round in 0..5 {
        ghost.stall();
        for server in &servers {
            wait_for_ready_status(server, 503).await;
        }
        tokio::time::sleep(Duration::from_secs(6)).await;
        load.wait_for_redirects(500).await;
        let switch = if round % 2 == 0 { "disable" } else { "enable" };
        assert_unconfirmed(&servers[0].terse(&["link", switch, &switched]));
        let (sessions, waiting) = ghost.sessions();
        assert!(sessions <= before + 8 && waiting <= 4, "{sessions} sessions, {waiting} wait");
        ghost.release();
        for server in &servers {
            wait_for_ready_status(server, 200).await;
        }
        load.wait_for_redirects(500).await;
    }
    assert_eq!(load.stop(), 0, "no client lost its connection");
    for server in &servers {
        eventually(TIMEOUT, "clicks that waited are stored", async || {
            metric(server, "terse_clicks_pending 0").await
        })
        .await;
    }
    load.assert_counted(&api).await;
}
