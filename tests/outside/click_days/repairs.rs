//! `terse check` of clicks by day.

use serde_json::{Value, json};

use super::{clicks, exported, import, serve_later, today, visit};
use crate::harness::{Database, Server};

/// Returns a database without a server, whose link has an opening balance of 10, 3 clicks of
/// yesterday and 2 of today.
async fn database() -> std::sync::Arc<Database> {
    let server = Server::start();
    import(server.database(), "default", &[("old", "", 10), ("next", "", 0)]);
    visit(&server, "old", 3).await;
    let server = serve_later(server, 1, &[]).await;
    visit(&server, "old", 2).await;
    server.terminate().database
}

/// Returns the sum of the records of the link.
fn sum(database: &Database) -> i64 {
    exported(database, &[])["old"].iter().map(|(_, clicks)| clicks).sum()
}

/// Makes a change by hand, which the check must find and repair.
async fn assert_repaired(change: &str, expected: [i64; 2]) {
    let database = database().await;
    database.execute(change).await;
    let find = |arguments: &[&str], code: i32| -> Vec<Value> {
        let outcome = database.terse(&[&["check", "--json"], arguments].concat());
        assert_eq!(outcome.code, Some(code), "{change}: {outcome:?}");
        serde_json::from_str(&outcome.stdout).unwrap()
    };
    let found = find(&[], 1);
    assert_eq!(found.len(), 1, "{change}: {found:?}");
    assert_eq!(found[0]["check"], "click-days", "{change}");
    let repaired = find(&["--repair"], 0);
    assert_eq!(repaired[0]["repaired"], true, "{change}");
    assert_eq!(find(&[], 0), Vec::<Value>::new(), "{change}");
    assert_eq!(sum(&database), 15, "{change}");
    assert_eq!(clicks(&database, "old", 2), expected, "{change}");
}

#[tokio::test]
async fn days_that_do_not_add_up_are_repaired() {
    let id = "(SELECT id FROM links WHERE short_code = 'old')";
    let is_old = format!("link_id = {id}");
    let update = |set: &str| format!("UPDATE click_counts SET {set} WHERE {is_old}");
    let day = today() - 1;
    for (change, expected) in [
        (update("opening = 9"), [3, 2]),
        (update("opening = -1"), [3, 2]),
        (update("closed = 12"), [3, 3]),
        // The days exceed what is closed.
        (update("closed = 2"), [0, 13]),
        (update("closed = -1"), [0, 15]),
        (format!("UPDATE click_days SET count = 4 WHERE {is_old}"), [4, 2]),
        (format!("UPDATE click_days SET count = -3 WHERE {is_old}"), [0, 2]),
        (format!("UPDATE click_days SET count = 99 WHERE {is_old}"), [0, 2]),
        (format!("DELETE FROM click_days WHERE {is_old}"), [0, 2]),
        (format!("INSERT INTO click_days (day, link_id, count) VALUES ({day}, 777, 5)"), [3, 2]),
        (
            format!(
                "INSERT INTO click_days (day, link_id, count)
                 SELECT {day}, id, 5 FROM links WHERE short_code = 'next'"
            ),
            [3, 2],
        ),
    ] {
        assert_repaired(&change, expected).await;
    }
}

#[tokio::test]
async fn more_closed_clicks_than_there_are_is_repaired() {
    let database = database().await;
    database.execute("UPDATE click_counts SET opening = 97, closed = 100").await;
    let found = database.terse(&["check", "--repair", "--json"]).json();
    assert_eq!(found[0]["check"], "click-days", "{found}");
    assert_eq!(database.terse(&["check", "--json"]).json(), json!([]));
    assert_eq!(sum(&database), 15);
}

#[tokio::test]
async fn days_of_counts_without_link_are_deleted() {
    let database = database().await;
    let day = today();
    database
        .execute(&format!(
            "INSERT INTO click_counts (link_id, count, closed) VALUES (777, 5, 5);
             INSERT INTO click_days (day, link_id, count) VALUES ({day}, 777, 5)"
        ))
        .await;
    let found = database.terse(&["check", "--repair", "--json"]).json();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(database.number("SELECT COUNT(*) FROM click_days WHERE link_id = 777").await, 0);
    assert_eq!(database.terse(&["check", "--json"]).json(), json!([]));
}
