//! A journal whose flush fails: SQLite has written the clicks then, and a later start may find them.

use super::journal::{BEGINNING, END, assert_kept, files, visit, visit_until_unready};
use super::{Scene, wait_for_delivery, wait_for_ready_text};
use crate::harness::{DiskPart, FailingDisk, Server, TIMEOUT, eventually, only_on};
use crate::stalls::metric;

const BROKEN: [DiskPart; 2] = [DiskPart::Openings, DiskPart::Flushes];

/// A server of a standby that has delivered all clicks but the last ones, whose flush failed.
struct Unflushed {
    scene: Scene,
    disk: FailingDisk,
    server: Server,
    clicks: u32,
}

impl Unflushed {
    async fn new() -> Self {
        let (scene, disk) = (Scene::new().await, FailingDisk::new());
        let settings = ["--primary-url", &scene.database.url()];
        let server = disk.serve(&scene.replica, &settings);
        server.wait_for_log("the database is a standby");
        let code = &scene.codes[0];
        visit(&server, code, 5).await;
        // Otherwise the flush of a delivery could be the first one to fail.
        wait_for_delivery(&server).await;
        disk.fail(&BROKEN);
        let clicks = 5 + visit_until_unready(&server, code).await;
        Self { scene, disk, server, clicks }
    }

    /// Returns one whose standby was promoted, and that has more visits since.
    async fn promoted() -> Self {
        let mut unflushed = Self::new().await;
        unflushed.scene.primary.stop_immediately();
        unflushed.scene.promote();
        let server = &unflushed.server;
        eventually(TIMEOUT, "the promotion is noticed", async || {
            metric(server, "terse_database_standby 0").await
        })
        .await;
        unflushed.clicks += visit_during_attempts(server, &unflushed.scene.codes[0]).await;
        unflushed
    }
}

/// Returns how often the server has tried to store clicks.
async fn attempts(server: &Server) -> u32 {
    let metrics = server.anyone().get("/metrics").await.text();
    let value = |name| {
        let mut values = metrics.lines().filter_map(|line| line.strip_prefix(name));
        values.next().unwrap().trim().parse::<u32>().unwrap()
    };
    value("terse_click_commit_failures_total ") + value("terse_click_batches_total ")
}

/// Visits a link until the server has tried again some times to store clicks. Returns the visits.
async fn visit_during_attempts(server: &Server, code: &str) -> u32 {
    let (mut visits, before) = (0, attempts(server).await);
    eventually(TIMEOUT, "the server tries again", async || {
        visit(server, code, 1).await;
        visits += 1;
        attempts(server).await >= before + 4
    })
    .await;
    visits
}

async fn assert_counted(server: &Server, code: &str, clicks: u32) {
    wait_for_delivery(server).await;
    eventually(TIMEOUT, "no clicks are pending", async || {
        server.api().stats(code).await.status == 200
    })
    .await;
    assert_eq!(server.api().clicks(code).await, u64::from(clicks));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clicks_of_a_failed_flush_count_once_after_a_promotion() {
    only_on!(Postgres: "a file has no standby");
    let Unflushed { scene, disk, server, clicks } = Unflushed::promoted().await;
    let code = &scene.codes[0];
    // A spool file would have the same clicks.
    assert_eq!(files(&scene.replica, ".json").len(), 0);
    disk.repair(&BROKEN);
    wait_for_ready_text(&server, "ok").await;
    assert_counted(&server, code, clicks).await;
    server.kill9();
    let again = Server::on(&scene.replica);
    assert_counted(&again, code, clicks).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn primary_counts_clicks_of_a_failed_flush_once_after_a_stop() {
    only_on!(Postgres: "a file has no standby");
    let Unflushed { scene, disk, server, clicks } = Unflushed::new().await;
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    disk.repair(&BROKEN);
    assert_eq!(files(&scene.replica, ".json").len(), 1);
    let server = scene.serve(&["--primary-url", &scene.database.url()]);
    assert_kept(&scene, server, &scene.codes[0], clicks).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promoted_standby_counts_clicks_of_a_failed_flush_once_after_a_stop() {
    only_on!(Postgres: "a file has no standby");
    let Unflushed { scene, disk, server, clicks } = Unflushed::promoted().await;
    let code = &scene.codes[0];
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    disk.repair(&BROKEN);
    let server = Server::on(&scene.replica);
    assert_counted(&server, code, clicks).await;
    assert_eq!(files(&scene.replica, ".json").len(), 0);
}

/// The journal finds the clicks of the last attempt, but a power loss would still lose them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_is_not_ready_before_a_flush_succeeds() {
    only_on!(Postgres: "a file has no standby");
    let (scene, disk) = (Scene::new().await, FailingDisk::new());
    let server = disk.serve(&scene.replica, &[]);
    server.wait_for_log("the database is a standby");
    let code = &scene.codes[0];
    visit(&server, code, 5).await;
    disk.fail(&[DiskPart::Flushes]);
    let mut clicks = 5 + visit_until_unready(&server, code).await;
    clicks += visit_during_attempts(&server, code).await;
    assert_eq!(server.anyone().get("/health/ready").await.status, 503);
    let log = server.log();
    assert_eq!(log.matches(BEGINNING).count(), 1, "{log}");
    disk.repair(&[DiskPart::Flushes]);
    wait_for_ready_text(&server, "read-only").await;
    server.wait_for_log(END);
    assert_kept(&scene, server, code, clicks).await;
}
