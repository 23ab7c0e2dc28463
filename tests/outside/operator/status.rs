//! Whether all is well: `GET /status` and `terse status`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{created, get};
use crate::harness::{
    Api, Cluster, Database, Outcome, Server, Store, TIMEOUT, eventually, only_on,
};
use crate::read_only::set_read_only;
use crate::spooling::SmallDisk;

const URL: &str = "https://example.com/";

async fn status(api: &Api) -> Value {
    get(api, "/status").await.expect(200).json()
}

/// Returns what a server reports and a command does, too.
fn shared(status: &Value) -> Value {
    let mut shared = status.clone();
    shared.as_object_mut().unwrap().remove("server");
    shared["database"].as_object_mut().unwrap().remove("free_bytes");
    shared
}

/// Returns the status by a command, whether it finds something or not.
fn by_command(database: &Database) -> Value {
    serde_json::from_str(&database.terse(&["status", "--json"]).stdout).unwrap()
}

/// Checks that the command finds something, and returns its line.
fn attention(outcome: Outcome) -> String {
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    assert!(outcome.stdout.starts_with("version "), "it also shows the values: {outcome:#?}");
    outcome.stderr
}

fn codes(status: &Value) -> Vec<&str> {
    let warnings = status["warnings"].as_array().unwrap().iter();
    warnings.map(|warning| warning["code"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn status_follows_links_clicks_and_owners_as_the_command_does() {
    let server = Server::with_operator();
    let api = server.operator("auditor");
    let first = status(&api).await;
    let is_file = server.database().store() == Store::Sqlite;
    let version = server.terse(&["--version"]).done().stdout;
    assert_eq!(first["version"], version.trim_start_matches("terse ").trim_end());
    let schema = first["schema"].as_str().unwrap();
    let until = format!("SELECT COUNT(*) FROM seaql_migrations WHERE version <= '{schema}'");
    let all = server.database().number("SELECT COUNT(*) FROM seaql_migrations").await;
    assert_eq!(server.database().number(&until).await, all, "{schema} is the newest");
    assert_eq!(first["database"]["kind"], if is_file { "sqlite" } else { "postgres" });
    assert!(first["database"]["size_bytes"].as_u64().unwrap() > 10_000, "{first}");
    assert_eq!(first["database"]["free_bytes"].is_u64(), is_file, "{first}");
    assert!(first["server"]["started_at"].is_string(), "{first}");
    let expected = json!({
        "last_backup_at": null, "instances": 1, "links": 0, "links_today": 0, "owners": 1, "clicks_today": 0,
        "are_clicks_waiting": false, "warnings": [],
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(first[name], *value, "{name}");
    }
    let (kept, deleted) = (server.api().create(URL).await, server.api().create(URL).await);
    for code in [&kept, &kept, &deleted] {
        server.anyone().get(&format!("/{code}")).await.expect(302);
    }
    server.database().owner("acme", "free");
    server.terse(&["link", "delete", &deleted]).done();
    let second = status(&api).await;
    let counts = ["links", "links_today", "owners", "clicks_today"].map(|name| &second[name]);
    assert_eq!(counts, [1, 2, 2, 3], "{second}");
    let mut command = by_command(server.database());
    assert_eq!(command["server"], Value::Null);
    assert_eq!(command["database"]["free_bytes"].is_u64(), is_file);
    // A rollup may have changed the size meanwhile.
    command["database"]["size_bytes"] = second["database"]["size_bytes"].clone();
    assert_eq!(shared(&command), shared(&second));
    let shown = server.terse(&["status"]).done().stdout;
    assert!(shown.contains("links        1 (2 today)\n"), "{shown}");
}

#[tokio::test]
async fn all_running_instances_count() {
    let database = Arc::new(created().with_default_owner());
    let first = Server::with_operator_on(&database);
    let api = first.operator("auditor");
    let counted = async |number: u64| {
        eventually(TIMEOUT, &format!("{number} instances are counted"), async || {
            status(&api).await["instances"] == number
                && by_command(&database)["instances"] == number
        })
        .await;
    };
    counted(1).await;
    let second = Server::on(&database);
    let third = Server::on(&database);
    counted(3).await;
    second.terminate();
    assert_eq!(by_command(&database)["instances"], 2, "it said that it ends");
    // A killed one cannot say that it ends.
    third.kill9();
    database.execute("UPDATE instances SET seen_at = seen_at - 60000").await;
    counted(1).await;
}

#[tokio::test]
async fn backups_are_known_and_overdue_after_a_day_and_a_half() {
    only_on!(Sqlite: "other programs back up PostgreSQL");
    let server = Server::with_operator();
    let backups = crate::backups::Backups::new();
    let backup = backups.add(server.database());
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(backup.with_extension("json")).unwrap()).unwrap();
    let found = status(&server.operator("auditor")).await;
    assert_eq!(found["last_backup_at"], manifest["created_at"]);
    assert_eq!(codes(&found), Vec::<&str>::new());
    for (offset, is_overdue) in [("+35h", false), ("+37h", true)] {
        let mut command = server.database().command();
        command.arg("status");
        Server::set_clock(&mut command, offset);
        let outcome = Outcome::new(&["status"], &command.output().unwrap());
        if is_overdue {
            let line = attention(outcome);
            assert!(line.contains("the last backup is older than 36 hours"), "{line}");
        } else {
            outcome.done();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn read_only_database_and_its_waiting_clicks_need_attention() {
    let database = match Store::chosen() {
        Store::Sqlite => Database::new(),
        Store::Postgres => Database::on(&Cluster::private(&[])),
    };
    let database = Arc::new(database.with_default_owner());
    let mut server = Server::with_operator_on(&database);
    let key = database.operator_key("watch", "auditor");
    let code = server.api().create(URL).await;
    let read_only = async |server: &Server| {
        let api = server.with_operator_key(&key);
        let warns_of = async |expected: &[&str]| {
            eventually(TIMEOUT, &format!("it warns of {expected:?}"), async || {
                codes(&status(&api).await) == expected
            })
            .await;
        };
        warns_of(&["database-read-only"]).await;
        server.anyone().get(&format!("/{code}")).await.expect(302);
        warns_of(&["database-read-only", "clicks-waiting"]).await;
        let found = status(&api).await;
        assert_eq!((&found["are_clicks_waiting"], &found["links"]), (&json!(true), &json!(1)));
        assert_eq!(found["instances"], 1);
        eventually(TIMEOUT, "the command finds its file", async || {
            by_command(&database)["are_clicks_waiting"] == true
        })
        .await;
        let line = attention(database.terse(&["status"]));
        assert!(line.contains("clicks wait in the spool directory"), "{line}");
    };
    if let Some(cluster) = database.cluster() {
        set_read_only(cluster, true);
        read_only(&server).await;
        set_read_only(cluster, false);
    } else {
        server.terminate();
        let url = format!("sqlite://{}?mode=ro", database.file().display());
        let settings = ["--database-url", &url, "--operator-listen", "127.0.0.1:0"];
        server = Server::with(&database, &settings);
        read_only(&server).await;
        server.terminate();
        server = Server::with_operator_on(&database);
    }
    let api = server.with_operator_key(&key);
    eventually(TIMEOUT, "nothing waits", async || {
        let found = status(&api).await;
        found["warnings"] == json!([]) && found["clicks_today"] == 1
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_and_failed_requests_are_reported() {
    only_on!(Sqlite: "PostgreSQL has its own disk");
    let disk = SmallDisk::mount(Arc::new(Database::new()));
    let server = Server::with_operator_on(disk.database());
    let api = server.operator("auditor");
    let found = status(&api).await;
    assert_eq!(codes(&found), ["disk-full"]);
    assert!(found["database"]["free_bytes"].as_u64().unwrap() < 4 << 20, "{found}");
    assert_eq!(found["server"]["failed_requests"], 0);
    disk.fill();
    let mut failed = 0;
    while failed < 3 {
        failed += u64::from(server.api().shorten(&json!({ "url": URL })).await.status == 503);
    }
    assert_eq!(status(&api).await["server"]["failed_requests"], 3);
    disk.free();
}
