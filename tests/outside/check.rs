//! `terse check`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::harness::{Database, Server, Store, only_on};

const URL: &str = "https://example.com/";

/// Runs the check, which must find something and exit with `code`. Returns the findings.
#[track_caller]
fn findings(database: &Database, arguments: &[&str], code: i32) -> Vec<Value> {
    let outcome = database.terse(&[&["check", "--json"], arguments].concat());
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    let found: Vec<Value> = serde_json::from_str(&outcome.stdout).unwrap();
    assert!(!found.is_empty(), "{outcome:?}");
    found
}

/// Panics unless the check finds this, repairs it, and then finds nothing.
#[track_caller]
fn assert_repaired(database: &Database, check: &str, detail: &str) {
    let found = findings(database, &[], 1);
    assert!(found.iter().all(|finding| finding["repaired"] == json!(false)), "{found:?}");
    let repaired = findings(database, &["--repair"], 0);
    assert!(repaired.iter().all(|finding| finding["repaired"] == json!(true)), "{repaired:?}");
    assert_eq!(found[0]["check"], check, "{found:?}");
    assert!(found[0]["detail"].as_str().unwrap().contains(detail), "{found:?}");
    assert_clean(database);
}

#[track_caller]
fn assert_clean(database: &Database) {
    let outcome = database.terse(&["check"]).done();
    assert_eq!(outcome.stdout, "", "{outcome:?}");
    assert_eq!(database.terse(&["check", "--json"]).json(), json!([]));
}

#[tokio::test]
async fn busy_server_has_no_findings() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    for _ in 0..20 {
        server.anyone().get(&format!("/{code}")).await.expect(302);
        assert_clean(server.database());
    }
    let deleted = server.api().create(URL).await;
    server.anyone().get(&format!("/{deleted}")).await.expect(302);
    server.terse(&["link", "delete", &deleted]).done();
    assert_clean(server.database());
    let database = server.kill9();
    let outcome = database.terse(&["check"]).done();
    assert!(outcome.stderr.contains("1 link"), "{outcome:?}");
}

#[tokio::test]
async fn wrong_count_of_links_is_repaired() {
    let server = Server::start();
    server.api().create(URL).await;
    server.database().execute("UPDATE owners SET link_count = 3").await;
    assert_repaired(server.database(), "link-count", "3 instead of 1");
    assert_eq!(server.database().number("SELECT link_count FROM owners").await, 1);
}

#[tokio::test]
async fn counts_without_link_are_deleted() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let database = server.terminate().database;
    database.execute("INSERT INTO click_counts (link_id, count) VALUES (777, 5)").await;
    assert_repaired(&database, "click-count", "from link 777 on");
    assert_eq!(database.number("SELECT COUNT(*) FROM click_counts WHERE link_id = 777").await, 0);
    let clicks = "SELECT CAST(SUM(count) AS bigint) FROM
        (SELECT count FROM click_counts UNION ALL SELECT count FROM recent_counts) AS counts";
    assert_eq!(database.number(clicks).await, 1, "counts of links stay");
}

#[tokio::test]
async fn pending_clicks_without_link_are_deleted() {
    let database = Server::start().terminate().database;
    let insert = match database.store() {
        Store::Sqlite => "INSERT INTO pending_clicks (link_id, count) VALUES (777, 5)",
        Store::Postgres => {
            "INSERT INTO pending_click_batches (link_ids, counts) VALUES ('{777}', '{5}')"
        }
    };
    database.execute(insert).await;
    assert_repaired(&database, "pending-clicks", "5 pending clicks");
}

#[tokio::test]
async fn negative_count_is_found() {
    let server = Server::start();
    server.api().create(URL).await;
    let database = server.terminate().database;
    database.execute("INSERT INTO click_counts (link_id, count) SELECT id, -1 FROM links").await;
    let found = findings(&database, &["--repair"], 1);
    assert_eq!(found[0]["repaired"], json!(false));
}

#[tokio::test]
async fn domain_without_owner_is_deleted() {
    let server = Server::start();
    let database = std::sync::Arc::clone(server.database());
    for host in ["go.example", "stays.example"] {
        database.terse(&["domain", "add", host, "--owner", "default"]).done();
    }
    assert_clean(&database);
    server.terminate();
    // Neither database lets a foreign key break, unless its checks are off.
    let update = "UPDATE domains SET owner_id = 777 WHERE host = 'go.example'";
    match database.store() {
        Store::Sqlite => {
            let connection = rusqlite::Connection::open(database.file()).unwrap();
            connection.execute_batch(&format!("PRAGMA foreign_keys = OFF; {update}")).unwrap();
        }
        Store::Postgres => {
            database.admin_sql(&format!("SET session_replication_role = replica; {update}"));
        }
    }
    assert_repaired(&database, "domain", "owner does not exist");
    let left = database.terse(&["domain", "list", "--json"]).json();
    assert_eq!((left.as_array().unwrap().len(), &left[0]["host"]), (1, &json!("stays.example")));
}

#[tokio::test]
async fn domain_that_no_request_reaches_is_found() {
    let database = Server::start().terminate().database;
    database.terse(&["domain", "add", "go.example", "--owner", "default"]).done();
    let base_url = ["--base-url", "https://go.example"];
    let found = findings(&database, &base_url, 0);
    assert_eq!((&found[0]["subject"], &found[0]["is_note"]), (&json!("go.example"), &json!(true)));
    assert!(found[0]["detail"].as_str().unwrap().contains("address of the service"), "{found:?}");
    assert_clean(&database);
    database.execute("UPDATE domains SET host = 'Go.Example'").await;
    let found = findings(&database, &["--repair"], 1);
    assert!(found[0]["detail"].as_str().unwrap().contains("normal form"), "{found:?}");
}

#[test]
fn files_are_made_private() {
    only_on!(Sqlite: "PostgreSQL has no files of Terse");
    let server = Server::start();
    let file = server.database().file();
    let with_suffix = |suffix: &str| format!("{}{suffix}", file.display());
    for suffix in ["", "-wal", "-shm"] {
        let mode = fs::metadata(with_suffix(suffix)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{suffix}");
    }
    assert_clean(server.database());
    fs::set_permissions(with_suffix("-wal"), Permissions::from_mode(0o644)).unwrap();
    assert_repaired(server.database(), "file-mode", "0644");
}

#[tokio::test]
async fn damage_is_found() {
    only_on!(Sqlite: "PostgreSQL checks its own files");
    let server = Server::start();
    for _ in 0..50 {
        server.api().create(URL).await;
    }
    let database = server.terminate().database;
    let mut bytes = fs::read(database.file()).unwrap();
    let pages = bytes.len() / 4096;
    for page in bytes.chunks_mut(4096).skip(pages / 2) {
        page.fill(0xff);
    }
    fs::write(database.file(), bytes).unwrap();
    let outcome = database.terse(&["check", "--repair"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    fs::write(database.file(), "no database at all, but long enough to look like one").unwrap();
    database.terse(&["check"]).failed();
}

#[test]
fn missing_database_cannot_be_checked() {
    let database = Database::new();
    database.terse(&["check"]).failed();
    assert!(database.is_untouched());
}
