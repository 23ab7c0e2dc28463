//! Confirmations that `terse block` prints.

use serde_json::json;

use super::{block, import, is_blocked};
use crate::harness::Database;

#[test]
fn confirmation_names_the_previous_state_and_the_end_of_the_block() {
    let database = Database::new().migrated();
    for (arguments, confirmation) in [
        (&["add", "evil.example", "--reason", "phishing"][..], "blocked evil.example (event 1)"),
        (
            &["add", "evil.example"],
            "nothing to change: evil.example is blocked already (phishing, no end)",
        ),
        (
            &["add", "evil.example", "--until", "2999-01-02"],
            "blocked evil.example (phishing, until 2999-01-02T00:00:00Z), which was blocked \
             (phishing, no end) (event 2)",
        ),
        (
            &["add", "evil.example", "--until", "2999-01-02"],
            "nothing to change: evil.example is blocked already (phishing, until \
             2999-01-02T00:00:00Z)",
        ),
        (
            &["add", "evil.example"],
            "blocked evil.example (phishing, no end), which was blocked (phishing, until \
             2999-01-02T00:00:00Z) (event 3)",
        ),
        (
            &["allow", "evil.example"],
            "allowed evil.example, which was blocked (phishing, no end) (event 4)",
        ),
        (&["allow", "evil.example"], "nothing to change: evil.example is an exception already"),
        (
            &["add", "evil.example", "--until", "2999-01-02"],
            "blocked evil.example until 2999-01-02T00:00:00Z, which was an exception (event 5)",
        ),
        (
            &["add", "late.example", "--until", "2999-01-02"],
            "blocked late.example until 2999-01-02T00:00:00Z (event 6)",
        ),
        (&["allow", "good.example"], "allowed good.example (event 7)"),
        (&["remove", "good.example"], "removed good.example (event 8)"),
    ] {
        let outcome = database.terse(&[&["block"], arguments].concat()).done();
        assert_eq!(outcome.stderr, format!("{confirmation}\n"), "{arguments:?}");
    }
    let several = ["block", "add", "late.example", "new.example", "evil.example", "--until"];
    let outcome = database.terse(&[&several[..], &["2999-01-02"]].concat()).done();
    assert_eq!(
        outcome.stderr,
        "evil.example is blocked already (other, until 2999-01-02T00:00:00Z)\n\
         late.example is blocked already (other, until 2999-01-02T00:00:00Z)\n\
         blocked 1 pattern until 2999-01-02T00:00:00Z (event 9)\n"
    );
}

#[test]
fn removal_of_several_patterns_fails_if_one_is_missing() {
    let database = Database::new().migrated();
    block(&database, &["add", "evil.example", "bad.example"]);
    let all = ["block", "remove", "evil.example", "missing.example", "bad.example"];
    let line = database.terse(&all).failed();
    assert!(line.contains("'missing.example'") && line.contains("nothing was changed"), "{line}");
    assert!(!line.contains("bad.example"), "{line}");
    assert!(is_blocked(&database, "https://evil.example/"));
    database.terse(&[&all[..], &["--dry-run"]].concat()).failed();
    let changed = block(&database, &["remove", "evil.example", "bad.example", "evil.example"]);
    assert_eq!(changed["changed"], 2);
}

#[test]
fn removal_of_a_pattern_of_a_list_names_the_list_and_recommends_an_exception() {
    let database = Database::new().migrated();
    import(&database, "feed", "evil.example\n", &[]).done();
    block(&database, &["add", "bad.example"]);
    let outcome = database.terse(&["block", "remove", "evil.example"]).done();
    let several = database.terse(&["block", "remove", "bad.example", "evil.example"]);
    assert_eq!(several.code, Some(1), "{several:#?}");
    for stderr in [outcome.stderr, several.stderr] {
        assert!(stderr.contains("the source 'feed'"), "{stderr}");
        assert!(stderr.contains("`terse block allow evil.example`"), "{stderr}");
    }
}

#[tokio::test]
async fn list_has_only_patterns_in_force() {
    let database = Database::new().migrated();
    block(&database, &["add", "evil.example", "late.example", "--until", "2999-01-01"]);
    database.execute("UPDATE block_patterns SET until = 1 WHERE pattern = 'late.example'").await;
    let list = database.terse(&["block", "list", "--json"]).json();
    let patterns: Vec<_> =
        list.as_array().unwrap().iter().map(|row| row["pattern"].clone()).collect();
    assert_eq!(json!(patterns), json!(["evil.example"]));
    let text = database.terse(&["block", "list"]).done().stdout;
    assert!(text.contains("evil.example") && !text.contains("late.example"), "{text}");
}
