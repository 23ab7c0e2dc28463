//! Usage of owners by month: `terse usage`, and reports of months that are closed.

mod clocks;
mod leaps;
mod model;
mod operator;
mod reports;
mod requests;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::click_days::{date, visit, wait_for_close};
use crate::harness::{Database, Server, TIMEOUT, eventually};

const URL: &str = "https://example.com/";

/// A month, as a number of months since the year 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Month(u32);

impl Month {
    pub(crate) fn current() -> Self {
        let number = |text: &str| text.parse::<u32>().unwrap();
        let today = date(0);
        Self(number(&today[..4]) * 12 + number(&today[5..7]) - 1)
    }

    fn before(self, months: u32) -> Self {
        Self(self.0 - months)
    }

    fn text(self) -> String {
        format!("{}-{:02}", self.0 / 12, self.0 % 12 + 1)
    }
}

/// Returns the number of the day of the month.
fn day_of_month() -> i64 {
    date(0)[8..].parse().unwrap()
}

/// Returns the number of days from today to the last day of the month.
#[expect(clippy::disallowed_methods, reason = "the tests compare months with the machine's clock")]
fn days_until_month_end() -> i64 {
    let today = SystemTime::now();
    let month = |days: u64| {
        let time = today + Duration::from_secs(days * 86_400);
        humantime::format_rfc3339_seconds(time).to_string()[..7].to_owned()
    };
    let next = (1..).find(|days| month(*days) != month(0)).unwrap();
    i64::try_from(next).unwrap() - 1
}

/// Moves everything into the past, as if the month had ended. No server runs. The last day of the
/// month before this one is due.
async fn pass_month(database: &Database) {
    let days = day_of_month();
    let earlier = |month: &str| format!("{month} - CASE {month} % 100 WHEN 1 THEN 89 ELSE 1 END");
    let mut statements = Vec::new();
    for table in ["usage_months", "click_months", "usage_requests"] {
        // The two steps keep the key unique meanwhile.
        statements.push(format!("UPDATE {table} SET month = -({})", earlier("month")));
        statements.push(format!("UPDATE {table} SET month = -month"));
    }
    statements.push(format!("UPDATE click_days SET day = -day - {days}"));
    statements.push(format!("UPDATE click_days SET day = -day - {}", 2 * days));
    let (open, created) = (earlier("open_month"), earlier("created_month"));
    statements.push(format!(
        "UPDATE day_close SET closed_day = closed_day - {days},
         closed_until = closed_until - {days}, open_month = {open}"
    ));
    let millis = days * 86_400_000;
    statements.push(format!(
        "UPDATE owners SET created_month = {created}, created_at = created_at - {millis}"
    ));
    database.execute(&statements.join("; ")).await;
}

/// Waits until all months before the current one are closed.
async fn wait_for_month(database: &Database) {
    wait_for_close(database).await;
    let current = Month::current();
    let number = i64::from(current.0 / 12 * 100 + current.0 % 12 + 1);
    eventually(TIMEOUT, "the month is closed", async || {
        database.number("SELECT open_month FROM day_close").await == number
    })
    .await;
}

/// Stops the server, lets the month end, and serves the database until the month is closed.
async fn serve_next_month(server: Server) -> Server {
    let database = server.terminate().database;
    pass_month(&database).await;
    let server = Server::on(&database);
    wait_for_month(&database).await;
    server
}

/// Returns the rows of `terse usage` with further options.
#[track_caller]
fn usage(database: &Database, month: Month, options: &[&str]) -> Vec<Value> {
    let command = ["usage", "--json", "--month", &month.text()];
    let rows = database.terse(&[&command, options].concat()).json();
    rows.as_array().unwrap().clone()
}

/// Returns the row of an owner.
#[track_caller]
pub(crate) fn usage_of(database: &Database, month: Month, owner: &str) -> Value {
    let rows = usage(database, month, &["--owner", owner]);
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows[0].clone()
}

/// Panics unless the row has these requests, created links, links and clicks.
#[track_caller]
fn assert_usage(row: &Value, expected: [i64; 4]) {
    let names = ["requests", "links_created", "links", "clicks"];
    assert_eq!(names.map(|name| row[name].as_i64().unwrap()), expected, "{row}");
}

/// Returns the rows of `terse report`.
#[track_caller]
fn report(database: &Database, month: Month, options: &[&str]) -> Value {
    let command = ["report", "--json", "--month", &month.text()];
    database.terse(&[&command, options].concat()).json()
}

#[track_caller]
fn import(database: &Database, owner: &str, codes: &[&str]) {
    let rows: String =
        codes.iter().map(|code| format!("{code},{URL}{code},40,2020-01-01T00:00:00Z\n")).collect();
    let file = database.directory().join("in.csv");
    std::fs::write(&file, format!("short_code,destination_url,clicks,created_at\n{rows}")).unwrap();
    database.terse(&["import", file.to_str().unwrap(), "--owner", owner]).done();
}

#[tokio::test]
async fn closed_month_never_changes() {
    let server = Server::start();
    let (database, key) = (Arc::clone(server.database()), server.key().to_owned());
    let acme = database.owner("acme", "pro");
    database.owner("idle", "unlimited");
    database.owner("gone", "pro");
    for code in ["one", "two", "three"] {
        server.with_key(&acme).create_from(&json!({"url": URL, "custom_code": code})).await;
    }
    import(&database, "acme", &["old", "older"]);
    import(&database, "gone", &["left"]);
    for (code, visits) in [("one", 1), ("two", 2), ("old", 4), ("left", 8)] {
        visit(&server, code, visits).await;
    }
    server.terse(&["link", "delete", "two"]).done();
    server.terse(&["owner", "delete", "gone", "--confirm", "gone", "--yes"]).done();
    let open = usage(&database, Month::current(), &[]);
    let column = |name| open.iter().map(|row| &row[name]).collect::<Vec<_>>();
    assert_eq!(column("owner_name"), ["acme", "default", "gone", "idle"]);
    assert_eq!(column("plan_name"), ["pro", "unlimited", "pro", "unlimited"]);
    assert!(open.iter().all(|row| row["is_final"] == false), "{open:?}");
    assert_usage(&usage_of(&database, Month::current(), "gone"), [0, 1, 0, 8]);

    let server = serve_next_month(server).await;
    let past = Month::current().before(1);
    let closed = usage(&database, past, &[]);
    assert_usage(&closed[0], [3, 5, 4, 7]);
    assert_usage(&closed[1], [0, 0, 0, 0]);
    assert_usage(&closed[2], [0, 1, 0, 8]);
    assert_usage(&closed[3], [0, 0, 0, 0]);
    for (before, after) in open.iter().zip(&closed) {
        let mut expected = before.clone();
        expected["is_final"] = true.into();
        expected["requests"] = after["requests"].clone();
        assert_eq!(&expected, after, "nothing changed at the close but stored requests");
    }
    assert_usage(&usage_of(&database, Month::current(), "acme"), [0, 0, 4, 0]);
    assert_eq!(usage(&database, Month::current(), &[]).len(), 3, "without the deleted owner");

    // Whatever happens later counts in the next month.
    visit(&server, "one", 16).await;
    server.with_key(&acme).create(URL).await;
    import(&database, "idle", &["new"]);
    server.terse(&["link", "delete", "old"]).done();
    server.terse(&["owner", "rename", "acme", "corp"]).done();
    server.terse(&["owner", "plan", "corp", "unlimited"]).done();
    server.terse(&["owner", "delete", "idle", "--confirm", "idle", "--yes"]).done();
    assert_eq!(usage(&database, past, &[]), closed);
    assert_usage(&usage_of(&database, Month::current(), "idle"), [0, 1, 0, 0]);
    let server = serve_next_month(server).await;
    let (first, second) = (past.before(1), past);
    assert_eq!(usage(&database, first, &[]), closed);
    let row = usage_of(&database, second, "corp");
    assert_usage(&row, [1, 1, 4, 16]);
    assert_eq!(row["plan_name"], "unlimited");
    assert_usage(&usage_of(&database, second, "idle"), [0, 1, 0, 0]);
    // The name that the owner had in the month or, if there is none, has now.
    assert_eq!(usage_of(&database, first, "acme"), closed[0]);
    assert_eq!(usage_of(&database, first, "corp"), closed[0]);
    let unknown = ["usage", "--month", &first.text(), "--owner", "nothing"];
    assert!(server.terse(&unknown).failed().contains("there is no owner 'nothing'"));
    assert_eq!(server.terse(&["check", "--json"]).json(), json!([]));
    server.with_key(&key).get("/api/v1/links").await.expect(200);
}

#[tokio::test]
async fn usage_is_a_table_or_json() {
    let server = Server::start();
    let database = Arc::clone(server.database());
    let month = Month::current().text();
    let outcome = server.terse(&["usage", "--month", &month]).done();
    let row = usage_of(&database, Month::current(), "default");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<_> = outcome.stdout.lines().map(words).collect();
    let head = [
        "OWNER_ID",
        "OWNER",
        "PLAN",
        "REQUESTS",
        "LINKS_CREATED",
        "LINKS",
        "CLICKS",
        "LINKS_DELETED",
    ];
    let id = row["owner_id"].to_string();
    assert_eq!(lines, [head, [&id, "default", "unlimited", "0", "0", "0", "0", "0"]]);
    assert_eq!(
        outcome.stderr,
        format!("terse: {month} is not closed; its usage may still change\n")
    );
    let keys = [
        "owner_id",
        "owner_name",
        "plan_name",
        "requests",
        "links_created",
        "links",
        "clicks",
        "links_deleted",
        "is_final",
    ];
    let row = row.as_object().unwrap();
    assert!(row.len() == keys.len() && keys.iter().all(|key| row.contains_key(*key)), "{row:?}");
    for arguments in [&[][..], &["--month", "2026-13"], &["--month", "2026"]] {
        server.terse(&[&["usage"], arguments].concat()).misused();
    }
}

/// The program makes the bill of the documents.
#[tokio::test]
async fn example_of_the_documents_is_the_usage_of_a_closed_month() {
    let server = Server::start();
    let database = Arc::clone(server.database());
    database.owner("corp", "unlimited");
    database.terse(&["owner", "rename", "default", "acme"]).done();
    server.terminate();
    let document = include_str!("../../docs/billing.md");
    let table = document.split("```\n").find(|block| block.starts_with("OWNER_ID")).unwrap();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<_> = table.lines().map(words).collect();
    // The links of the month before, and the changes of the month.
    let id = "SELECT (SELECT open_month FROM day_close), id";
    for line in &lines[1..] {
        let number = |column: usize| line[column].parse::<i64>().unwrap();
        let (requests, created, clicks, deleted) = (number(3), number(4), number(6), number(7));
        let (name, plan, links) = (&line[1], &line[2], number(5));
        database.terse(&["owner", "plan", name, plan]).done();
        database
            .execute(&format!(
                "INSERT INTO usage_months (month, owner_id, requests, links_created, clicks, links_deleted)
                 {id}, {requests}, {created}, {clicks}, {deleted} FROM owners WHERE name = '{name}';
                 UPDATE owners SET link_count = {links} WHERE name = '{name}'"
            ))
            .await;
    }
    pass_month(&database).await;
    let server = Server::on(&database);
    wait_for_month(&database).await;
    let month = Month::current().before(1).text();
    let shown = server.terse(&["usage", "--month", &month]).done();
    let without_id = |line: Vec<String>| line[1..].to_vec();
    let shown: Vec<_> = shown.stdout.lines().map(words).map(without_id).collect();
    assert_eq!(shown, lines.into_iter().map(without_id).collect::<Vec<_>>());
}
