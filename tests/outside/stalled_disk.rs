//! A disk that stands still: writes neither succeed nor fail. A frozen file system is such a disk.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::{Database, Server, TIMEOUT, eventually, only_on};

/// A file system in a file, mounted over a directory.
pub(crate) struct Disk {
    directory: PathBuf,
    image: tempfile::NamedTempFile,
}

impl Disk {
    pub(crate) fn mount(directory: &Path) -> Self {
        let image = tempfile::NamedTempFile::new().unwrap();
        image.as_file().set_len(64 << 20).unwrap();
        let disk = Self { directory: directory.to_owned(), image };
        let image = disk.image.path().to_str().unwrap();
        run("mkfs.ext4", &["-q", image]);
        run("mount", &["-o", "loop", image, disk.directory()]);
        disk
    }

    fn directory(&self) -> &str {
        self.directory.to_str().unwrap()
    }

    pub(crate) fn freeze(&self) -> Frozen<'_> {
        run("fsfreeze", &["--freeze", self.directory()]);
        Frozen(self)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        run("umount", &["--lazy", self.directory()]);
    }
}

/// Keeps the disk frozen until this value is dropped.
pub(crate) struct Frozen<'a>(&'a Disk);

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        run("fsfreeze", &["--unfreeze", self.0.directory()]);
    }
}

fn run(program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
}

/// Visits the links again and again until `is_over`. Returns the number of redirects and the
/// slowest response.
async fn visit(server: &Server, codes: &[String], is_over: &AtomicBool) -> (u64, Duration) {
    let (mut redirects, mut slowest) = (0, Duration::ZERO);
    while !is_over.load(Ordering::Relaxed) {
        for code in codes {
            let started = Instant::now();
            server.anyone().get(&format!("/{code}")).await.expect(302);
            slowest = slowest.max(started.elapsed());
            redirects += 1;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    (redirects, slowest)
}

async fn stall_disk(time: Duration) {
    let database = Arc::new(Database::new().with_default_owner());
    let disk = Disk::mount(database.directory());
    let server = Server::on(&database);
    let api = server.api();
    let mut codes = Vec::new();
    for _ in 0..10 {
        codes.push(api.create("https://example.com/").await);
    }
    let uncached = api.create("https://example.com/").await;
    let is_over = AtomicBool::new(false);
    let visits = visit(&server, &codes, &is_over);
    let disturbance = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let frozen = disk.freeze();
        let thawed = tokio::time::Instant::now() + time;
        eventually(TIMEOUT, "the server is not ready", async || {
            server.anyone().get("/health/ready").await.status == 503
        })
        .await;
        for _ in 0..10 {
            api.shorten(&json!({"url": "https://example.com/"})).await.expect(503);
            server.anyone().get(&format!("/{uncached}")).await.expect(503);
            api.stats(&uncached).await.expect(503);
            api.get("/api/v1/links").await.expect(503);
        }
        let metrics = server.anyone().get("/metrics").await.text();
        assert!(metrics.contains("\nterse_database_up 0\n"), "{metrics}");
        tokio::time::sleep_until(thawed).await;
        drop(frozen);
        eventually(TIMEOUT, "the server is ready", async || {
            server.anyone().get("/health/ready").await.status == 200
        })
        .await;
        is_over.store(true, Ordering::Relaxed);
    };
    let ((redirects, slowest), ()) = tokio::join!(visits, disturbance);
    // A visit that waits for the disk takes as long as the disk stands still.
    assert!(slowest < time / 2, "{slowest:?}");
    api.create("https://example.com/").await;
    let mut expected = redirects;
    server.anyone().get(&format!("/{uncached}")).await.expect(302);
    expected += 1;
    codes.push(uncached);
    eventually(TIMEOUT, "all clicks are counted", async || {
        let mut counted = 0;
        for code in &codes {
            let response = api.stats(code).await;
            if response.status == 503 {
                return false;
            }
            counted += response.expect(200).data()["clicks"].as_u64().unwrap();
        }
        assert!(counted <= expected, "{counted} for {expected}");
        counted == expected
    })
    .await;
    server.wait_for_log("the disk does not respond");
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disk_that_stands_still_delays_no_cached_redirect_and_loses_no_click() {
    only_on!(Sqlite: "PostgreSQL has its own disk");
    stall_disk(Duration::from_secs(4)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn disk_that_stands_still_for_half_a_minute_loses_no_click() {
    only_on!(Sqlite: "PostgreSQL has its own disk");
    stall_disk(Duration::from_secs(30)).await;
}
