//! Imported sources: what replaces them, what does not, and their removal.

use std::fmt::Write as _;

use serde_json::json;

use super::{block, import, is_blocked, misuse, wait_for_status};
use crate::harness::{Database, Server, assert_within_a_second};

/// Returns a list of `count` hosts, one per line.
fn hosts(count: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        writeln!(text, "host{number}.example").unwrap();
    }
    text
}

#[test]
fn failed_download_replaces_no_list() {
    let database = Database::new().migrated();
    import(&database, "dl", &hosts(3), &[]).done();
    for text in [
        "error\n",
        "nginx\ncom\nlogin.example\n",
        "<html>\n<head><title>502</title></head>\n<h1>Bad Gateway</h1>\nwww.cdn.example\n</html>\n",
        "{\"error\": \"too many requests\"}\n",
    ] {
        let line = import(&database, "dl", text, &["--dry-run"]);
        assert_eq!(line.code, Some(1), "{text}: {line:#?}");
        let outcome = import(&database, "dl", text, &[]);
        assert_eq!(outcome.code, Some(1), "{text}: {outcome:#?}");
        assert!(outcome.stderr.contains("nothing was changed"), "{outcome:#?}");
    }
    let list = database.terse(&["block", "list", "--json"]).json();
    assert_eq!(list.as_array().unwrap().len(), 3, "{list}");
}

#[test]
fn hosts_file_is_imported_without_its_local_names() {
    let database = Database::new().migrated();
    let text = "127.0.0.1 localhost\n127.0.0.1 localhost.localdomain\n255.255.255.255 broadcasthost\n\
                ::1 localhost ip6-localhost ip6-loopback\nfe80::1%lo0 localhost\n\
                ff02::1 ip6-allnodes\nff00::0 ip6-mcastprefix\n0.0.0.0 0.0.0.0\n\
                0.0.0.0 one.example\n";
    let outcome = import(&database, "hosts", text, &[]).done();
    assert_eq!(outcome.stderr, "the source 'hosts' has 1 pattern (event 1)\n");
    // One bad name does not hide the others of its line.
    let text = "0.0.0.0 two.example bad,name.example three.example\n";
    let outcome = import(&database, "hosts", text, &[]).done();
    let last = "the source 'hosts' has 2 patterns (before: 1), 1 invalid line skipped (event 2)\n";
    assert!(outcome.stderr.ends_with(last), "{outcome:#?}");
    assert!(is_blocked(&database, "https://three.example/"));
}

#[test]
fn confirmation_names_the_numbers_before_and_after() {
    let database = Database::new().migrated();
    import(&database, "dl", &hosts(100), &[]).done();
    let tried = import(&database, "dl", &hosts(60), &["--dry-run"]).done();
    let would = "would have given the source 'dl' 60 patterns (before: 100)";
    assert_eq!(tried.stderr, format!("dry run, {would}\n"));
    let numbers = "the source 'dl' has 60 patterns (before: 100)";
    let outcome = import(&database, "dl", &hosts(60), &[]).done();
    assert_eq!(outcome.stderr, format!("{numbers} (event 2)\n"));
}

#[test]
fn import_from_standard_input_needs_yes_and_the_name_of_the_block_file_is_reserved() {
    let database = Database::new().migrated();
    let line = misuse(database.terse(&["block", "import", "-", "--source", "dl"]));
    assert!(line.contains("stdin") && line.contains("--yes"), "{line}");
    // The name is rejected, whatever the command would do.
    for more in [&[][..], &["--dry-run"]] {
        let outcome = import(&database, "block-file", "evil.example\n", more);
        assert!(misuse(outcome).contains("block-file"));
    }
    assert!(!is_blocked(&database, "https://evil.example/"));
}

#[tokio::test]
async fn source_is_removed_with_all_patterns_on_a_running_server() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let [one, two] = [1, 2].map(|number| format!("https://host{number}.example/"));
    let (one, two) = (api.create(&one).await, api.create(&two).await);
    import(database, "dl", &hosts(5_000), &[]).done();
    import(database, "other", "host2.example\n", &[]).done();
    wait_for_status(&server, &one, 410).await;

    let remove = ["block", "remove", "--source", "dl"];
    database.terse(&remove).misused();
    database.terse(&[&remove[..], &["host1.example", "--yes"]].concat()).misused();
    let tried = database.terse(&[&remove[..], &["--dry-run", "--json"]].concat()).json();
    let expected = |event, is_dry_run| json!({"event_id": event, "changed": 5_000, "dry_run": is_dry_run, "source": "dl"});
    assert_eq!(tried, expected(json!(null), true));
    wait_for_status(&server, &one, 410).await;
    let removed =
        database.terse(&[&remove[..], &["--yes", "--json", "--case", "c"]].concat()).done();
    // The dry run may have used an event number.
    let stderr = removed.stderr.clone();
    let removed = removed.json();
    let event = &removed["event_id"];
    let confirmation = format!("removed the source 'dl' with 5000 patterns (event {event})\n");
    assert_eq!(stderr, confirmation);
    assert_eq!(removed, expected(event.clone(), false));
    wait_for_status(&server, &one, 302).await;
    wait_for_status(&server, &two, 410).await;
    assert_eq!(database.number("SELECT COUNT(*) FROM block_list_parts").await, 1);

    let history = database.terse(&["history", "--case", "c", "--json"]).json();
    let action = (&history["action"], &history["subject"], &history["changed"]);
    assert_eq!(action, (&json!("block remove --source"), &json!("dl"), &json!(5_000)));
    database.terse(&["undo", &event.to_string(), "--yes"]).failed();
    for source in ["dl", "block-file"] {
        let line = database.terse(&["block", "remove", "--source", source, "--yes"]).failed();
        assert!(line.contains(source), "{line}");
    }
    // The name can be used again.
    import(database, "dl", "host1.example\n", &[]).done();
    wait_for_status(&server, &one, 410).await;
}

#[tokio::test]
async fn missing_parts_of_a_list_are_an_error_in_the_log_and_a_warning_of_commands() {
    let server = Server::start();
    let database = server.database();
    import(database, "dl", &hosts(10_000), &[]).done();
    database.execute("DELETE FROM block_list_parts WHERE part = 1").await;
    let outcome = database.terse(&["block", "list"]).done();
    assert!(outcome.stderr.contains("'dl'"), "{outcome:#?}");
    assert!(outcome.stderr.contains("missing"), "{outcome:#?}");
    let database = server.terminate().database;
    let server = Server::on(&database);
    let error = "parts of a block list are missing";
    crate::harness::eventually(crate::harness::TIMEOUT, error, async || {
        server.log().contains(error)
    })
    .await;
    let log = server.log();
    let line = log.lines().find(|line| line.contains(error)).unwrap();
    assert!(line.contains("ERROR") && line.contains("\"dl\""), "{line}");
    // Changes of own patterns remain possible, and a new import restores the list.
    let code = server.api().create("https://host7.example/").await;
    block(&database, &["add", "own.example"]);
    import(&database, "dl", &hosts(10_000), &[]).done();
    wait_for_status(&server, &code, 410).await;
    assert_within_a_second("commands have it", async || {
        database.terse(&["block", "list"]).done().stderr.is_empty()
    })
    .await;
}
