//! A journal that cannot be written: its disk is full or stands still, or its file is gone.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::{Scene, wait_for_delivery, wait_for_ready_text};
use crate::harness::{Database, Server, TIMEOUT, eventually, only_on};
use crate::spooling::SmallDisk;
use crate::stalled_disk::Disk;
use crate::stalls::metric;

pub(super) const BEGINNING: &str =
    "clicks cannot be stored; redirects continue and clicks are buffered";
pub(super) const END: &str = "buffered clicks are in the spool directory";

pub(super) async fn visit(server: &Server, code: &str, times: u32) {
    for _ in 0..times {
        server.anyone().get(&format!("/{code}")).await.expect(302);
    }
}

/// Visits a link until the server is not ready, and returns the number of visits.
pub(super) async fn visit_until_unready(server: &Server, code: &str) -> u32 {
    let mut visits = 0;
    eventually(TIMEOUT, "a click cannot be stored", async || {
        visit(server, code, 1).await;
        visits += 1;
        let ready = server.anyone().get("/health/ready").await;
        ready.status == 503 && ready.json()["status"] == "clicks cannot be stored"
    })
    .await;
    visits
}

async fn wait_for_metric(server: &Server, line: &str) {
    eventually(TIMEOUT, line, async || metric(server, line).await).await;
}

/// Kills the server, and checks that the primary gets this number of clicks from the disk.
pub(super) async fn assert_kept(scene: &Scene, server: Server, code: &str, clicks: u32) {
    server.kill9();
    let server = scene.serve(&["--primary-url", &scene.database.url()]);
    let primary = Server::on(&scene.database);
    let api = primary.api();
    eventually(TIMEOUT, "the clicks are counted", async || {
        api.clicks(code).await == u64::from(clicks)
    })
    .await;
    wait_for_delivery(&server).await;
    assert_eq!(files(&scene.replica, ".json"), Vec::<PathBuf>::new());
    assert_eq!(api.clicks(code).await, u64::from(clicks));
}

pub(super) fn files(database: &Database, suffix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(database.directory()).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_str().unwrap().ends_with(suffix));
    paths
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_under_the_journal_is_reported_and_loses_no_click() {
    only_on!(Postgres: "a file has no standby");
    let scene = Scene::new().await;
    let disk = SmallDisk::mount(Arc::clone(&scene.replica));
    let (server, code) = (scene.serve(&[]), &scene.codes[0]);
    disk.fill();
    let mut clicks = visit_until_unready(&server, code).await;
    visit(&server, code, 20).await;
    clicks += 20;
    wait_for_metric(&server, &format!("terse_clicks_pending {clicks}")).await;
    for line in [
        "terse_clicks_undelivered 0",
        "terse_database_standby 1",
        "terse_disk_free_bytes{directory=\"spool\"} 0",
    ] {
        wait_for_metric(&server, line).await;
    }
    let log = server.wait_for_log(BEGINNING);
    assert!(log.contains("the click journal"), "{log}");
    assert!(log.contains("its disk has only 0 free bytes"), "{log}");

    disk.free();
    wait_for_ready_text(&server, "read-only").await;
    server.wait_for_log(END);
    assert!(metric(&server, "terse_clicks_pending 0").await);
    assert!(metric(&server, &format!("terse_clicks_undelivered {clicks}")).await);
    assert_kept(&scene, server, code, clicks).await;
}

/// The journal writes its log again and again, and so needs no more space.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn journal_on_a_full_disk_keeps_the_clicks_of_links_that_it_has() {
    only_on!(Postgres: "a file has no standby");
    let scene = Scene::new().await;
    let disk = SmallDisk::mount(Arc::clone(&scene.replica));
    let (server, code) = (scene.serve(&[]), &scene.codes[0]);
    visit(&server, code, 5).await;
    disk.fill();
    visit(&server, code, 100).await;
    wait_for_ready_text(&server, "read-only").await;
    assert!(!server.log().contains(BEGINNING), "{}", server.log());
    assert!(metric(&server, "terse_clicks_undelivered 105").await);
    let open = fs::read_dir(format!("/proc/{}/fd", server.id())).unwrap();
    let targets = open.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
    let journals = targets.filter(|path| path.extension().is_some_and(|ending| ending == "db"));
    assert!(journals.count() <= 2, "files that are opened again are closed");
    assert_kept(&scene, server, code, 105).await;
}

/// A directory in place of the journal.
struct Obstacle {
    journal: PathBuf,
    hidden: PathBuf,
}

impl Obstacle {
    fn new(database: &Database) -> Self {
        let [journal] = files(database, ".db").try_into().unwrap();
        let hidden = journal.with_extension("hidden");
        fs::rename(&journal, &hidden).unwrap();
        fs::create_dir(&journal).unwrap();
        Self { journal, hidden }
    }

    fn remove(self) {
        fs::remove_dir(&self.journal).unwrap();
        fs::rename(&self.hidden, &self.journal).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn journal_that_cannot_be_opened_is_one_outage() {
    only_on!(Postgres: "a file has no standby");
    let scene = Scene::new().await;
    let (server, code) = (scene.serve(&[]), &scene.codes[0]);
    visit(&server, code, 5).await;
    let obstacle = Obstacle::new(&scene.replica);
    let clicks = 5 + visit_until_unready(&server, code).await;
    // The server tries again twice per second.
    eventually(TIMEOUT, "it has tried six times", async || {
        let metrics = server.anyone().get("/metrics").await.text();
        let mut lines = metrics.lines();
        let failures = lines.find_map(|line| {
            line.strip_prefix("terse_click_commit_failures_total ")?.parse::<u32>().ok()
        });
        failures.unwrap() >= 6
    })
    .await;
    assert_eq!(server.anyone().get("/health/ready").await.status, 503);
    let log = server.log();
    assert_eq!(log.matches(BEGINNING).count(), 1, "{log}");
    assert!(!log.contains(END), "{log}");
    assert_eq!(files(&scene.replica, ".json"), Vec::<PathBuf>::new());

    obstacle.remove();
    wait_for_ready_text(&server, "read-only").await;
    server.wait_for_log(END);
    assert_kept(&scene, server, code, clicks).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_that_stops_without_its_journal_writes_a_spool_file() {
    only_on!(Postgres: "a file has no standby");
    let scene = Scene::new().await;
    let (server, code) = (scene.serve(&[]), &scene.codes[0]);
    visit(&server, code, 5).await;
    let obstacle = Obstacle::new(&scene.replica);
    let clicks = 5 + visit_until_unready(&server, code).await;
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    assert_eq!(files(&scene.replica, ".json").len(), 1);
    obstacle.remove();
    assert_kept(&scene, scene.serve(&[]), code, clicks).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_that_stops_on_a_full_disk_says_what_is_lost() {
    only_on!(Postgres: "a file has no standby");
    let scene = Scene::new().await;
    let disk = SmallDisk::mount(Arc::clone(&scene.replica));
    let (server, code) = (scene.serve(&[]), &scene.codes[0]);
    disk.fill();
    let clicks = visit_until_unready(&server, code).await;
    let ended = server.terminate();
    assert_eq!(ended.code, Some(1), "{}", ended.log);
    assert!(ended.log.contains(&format!("{clicks} click")), "{}", ended.log);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disk_of_the_journal_that_stands_still_delays_no_later_redirect() {
    only_on!(Postgres: "a file has no standby");
    let scene = Scene::new().await;
    let disk = Disk::mount(scene.replica.directory());
    let (server, code) = (scene.serve(&[]), &scene.codes[0]);
    visit(&server, code, 5).await;
    let mut clicks = 5;
    for _ in 0..2 {
        let frozen = disk.freeze();
        clicks += visit_until_unready(&server, code).await;
        visit(&server, code, 50).await;
        clicks += 50;
        drop(frozen);
        wait_for_ready_text(&server, "read-only").await;
        wait_for_metric(&server, &format!("terse_clicks_undelivered {clicks}")).await;
    }
    eventually(TIMEOUT, "both ends are logged", async || server.log().matches(END).count() == 2)
        .await;
    let log = server.log();
    assert_eq!(log.matches("nothing can be committed").count(), 2, "{log}");
    assert_kept(&scene, server, code, clicks).await;
}
