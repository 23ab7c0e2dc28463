//! A full disk under the tables of PostgreSQL, whose write-ahead log is on another disk.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::json;

use super::{URL, cluster_directory, run, visit, wait_for_clicks};
use crate::cli_import::file;
use crate::harness::{Cluster, Database, Server, TIMEOUT, eventually, only_on};
use crate::outage::block_with;
use crate::stalls::{metric, wait_for_ready_status};

/// A small disk in memory, mounted over the directory of the tables of a stopped cluster.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(tables: &Path) -> Self {
        let saved = tables.with_extension("saved");
        std::fs::rename(tables, &saved).unwrap();
        std::fs::create_dir(tables).unwrap();
        let used = Command::new("du").args(["-sk"]).arg(&saved).output().unwrap();
        let used = String::from_utf8(used.stdout).unwrap();
        let used: u64 = used.split_whitespace().next().unwrap().parse().unwrap();
        let size = format!("size={}k", used + (8 << 10));
        let (to, from) = (tables.to_str().unwrap(), saved.to_str().unwrap());
        run("mount", &["-t", "tmpfs", "-o", &size, "tmpfs", to]);
        run("cp", &["-a", &format!("{from}/."), to]);
        run("chown", &["--reference", from, to]);
        run("chmod", &["--reference", from, to]);
        Self(tables.to_owned())
    }

    fn fill(&self) {
        let to = format!("of={}", self.filler().display());
        // It ends with an error, because the disk is full.
        Command::new("dd").args(["if=/dev/zero", "bs=4k", &to]).output().unwrap();
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        run("umount", &["--lazy", self.0.to_str().unwrap()]);
    }
}

/// Commits succeed, because they write to the log alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_data_disk_loses_no_click() {
    only_on!(Postgres: "SQLite has one disk");
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    let server = Server::on(&database);
    let (code, uncached) = (server.api().create(URL).await, server.api().create(URL).await);
    let tables = PathBuf::from(cluster_directory(&cluster)).join("base");
    cluster.stop_immediately();
    let disk = SmallDisk::mount(&tables);
    cluster.start();
    wait_for_ready_status(&server, 200).await;
    // Rollups would free the space of the clicks that they move.
    let holder =
        block_with(&server, "BEGIN; SELECT pg_advisory_xact_lock(8386658464824649841)").await;
    disk.fill();
    let mut clicks = 0;
    eventually(TIMEOUT, "a click cannot be stored", async || {
        visit(&server, &code, 20).await;
        clicks += 20;
        server.anyone().get("/health/ready").await.status == 503
    })
    .await;
    let ready = server.anyone().get("/health/ready").await.expect(503).json();
    assert_eq!(ready["status"], "clicks cannot be stored");
    assert!(metric(&server, "terse_database_up 0").await);
    assert!(metric(&server, "terse_database_state{state=\"cannot_commit\"} 1").await);
    visit(&server, &code, 50).await;
    server.anyone().get(&format!("/{uncached}")).await.expect(302);
    eventually(TIMEOUT, "no link can be stored", async || {
        let response = server.api().shorten(&json!({"url": URL})).await;
        response.status == 503 && response.json()["code"] == "unavailable"
    })
    .await;
    let rows: String = (0..20_000).map(|number| format!("{URL}{number}\n")).collect();
    file(&database, "in", format!("destination_url\n{rows}"));
    let import = database.terse(&["import", "in", "--owner", "default"]);
    assert_eq!(import.code, Some(1), "{import:?}");
    assert!(import.stderr.contains("the disk of the database is full"), "{import:?}");
    server.wait_for_log("the disk of the database is full");

    std::fs::remove_file(disk.filler()).unwrap();
    holder.close().await;
    wait_for_ready_status(&server, 200).await;
    wait_for_clicks(&server, &code, clicks + 50).await;
    wait_for_clicks(&server, &uncached, 1).await;
    server.api().create(URL).await;
    assert_eq!(server.terminate().code, Some(0));
    cluster.stop_immediately();
    drop(disk);
}
