//! Clicks by day: their close, `terse link clicks`, `terse report` and `terse export --days`.
#![expect(clippy::disallowed_methods, reason = "the tests compare days with the machine's clock")]

mod clocks;
mod kills;
mod repairs;
mod reports;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::harness::{Api, Database, Server, TIMEOUT, eventually};

const URL: &str = "https://example.com/";

/// Returns today's number since the Unix epoch.
fn today() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs() / 86_400).unwrap()
}

/// Returns the date of the day that is `ago` days before today.
pub(crate) fn date(ago: u64) -> String {
    let time = SystemTime::now() - std::time::Duration::from_secs(ago * 86_400);
    humantime::format_rfc3339_seconds(time).to_string()[..10].to_owned()
}

/// Moves everything into the past, as if this number of days had passed.
pub(crate) async fn pass(database: &Database, days: i64) {
    // The two steps keep the key unique meanwhile.
    let statements = [
        format!("UPDATE click_days SET day = -day - {days}"),
        format!("UPDATE click_days SET day = -day - {}", 2 * days),
        format!(
            "UPDATE day_close SET closed_day = closed_day - {days},
             closed_until = closed_until - {days}"
        ),
    ];
    database.execute(&statements.join("; ")).await;
}

/// Waits until yesterday is closed.
pub(crate) async fn wait_for_close(database: &Database) {
    eventually(TIMEOUT, "yesterday is closed", async || {
        database.number("SELECT closed_until FROM day_close").await == today() - 1
    })
    .await;
}

/// Stops the server, lets days pass, and serves the database until yesterday is closed.
pub(crate) async fn serve_later(server: Server, days: i64, settings: &[&str]) -> Server {
    let database = server.terminate().database;
    pass(&database, days).await;
    let server = Server::with(&database, settings);
    wait_for_close(&database).await;
    server
}

/// Returns the days and clicks that `terse link clicks` prints.
fn days(database: &Database, code: &str, days: u32) -> Vec<(String, i64)> {
    let days = days.to_string();
    let shown = database.terse(&["link", "clicks", "--json", "--days", &days, "--", code]).json();
    let entry = |entry: &Value| {
        assert_eq!(entry.as_object().unwrap().len(), 2, "{entry}");
        (entry["day"].as_str().unwrap().to_owned(), entry["clicks"].as_i64().unwrap())
    };
    shown.as_array().unwrap().iter().map(entry).collect()
}

/// Returns the clicks of the last days, today's last.
fn clicks(database: &Database, code: &str, number: u32) -> Vec<i64> {
    days(database, code, number).into_iter().map(|(_, clicks)| clicks).collect()
}

pub(crate) async fn visit(server: &Server, code: &str, times: u32) {
    for _ in 0..times {
        server.anyone().get(&format!("/{code}")).await.expect(302);
    }
}

/// Returns the records of `terse export --days`, by code and day.
#[track_caller]
fn exported(
    database: &Database,
    arguments: &[&str],
) -> BTreeMap<String, Vec<(Option<String>, i64)>> {
    let outcome = database.terse(&[&["export", "--days", "--json"], arguments].concat()).done();
    let mut records: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for line in outcome.stdout.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let day = record["day"].as_str().map(str::to_owned);
        assert!(day.is_some() || record["day"].is_null(), "{record}");
        let code = record["short_code"].as_str().unwrap().to_owned();
        records.entry(code).or_default().push((day, record["clicks"].as_i64().unwrap()));
    }
    records
}

/// Panics unless the days of every link add up to its count, and the check finds nothing.
async fn assert_exact(server: &Server, api: &Api, codes: &[&str]) {
    let records = exported(server.database(), &[]);
    for code in codes {
        let sum: i64 = records.get(*code).map_or(0, |of| of.iter().map(|(_, clicks)| clicks).sum());
        assert_eq!(sum.cast_unsigned(), api.clicks(code).await, "{code}");
    }
    assert_eq!(server.terse(&["check", "--json"]).json(), json!([]));
}

/// Imports links with these codes and clicks.
#[track_caller]
fn import(database: &Database, owner: &str, rows: &[(&str, &str, i64)]) {
    let rows = rows
        .iter()
        .map(|(code, campaign, clicks)| format!("{code},{URL}{code},{campaign},{clicks}\n"));
    let rows: String = rows.collect();
    let file = database.directory().join("in.csv");
    let text = format!("short_code,destination_url,campaign,clicks\n{rows}");
    std::fs::write(&file, text).unwrap();
    database.terse(&["import", file.to_str().unwrap(), "--owner", owner]).done();
}

#[tokio::test]
async fn clicks_belong_to_their_day() {
    let server = Server::start();
    let key = server.key().to_owned();
    import(server.database(), "default", &[("old", "", 7), ("new", "", 0), ("idle", "", 0)]);
    visit(&server, "old", 3).await;
    let server = serve_later(server, 1, &[]).await;
    visit(&server, "old", 2).await;
    visit(&server, "new", 1).await;
    assert_eq!(clicks(server.database(), "old", 3), [0, 3, 2], "today is not closed");
    // Clicks of the last day with a server belong to it, however late it is closed.
    let server = serve_later(server, 3, &[]).await;
    let database = Arc::clone(server.database());
    visit(&server, "old", 1).await;
    assert_eq!(clicks(&database, "old", 6), [0, 3, 2, 0, 0, 1]);
    assert_eq!(clicks(&database, "new", 4), [1, 0, 0, 0]);
    assert_eq!(clicks(&database, "idle", 2), [0, 0]);
    assert_eq!(days(&database, "old", 30).len(), 30);
    assert_eq!(days(&database, "old", 2), [(date(1), 0), (date(0), 1)]);
    assert_eq!(clicks(&database, "old", 1), [1]);
    let api = server.with_key(&key);
    assert_eq!(api.clicks("old").await, 13);
    let expected = BTreeMap::from([
        (
            "old".to_owned(),
            vec![(None, 7), (Some(date(4)), 3), (Some(date(3)), 2), (Some(date(0)), 1)],
        ),
        ("new".to_owned(), vec![(Some(date(3)), 1)]),
    ]);
    assert_eq!(exported(&database, &[]), expected);
    assert_exact(&server, &api, &["old", "new", "idle"]).await;
    // The table is for people who redirect it into a file.
    let shown = server.terse(&["link", "clicks", "old", "--days", "2"]).done().stdout;
    assert_eq!(shown, format!("DAY         CLICKS\n{}  0\n{}  1\n", date(1), date(0)));
    // Default: 30 days.
    let shown = server.terse(&["link", "clicks", "old", "--json"]).json();
    assert_eq!(shown.as_array().unwrap().len(), 30);
}

#[tokio::test]
async fn unclosed_clicks_belong_to_the_day_that_is_due() {
    let server = Server::start();
    for (code, visits) in [("first", 2), ("second", 3)] {
        server.api().create_from(&json!({"url": URL, "custom_code": code})).await;
        visit(&server, code, visits).await;
    }
    let database = server.terminate().database;
    pass(&database, 1).await;
    // No server closes it.
    assert_eq!(clicks(&database, "first", 2), [2, 0]);
    assert_eq!(clicks(&database, "second", 2), [3, 0]);
    let passed = "UPDATE day_close SET position = (SELECT MIN(id) FROM links)";
    database.execute(passed).await;
    assert_eq!(clicks(&database, "first", 2), [0, 2], "the close has passed it");
    assert_eq!(clicks(&database, "second", 2), [3, 0]);
    pass(&database, 2).await;
    assert_eq!(clicks(&database, "second", 4), [3, 0, 0, 0], "the day after the last server");
    assert_eq!(clicks(&database, "second", 2), [0, 0]);
}

/// A killed server leaves them, and the next one closes the day as soon as it starts.
#[tokio::test]
async fn clicks_pending_before_the_close_belong_to_its_day() {
    let mut server = Server::start();
    import(server.database(), "default", &[("old", "", 0)]);
    let mut visits = 0;
    let database = loop {
        visit(&server, "old", 3).await;
        visits += 3;
        let database = server.kill9();
        eventually(TIMEOUT, "its statements end", async || database.is_idle()).await;
        if database.number("SELECT COUNT(*) FROM pending_clicks").await > 0 {
            break database;
        }
        server = Server::on(&database);
    };
    pass(&database, 1).await;
    let server = Server::on(&database);
    wait_for_close(&database).await;
    assert_eq!(clicks(&database, "old", 2), [visits, 0]);
    server.terminate();
}

#[tokio::test]
async fn old_days_are_folded_into_the_opening_balance() {
    let keep = ["--keep-days", "2"];
    let server = Server::start();
    let key = server.key().to_owned();
    import(server.database(), "default", &[("old", "", 10)]);
    visit(&server, "old", 1).await;
    let mut server = serve_later(server, 1, &keep).await;
    for visits in 2..=4 {
        visit(&server, "old", visits).await;
        server = serve_later(server, 1, &keep).await;
    }
    let database = Arc::clone(server.database());
    eventually(TIMEOUT, "the first days are folded", async || {
        database.number("SELECT MIN(day) FROM click_days").await == today() - 2
    })
    .await;
    assert_eq!(clicks(&database, "old", 6), [0, 0, 0, 3, 4, 0]);
    assert_eq!(exported(&database, &[])["old"][0], (None, 13));
    assert_exact(&server, &server.with_key(&key), &["old"]).await;
    // If the clock jumps ahead, the server folds only what it would after one day.
    let server = serve_later(server, 100, &keep).await;
    eventually(TIMEOUT, "one more day is folded", async || {
        database.number("SELECT MIN(day) FROM click_days").await == today() - 101
    })
    .await;
    assert_eq!(clicks(&database, "old", 103)[..4], [0, 4, 0, 0]);
    assert_exact(&server, &server.with_key(&key), &["old"]).await;
    database.terse(&["serve", "--keep-days", "0"]).misused();
}

#[tokio::test]
async fn unknown_and_deleted_links_have_no_days() {
    let server = Server::start();
    server.api().create_from(&json!({"url": URL, "custom_code": "gone"})).await;
    server.terse(&["link", "delete", "gone"]).done();
    for (code, message) in [
        ("nothing", "terse: there is no link 'nothing'"),
        ("a b", "terse: there is no link 'a b'"),
        ("gone", "terse: the link 'gone' was deleted"),
    ] {
        let line = server.terse(&["link", "clicks", code]).failed();
        assert_eq!(line.split(';').next(), Some(message), "{line}");
    }
    for days in ["0", "-1", "many", "10001"] {
        server.terse(&["link", "clicks", "gone", "--days", days]).misused();
    }
}

/// Prints a chart on a terminal of that width.
fn chart(database: &Database, width: u32) -> String {
    let terse = crate::harness::terse_path();
    let command = format!("stty cols {width}; {} link clicks old --days 3", terse.display());
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(database.directory());
    script.env("TERSE_DATABASE_URL", database.url()).stdin(std::process::Stdio::null());
    let output = script.output().expect("util-linux has script");
    String::from_utf8(output.stdout).unwrap().replace('\r', "")
}

#[tokio::test]
async fn chart_fits_the_terminal() {
    let server = Server::start();
    import(server.database(), "default", &[("old", "", 0)]);
    visit(&server, "old", 10).await;
    let server = serve_later(server, 1, &[]).await;
    visit(&server, "old", 5).await;
    let bar = |length: usize| "█".repeat(length);
    for (width, full) in [(36, 20), (116, 100)] {
        let expected = format!(
            "{}   0\n{}  10  {}\n{}   5  {}\n",
            date(2),
            date(1),
            bar(full),
            date(0),
            bar(full / 2)
        );
        assert_eq!(chart(server.database(), width), expected);
    }
}
