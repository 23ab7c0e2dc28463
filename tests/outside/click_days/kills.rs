//! Kills during the close of a day, by one or two instances under load.

use std::time::Duration;

use serde_json::json;

use super::{URL, exported, pass, today};
use crate::harness::{Database, Load, Server, Store, TIMEOUT, eventually, run_on_threads};

/// Number of links that a transaction of the close passes.
const SLICE: i64 = 1_000;
/// Enough for a close of many slices.
const LINKS: i64 = 16 * SLICE;
/// Number of links that visitors follow.
const VISITED: i64 = 8;
const VISITORS: usize = 2;
/// One of this number of links is clicked every day, but none that visitors follow.
const CLICKED: i64 = 8;

fn code(number: i64) -> String {
    format!("link{number}")
}

/// Creates links, without their clicks.
async fn create_links(database: &Database) {
    database
        .execute(&format!(
            "INSERT INTO links (owner_id, short_code, destination_url, destination_host, created_at)
             WITH RECURSIVE numbers (i) AS (
                 SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {LINKS})
             SELECT (SELECT MIN(id) FROM owners), 'link' || i, '{URL}', 'example.com', 0 FROM numbers;
             INSERT INTO click_counts (link_id, count) SELECT id, 0 FROM links;
             UPDATE owners SET link_count = {LINKS} WHERE id = (SELECT MIN(id) FROM owners)"
        ))
        .await;
    // Links that were not inserted by Terse have no checksums.
    database.terse(&["check", "--repair"]).done();
}

/// Waits until the close has passed this number of further slices, or has ended.
async fn wait_for_slices(database: &Database, slices: i64) {
    let position = format!(
        "SELECT CASE closed_until WHEN {} THEN {} ELSE position END FROM day_close",
        today() - 1,
        i64::MAX
    );
    let connection = database.connect().await;
    let position = async || connection.find_number(&position).await.unwrap().unwrap();
    let enough = position().await.saturating_add(slices * SLICE);
    eventually(TIMEOUT, "the close goes on", async || position().await >= enough).await;
    connection.close().await;
}

/// Kills all instances after another number of slices in each round. Returns the number of kills
/// that interrupted a close.
async fn kill_during_close(kills: u32) -> u32 {
    let server = Server::start();
    let key = server.key().to_owned();
    let database = server.terminate().database;
    create_links(&database).await;
    let instances = if database.store() == Store::Sqlite { 1 } else { 2 };
    let visited: Vec<String> = (0..VISITED).map(|i| code(1 + i * LINKS / VISITED)).collect();
    let mut load = Load::paced(Duration::from_millis(1));
    let (mut interrupted, mut rounds, mut deleted) = (0, 0, Vec::new());
    for round in 0..4 * kills {
        // On a busy machine, the first kills may all come after the close.
        if round >= kills && interrupted > 0 {
            break;
        }
        let state = database.number("SELECT position FROM day_close").await;
        if state == 0 {
            // Another day has passed, and some of the other links were clicked on it.
            pass(&database, 1).await;
            let others = format!(
                "UPDATE click_counts SET count = count + 1
                 WHERE (link_id - (SELECT MIN(id) FROM links)) % {CLICKED} = 1"
            );
            database.execute(&others).await;
            rounds += 1;
        }
        // Old days are folded meanwhile, which kills interrupt, too.
        let serve = |_| Server::with(&database, &["--keep-days", "3"]);
        let servers: Vec<Server> = (0..instances).map(serve).collect();
        for server in &servers {
            load.visit(server, VISITORS, &visited);
        }
        if round % 4 == 0 {
            // Links at both ends are deleted during the close.
            let codes = [2 + i64::from(round), LINKS - i64::from(round)].map(code);
            let delete = ["link", "delete", "--yes", "--json", &codes[0], &codes[1]];
            assert_eq!(database.terse(&delete).json()["changed"], 2);
            deleted.extend(codes);
        }
        wait_for_slices(&database, i64::from(round % 4)).await;
        for server in servers {
            server.kill9();
        }
        load.stop();
        eventually(TIMEOUT, "the statements of killed instances end", async || database.is_idle())
            .await;
        let position = database.number("SELECT position FROM day_close").await;
        interrupted += u32::from(position > 0);
        let outcome = database.terse(&["check", "--json"]);
        assert_eq!(outcome.stdout.trim(), "[]", "after kill {round}: {outcome:?}");
    }
    let server = Server::on(&database);
    super::wait_for_close(&database).await;
    load.assert_counted(&server.with_key(&key)).await;
    let mut records = exported(&database, &[]);
    for number in 1..=LINKS {
        let code = code(number);
        let sum: i64 = records.remove(&code).unwrap_or_default().iter().map(|of| of.1).sum();
        if visited.contains(&code) {
            assert_eq!(sum.cast_unsigned(), server.with_key(&key).clicks(&code).await, "{code}");
        } else {
            let is_clicked = (number - 1) % CLICKED == 1 && !deleted.contains(&code);
            assert_eq!(sum, if is_clicked { rounds } else { 0 }, "{code}");
        }
    }
    assert!(records.is_empty(), "{records:?}");
    assert_eq!(server.terse(&["check", "--json"]).json(), json!([]));
    interrupted
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn close_survives_kills() {
    let interrupted = kill_during_close(6).await;
    assert!(interrupted > 0, "a kill came during the close");
}

#[test]
#[ignore = "long"]
fn closes_survive_200_kills() {
    let interrupted: u32 = run_on_threads([50; 4], kill_during_close).into_iter().sum();
    assert!(interrupted > 50, "{interrupted} kills came during the close");
}
