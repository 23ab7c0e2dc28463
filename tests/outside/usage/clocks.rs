//! Months with clocks that jump, and around their ends.
#![expect(clippy::disallowed_methods, reason = "the tests compare months with the machine's clock")]

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{Month, URL};
use crate::click_days::{visit, wait_for_close};
use crate::harness::{Database, Outcome, Server, TIMEOUT, eventually, only_on};

/// Returns the usage of a month by a clock that is off.
fn usage_at(database: &Database, offset: &str, month: &str) -> Vec<Value> {
    let arguments = ["usage", "--json", "--month", month];
    let mut command = database.command();
    Server::set_clock(&mut command, offset);
    let outcome = Outcome::new(&arguments, &command.args(arguments).output().unwrap());
    outcome.json().as_array().unwrap().clone()
}

fn numbers(row: &Value) -> [i64; 5] {
    ["requests", "links_created", "links", "clicks", "is_final"]
        .map(|name| row[name].as_i64().unwrap_or_else(|| row[name].as_bool().unwrap().into()))
}

/// Returns the number of seconds until a month ends, and the month.
fn until_month_end() -> (u64, Month) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let month = Month::current();
    let time = |days: u64| UNIX_EPOCH + Duration::from_secs((now / 86_400 + days) * 86_400);
    let is_next = |days: &u64| {
        let text = humantime::format_rfc3339_seconds(time(*days)).to_string();
        text[..7] != month.text()
    };
    let days = (1..40).find(is_next).unwrap();
    ((now / 86_400 + days) * 86_400 - now, month)
}

#[tokio::test]
async fn usage_around_the_end_of_a_month_belongs_to_one_of_the_two() {
    only_on!(Sqlite: "there the server's clock counts");
    let database = Arc::new(Database::new().with_default_owner());
    let (seconds, month) = until_month_end();
    let offset = format!("+{}s", seconds - 6);
    let server = Server::with_clock_offset(&database, &offset);
    let api = server.with_key(database.default_key());
    for code in ["one", "two", "three"] {
        api.create_from(&json!({"url": URL, "custom_code": code})).await;
    }
    visit(&server, "one", 3).await;
    tokio::time::sleep(Duration::from_secs(7)).await;
    api.create(URL).await;
    visit(&server, "one", 5).await;
    let next = Month(month.0 + 1).text();
    eventually(TIMEOUT, "the month is closed", async || {
        usage_at(&database, &offset, &month.text())[0]["is_final"] == true
    })
    .await;
    api.create(URL).await;
    server.terminate();
    let closed = &usage_at(&database, &offset, &month.text())[0];
    let open = &usage_at(&database, &offset, &next)[0];
    let ([requests, created, _, clicks, _], [more, created_since, links, clicks_since, is_final]) =
        (numbers(closed), numbers(open));
    assert_eq!((created, created_since, links, is_final), (3, 2, 5, 0));
    assert_eq!((requests + more, clicks + clicks_since), (5, 8), "{closed} {open}");
}

#[tokio::test]
async fn only_a_command_opens_a_month_again_that_a_wrong_clock_closed() {
    only_on!(Sqlite: "there the server's clock counts");
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::on(&database);
    let month = Month::current().text();
    server.with_key(database.default_key()).create(URL).await;
    server.terminate();
    let server = Server::with_clock_offset(&database, "+500d");
    let is_final = || usage_at(&database, "+0d", &month)[0]["is_final"].clone();
    let closed = "SELECT COUNT(DISTINCT month) FROM usage_months";
    eventually(TIMEOUT, "many months are closed", async || database.number(closed).await > 13)
        .await;
    assert_eq!(is_final(), true);
    server.with_key(database.default_key()).create(URL).await;
    server.terminate();
    // The next server has the right clock again.
    let server = Server::on(&database);
    eventually(TIMEOUT, "the wrong clock is reported", async || {
        server.anyone().get("/metrics").await.text().contains("terse_clock_error_seconds -")
    })
    .await;
    let ready = server.anyone().get("/health/ready").await.expect(200).json();
    assert!(ready["clock"].as_str().unwrap().contains("days behind; correct it"), "{ready}");
    assert_eq!(is_final(), true);
    let (reopen, yes) = (["usage", "reopen", "--json", &month], ["--note", "ahead", "--yes"]);
    let dry = server.terse(&[&reopen[..], &["--dry-run"]].concat()).json();
    assert_eq!((is_final(), &dry["event_id"]), (json!(true), &Value::Null));
    let reopened = server.terse(&[&reopen[..], &yes].concat()).json();
    let before = reopened["before"].as_array().unwrap();
    assert_eq!((&before[0]["month"], numbers(&before[0])), (&json!(month), [1, 1, 1, 0, 1]));
    let months: Vec<&Value> = before.iter().map(|row| &row["month"]).collect();
    assert_eq!(json!(months), reopened["months"], "one row of the owner for each month");
    assert!(months.len() > 12, "{reopened}");
    assert_eq!(numbers(&reopened["after"][0])[1..], [2, 2, 0, 0], "what was counted meanwhile");
    let event = reopened["event_id"].to_string();
    let shown = server.terse(&["history", "--json"]).done().stdout;
    assert!(shown.contains("usage reopen") && shown.contains(&month), "{event} {shown}");
    assert_eq!(is_final(), false);
    wait_for_close(&database).await;
    server.terse(&[&reopen[..], &yes].concat()).failed();
    let code = server.with_key(database.default_key()).create(URL).await;
    visit(&server, &code, 2).await;
    server.terse(&["owner", "rename", "default", "renamed"]).done();
    let log = server.terminate().log;
    assert!(log.contains("the clock is wrong by more than a day"), "{log}");
    let row = &usage_at(&database, "+0d", &month)[0];
    assert_eq!(row["owner_name"], "renamed");
    assert_eq!(numbers(row), [3, 3, 3, 2, 0]);
}
