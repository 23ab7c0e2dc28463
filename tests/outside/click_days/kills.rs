//! Kills during the close of a day, by one or two instances under load.

use std::time::Duration;

use serde_json::json;

use super::{URL, exported, pass};
use crate::harness::{Database, Load, Server, Store, TIMEOUT, eventually};

/// Enough for a close of many slices.
const LINKS: i64 = 60_000;
/// Visitors of a few of the links.
const VISITORS: usize = 4;

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

/// Kills all instances at another moment of the close in each round. Returns the number of kills
/// that interrupted a close.
async fn kill_during_close(kills: u32) -> u32 {
    let server = Server::start();
    let key = server.key().to_owned();
    let database = server.terminate().database;
    create_links(&database).await;
    let instances = if database.store() == Store::Sqlite { 1 } else { 2 };
    let visited: Vec<String> = (0..8).map(|i| format!("link{}", 1 + i * (LINKS / 8))).collect();
    let mut load = Load::default();
    let (mut interrupted, mut rounds) = (0, 0);
    for round in 0..kills {
        let state = database.number("SELECT position FROM day_close").await;
        if state == 0 {
            // Another day has passed, and each of the other links was clicked on it.
            pass(&database, 1).await;
            let others = format!(
                "UPDATE click_counts SET count = count + 1 WHERE link_id IN (
                     SELECT id FROM links WHERE short_code NOT IN ('{}'))",
                visited.join("', '")
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
        // Links at both ends are deleted during the close.
        let codes = [format!("link{}", 2 + round), format!("link{}", LINKS - i64::from(round))];
        let delete = ["link", "delete", "--yes", &codes[0], &codes[1]];
        assert_eq!(database.terse(&[&delete[..], &["--json"]].concat()).json()["changed"], 2);
        tokio::time::sleep(Duration::from_millis(u64::from(round * 61 % 400))).await;
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
    let records = exported(&database, &[]);
    assert_eq!(records.len() as i64, LINKS - 2 * i64::from(kills));
    for (code, days) in records {
        let sum: i64 = days.iter().map(|(_, clicks)| clicks).sum();
        if visited.contains(&code) {
            assert_eq!(sum.cast_unsigned(), server.with_key(&key).clicks(&code).await, "{code}");
        } else {
            assert_eq!(sum, rounds, "{code}");
        }
    }
    assert_eq!(server.terse(&["check", "--json"]).json(), json!([]));
    interrupted
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn close_survives_kills() {
    let interrupted = kill_during_close(6).await;
    assert!(interrupted > 0, "a kill came during the close");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn close_survives_200_kills() {
    let interrupted = kill_during_close(200).await;
    assert!(interrupted > 20, "{interrupted} kills came during the close");
}
