//! `terse block`: what it confirms, records and refuses.

use serde_json::json;

use super::{block, import};
use crate::harness::{Database, find_object};

#[test]
fn changes_are_confirmed_with_their_event_and_listed() {
    let database = Database::new().migrated();
    let outcome = database.terse(&["block", "add", "EVIL.example", "--reason", "phishing"]).done();
    assert_eq!(outcome.stderr, "blocked evil.example (event 1)\n");
    assert_eq!(outcome.stdout, "");
    let changed = block(&database, &["allow", "*.good.evil.example", "192.0.2.1"]);
    assert_eq!((&changed["event_id"], &changed["changed"]), (&json!(2), &json!(2)));
    block(&database, &["add", "late.example", "--until", "2999-01-02"]);
    let mut list = database.terse(&["block", "list", "--json"]).json();
    for block in list.as_array_mut().unwrap() {
        assert!(block.as_object_mut().unwrap().remove("created_at").unwrap().is_string());
    }
    assert_eq!(
        list,
        json!([
            {"pattern": "192.0.2.1", "action": "allow", "source": null, "reason": "other", "expires_at": null},
            {"pattern": "evil.example", "action": "block", "source": null, "reason": "phishing", "expires_at": null},
            {"pattern": "good.evil.example", "action": "allow", "source": null, "reason": "other", "expires_at": null},
            {"pattern": "late.example", "action": "block", "source": null, "reason": "other", "expires_at": "2999-01-02T00:00:00.000Z"},
        ])
    );
    let text = database.terse(&["block", "list"]).done().stdout;
    assert_eq!(text.lines().count(), 5, "{text}");
    // The end changes and changes back. Without `--reason`, the reason stays.
    block(&database, &["add", "evil.example", "--until", "1h"]);
    block(&database, &["add", "evil.example"]);
    let list = database.terse(&["block", "list", "--json"]).json();
    let evil = find_object(&list, "pattern", "evil.example").unwrap();
    assert_eq!((&evil["reason"], &evil["expires_at"]), (&json!("phishing"), &json!(null)));
    block(&database, &["remove", "late.example"]);
    let list = database.terse(&["block", "list", "--json"]).json();
    assert_eq!(find_object(&list, "pattern", "late.example"), None);
}

#[test]
fn no_op_and_dry_run_change_nothing() {
    let database = Database::new().migrated();
    block(&database, &["add", "evil.example"]);
    for arguments in [&["add", "evil.example"][..], &["remove", "good.example"]] {
        let outcome = database.terse(&[&["block"], arguments, &["--json"]].concat()).done();
        assert_eq!(
            outcome.json(),
            json!({"event_id": null, "changed": 0, "dry_run": false, "patterns": []})
        );
    }
    let outcome = database.terse(&["block", "remove", "good.example"]).done();
    assert!(outcome.stderr.contains("good.example"), "{outcome:#?}");
    for arguments in [&["add", "a.example", "b.example"][..], &["remove", "evil.example"]] {
        let all = [&["block"], arguments, &["--dry-run", "--json"]].concat();
        let outcome = database.terse(&all).json();
        assert_eq!(outcome["event_id"], json!(null));
        assert_eq!(outcome["changed"], json!(arguments.len() - 1));
    }
    let list = database.terse(&["block", "list", "--json"]).json();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
}

#[tokio::test]
async fn changes_are_recorded_for_undo() {
    let database = Database::new().migrated();
    block(&database, &["add", "evil.example", "--reason", "spam", "--until", "2999-01-01"]);
    block(&database, &["allow", "evil.example"]);
    block(&database, &["remove", "evil.example"]);
    let changes = "SELECT COUNT(*) FROM event_changes WHERE kind = 'block'
         AND subject = 'evil.example'";
    let until = 32_472_144_000_000_i64;
    let block = format!("{{\"action\":\"block\",\"reason\":\"spam\",\"until\":{until}}}");
    let allow = "{\"action\":\"allow\",\"reason\":\"other\",\"until\":null}";
    for (event, before, after) in
        [(1, "null", block.as_str()), (2, block.as_str(), allow), (3, allow, "null")]
    {
        let query = format!(
            "{changes} AND event_id = {event} AND before = '{before}' AND after = '{after}'"
        );
        assert_eq!(database.number(&query).await, 1, "{query}");
    }
    let events = "SELECT COUNT(*) FROM events WHERE action IN
         ('block add', 'block allow', 'block remove') AND subject = 'evil.example'
         AND changed = 1";
    assert_eq!(database.number(events).await, 3);
}

#[test]
fn invalid_pattern_exits_with_2_and_api_key_is_not_printed() {
    let database = Database::new().migrated();
    let key = "terse_abcdefghijklmnopqrstuvwxyz012345";
    for command in ["add", "allow", "remove"] {
        for pattern in ["", "a b", "evil.*", "https://evil.example/?q", "ftp://evil.example", key] {
            database.terse(&["block", command, "good.example", pattern]).misused();
        }
    }
    database.terse(&["block", "add"]).misused();
    database.terse(&["block", "check", "https://"]).misused();
    for arguments in [["add", key], ["check", key]] {
        let outcome = database.terse(&[&["block"], &arguments[..]].concat());
        assert!(!outcome.stderr.contains("abcdefghij"), "{outcome:#?}");
        outcome.misused();
    }
    let list = database.terse(&["block", "list", "--json"]).json();
    assert_eq!(list, json!([]));
    import(&database, "feed", "evil.example\n", &["--reason", "nonsense"]).misused();
}
