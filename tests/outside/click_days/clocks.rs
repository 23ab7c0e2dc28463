//! Clicks by day with clocks that jump, and around midnight.

use std::process::Command;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::{assert_exact, clicks, date, exported, import, today, visit, wait_for_close};
use crate::harness::{Database, Outcome, Server, TIMEOUT, eventually, only_on};

/// Runs a command with a clock that is off.
fn terse_at(database: &Database, offset: &str, arguments: &[&str]) -> Outcome {
    let mut command: Command = database.command();
    Server::set_clock(&mut command, offset);
    Outcome::new(arguments, &command.args(arguments).output().unwrap())
}

/// Returns the clicks of the last days by a clock that is off.
fn clicks_at(database: &Database, offset: &str, code: &str, days: u32) -> Vec<i64> {
    let days = days.to_string();
    let shown = ["link", "clicks", code, "--json", "--days", &days];
    let shown = terse_at(database, offset, &shown).json();
    shown.as_array().unwrap().iter().map(|day| day["clicks"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn clock_that_jumps_ahead_and_back_loses_nothing() {
    only_on!(Sqlite: "there the server's clock counts");
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::on(&database);
    import(&database, "default", &[("old", "", 5)]);
    visit(&server, "old", 1).await;
    server.terminate();

    // A clock that is so far ahead closes nothing before it has run for an hour.
    let delay = ["--close-delay", "3600000"];
    let server = Server::with_clock(&database, "+500d", &delay);
    visit(&server, "old", 2).await;
    assert_eq!(clicks_at(&database, "+500d", "old", 501)[0], 3);
    server.terminate();
    assert_eq!(database.number("SELECT closed_until FROM day_close").await, today() - 1);

    // The next server has the right clock again.
    let server = Server::on(&database);
    wait_for_close(&database).await;
    visit(&server, "old", 4).await;
    assert_eq!(clicks(&database, "old", 2), [0, 7]);
    let records = &exported(&database, &[])["old"];
    assert_eq!(records.len(), 2, "one record per day: {records:?}");
    let api = server.with_key(database.default_key());
    assert_exact(&server, &api, &["old"]).await;
    server.terminate();

    // One day may have passed.
    let server = Server::with_clock(&database, "+1d", &delay);
    eventually(TIMEOUT, "the day is closed", async || {
        database.number("SELECT closed_until FROM day_close").await == today()
    })
    .await;
    assert_eq!(clicks_at(&database, "+1d", "old", 3), [0, 7, 0]);
    let api = server.with_key(database.default_key());
    assert_exact(&server, &api, &["old"]).await;
    server.terminate();

    // The clock was wrong: the day stays closed, until an operator opens it.
    let server = Server::on(&database);
    visit(&server, "old", 2).await;
    let closed_until = async || database.number("SELECT closed_until FROM day_close").await;
    assert_eq!(closed_until().await, today());
    let month = &date(0)[..7];
    server.terse(&["usage", "reopen", month, "--yes"]).done();
    assert_eq!(closed_until().await, today() - 1);
    assert_eq!(clicks(&database, "old", 2), [0, 9]);
    server.terse(&["usage", "reopen", month, "--yes"]).failed();
    assert_exact(&server, &server.with_key(database.default_key()), &["old"]).await;
}

#[tokio::test]
async fn clicks_around_midnight_belong_to_their_day() {
    only_on!(Sqlite: "there the server's clock counts");
    let database = Arc::new(Database::new().with_default_owner());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    // It begins a few seconds before midnight.
    let offset = format!("+{}s", 86_400 - now % 86_400 - 8);
    let server = Server::with_clock_offset(&database, &offset);
    import(&database, "default", &[("old", "", 0)]);
    visit(&server, "old", 3).await;
    let first = database.number("SELECT closed_until FROM day_close").await + 1;
    eventually(TIMEOUT, "the server closes the day by itself", async || {
        database.number("SELECT closed_until FROM day_close").await == first
    })
    .await;
    visit(&server, "old", 2).await;
    let expected = vec![3, 2];
    assert_eq!(clicks_at(&database, &offset, "old", 2), expected);
    let log = server.terminate().log;
    let closed = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let closed: Vec<Value> = closed.filter(|line| line["message"] == "day closed").collect();
    assert_eq!(closed.len(), 1, "{log}");
    assert_eq!((&closed[0]["links"], &closed[0]["level"]), (&1.into(), &"INFO".into()));
}
