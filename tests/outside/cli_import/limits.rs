//! The plan's limit during concurrent creations.

use std::fmt::Write as _;

use serde_json::json;

use super::{counts, database, file, import_json};
use crate::harness::{Load, Server, TIMEOUT, eventually};

const LIMIT: usize = 3_000;

#[test]
fn rows_above_the_limit_are_rejected() {
    let database = database();
    database.plan("small", "5", false);
    database.terse(&["owner", "plan", "me", "small"]).done();
    let rows: String =
        (0..8).fold("short_code,destination_url\n".to_owned(), |mut rows, number| {
            writeln!(rows, "code{number},https://example.com/{number}").unwrap();
            rows
        });
    let outcome = import_json(&database, &rows);
    assert_eq!(counts(&outcome), [5, 0, 3]);
    assert!(outcome.stderr.starts_with("line 7: the plan's link limit is reached\n"));
    assert_eq!(
        counts(&import_json(&database, &rows)),
        [0, 5, 3],
        "existing links do not count again"
    );
    database.terse(&["plan", "set", "small", "--max-links", "unlimited"]).done();
    assert_eq!(counts(&import_json(&database, &rows).done()), [3, 5, 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limit_is_exact_while_a_server_creates_links() {
    let server = Server::start();
    let database = server.database();
    database.plan("small", &LIMIT.to_string(), false);
    let key = database.owner("me", "small");
    let rows: String = (0..LIMIT).fold("destination_url\n".to_owned(), |mut rows, number| {
        writeln!(rows, "https://example.com/{number}").unwrap();
        rows
    });
    file(database, "in", rows);
    let mut load = Load::default();
    load.create(&server, 4, &key, &[409, 503]);
    eventually(TIMEOUT, "links are created", async || load.created().len() > 20).await;
    let outcome = tokio::task::block_in_place(|| {
        database.terse(&["import", "in", "--owner", "me", "--json"])
    });
    eventually(TIMEOUT, "the plan is full", async || load.refused() > 20).await;
    load.stop();
    let [imported, there, refused] = counts(&outcome);
    let created = load.created().len();
    assert_eq!(there, 0);
    assert!(refused > 0 && imported > 0, "{outcome:?}");
    assert_eq!(imported + refused, LIMIT as u64);
    assert_eq!(imported as usize + created, LIMIT, "{created} were created");
    assert_eq!(server.with_key(&key).listed().await.len(), LIMIT);
    let more = json!({"url": "https://example.com/"});
    server.with_key(&key).shorten(&more).await.problem(409, "plan-limit-reached");
}
