//! `terse undo`.

use serde_json::{Value, json};

use crate::harness::{Database, Server};
use crate::link_commands::lines;

const URL: &str = "https://example.org/";

/// Runs a command that needs no further confirmation, and returns its result.
fn confirmed(database: &Database, arguments: &[&str]) -> Value {
    database.terse(&[arguments, &["--yes", "--json"]].concat()).json()
}

#[tokio::test(flavor = "multi_thread")]
async fn undo_skips_what_has_changed_since() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let (first, second, third) =
        (api.create(URL).await, api.create(URL).await, api.create(URL).await);
    let terse = |arguments: &[&str]| confirmed(database, arguments);
    let event = terse(&["link", "disable", &first, &second, &third])["event_id"].to_string();
    terse(&["link", "enable", &second]);
    terse(&["link", "disable", &second, "--reason", "spam"]);
    terse(&["link", "delete", &third]);
    let undone = terse(&["undo", &event]);
    assert_eq!(undone["changed"], 1);
    let skipped = undone["skipped"].to_string();
    assert!(skipped.contains(&second) && skipped.contains(&third), "{skipped}");
    let state = |code: &str| {
        let outcome = database.terse(&["link", "find", code, "--json"]).done();
        lines(&outcome.stdout)[0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!([state(&first), state(&second)], ["active", "disabled"]);

    // An undone event does not prevent the undo of an earlier one.
    let title =
        |text: &str| terse(&["link", "edit", &first, "--title", text])["event_id"].to_string();
    let (a, b) = (title("a"), title("b"));
    assert_eq!(terse(&["undo", &a])["changed"], 0);
    assert_eq!(terse(&["undo", &b])["changed"], 1);
    assert_eq!(terse(&["undo", &a])["changed"], 1);
    assert_eq!(terse(&["undo", &a])["event_id"], Value::Null);
    let line = database.terse(&["undo", "999999", "--yes"]).failed();
    assert!(line.contains("no event 999999"), "{line}");
    database.terse(&["undo", &a]).misused();
    let invalid = database.terse(&["undo", "last", "--yes"]);
    assert!(invalid.stderr.contains("a number that `terse history` shows"), "{invalid:?}");
    invalid.misused();
}

#[tokio::test(flavor = "multi_thread")]
async fn undo_reverts_only_the_values_that_have_not_changed_since() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let code = api.create(URL).await;
    let terse = |arguments: &[&str]| confirmed(database, arguments);
    let edit = |options: &[&str]| {
        terse(&[&["link", "edit", &code][..], options].concat())["event_id"].to_string()
    };
    let shown = || {
        let link = database.terse(&["link", "show", &code, "--json"]).json();
        ["destination_url", "title", "campaign"].map(|name| link[name].clone())
    };
    edit(&["--title", "a", "--campaign", "a"]);
    let other = "https://other.example/";
    let all = edit(&["--title", "b", "--campaign", "b", "--destination", other]);
    let title = edit(&["--title", "c", "--campaign", "c"]);
    edit(&["--campaign", "d"]);
    let skips = |event: &str, named: &str| {
        let undone = database.terse(&["undo", event, "--yes", "--json"]);
        assert!(undone.stderr.contains(&format!("skipped {named}: ")), "{undone:#?}");
        let undone = undone.json();
        assert_eq!(undone["skipped"], json!([code]));
        undone
    };
    skips(&all, &format!("link '{code}' (campaign, title)"));
    assert_eq!(shown(), [URL, "c", "d"]);
    let found = |host: &str| {
        let found = database.terse(&["link", "find", "--host", host, "--json"]).done();
        lines(&found.stdout).len()
    };
    assert_eq!([found("example.org"), found("other.example")], [1, 0]);

    // Half of an event is undone, so that half of the earlier one can be.
    skips(&title, &format!("link '{code}' (campaign)"));
    assert_eq!(shown(), [URL, "b", "d"]);
    assert_eq!(terse(&["undo", &all])["changed"], 1);
    assert_eq!(shown(), [URL, "a", "d"]);
    let undone = skips(&all, &format!("link '{code}'"));
    assert_eq!((&undone["changed"], &undone["event_id"]), (&json!(0), &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn undone_event_is_not_undone_again() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let code = api.create(URL).await;
    let terse = |arguments: &[&str]| confirmed(database, arguments);
    let disabled = terse(&["link", "disable", &code])["event_id"].to_string();
    let enabled = terse(&["link", "enable", &code])["event_id"].to_string();
    assert_eq!(terse(&["undo", &enabled])["changed"], 1);
    assert_eq!(terse(&["undo", &disabled])["changed"], 1);
    // The link is enabled again, but no longer by this event.
    let undone = terse(&["undo", &enabled]);
    assert_eq!((&undone["changed"], &undone["event_id"]), (&0.into(), &Value::Null));
    server.anyone().get(&format!("/{code}")).await.expect(302);
}
