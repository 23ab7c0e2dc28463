//! Kills during an outage: the server has saved all clicks but those of the last second, and no click
//! counts twice.

mod directories;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::harness::{
    Api, Cluster, Database, DirectConnection, Server, Store, TIMEOUT, eventually, only_on,
    run_on_threads,
};
use crate::outage::{block_with, block_writers, wait_for_outage};

const URL: &str = "https://example.com/";
const LINKS: usize = 5;

/// A database with links whose clicks cannot be stored at times.
struct Scene {
    database: Arc<Database>,
    cluster: Option<Arc<Cluster>>,
    spool: tempfile::TempDir,
    key: String,
    codes: Vec<String>,
    /// Number of clicks that all servers together have redirected.
    clicks: u64,
}

/// What keeps the server from storing clicks.
enum Outage {
    Locked(DirectConnection),
    Stopped,
}

impl Scene {
    async fn new() -> Self {
        let cluster = (Store::chosen() == Store::Postgres).then(|| Cluster::private(&[]));
        let database = match &cluster {
            Some(cluster) => Database::on(cluster).with_default_owner(),
            None => Database::new(),
        };
        Self::on(Arc::new(database), cluster).await
    }

    async fn on(database: Arc<Database>, cluster: Option<Arc<Cluster>>) -> Self {
        let server = Server::on(&database);
        let mut codes = Vec::new();
        for _ in 0..LINKS {
            codes.push(server.api().create(URL).await);
        }
        let (key, spool) = (server.key().to_owned(), tempfile::tempdir().unwrap());
        server.terminate();
        Self { database, cluster, spool, key, codes, clicks: 0 }
    }

    /// Starts a server whose cache contains the links.
    async fn serve(&self) -> Server {
        let spool = self.spool.path().to_str().unwrap();
        let server = Server::with(&self.database, &["--spool-directory", spool]);
        for code in &self.codes {
            server.anyone().head(&format!("/{code}")).await.expect(302);
        }
        server
    }

    /// Begins an outage, which the server notices by the first click.
    async fn begin_outage(&mut self, server: &Server) -> Outage {
        let outage = match &self.cluster {
            None => Outage::Locked(block_writers(server).await),
            Some(cluster) => {
                cluster.stop_immediately();
                Outage::Stopped
            }
        };
        self.visit(server, 1).await;
        wait_for_outage(server).await;
        outage
    }

    async fn end_outage(&self, outage: Outage) {
        match (outage, &self.cluster) {
            (Outage::Locked(holder), _) => holder.close().await,
            (Outage::Stopped, cluster) => cluster.as_ref().unwrap().start(),
        }
    }

    async fn visit(&mut self, server: &Server, clicks: u64) {
        for number in 0..clicks {
            let code = &self.codes[number as usize % self.codes.len()];
            server.anyone().get(&format!("/{code}")).await.expect(302);
        }
        self.clicks += clicks;
    }

    /// Waits until spool files contain this number of clicks.
    async fn wait_until_saved(&self, clicks: u64) {
        let what = format!("{clicks} clicks are saved");
        eventually(TIMEOUT, &what, async || saved(self.spool.path()) == clicks).await;
    }

    /// Visits links during an outage, before which the database stored this number of clicks, and
    /// kills the server. Returns the number of clicks that are stored or saved.
    async fn kill_during_visits(&mut self, server: Server, stored: u64) -> u64 {
        for _ in 0..3 {
            self.visit(&server, 40).await;
            self.wait_until_saved(self.clicks - stored).await;
        }
        let kept = self.clicks;
        self.visit(&server, 15).await;
        server.kill9();
        kept
    }

    /// Panics unless a new server counts at least `kept` clicks, and no more than there were.
    async fn assert_kept(&self, kept: u64) {
        let server = self.serve().await;
        let counted = self.counted(&server.with_key(&self.key)).await;
        assert!((kept..=self.clicks).contains(&counted), "{counted} of {kept} to {}", self.clicks);
        assert_eq!(saved(self.spool.path()), 0, "the file is deleted");
    }

    /// Returns the number of clicks in the statistics of all links.
    async fn counted(&self, api: &Api) -> u64 {
        let mut counted = 0;
        for code in &self.codes {
            let mut stats = api.stats(code).await;
            eventually(TIMEOUT, "no clicks are pending", async || {
                stats = api.stats(code).await;
                stats.status == 200
            })
            .await;
            counted += stats.data()["clicks"].as_u64().unwrap();
        }
        counted
    }
}

/// Returns the sum of the clicks in spool files.
fn saved(directory: &Path) -> u64 {
    let files = fs::read_dir(directory).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    // A server may replace or delete the file meanwhile.
    files.filter_map(|path| fs::read(path).ok()).map(|file| clicks_in(&file)).sum()
}

fn clicks_in(file: &[u8]) -> u64 {
    let content: Value = serde_json::from_slice(file).unwrap();
    let batches = content["batches"].as_array().unwrap().iter();
    let clicks = batches.flat_map(|batch| batch["clicks"].as_array().unwrap());
    clicks.map(|link| link[1].as_u64().unwrap()).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_during_an_outage_loses_no_saved_click() {
    let mut scene = Scene::new().await;
    let server = scene.serve().await;
    scene.visit(&server, 10).await;
    assert_eq!(fs::read_dir(scene.spool.path()).unwrap().count(), 0);
    // The server saves only what the database does not have.
    let stored = scene.clicks;
    let outage = scene.begin_outage(&server).await;
    let kept = scene.kill_during_visits(server, stored).await;
    scene.end_outage(outage).await;
    scene.assert_kept(kept).await;
}

/// The server stores the clicks that it has saved, or another process does.
async fn kill_after_outages(seed: u64, rounds: u32) {
    let mut scene = Scene::new().await;
    let mut rng = StdRng::seed_from_u64(seed);
    for round in 0..rounds {
        let server = scene.serve().await;
        let outage = scene.begin_outage(&server).await;
        scene.visit(&server, 29).await;
        scene.wait_until_saved(30).await;
        scene.end_outage(outage).await;
        tokio::time::sleep(Duration::from_millis(rng.random_range(0..1_500))).await;
        server.kill9();
        let server = scene.serve().await;
        let counted = scene.counted(&server.with_key(&scene.key)).await;
        assert_eq!(counted, scene.clicks, "seed {seed}, round {round}");
        server.terminate();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_after_outages_count_each_click_once() {
    kill_after_outages(1, 3).await;
}

#[test]
#[ignore = "long"]
fn thirty_kills_after_outages_count_each_click_once() {
    run_on_threads(2..5, async |seed| kill_after_outages(seed, 10).await);
}

/// A kill between the commit and the deletion of the file leaves both.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_of_stored_clicks_counts_once() {
    let mut scene = Scene::new().await;
    let server = scene.serve().await;
    let outage = scene.begin_outage(&server).await;
    scene.visit(&server, 29).await;
    scene.wait_until_saved(30).await;
    let file = fs::read_dir(scene.spool.path()).unwrap().next().unwrap().unwrap().path();
    let content = fs::read(&file).unwrap();
    scene.end_outage(outage).await;
    assert_eq!(scene.counted(&server.with_key(&scene.key)).await, scene.clicks);
    server.kill9();
    assert!(!file.exists());
    fs::write(&file, content).unwrap();
    let server = scene.serve().await;
    assert!(!file.exists(), "the server has read it");
    assert_eq!(scene.counted(&server.with_key(&scene.key)).await, scene.clicks);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_servers_leave_the_file_of_a_running_server() {
    only_on!(Postgres: "a file is one server's");
    let mut scene = Scene::new().await;
    let (first, second) = (scene.serve().await, scene.serve().await);
    let outage = scene.begin_outage(&first).await;
    scene.visit(&first, 19).await;
    scene.wait_until_saved(20).await;
    scene.end_outage(outage).await;
    assert_eq!(scene.counted(&first.with_key(&scene.key)).await, 20);
    eventually(TIMEOUT, "the file is deleted", async || saved(scene.spool.path()) == 0).await;
    assert!(!first.log().contains("spooled clicks stored"), "{}", first.log());

    // The running server stores the clicks of the killed one.
    let outage = scene.begin_outage(&first).await;
    scene.visit(&first, 29).await;
    scene.wait_until_saved(30).await;
    first.kill9();
    scene.end_outage(outage).await;
    eventually(TIMEOUT, "the file is deleted", async || saved(scene.spool.path()) == 0).await;
    assert_eq!(scene.counted(&second.with_key(&scene.key)).await, 50);
    second.wait_for_log("spooled clicks stored");
}

async fn clicks_pending(server: &Server) -> u64 {
    let metrics = server.anyone().get("/metrics").await.text();
    let mut values = metrics.lines().filter_map(|line| line.strip_prefix("terse_clicks_pending "));
    values.next().unwrap().parse().unwrap()
}

/// A small file system in memory, mounted over the directory of a database.
pub(crate) struct SmallDisk(Arc<Database>);

impl SmallDisk {
    pub(crate) fn mount(database: Arc<Database>) -> Self {
        let disk = Self(database);
        run("mount", &["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk.directory()]);
        disk
    }

    pub(crate) fn database(&self) -> &Arc<Database> {
        &self.0
    }

    fn directory(&self) -> &str {
        self.0.directory().to_str().unwrap()
    }

    /// Frees what [`Self::fill`] has filled.
    pub(crate) fn free(&self) {
        fs::remove_file(self.filler()).unwrap();
    }

    fn filler(&self) -> std::path::PathBuf {
        self.0.directory().join("filler")
    }

    pub(crate) fn fill(&self) {
        let mut filler = File::create(self.filler()).unwrap();
        while filler.write_all(&[0; 4096]).is_ok() {}
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        run("umount", &["--lazy", self.directory()]);
    }
}

fn run(program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clicks_of_a_full_disk_survive_a_kill() {
    only_on!(Sqlite: "PostgreSQL has its own disk");
    let disk = SmallDisk::mount(Arc::new(Database::new()));
    let mut scene = Scene::on(Arc::clone(&disk.0), None).await;
    let server = scene.serve().await;
    let api = server.with_key(&scene.key);
    scene.visit(&server, 10).await;
    // The log must grow, because the snapshot keeps it from restarting.
    let snapshot = block_with(&server, "BEGIN; SELECT id FROM links").await;
    disk.fill();
    while api.shorten(&json!({"url": URL})).await.status == 201 {}
    for _ in 0..20 {
        api.shorten(&json!({"url": URL})).await.problem(503, "unavailable");
    }
    // Each further line would need space, too.
    let log = server.wait_for_log("links cannot be created");
    assert_eq!(log.matches("links cannot be created").count(), 1, "{log}");
    assert_eq!(log.matches("a request failed").count(), 0, "{log}");
    eventually(TIMEOUT, "the metric shows the full disk", async || {
        let metrics = server.anyone().get("/metrics").await.text();
        metrics.contains("terse_disk_free_bytes{directory=\"database\"} 0\n")
    })
    .await;
    let mut pending = 0;
    eventually(TIMEOUT, "clicks cannot be stored", async || {
        scene.visit(&server, 1).await;
        pending = clicks_pending(&server).await;
        pending > 0
    })
    .await;
    let kept = scene.kill_during_visits(server, scene.clicks - pending).await;
    snapshot.close().await;
    disk.free();
    scene.assert_kept(kept).await;
}

#[tokio::test]
async fn server_that_cannot_start_on_a_full_disk_names_the_free_space() {
    only_on!(Sqlite: "PostgreSQL has its own disk");
    let disk = SmallDisk::mount(Arc::new(Database::new()));
    disk.0.terse(&["migrate"]).done();
    disk.fill();
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["owner", "list"], &["check"]] {
        let line = disk.0.terse(command).failed();
        let expected = format!("{} cannot be opened; its disk has only", disk.0.file().display());
        assert!(line.contains(&expected), "{line}");
    }
    disk.free();
    disk.0.terse(&["owner", "list"]).done();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_killed_servers_left_unfinished_are_deleted() {
    let scene = Scene::new().await;
    let file = |name: &str, age: Duration| {
        let path = scene.spool.path().join(name);
        let file = File::create(&path).unwrap();
        let modified = file.metadata().unwrap().modified().unwrap();
        file.set_modified(modified - age).unwrap();
        path
    };
    let hours = Duration::from_secs(3 * 60 * 60);
    let leftovers = ["terse-clicks-00000000000000ab.tmp", "terse-clicks-7.trial"];
    let leftovers = leftovers.map(|name| file(name, hours));
    let others = [
        // Another server may be writing it.
        file("terse-clicks-00000000000000cd.tmp", Duration::ZERO),
        file("notes.tmp", hours),
    ];
    let server = scene.serve().await;
    assert!(!leftovers.iter().any(|path| path.exists()));
    assert!(others.iter().all(|path| path.exists()));
    server.terminate();
}

/// Nothing is lost as long as the server runs, even if it cannot save the clicks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clicks_that_cannot_be_saved_are_stored_after_the_outage() {
    let mut scene = Scene::new().await;
    let server = scene.serve().await;
    let outage = scene.begin_outage(&server).await;
    scene.visit(&server, 19).await;
    scene.wait_until_saved(20).await;
    let hidden = scene.spool.path().with_extension("hidden");
    fs::rename(scene.spool.path(), &hidden).unwrap();
    scene.visit(&server, 20).await;
    eventually(TIMEOUT, "it is reported", async || {
        server.log().contains("buffered clicks cannot be saved in the spool directory")
    })
    .await;
    fs::rename(&hidden, scene.spool.path()).unwrap();
    scene.wait_until_saved(40).await;
    scene.end_outage(outage).await;
    assert_eq!(scene.counted(&server.with_key(&scene.key)).await, 40);
    eventually(TIMEOUT, "the file is deleted", async || saved(scene.spool.path()) == 0).await;
}
