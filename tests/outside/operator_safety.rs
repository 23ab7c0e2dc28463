//! Protection of operators from mistakes: confirmations, interruptions and the history.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Database, Outcome, Server, TIMEOUT, until};
use crate::link_commands::lines;

/// Imports links of an owner, whose codes are the owner's name and a number, such as `acme0`.
fn import(database: &Database, owner: &str, count: usize) {
    let rows: String = (0..count)
        .map(|number| format!("{owner}{number},https://{owner}.example/{number}\n"))
        .collect();
    let file = database.directory().join(format!("{owner}.csv"));
    std::fs::write(&file, format!("short_code,destination_url\n{rows}")).unwrap();
    database.terse(&["import", file.to_str().unwrap(), "--owner", owner]).done();
}

fn with_owners(owners: &[&str]) -> Database {
    let database = Database::new().migrated();
    for owner in owners {
        database.owner(owner, "unlimited");
    }
    database
}

fn history(database: &Database, filter: &[&str]) -> Vec<Value> {
    lines(&database.terse(&[&["history", "--json"], filter].concat()).done().stdout)
}

#[test]
fn codes_from_a_file_are_a_bulk_change() {
    let database = with_owners(&["acme"]);
    import(&database, "acme", 3);
    let file = database.directory().join("codes");
    std::fs::write(&file, "\u{feff}acme1\r\n").unwrap();
    let file = file.to_str().unwrap();
    database.terse(&["link", "delete", "--codes-from", file]).misused();
    database.terse(&["link", "delete", "acme1", "--owner", "acme"]).misused();
    database.terse(&["link", "disable", "acme1", "acme2"]).misused();
    let both = ["link", "disable", "acme1", "acme2", "--codes-from", file, "--yes", "--json"];
    assert_eq!(database.terse(&both).json()["changed"], 1, "codes must be in both lists");
    let unknown = ["link", "disable", "nothing", "--codes-from", file, "--yes"];
    let line = database.terse(&unknown).failed();
    assert!(line.contains("'nothing'"), "{line}");
    let none = ["link", "delete", "acme0", "--host", "other.example", "--yes"];
    let none = database.terse(&none).done();
    assert_eq!(none.stderr, "nothing to change: deleted 0 links\n");
    database.terse(&["link", "delete", "acme0", "acme1", "--yes"]).done();
    let deleted = ["link", "enable", "acme0", "acme1", "acme2", "--yes"];
    let line = database.terse(&deleted).failed();
    assert!(line.contains("the links 'acme0', 'acme1' were deleted"), "{line}");
}

#[tokio::test]
async fn deletion_erases_campaigns_and_hosts_from_the_history() {
    let database = with_owners(&["acme", "late", "web host x"]);
    import(&database, "acme", 2);
    let edit = ["link", "edit", "acme0", "--campaign", "secret-campaign"];
    database.terse(&edit).done();
    let by_campaign = ["link", "disable", "--campaign", "secret-campaign", "--yes"];
    database.terse(&by_campaign).done();
    let by_host = ["link", "enable", "--host", "acme.example", "--yes"];
    database.terse(&by_host).done();
    let subjects: Vec<Value> =
        history(&database, &[]).iter().map(|event| event["subject"].clone()).collect();
    assert_eq!(subjects[..2], [json!("host acme.example"), json!("campaign secret-campaign")]);
    database.terse(&["link", "delete", "--host", "acme.example", "--yes"]).done();
    let text = database.terse(&["history", "--json"]).done().stdout;
    for secret in ["secret-campaign", "acme.example"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    // That of a change that changed nothing goes with the owner.
    import(&database, "late", 1);
    database.terse(&["link", "edit", "late0", "--campaign", "secret-campaign"]).done();
    database.terse(&by_campaign).done();
    database.terse(&["link", "enable", "--campaign", "secret-campaign", "--yes"]).done();
    let changed = "DELETE FROM event_changes WHERE event_id IN (SELECT MAX(id) FROM events)";
    database.execute(changed).await;
    database.terse(&["owner", "delete", "late", "--confirm", "late"]).done();
    let text = database.terse(&["history", "--json"]).done().stdout;
    assert!(!text.contains("secret-campaign"), "{text}");
    let deleted = database.terse(&["history", "--event", "7", "--json"]).done();
    let codes: Vec<Value> =
        lines(&deleted.stdout).iter().map(|change| change["subject"].clone()).collect();
    assert_eq!(codes, [json!("acme0"), json!("acme1")]);
    // A name with the same words stays.
    database.terse(&["owner", "delete", "web host x", "--confirm", "web host x"]).done();
    let events = history(&database, &["--owner", "web host x"]);
    assert!(events.iter().all(|event| event["subject"] == "web host x"), "{events:?}");
    assert!(!events.is_empty());
}

#[tokio::test]
async fn history_of_an_owner_includes_changes_that_affect_several_owners() {
    let database = with_owners(&["acme", "globex", "idle"]);
    // Like the first owner of a database, these owners have no event.
    database.execute("DELETE FROM events").await;
    import(&database, "acme", 2);
    import(&database, "globex", 2);
    let event = ["link", "disable", "--host", "example", "--yes", "--json"];
    let event = database.terse(&event).json()["event_id"].clone();
    database.terse(&["link", "disable", "acme0", "acme1", "--reason", "spam", "--yes"]).done();
    let events = |owner: &str| {
        let of_links = |event: &Value| event["action"] == "link disable";
        let events = history(&database, &["--owner", owner]);
        events.into_iter().filter(of_links).map(|event| event["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(events("globex"), std::slice::from_ref(&event));
    assert_eq!(events("acme").len(), 2);
    assert_eq!(events("idle"), [] as [Value; 0]);
    database.terse(&["undo", &event.to_string(), "--yes"]).done();
    database.terse(&["owner", "delete", "globex", "--confirm", "globex"]).done();
    assert_eq!(events("globex"), [event]);
}

#[test]
fn history_shows_values_before_and_after_an_event() {
    let database = with_owners(&["acme"]);
    import(&database, "acme", 1);
    let edit = ["link", "edit", "acme0", "--destination", "https://new.example/", "--json"];
    let event = database.terse(&edit).json()["event_id"].clone();
    let changes = database.terse(&["history", "--event", &event.to_string(), "--format", "jsonl"]);
    let change = lines(&changes.done().stdout).remove(0);
    assert_eq!(change["subject"], "acme0");
    assert_eq!(change["before"]["destination_url"], "https://acme.example/0");
    assert_eq!(change["after"]["destination_url"], "https://new.example/");
    let table = database.terse(&["history", "--event", &event.to_string()]).done().stdout;
    assert!(table.contains("acme0") && table.contains("https://new.example/"), "{table}");
    database.terse(&["history", "--event", "99"]).failed();
    database.terse(&["link", "delete", "acme0"]).done();
    let erased = database.terse(&["history", "--event", &event.to_string(), "--json"]).done();
    assert!(!erased.stdout.contains("example"), "{erased:?}");
}

#[tokio::test]
async fn history_has_values_of_owners_plans_and_keys() {
    const FAR: &str = "2100-01-01T00:00:00Z";
    let database = Database::new().migrated();
    let far = "2100-01-01T00:00:00.000Z";
    let key = |expires_at: Value| json!({ "label": "crm", "scope": "read", "expires_at": expires_at, "revoked_at": null });
    let owner = json!({
        "name": "acme", "plan_name": "gold", "external_id": null, "fallback_url": null, "suspended_reason": null,
        "suspended_at": null, "is_suspended": false,
    });
    let plan = json!({
        "max_links": 5, "links_per_day": null, "request_rate": "20/s", "burst": null,
        "custom_codes": false,
    });
    let operator =
        json!({ "name": "billing", "role": "auditor", "expires_at": null, "revoked_at": null });
    for (command, changes) in [
        ("plan add gold --max-links 5 --requests 20/s", vec![("gold", Value::Null, plan)]),
        (
            "plan set gold --max-links unlimited --burst 30",
            vec![(
                "gold",
                json!({ "max_links": 5, "burst": null }),
                json!({ "max_links": null, "burst": 30 }),
            )],
        ),
        (
            "owner add acme --plan gold --label crm --scope read",
            vec![("acme", Value::Null, owner), ("1", Value::Null, key(Value::Null))],
        ),
        (
            "owner plan acme pro",
            vec![("acme", json!({ "plan_name": "gold" }), json!({ "plan_name": "pro" }))],
        ),
        (
            "owner edit acme --plan gold --fallback https://secret.example/",
            vec![(
                "acme",
                json!({ "plan_name": "pro", "fallback_url": null }),
                json!({ "plan_name": "gold", "fallback_url": "https://secret.example/" }),
            )],
        ),
        (
            &format!("key add acme --label crm --scope read --expires {FAR}"),
            vec![("2", Value::Null, key(json!(far)))],
        ),
        (
            &format!("key expire 1 --at {FAR}"),
            vec![("1", json!({ "expires_at": null }), json!({ "expires_at": far }))],
        ),
        ("key revoke 1", vec![("1", json!({ "revoked_at": null }), json!("REVOKED"))]),
        // The first key is revoked already.
        (
            "key revoke --owner acme --yes",
            vec![("2", json!({ "revoked_at": null }), json!("REVOKED"))],
        ),
        ("operator add billing --role auditor", vec![("1", Value::Null, operator)]),
        ("operator revoke billing", vec![("1", json!({ "revoked_at": null }), json!("REVOKED"))]),
    ] {
        database.terse(&command.split(' ').collect::<Vec<_>>()).done();
        let event = database.number("SELECT MAX(id) FROM events").await;
        let at = history(&database, &["--limit", "1"])[0]["created_at"].clone();
        let shown = database.terse(&["history", "--event", &event.to_string(), "--json"]).done();
        let expected = changes.into_iter().map(|(subject, before, after)| {
            let after = if after == "REVOKED" { json!({ "revoked_at": at }) } else { after };
            json!({ "subject": subject, "before": before, "after": after })
        });
        assert_eq!(lines(&shown.stdout), expected.collect::<Vec<_>>(), "{command}");
        assert_eq!(history(&database, &["--limit", "1"])[0]["changed"], 1, "{command}");
    }

    let left = "SELECT COUNT(*) FROM event_changes WHERE kind IN ('owner', 'key')
        AND (before IS NOT NULL OR after IS NOT NULL)";
    assert_eq!(database.number(left).await, 8);
    database.terse(&["owner", "delete", "acme", "--confirm", "acme"]).done();
    assert_eq!(database.number(left).await, 0);
}

#[test]
fn renamed_owner_keeps_no_old_name_in_subjects() {
    let database = with_owners(&["petra"]);
    import(&database, "petra", 1);
    database.terse(&["owner", "suspend", "petra"]).done();
    database.terse(&["link", "disable", "--owner", "petra", "--yes"]).done();
    let outcome = database.terse(&["owner", "rename", "petra", "customer-17"]).done();
    let expected = "renamed owner 'petra' to 'customer-17' (event 4)\n";
    assert_eq!(outcome.stderr, expected);
    let events = history(&database, &[]);
    assert!(events.iter().all(|event| !event.to_string().contains("petra")), "{events:#?}");
    assert_eq!(events[1]["subject"], "owner customer-17");
    let changes = || database.terse(&["history", "--event", "4", "--json"]).done().stdout;
    assert!(changes().contains("petra"), "{}", changes());
    database.terse(&["owner", "delete", "customer-17", "--confirm", "customer-17"]).done();
    assert!(!changes().contains("petra"), "{}", changes());
}

/// Runs a command that deletes the 4,000 links of the owner `acme`, and interrupts it once it has
/// begun. Returns what it wrote on stderr, and the number of links that are left.
fn interrupt_deletion(database: &Database, arguments: &[&str]) -> (String, i64) {
    import(database, "acme", 4_000);
    let mut command = database.command();
    let command = command.args(arguments).arg("--json");
    let deleting = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let links =
        || database.terse(&["owner", "list", "--json"]).json()[0]["links"].as_i64().unwrap();
    until(TIMEOUT, || "links are deleted", || (links() != 4_000).then_some(()));
    let pid = rustix::process::Pid::from_child(&deleting);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = deleting.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{text}");
    (text, links())
}

#[test]
fn interrupted_bulk_change_reports_what_it_changed() {
    let database = with_owners(&["acme"]);
    let delete = ["link", "delete", "--owner", "acme", "--yes"];
    let (text, left) = interrupt_deletion(&database, &delete);
    let changed = 4_000 - left;
    let event = history(&database, &[]).remove(0);
    assert_eq!((&event["action"], &event["changed"]), (&json!("link delete"), &json!(changed)));
    let error: Value = serde_json::from_str(&text).unwrap();
    let expected = format!(
        "stopped by a signal after {changed} changes (event {}); run the command again to change the \
         rest",
        event["id"]
    );
    assert_eq!(error, json!({"error": expected, "code": "interrupted"}));
    let rest = database.terse(&[&delete[..], &["--json"]].concat()).json();
    assert_eq!(rest["changed"], left);
}

#[test]
fn interrupted_owner_deletion_reports_what_it_changed() {
    let database = with_owners(&["acme"]);
    let delete = ["owner", "delete", "acme", "--confirm", "acme"];
    let (text, left) = interrupt_deletion(&database, &delete);
    // The owner is suspended.
    let changed = 4_000 - left + 1;
    let event = history(&database, &[]).remove(0);
    assert_eq!((&event["action"], &event["changed"]), (&json!("owner delete"), &json!(changed)));
    assert!(text.contains(&format!("stopped by a signal after {changed} changes")), "{text}");
}

#[test]
fn interrupted_export_leaves_no_file_and_deletes_nothing() {
    let database = with_owners(&["acme"]);
    import(&database, "acme", 20);
    let file = database.directory().join("out.csv");
    let delete = ["owner", "delete", "acme", "--confirm", "acme", "--export", "out.csv"];
    let mut command = database.command();
    command.args(delete).stdout(Stdio::null()).stderr(Stdio::piped());
    let deleting = command.spawn().unwrap();
    let partial = database.directory().join("out.csv.partial");
    until(TIMEOUT, || "the export begins", || partial.exists().then_some(()));
    // The command waits for a second before it exports.
    std::thread::sleep(Duration::from_millis(100));
    let pid = rustix::process::Pid::from_child(&deleting);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let output = deleting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{output:?}");
    assert!(!file.exists() && !partial.exists());
    assert_eq!(database.terse(&["owner", "list", "--json"]).json()[0]["links"], 20);
    // A killed process leaves a partial file.
    std::fs::write(&partial, "half").unwrap();
    database.terse(&delete).done();
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 21);
    assert!(!partial.exists());
    database.owner("acme", "unlimited");
    let line = database.terse(&delete).failed();
    assert!(line.contains("out.csv") && line.contains("without --export"), "{line}");
}

#[test]
fn link_show_includes_the_disabled_reason_of_a_suspended_owners_link() {
    let database = with_owners(&["acme"]);
    import(&database, "acme", 1);
    database.terse(&["link", "disable", "acme0", "--reason", "legal"]).done();
    database.terse(&["owner", "suspend", "acme", "--reason", "spam"]).done();
    let show = || database.terse(&["link", "show", "acme0", "--json"]).json();
    assert_eq!(show()["state"], "owner-suspended");
    assert_eq!(
        (&show()["state_reason"], &show()["disabled_reason"]),
        (&json!("spam"), &json!("legal"))
    );
    assert_eq!(show()["is_active"], false);
    database.terse(&["link", "enable", "acme0"]).done();
    assert_eq!((&show()["disabled_reason"], &show()["is_active"]), (&Value::Null, &json!(false)));
    database.terse(&["owner", "resume", "acme"]).done();
    assert_eq!(show()["is_active"], true);
}

#[test]
fn keys_and_control_characters_are_neither_stored_nor_printed() {
    let database = Database::new().migrated();
    let key = database.owner("acme", "unlimited");
    import(&database, "acme", 1);
    let url = format!("https://example.org/{key}");
    for option in [["--title", &key], ["--campaign", &key], ["--destination", &url]] {
        let outcome = database.terse(&[&["link", "edit", "acme0"], &option[..]].concat());
        assert!(!outcome.stderr.contains(&key), "{outcome:?}");
        outcome.misused();
    }
    for actor in [&*key, "a\u{1b}[31mb\nc"] {
        let disable = |variable: &str| {
            let mut command = database.command();
            let arguments = ["link", "disable", "acme0"];
            command.env_remove("SUDO_USER").env(variable, actor).args(arguments);
            Outcome::new(&arguments, &command.output().unwrap())
        };
        let outcome = disable("TERSE_ACTOR");
        let line = outcome.stderr.clone();
        assert!(line.starts_with("terse: TERSE_ACTOR must not ") && line.lines().count() == 1);
        outcome.misused();
        let done = disable("SUDO_USER").done();
        assert!(done.stderr.contains("(event "), "the link was not disabled before: {done:?}");
        database.terse(&["link", "enable", "acme0"]).done();
    }
    let text = database.terse(&["history", "--json"]).done().stdout;
    assert!(!text.contains(&key) && !text.contains("31m"), "{text}");
    let outcome = database.terse(&["owner", "suspend", "x\u{1b}[31m\u{202e}\u{200b}"]);
    assert!(outcome.stderr.contains("x\\u{1b}[31m\\u{202e}\\u{200b}"), "{outcome:?}");
    let reversed = ["link", "edit", "acme0", "--title", "a\u{202e}b", "--campaign", "c\u{202e}d"];
    database.terse(&reversed).done();
    let shown = database.terse(&["link", "show", "acme0"]).done().stdout;
    assert!(shown.contains("a\\u{202e}b") && !shown.contains('\u{202e}'), "{shown}");
    // Marks and isolates change the direction of text like the older characters.
    let marks = "x\u{61c}\u{200e}\u{200f}\u{2067}y";
    let escaped = "x\\u{61c}\\u{200e}\\u{200f}\\u{2067}y";
    let edit = ["link", "edit", "acme0", "--title", marks, "--note", marks, "--case", marks];
    database.terse(&edit).done();
    for command in [&["link", "show", "acme0"][..], &["history"]] {
        let shown = database.terse(command).done().stdout;
        assert!(shown.contains(escaped) && !shown.contains(marks), "{shown}");
    }
    for command in [&["owner", "add", marks][..], &["link", marks], &["plan", "add", "x", marks]] {
        let outcome = database.terse(command);
        assert!(!outcome.stderr.contains(marks) && !outcome.stdout.contains(marks), "{outcome:?}");
    }
    // The error has several lines.
    let outcome = database.terse(&["key", "find", &key]);
    assert!(!outcome.stderr.contains("\\n"), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn expiry_is_rfc_3339_with_a_year_of_four_digits() {
    let server = Server::start();
    let api = server.api();
    let url = "https://example.org/";
    for text in ["2090-01-01 00:00:00Z", "9999-12-31T23:59:59-14:00", "2090-01-01"] {
        let response = api.shorten(&json!({"url": url, "expires_at": text})).await;
        assert_eq!(response.status, 422, "{text}");
    }
    let response = api.shorten(&json!({"url": url, "expires_at": "2090-01-01t00:00:00z"})).await;
    assert_eq!(response.status, 201);
}

#[test]
fn dry_run_of_a_deletion_counts_click_counts() {
    let database = with_owners(&["acme"]);
    let rows = "short_code,destination_url,clicks\na1b2,https://example.org/,5\n";
    let file = database.directory().join("in.csv");
    std::fs::write(&file, rows).unwrap();
    database.terse(&["import", file.to_str().unwrap(), "--owner", "acme"]).done();
    let delete = ["owner", "delete", "acme", "--confirm", "acme", "--json"];
    let dry = database.terse(&[&delete[..], &["--dry-run"]].concat()).json();
    assert_eq!(dry["deleted"]["click_counts"], 1);
    assert_eq!(database.terse(&delete).json()["deleted"], dry["deleted"]);
}
