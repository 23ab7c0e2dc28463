//! `terse link delete`: what remains of deleted links, and what does not.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::harness::{Database, Server, assert_within_a_second, only_on};
use crate::link_commands::{lines, start_two_servers};
use crate::outage::block_with;

const URL: &str = "https://example.org/";

#[tokio::test(flavor = "multi_thread")]
async fn deleted_link_is_gone_for_good() {
    let (database, servers) = start_two_servers();
    let api = servers[0].api();
    let body = json!({"url": "https://secret.example/x", "title": "T", "custom_code": "gone"});
    let code = api.create_from(&body).await;
    api.qr(&json!({"short_code": code})).await.expect(201);
    edit_destination(&database, &code);
    for server in &servers {
        server.anyone().get("/gone").await.expect(302);
        server.anyone().get("/gone/qr.svg").await.expect(200);
    }
    let owner_links = || {
        let owners = database.terse(&["owner", "list", "--json"]).json();
        owners.as_array().unwrap().iter().find(|one| one["name"] == "default").unwrap()["links"]
            .clone()
    };
    assert_eq!(owner_links(), 1);
    let result = database.terse(&["link", "delete", "gone", "--json", "--reason", "legal"]).json();
    assert_eq!(result["changed"], 1);
    for server in &servers {
        assert_within_a_second("the link is gone", async || {
            server.anyone().get("/gone").await.status == 410
                && server.anyone().get("/gone/qr.svg").await.status == 410
        })
        .await;
        server.api().stats("gone").await.problem(404, "link-not-found");
        assert!(server.api().listed().await.is_empty());
        server.api().shorten(&body).await.problem(409, "code-in-use");
    }
    assert_eq!(owner_links(), 0);
    let bytes = database.bytes();
    assert!(!contains(&database, &bytes, "secret.example"), "the destination is erased");

    let again = database.terse(&["link", "delete", "gone", "--json"]).json();
    assert_eq!((&again["changed"], &again["event_id"]), (&json!(0), &Value::Null));
    let line = database.terse(&["link", "disable", "gone"]).failed();
    assert!(line.contains("was deleted"), "{line}");
    let shown = database.terse(&["link", "show", "gone", "--json"]).json();
    assert_eq!((&shown["state"], &shown["destination_url"]), (&json!("deleted"), &Value::Null));
    let history = database.terse(&["history", "--link", "gone", "--json"]).done();
    let actions: Vec<Value> =
        lines(&history.stdout).iter().map(|event| event["action"].clone()).collect();
    assert_eq!(actions, ["link delete", "link edit", "link edit"]);
    let event = result["event_id"].to_string();
    let line = database.terse(&["undo", &event, "--yes"]).failed();
    assert!(line.contains("cannot be undone"), "{line}");

    let file = database.directory().join("in.csv");
    std::fs::write(&file, "short_code,destination_url\ngone,https://example.org/\n").unwrap();
    let import =
        database.terse(&["import", file.to_str().unwrap(), "--owner", "default", "--json"]);
    let import: Value = serde_json::from_str(&import.stdout).unwrap();
    assert_eq!((&import["imported"], &import["rejected"]), (&json!(0), &json!(1)), "{import}");
}

/// Leaves a trace of the destination in the history, which the deletion must erase.
fn edit_destination(database: &Database, code: &str) {
    database.terse(&["link", "edit", code, "--destination", "https://secret.example/y"]).done();
}

/// Returns whether the stored data contain a text. On SQLite, it reads the tables, because free
/// pages may still contain it.
fn contains(database: &Database, bytes: &[u8], text: &str) -> bool {
    if database.store() == crate::harness::Store::Sqlite {
        let connection = rusqlite::Connection::open(database.file()).unwrap();
        let tables = "SELECT name FROM sqlite_master WHERE type = 'table'";
        let mut names = connection.prepare(tables).unwrap();
        let names: Vec<String> =
            names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        return names.iter().any(|name| {
            let mut all = connection.prepare(&format!("SELECT * FROM \"{name}\"")).unwrap();
            let columns = all.column_count();
            let mut rows = all.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                for column in 0..columns {
                    let value = format!("{:?}", row.get_ref(column).unwrap());
                    let value = match row.get_ref(column).unwrap().as_str() {
                        Ok(text) => text.to_owned(),
                        Err(_) => value,
                    };
                    if value.contains(text) {
                        return true;
                    }
                }
            }
            false
        });
    }
    String::from_utf8_lossy(bytes).contains(text)
}

#[test]
fn backups_contain_no_destination_that_was_deleted_before() {
    only_on!(Sqlite: "PostgreSQL has backups of its own");
    let database = Database::new();
    database.terse(&["migrate", "--create"]).done();
    let mut rows = "short_code,destination_url,title\n".to_owned();
    for number in 0..1_000 {
        // Long destinations are in pages of their own.
        let length = if number % 100 == 0 { 7_000 } else { number };
        let path = "x".repeat(length);
        writeln!(rows, "code{number},https://secret.example/{path},secret {number}").unwrap();
    }
    let directory = database.directory().to_str().unwrap();
    let file = format!("{directory}/links.csv");
    fs::write(&file, rows).unwrap();
    database.terse(&["import", &file, "--owner", "default"]).done();
    database.terse(&["link", "edit", "code7", "--campaign", "secret campaign"]).done();
    let backup = || fs::read(database.terse(&["backup", directory]).done().stdout.trim()).unwrap();
    assert!(contains_text(&backup(), "secret.example"));
    database.terse(&["link", "delete", "--owner", "default", "--yes"]).done();
    assert!(!contains_text(&backup(), "secret.example"));
}

fn contains_text(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn clicks_of_deleted_links_are_discarded() {
    let (database, servers) = start_two_servers();
    let api = servers[0].api();
    let mut codes = Vec::new();
    for _ in 0..20 {
        codes.push(api.create(URL).await);
    }
    let kept = api.create(URL).await;
    let visits = async {
        for round in 0..30 {
            for code in codes.iter().chain([&kept]) {
                let server = &servers[round % servers.len()];
                let status = server.anyone().get(&format!("/{code}")).await.status;
                assert!([302, 410].contains(&status), "{status}");
            }
        }
    };
    let delete = async {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        let arguments = [
            &["link", "delete", "--yes"],
            &codes.iter().map(String::as_str).collect::<Vec<_>>()[..],
        ]
        .concat();
        tokio::task::block_in_place(|| database.terse(&arguments).done());
    };
    tokio::join!(visits, delete);
    assert_eq!(api.clicks(&kept).await, 30);
    let left = "SELECT COUNT(*) FROM (SELECT link_id FROM click_counts
        UNION ALL SELECT link_id FROM recent_counts
        UNION ALL SELECT link_id FROM pending_clicks) AS counts
        WHERE link_id IN (SELECT id FROM links WHERE owner_id IS NULL)";
    crate::harness::eventually(crate::harness::TIMEOUT, "their clicks are discarded", async || {
        database.number(left).await == 0
    })
    .await;
    let newer = api.create(URL).await;
    assert_eq!(api.clicks(&newer).await, 0);
}

/// Returns which files next to a database contain a text: the database and its log.
fn files_with(database: &Database, text: &str) -> Vec<&'static str> {
    let contains = |suffix: &&str| {
        let content = std::fs::read(format!("{}{suffix}", database.file().display()));
        content.unwrap_or_default().windows(text.len()).any(|window| window == text.as_bytes())
    };
    ["", "-wal"].into_iter().filter(contains).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleted_texts_leave_the_files_of_a_running_server() {
    only_on!(Sqlite: "PostgreSQL vacuums its files, and archives its log");
    let server = Server::start();
    let api = server.api();
    // The long destination takes several pages of its own.
    let secret = "erase-me-for-good";
    let url = format!("https://example.org/{}", secret.repeat(400));
    let mut codes = Vec::new();
    for _ in 0..20 {
        codes.push(api.shorten(&json!({"url": url, "title": secret})).await.expect(201).code());
    }
    server.terse(&["link", "edit", &codes[0], "--title", "harmless"]).done();
    assert_ne!(files_with(server.database(), secret), Vec::<&str>::new());
    let arguments =
        [&["link", "delete", "--yes"][..], &codes.iter().map(String::as_str).collect::<Vec<_>>()]
            .concat();
    server.terse(&arguments).done();
    assert_eq!(files_with(server.database(), secret), Vec::<&str>::new());

    // A snapshot needs the log.
    let key = server.database().owner("acme", "unlimited");
    let acme = server.with_key(&key);
    acme.shorten(&json!({"url": url, "title": secret})).await.expect(201);
    let snapshot = block_with(&server, "BEGIN; SELECT id FROM links").await;
    let deleted = server.terse(&["owner", "delete", "acme", "--confirm", "acme", "--yes"]);
    assert_eq!(deleted.code, Some(0), "{deleted:?}");
    assert!(deleted.stderr.contains("erased texts stay in the write-ahead log"), "{deleted:?}");
    snapshot.close().await;
}
