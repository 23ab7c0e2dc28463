//! Daily backups of a running server.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use super::{Backups, database_with_links, names_in, restore};
use crate::harness::{Database, Server, Store, TIMEOUT, eventually, only_on};

/// Seconds between the start of the server and the backup.
const AHEAD: u64 = 6;

/// Returns a number of seconds and a time of day. A clock that is fast by that number shows that
/// time in [`AHEAD`] seconds.
fn next_minute() -> (u64, String) {
    let now = UNIX_EPOCH.elapsed().unwrap().as_secs();
    let minute = (now + AHEAD).div_ceil(60);
    (minute * 60 - now - AHEAD, format!("{:02}:{:02}", minute / 60 % 24, minute % 60))
}

/// Serves the database with a clock on which the daily backup is soon due.
fn serve(database: &Arc<Database>, directory: &str) -> Server {
    let (offset, at) = next_minute();
    let settings = ["--backup-directory", directory, "--backup-at", &at, "--backup-keep", "2"];
    Server::with_clock(database, &format!("+{offset}"), &settings)
}

#[tokio::test]
async fn server_backs_up_at_the_time_of_day() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let (database, backups) = (Arc::new(database_with_links(2)), Backups::new());
    for _ in 0..2 {
        backups.add(&database);
    }
    // Alerts recognise servers with a schedule by the metric.
    let unscheduled = Server::on(&database);
    let metrics = unscheduled.anyone().get("/metrics").await.text();
    assert!(!metrics.contains("terse_backups_total"), "{metrics}");
    unscheduled.terminate();
    let server = serve(&database, backups.argument());
    let api = server.anyone();
    let succeeded = "terse_backups_total{result=\"succeeded\"} 1";
    eventually(TIMEOUT, "the backup is complete", async || {
        api.get("/metrics").await.text().contains(succeeded)
    })
    .await;
    let metrics = api.get("/metrics").await.text();
    assert!(!metrics.contains("terse_last_backup_timestamp_seconds 0\n"), "{metrics}");
    assert_eq!(backups.backups().len(), 2, "--backup-keep deletes the oldest");
    let newest = backups.backups().pop().unwrap();
    restore(&newest, &Database::of(Store::Sqlite)).done();
    server.wait_for_log("backup complete");
}

#[tokio::test]
async fn failed_backup_is_logged_and_counted() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let (database, backups) = (Arc::new(database_with_links(2)), Backups::new());
    let server = serve(&database, backups.argument());
    std::fs::remove_dir(backups.path()).unwrap();
    let failed = "terse_backups_total{result=\"failed\"} 1";
    eventually(TIMEOUT, "the backup fails", async || {
        server.anyone().get("/metrics").await.text().contains(failed)
    })
    .await;
    // The server logs the failure after it has counted it.
    eventually(TIMEOUT, "the failure is logged", async || server.log().contains("backup failed"))
        .await;
}

#[test]
fn unusable_directory_prevents_the_start() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let database = Database::new();
    for option in ["--backup-directory", "--spool-directory"] {
        let missing = database.directory().join("missing");
        let missing = missing.to_str().unwrap();
        let outcome = database.terse(&["serve", "--listen", "127.0.0.1:0", option, missing]);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(outcome.stderr.contains(missing), "{outcome:?}");
        assert_eq!(names_in(database.directory()), Vec::<String>::new());
    }
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--backup-at", "24:00"];
    database.terse(&arguments).misused();
}
