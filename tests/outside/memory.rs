//! Memory limits of a server.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::cli_import::{database, file};
use crate::harness::{Database, Server, eventually};
use crate::outage::block_writers;

const CLIENTS: usize = 32;
/// Number of requests that a client sends at once.
const PIPELINED: usize = 50;

/// Allowance for pages of the database, the allocator's pages, and connections.
const SLACK: u64 = 5 * 1024 * 1024;

/// Requests each code once; returns the number of responses by status.
fn responses(server: &Server, codes: &[String]) -> BTreeMap<u16, usize> {
    let responses = Mutex::<BTreeMap<u16, usize>>::default();
    thread::scope(|scope| {
        for codes in codes.chunks(codes.len().div_ceil(CLIENTS)) {
            let (mut connection, responses) = (server.connect(), &responses);
            scope.spawn(move || {
                for codes in codes.chunks(PIPELINED) {
                    let targets = codes.iter().map(|code| format!("/{code}"));
                    connection.send_heads("GET", targets).unwrap();
                    for _ in codes {
                        let (status, _, _) = connection.read_response(false).unwrap();
                        *responses.lock().unwrap().entry(status).or_default() += 1;
                    }
                }
            });
        }
    });
    responses.into_inner().unwrap()
}

/// Requests each code once, and checks the status.
fn ask(server: &Server, codes: &[String], status: u16) {
    assert_eq!(responses(server, codes), BTreeMap::from([(status, codes.len())]));
}

/// Returns a database with this number of links, and their codes.
fn with_links(count: usize, destination: &str) -> (Arc<Database>, Vec<String>) {
    let database = Arc::new(database());
    let mut rows = "short_code,destination_url\n".to_owned();
    let codes: Vec<_> = (0..count).map(|number| format!("code-{number}")).collect();
    for code in &codes {
        writeln!(rows, "{code},{destination}{code}").unwrap();
    }
    file(&database, "in", rows);
    database.terse(&["import", "in", "--owner", "me"]).done();
    (database, codes)
}

/// Returns this number of unknown codes, numbered from `from`.
fn unknown(from: usize, count: usize) -> Vec<String> {
    (from..from + count).map(|number| format!("no-such-{number:x}")).collect()
}

/// Requests this number of unknown codes after a warm-up, and checks that the server's memory has
/// not grown as if it stored them.
fn assert_not_cached(count: usize) {
    let server = Server::start();
    let warm = count / 4;
    ask(&server, &unknown(0, warm), 404);
    let before = server.private_memory();
    let mut asked = warm;
    while asked < warm + count {
        let some = unknown(asked, (warm + count - asked).min(100_000));
        ask(&server, &some, 404);
        asked += some.len();
    }
    let after = server.private_memory();
    assert!(after < before + SLACK, "{before} bytes before {count} unknown codes, {after} after");
}

#[test]
fn unknown_codes_need_no_memory() {
    assert_not_cached(120_000);
}

#[test]
#[ignore = "long"]
fn million_unknown_codes_need_no_memory() {
    assert_not_cached(1_000_000);
}

/// Visits this number of links, each of which needs 2 KB, and checks that the server's memory grows
/// only until its cache is full. The first half fills the page caches of SQLite's connections, too.
fn assert_cache_is_bounded(links: usize) {
    let destination = format!("https://example.com/{}/", "x".repeat(1_900));
    let (database, codes) = with_links(links, &destination);
    let server = Server::with(&database, &["--cache-size", "2"]);
    let (first, others) = codes.split_at(links / 2);
    ask(&server, first, 302);
    let before = server.private_memory();
    ask(&server, others, 302);
    let after = server.private_memory();
    assert!(
        after < before + SLACK,
        "{before} bytes after half of {links} links, {after} after all"
    );
}

#[test]
fn visited_links_stay_within_the_cache_size() {
    assert_cache_is_bounded(8_000);
}

#[test]
#[ignore = "long"]
fn many_visited_links_stay_within_the_cache_size() {
    assert_cache_is_bounded(200_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn buffered_clicks_stay_within_their_memory_limit() {
    // The clicks of this number of links fit into 1 MiB.
    const FIT: usize = 10_000;
    let (database, codes) = with_links(12_000, "https://example.com/");
    let server = Server::with(&database, &["--queue-size", "1", "--cache-size", "1"]);
    let stored = || {
        let links = database.terse(&["export", "--format", "jsonl"]).done().stdout;
        let clicks = |link: &str| serde_json::from_str::<Value>(link).unwrap()["clicks"].as_u64();
        links.lines().filter_map(clicks).sum::<u64>()
    };
    let all_are_stored = async |clicks| {
        eventually(Duration::from_secs(20), "all are stored", async || stored() == clicks).await;
    };
    // Fills the caches, so that only buffered clicks take memory later.
    ask(&server, &codes[..FIT], 302);
    all_are_stored(FIT as u64).await;
    let holder = block_writers(&server).await;
    // The first requests wait until the outage is detected.
    ask(&server, &codes[..1], 302);
    let before = server.private_memory();
    ask(&server, &codes[..FIT], 302);
    let after = server.private_memory();
    assert!(
        after < before + SLACK,
        "{before} bytes before {FIT} links' clicks waited, then {after}"
    );
    let late = responses(&server, &codes[FIT..]);
    let counted = late.get(&302).copied().unwrap_or(0);
    assert!(late[&503] > 500, "{late:?}");
    assert_eq!(late[&503] + counted, codes.len() - FIT);
    // Links with buffered clicks still redirect.
    ask(&server, &codes[..1_000], 302);
    holder.execute("ROLLBACK").await.unwrap();
    holder.close().await;

    all_are_stored((1 + 2 * FIT + counted + 1_000) as u64).await;
    ask(&server, &codes[FIT..], 302);
}
