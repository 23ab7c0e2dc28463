//! Imports of patterns, and imports of links whose destinations are blocked.

use serde_json::json;

use super::{block, check, import, is_blocked, status, wait_for_status};
use crate::harness::{Database, Server, Store, TIMEOUT, eventually, run};

#[test]
fn import_replaces_all_patterns_of_its_source() {
    let database = Database::new().migrated();
    let hosts = "# hosts\n127.0.0.1 localhost\n0.0.0.0 one.example two.example # both\n\
                 three.example\r\nhttps://four.example/path\nnot a pattern\nhttps://x.example/?q\n";
    let outcome = import(&database, "feed", hosts, &["--reason", "malware"]).done();
    assert!(outcome.stderr.contains("line 6: ") && outcome.stderr.contains("line 7: "));
    let last = "the source 'feed' has 4 patterns, 2 invalid lines skipped (event 1)\n";
    assert!(outcome.stderr.ends_with(last), "{outcome:#?}");
    import(&database, "other", "one.example\n", &[]).done();
    for url in ["https://one.example/", "https://a.two.example/", "https://four.example/path/x"] {
        assert!(is_blocked(&database, url), "{url}");
    }
    assert!(!is_blocked(&database, "https://four.example/"));
    assert!(!is_blocked(&database, "https://localhost/"));
    assert_eq!(check(&database, "https://one.example/")["source"], "feed");

    let outcome = import(&database, "feed", "five.example\n", &["--json"]).json();
    assert_eq!(
        outcome,
        json!({
            "event_id": 3, "changed": 1, "dry_run": false, "source": "feed", "patterns": 1, "invalid": 0,
        })
    );
    let five = check(&database, "https://five.example/");
    assert_eq!((&five["is_blocked"], &five["reason"]), (&json!(true), &json!("malware")));
    assert!(!is_blocked(&database, "https://two.example/"));
    assert_eq!(check(&database, "https://one.example/")["source"], "other");
    // The same pattern again is no change.
    let outcome = import(&database, "feed", "five.example\nfive.example\n", &["--json"]).json();
    assert_eq!((&outcome["event_id"], &outcome["changed"]), (&json!(null), &json!(0)));
    // `block remove` leaves patterns of imported lists.
    database.terse(&["block", "remove", "five.example"]).done();
    assert!(is_blocked(&database, "https://five.example/"));
}

#[tokio::test]
async fn import_without_a_valid_pattern_or_confirmation_changes_nothing() {
    let database = Database::new().migrated();
    import(&database, "feed", "evil.example\n", &[]).done();
    for text in ["", "# nothing\n", "not a pattern\n", "127.0.0.1 localhost\n"] {
        import(&database, "feed", text, &[]).failed();
    }
    let file = database.directory().join("feed.txt");
    std::fs::write(&file, "other.example\n").unwrap();
    let file = file.to_str().unwrap();
    database.terse(&["block", "import", file, "--source", "feed"]).misused();
    database.terse(&["block", "import", "missing.txt", "--source", "feed", "--yes"]).failed();
    let tried =
        database.terse(&["block", "import", file, "--source", "feed", "--dry-run", "--json"]);
    assert_eq!(tried.json()["changed"], 1);
    assert!(is_blocked(&database, "https://evil.example/"));
    assert!(!is_blocked(&database, "https://other.example/"));
    assert_eq!(database.number("SELECT COUNT(*) FROM block_list_parts").await, 1);
}

#[tokio::test]
async fn import_of_several_parts_takes_effect_on_a_running_server_and_leaves_no_old_parts() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let codes = [0, 9_999, 19_999].map(|number| format!("https://host{number}.example/"));
    let mut links = Vec::new();
    for url in codes {
        links.push(api.create(&url).await);
    }
    let text: String = (0..20_000).map(|number| format!("host{number}.example\n")).collect();
    import(database, "feed", &text, &[]).done();
    assert!(database.number("SELECT COUNT(*) FROM block_list_parts").await > 3);
    for code in &links {
        eventually(TIMEOUT, "the import is in force", async || status(&server, code).await == 410)
            .await;
    }
    // A change of the operator's own patterns takes effect at once, whatever the size of a list.
    block(database, &["allow", "host9999.example"]);
    wait_for_status(&server, &links[1], 302).await;
    import(database, "feed", "host0.example\n", &[]).done();
    eventually(TIMEOUT, "the next import is in force", async || {
        status(&server, &links[2]).await == 302
    })
    .await;
    assert_eq!(status(&server, &links[0]).await, 410);
    assert_eq!(database.number("SELECT COUNT(*) FROM block_list_parts").await, 1);
}

#[tokio::test]
async fn parts_of_an_interrupted_import_are_ignored_and_swept_later() {
    let database = Database::new().migrated();
    // A part that an old import has left, and a part of an import that is in progress.
    let recent = i64::MAX - 1;
    for import_id in [7, recent] {
        let insert = format!(
            "INSERT INTO block_list_parts (import_id, part, patterns)
             VALUES ({import_id}, 0, 'evil.example')"
        );
        database.execute(&insert).await;
    }
    import(&database, "feed", "other.example\n", &[]).done();
    assert!(!is_blocked(&database, "https://evil.example/"));
    let database = std::sync::Arc::new(database.with_default_owner());
    let _server = Server::on(&database);
    eventually(TIMEOUT, "the parts are swept", async || {
        database.number("SELECT COUNT(*) FROM block_list_parts WHERE import_id = 7").await == 0
    })
    .await;
    let left = format!("SELECT COUNT(*) FROM block_list_parts WHERE import_id = {recent}");
    assert_eq!(database.number(&left).await, 1);
    assert!(is_blocked(&database, "https://other.example/"));
}

#[test]
fn links_to_blocked_destinations_are_not_imported() {
    let database = Database::new().migrated();
    database.owner("acme", "unlimited");
    block(&database, &["add", "evil.example", "--reason", "spam"]);
    let file = database.directory().join("in.csv");
    let rows =
        "short_code,destination_url\ngood,https://good.example/\nevil,https://evil.example/\n";
    std::fs::write(&file, rows).unwrap();
    let outcome = database.terse(&["import", file.to_str().unwrap(), "--owner", "acme"]);
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    assert!(
        outcome.stderr.contains("the destination is blocked: evil.example (spam)"),
        "{outcome:#?}"
    );
    database.terse(&["link", "show", "good"]).done();
    database.terse(&["link", "show", "evil"]).failed();
}

#[tokio::test]
async fn patterns_are_copied_with_the_database() {
    let (from, to) = (Database::new().migrated(), Database::of(Store::Sqlite));
    block(&from, &["add", "evil.example", "--reason", "legal", "--until", "2999-01-01"]);
    block(&from, &["allow", "good.evil.example"]);
    let text: String = (0..10_000).map(|number| format!("host{number}.example\n")).collect();
    import(&from, "feed", &text, &["--reason", "malware"]).done();
    run(&["copy", "--from", &from.url(), "--to", &to.url()]).done();
    let list = |database: &Database| database.terse(&["block", "list", "--json"]).json();
    assert_eq!(list(&to), list(&from));
    assert_eq!(list(&to).as_array().unwrap().len(), 10_002);
    let parts = "SELECT COUNT(*) FROM block_list_parts";
    assert_eq!(to.number(parts).await, from.number(parts).await);
}
