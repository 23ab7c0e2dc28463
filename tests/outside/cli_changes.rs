//! Confirmations of commands that change something.

use serde_json::json;

use crate::harness::{Database, find_object, is_key};

#[test]
fn changes_are_confirmed_in_one_line_on_stderr() {
    let database = Database::new().migrated();
    let file = database.directory().join("in.csv");
    std::fs::write(&file, "short_code,destination_url\nspring,https://example.com/\n").unwrap();
    let mut event = 0;
    for (arguments, line) in [
        (&["owner", "add", "acme"][..], "created owner 'acme' on plan 'free'"),
        (&["owner", "plan", "acme", "pro"], "moved owner 'acme' to plan 'pro'"),
        (&["key", "add", "acme"], "created key 2 of the owner 'acme'"),
        (&["key", "revoke", "2"], "revoked key 2 of the owner 'acme'"),
        (&["plan", "add", "gold"], "created plan 'gold': max links unlimited, custom codes false"),
        (
            &["plan", "set", "gold", "--max-links", "7"],
            "changed plan 'gold': max links 7, custom codes false",
        ),
    ] {
        let outcome = database.terse(arguments).done();
        event += 1;
        assert_eq!(outcome.stderr, format!("{line} (event {event})\n"));
        let is_key = arguments[1] == "add" && arguments[0] != "plan";
        assert_eq!(outcome.stdout.lines().count(), usize::from(is_key), "{outcome:#?}");
    }
    database.terse(&["import", file.to_str().unwrap(), "--owner", "acme"]).done();
    for (command, state) in [("disable", "disabled"), ("enable", "enabled")] {
        let outcome = database.terse(&["link", command, "spring"]).done();
        event += 1;
        assert_eq!(outcome.stderr, format!("{state} link 'spring' (event {event})\n"));
        assert_eq!(outcome.stdout, "");
        let outcome = database.terse(&["link", command, "spring", "--json"]);
        assert_eq!(outcome.stderr, format!("nothing to change: link 'spring' is {state}\n"));
        assert_eq!(outcome.json()["is_active"], command == "enable");
    }
}

#[test]
fn migrate_confirms_which_database_is_up_to_date() {
    let database = Database::new();
    let outcome = database.terse(&["migrate"]).done();
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.lines().count()), ("", 1), "{outcome:#?}");
    let location = database.terse(&["migrate", "--json"]).json()["database"].clone();
    assert!(outcome.stderr.contains(location.as_str().unwrap()), "{outcome:#?}");
}

#[test]
fn plan_add_creates_only_new_plans() {
    let database = Database::new().migrated();
    let added = database.terse(&["plan", "add", "gold", "--max-links", "7", "--json"]).json();
    let gold = json!({
        "name": "gold", "max_links": 7, "custom_codes": false,
        "request_rate": null, "burst": null, "links_per_day": null, "etag": added["etag"]
    });
    assert!(added["etag"].as_str().unwrap().starts_with('"'), "{added}");
    let mut expected = json!({"event_id": 1, "changed": 1, "dry_run": false});
    expected.as_object_mut().unwrap().extend(gold.as_object().unwrap().clone());
    assert_eq!(added, expected);
    let line = database.terse(&["plan", "add", "gold", "--max-links", "8"]).failed();
    assert!(line.contains("'gold'") && line.contains("plan set"), "{line}");
    database.terse(&["plan", "add", "free"]).failed();
    let plans = database.terse(&["plan", "list", "--json"]).json();
    assert_eq!(find_object(&plans, "name", "gold"), Some(&gold));
}

#[test]
fn plan_set_changes_only_existing_plans() {
    let database = Database::new().migrated();
    let line = database.terse(&["plan", "set", "gold", "--max-links", "7"]).failed();
    assert!(line.contains("'gold'") && line.contains("plan add"), "{line}");
    let plans = database.terse(&["plan", "list", "--json"]).json();
    assert_eq!(find_object(&plans, "name", "gold"), None);
}

#[test]
fn owner_add_prints_the_key_as_json() {
    let database = Database::new().migrated();
    let added = database.terse(&["owner", "add", "robot", "--json"]).json();
    assert_eq!((&added["name"], &added["plan_name"]), (&json!("robot"), &json!("free")));
    assert!(added["key"].as_str().is_some_and(is_key), "{added}");
}
