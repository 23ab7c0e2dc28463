//! Servers whose database is a standby: they redirect, keep each click on their own disk, and deliver
//! it once, to the primary or to the promoted standby.

mod cuts;
mod flushes;
mod journal;
mod pooled;

use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;

use self::cuts::Cuts;
use crate::harness::{Api, Cluster, Database, Load, Proxy, Server, TIMEOUT, eventually, only_on};
use crate::stalls::metric;

const URL: &str = "https://example.com/";
/// Pause between two requests of a client.
const PACE: Duration = Duration::from_millis(2);
/// Within this number of bytes of responses, most deliveries break at some point.
const MAX_BYTES: u32 = 2_500;

/// A primary and its standby, with links.
struct Scene {
    primary: Arc<Cluster>,
    standby: Arc<Cluster>,
    database: Arc<Database>,
    /// The same database on the standby.
    replica: Arc<Database>,
    codes: Vec<String>,
}

impl Scene {
    async fn new() -> Self {
        let primary = Cluster::private(&[]);
        let standby = primary.synchronous_standby();
        let database = Arc::new(Database::on(&primary).with_default_owner());
        let server = Server::on(&database);
        let mut codes = Vec::new();
        for _ in 0..5 {
            codes.push(server.api().create(URL).await);
        }
        server.terminate();
        let replica = Arc::new(database.through(standby.port()));
        let scene = Self { primary, standby, database, replica, codes };
        scene.wait_for_replay().await;
        scene
    }

    /// Waits until the standby shows what the primary has committed.
    async fn wait_for_replay(&self) {
        let end = self.primary.sql("SELECT pg_current_wal_lsn()");
        let query = format!("SELECT pg_last_wal_replay_lsn() >= '{end}'");
        eventually(TIMEOUT, "the standby is up to date", async || self.standby.sql(&query) == "t")
            .await;
    }

    /// Serves the standby.
    fn serve(&self, settings: &[&str]) -> Server {
        let server = Server::with(&self.replica, settings);
        server.wait_for_log("the database is a standby");
        server
    }

    /// Visits all links in some rounds, at the end of which the server is killed. Returns the last
    /// server, which no visitor uses.
    async fn kill_rounds(
        &self,
        load: &mut Load,
        rounds: u32,
        clicks: u64,
        settings: &[&str],
    ) -> Server {
        let mut server = self.serve(settings);
        for _ in 0..rounds {
            load.visit(&server, 8, &self.codes);
            load.wait_for_redirects(clicks).await;
            server.kill9();
            load.stop();
            server = self.serve(settings);
        }
        server
    }

    /// Visits all links of a server that is not killed.
    async fn visit(&self, load: &mut Load, server: &Server, clicks: u64) {
        load.visit(server, 8, &self.codes);
        load.wait_for_redirects(clicks).await;
        assert_eq!(load.stop(), 0, "no client lost its connection");
    }

    fn promote(&self) {
        self.standby.promote();
    }
}

async fn wait_for_ready_text(server: &Server, text: &str) {
    eventually(TIMEOUT, &format!("readiness is {text:?}"), async || {
        let ready = server.anyone().get("/health/ready").await;
        ready.status == 200 && ready.json()["status"] == text
    })
    .await;
}

async fn wait_for_delivery(server: &Server) {
    eventually(TIMEOUT, "all clicks are delivered", async || {
        metric(server, "terse_clicks_undelivered 0").await
    })
    .await;
}

/// Waits until a link redirects or not.
async fn wait_for_status(server: &Server, code: &str, status: u16) {
    eventually(TIMEOUT, &format!("it returns {status}"), async || {
        server.anyone().head(&format!("/{code}")).await.status == status
    })
    .await;
}

async fn assert_changes_are_refused(api: &Api, code: &str) {
    api.shorten(&json!({"url": URL})).await.problem(503, "unavailable");
    api.qr(&json!({"short_code": code})).await.problem(503, "unavailable");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn standby_redirects_and_reads_but_refuses_changes() {
    only_on!(Postgres: "a file has no standby");
    let scene = Scene::new().await;
    let (server, code) = (scene.serve(&[]), &scene.codes[0]);
    let api = server.api();
    wait_for_ready_text(&server, "read-only").await;
    for line in [
        "terse_database_up 0",
        "terse_database_state{state=\"cannot_commit\"} 1",
        "terse_database_standby 1",
        "terse_clicks_undelivered 0",
    ] {
        assert!(metric(&server, line).await, "{line}");
    }
    for _ in 0..3 {
        server.anyone().get(&format!("/{code}")).await.expect(302);
        assert_changes_are_refused(&api, code).await;
    }
    assert!(metric(&server, "terse_clicks_undelivered 3").await);
    assert!(metric(&server, "terse_clicks_pending 0").await);
    assert_eq!(api.stats(code).await.data()["clicks"], 0, "the primary has none yet");
    assert_eq!(api.listed().await.len(), scene.codes.len());
    api.qr_list().await.expect(200);
    server.anyone().get("/unknown").await.expect(404);
    wait_for_ready_text(&server, "read-only").await;

    let health = scene.replica.terse(&["health", "--listen", server.authority()]).done();
    assert_eq!(health.stdout, "ready: read-only\n");
    scene.replica.terse(&["link", "show", code]).done();
    let refused = scene.replica.terse(&["link", "disable", code]).failed();
    assert!(refused.contains("the database cannot commit"), "{refused}");

    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    let warning = "clicks wait for the primary; the next start delivers them";
    assert!(ended.log.contains(warning), "{}", ended.log);
}

/// A standby has no notifications, but it has the log of invalidations.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_on_the_primary_reach_a_server_of_the_standby() {
    only_on!(Postgres: "a file has no standby");
    let scene = Scene::new().await;
    let (server, code) = (scene.serve(&[]), &scene.codes[0]);
    wait_for_status(&server, code, 302).await;
    scene.database.terse(&["link", "disable", code]).done();
    wait_for_status(&server, code, 410).await;
    scene.database.terse(&["link", "enable", code]).done();
    wait_for_status(&server, code, 302).await;
    scene.database.terse(&["block", "add", "example.com"]).done();
    wait_for_status(&server, code, 410).await;
    scene.database.terse(&["block", "remove", "example.com"]).done();
    wait_for_status(&server, code, 302).await;

    let primary = Server::on(&scene.database);
    let new = primary.api().create(URL).await;
    wait_for_status(&server, &new, 302).await;
    let key = scene.database.owner("acme", "free");
    eventually(TIMEOUT, "the key is valid", async || {
        server.with_key(&key).links().await.status == 200
    })
    .await;
    scene.database.terse(&["key", "revoke", "--owner", "acme", "--yes"]).done();
    eventually(TIMEOUT, "the key is revoked", async || {
        server.with_key(&key).links().await.status == 401
    })
    .await;
}

/// The primary is away, servers are killed, and the standby is promoted.
async fn promote_after_kills(rounds: u32, clicks: u64) {
    let scene = Scene::new().await;
    let mut load = Load::paced(PACE);
    scene.primary.stop_immediately();
    let server = scene.kill_rounds(&mut load, rounds, clicks, &[]).await;
    scene.visit(&mut load, &server, clicks).await;
    scene.promote();
    wait_for_ready_text(&server, "ok").await;
    assert!(metric(&server, "terse_database_standby 0").await);
    server.wait_for_log("the database is no standby any more");
    scene.visit(&mut load, &server, clicks).await;
    wait_for_delivery(&server).await;
    server.api().create(URL).await;
    load.assert_counted(&server.api()).await;
    server.terminate();
    let again = Server::on(&scene.replica);
    load.assert_counted(&again.api()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promoted_standby_counts_each_click_once() {
    only_on!(Postgres: "a file has no standby");
    promote_after_kills(2, 300).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn promoted_standby_counts_each_of_ten_thousand_clicks_once() {
    only_on!(Postgres: "a file has no standby");
    promote_after_kills(10, 1_000).await;
}

/// The connection to the primary breaks during deliveries, of which the primary then confirms none.
async fn deliver_over_cuts(rounds: u32, clicks: u64, seed: u64) {
    let scene = Scene::new().await;
    let cuts = Cuts::start(scene.primary.port(), MAX_BYTES, seed).await;
    let url = scene.database.through(cuts.port()).url();
    let settings = ["--primary-url", &url];
    let mut load = Load::paced(PACE);
    let server = scene.kill_rounds(&mut load, rounds, clicks, &settings).await;
    scene.visit(&mut load, &server, clicks).await;
    eventually(3 * TIMEOUT, "deliveries break", async || {
        scene.visit(&mut load, &server, 20).await;
        cuts.count() >= 4 * rounds
    })
    .await;
    cuts.end();
    wait_for_delivery(&server).await;
    let primary = Server::on(&scene.database);
    load.assert_counted(&primary.api()).await;
    wait_for_ready_text(&server, "read-only").await;
    scene.wait_for_replay().await;
    load.assert_counted(&server.api()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn primary_counts_each_click_once_although_connections_break() {
    only_on!(Postgres: "a file has no standby");
    deliver_over_cuts(2, 300, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn primary_counts_each_of_ten_thousand_clicks_once_although_connections_break() {
    only_on!(Postgres: "a file has no standby");
    deliver_over_cuts(10, 1_000, 2).await;
}

/// The primary has stored and replicated a batch, and its confirmations never arrive.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promoted_standby_counts_what_the_primary_did_not_confirm_once() {
    only_on!(Postgres: "a file has no standby");
    let scene = Scene::new().await;
    let cuts = Cuts::of_confirmations(scene.primary.port()).await;
    let url = scene.database.through(cuts.port()).url();
    let server = scene.serve(&["--primary-url", &url]);
    let mut load = Load::paced(PACE);
    load.visit(&server, 8, &scene.codes);
    eventually(TIMEOUT, "the batch is repeated", async || cuts.count() >= 2).await;
    scene.primary.stop_immediately();
    let numbers = "SELECT string_agg(sequence::text, ' ') FROM click_writers";
    eventually(TIMEOUT, "the standby has the batch", async || scene.replica.sql(numbers) == "1")
        .await;
    assert!(!metric(&server, "terse_clicks_undelivered 0").await);
    scene.promote();
    wait_for_ready_text(&server, "ok").await;
    load.wait_for_redirects(300).await;
    assert_eq!(load.stop(), 0, "no client lost its connection");
    wait_for_delivery(&server).await;
    load.assert_counted(&server.api()).await;
}

/// The primary may have stored and replicated what it did not confirm.
async fn promote_during_deliveries(seed: u64, clicks: u64) {
    let scene = Scene::new().await;
    let cuts = Cuts::start(scene.primary.port(), MAX_BYTES, seed).await;
    let url = scene.database.through(cuts.port()).url();
    let server = scene.serve(&["--primary-url", &url]);
    let mut load = Load::paced(PACE);
    load.visit(&server, 8, &scene.codes);
    load.wait_for_redirects(clicks).await;
    let pause = StdRng::seed_from_u64(seed).random_range(0..3_000);
    tokio::time::sleep(Duration::from_millis(pause)).await;
    scene.primary.stop_immediately();
    scene.promote();
    wait_for_ready_text(&server, "ok").await;
    load.wait_for_redirects(clicks).await;
    assert_eq!(load.stop(), 0, "no client lost its connection");
    wait_for_delivery(&server).await;
    load.assert_counted(&server.api()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn ten_promotions_during_deliveries_count_each_click_once() {
    only_on!(Postgres: "a file has no standby");
    for seed in 2..12 {
        promote_during_deliveries(seed, 1_000).await;
    }
}

/// With a primary in its settings, a server also serves a standby that follows its primary.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_of_a_primary_serves_its_standby_until_the_promotion() {
    only_on!(Postgres: "a file has no standby");
    let scene = Scene::new().await;
    let proxy = Proxy::to_first_available(&[&scene.primary, &scene.standby]);
    let behind = Arc::new(scene.database.through(proxy.port()));
    let server = Server::with(&behind, &["--primary-url", &behind.url()]);
    let mut load = Load::paced(PACE);
    for code in &scene.codes {
        server.anyone().head(&format!("/{code}")).await.expect(302);
    }
    load.visit(&server, 8, &scene.codes);
    load.wait_for_redirects(300).await;
    scene.primary.stop_immediately();
    wait_for_ready_text(&server, "read-only").await;
    load.wait_for_redirects(300).await;
    assert_changes_are_refused(&server.api(), &scene.codes[0]).await;
    scene.promote();
    wait_for_ready_text(&server, "ok").await;
    load.wait_for_redirects(300).await;
    assert_eq!(load.stop(), 0, "no client lost its connection");
    wait_for_delivery(&server).await;
    eventually(TIMEOUT, "spool files are stored", async || {
        let mut files = std::fs::read_dir(behind.directory()).unwrap();
        files.all(|file| file.unwrap().path().extension().is_none_or(|ending| ending != "json"))
    })
    .await;
    load.assert_counted(&server.api()).await;
}

/// The links of another database have the same identifiers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clicks_are_not_delivered_to_another_installation_or_a_standby() {
    only_on!(Postgres: "a file has no standby");
    let scene = Scene::new().await;
    let other = Database::on(&scene.primary).with_default_owner();
    let server = scene.serve(&["--primary-url", &other.url()]);
    server.anyone().get(&format!("/{}", scene.codes[0])).await.expect(302);
    server.wait_for_log("the primary is the database of another installation");
    assert!(metric(&server, "terse_clicks_undelivered 1").await);
    assert_eq!(other.sql("SELECT count(*) FROM pending_click_batches"), "0");

    // A standby, here the same one, is no primary, even before there are clicks.
    server.kill9();
    let server = scene.serve(&["--primary-url", &scene.replica.url()]);
    server.wait_for_log("--primary-url must lead to the primary");

    let url = scene.database.url();
    std::fs::write(scene.replica.directory().join("url"), format!("{url}\n")).unwrap();
    server.kill9();
    let server = scene.serve(&["--primary-url-file", "url"]);
    wait_for_delivery(&server).await;
    let file = Database::of(crate::harness::Store::Sqlite);
    file.terse(&["serve", "--primary-url", "sqlite://t.db"]).misused();
}
