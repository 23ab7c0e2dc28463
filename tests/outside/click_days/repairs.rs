//! `terse check` of clicks by day.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{clicks, exported, import, serve_later, today, visit};
use crate::harness::{Database, Server};

/// Returns a database without a server, each of whose links has an opening balance of 10, 3 clicks
/// of yesterday and 2 of today.
async fn database(codes: &[String]) -> Arc<Database> {
    let server = Server::start();
    let links: Vec<_> = codes.iter().map(|code| (code.as_str(), "", 10)).collect();
    import(server.database(), "default", &[&links[..], &[("next", "", 0)]].concat());
    for code in codes {
        visit(&server, code, 3).await;
    }
    let server = serve_later(server, 1, &[]).await;
    for code in codes {
        visit(&server, code, 2).await;
    }
    server.terminate().database
}

/// Returns a database with one link.
async fn database_of_one() -> Arc<Database> {
    database(&["old".to_owned()]).await
}

/// Returns the sum of the records of a link.
fn sum(database: &Database, code: &str) -> i64 {
    exported(database, &[])[code].iter().map(|(_, clicks)| clicks).sum()
}

/// Makes a change of a link by hand, which the check must find and repair.
async fn assert_repaired(database: &Database, code: &str, change: &str, expected: [i64; 2]) {
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
    assert_eq!(sum(database, code), 15, "{change}");
    assert_eq!(clicks(database, code, 2), expected, "{change}");
}

#[tokio::test]
async fn days_that_do_not_add_up_are_repaired() {
    let day = today() - 1;
    // Each change is of another link.
    let changes = [
        ("UPDATE click_counts SET opening = 9 WHERE OLD", [3, 2]),
        ("UPDATE click_counts SET opening = -1 WHERE OLD", [3, 2]),
        ("UPDATE click_counts SET closed = 12 WHERE OLD", [3, 3]),
        // The days exceed what is closed.
        ("UPDATE click_counts SET closed = 2 WHERE OLD", [0, 13]),
        ("UPDATE click_counts SET closed = -1 WHERE OLD", [0, 15]),
        ("UPDATE click_days SET count = 4 WHERE OLD", [4, 2]),
        ("UPDATE click_days SET count = -3 WHERE OLD", [0, 2]),
        ("UPDATE click_days SET count = 99 WHERE OLD", [0, 2]),
        ("DELETE FROM click_days WHERE OLD", [0, 2]),
        ("INSERT INTO click_days (day, link_id, count) VALUES (YESTERDAY, 777, 5)", [3, 2]),
        (
            "INSERT INTO click_days (day, link_id, count)
             SELECT YESTERDAY, id, 5 FROM links WHERE short_code = 'next'",
            [3, 2],
        ),
    ];
    let codes: Vec<String> = (0..changes.len()).map(|number| format!("old{number}")).collect();
    let database = database(&codes).await;
    for ((change, expected), code) in changes.into_iter().zip(&codes) {
        let is_old = format!("link_id = (SELECT id FROM links WHERE short_code = '{code}')");
        let change = change.replace("OLD", &is_old).replace("YESTERDAY", &day.to_string());
        assert_repaired(&database, code, &change, expected).await;
    }
}

#[tokio::test]
async fn more_closed_clicks_than_there_are_is_repaired() {
    let database = database_of_one().await;
    database.execute("UPDATE click_counts SET opening = 97, closed = 100").await;
    let found = database.terse(&["check", "--repair", "--json"]).json();
    assert_eq!(found[0]["check"], "click-days", "{found}");
    assert_eq!(database.terse(&["check", "--json"]).json(), json!([]));
    assert_eq!(sum(&database, "old"), 15);
}

#[tokio::test]
async fn days_of_counts_without_link_are_deleted() {
    let database = database_of_one().await;
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
