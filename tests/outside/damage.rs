//! Damaged SQLite files: a server refuses them, or names the damage and sends nothing wrong.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use futures_util::stream::{StreamExt as _, iter};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;

use crate::harness::{Database, Server, Store, TIMEOUT, eventually, only_on};

const URL: &str = "https://example.com/";
const PAGE: usize = 4096;
const LINKS: usize = 1_500;
/// Number of links that a round visits.
const VISITED: usize = 150;
/// The message with which a running server names damage.
const DAMAGED: &str = "the database file is damaged";

/// Returns a database of links with distinct destinations and clicks, by code.
fn database_of_links(prefix: &str) -> (Arc<Database>, BTreeMap<String, (String, u64)>) {
    let database = Server::start().terminate().database;
    let mut links = BTreeMap::new();
    let mut rows = "short_code,destination_url,clicks\n".to_owned();
    for number in 0..LINKS {
        let (code, clicks) = (format!("{prefix}{number}"), number as u64 * 7919 % 100_000);
        let destination = format!("https://example.com/{prefix}/{number}/{}", number * 104_729);
        writeln!(rows, "{code},{destination},{clicks}").unwrap();
        links.insert(code, (destination, clicks));
    }
    let file = database.directory().join("rows.csv");
    fs::write(&file, rows).unwrap();
    database.terse(&["import", file.to_str().unwrap(), "--owner", "default"]).done();
    (database, links)
}

/// Damages a file in one of several ways.
fn damage(rng: &mut StdRng, intact: &[u8], foreign: &[u8]) -> (String, Vec<u8>) {
    let mut bytes = intact.to_vec();
    let pages = bytes.len() / PAGE;
    let at = rng.random_range(0..bytes.len());
    let (page, other) = (rng.random_range(0..pages), rng.random_range(0..pages));
    let range = |page: usize| page * PAGE..(page + 1) * PAGE;
    let what = match rng.random_range(0..6) {
        0 => {
            bytes.truncate(at);
            format!("truncated to {at} bytes")
        }
        1 | 2 => {
            bytes[at] ^= 1 << rng.random_range(0..8);
            format!("a bit of byte {at} flipped")
        }
        3 => {
            bytes[range(page)].copy_from_slice(&intact[range(other)]);
            bytes[range(other)].copy_from_slice(&intact[range(page)]);
            format!("pages {page} and {other} swapped")
        }
        4 => {
            bytes[range(page)].fill(0);
            format!("page {page} zeroed")
        }
        _ => {
            let other = rng.random_range(0..foreign.len() / PAGE);
            bytes[range(page)].copy_from_slice(&foreign[range(other)]);
            format!("page {page} is page {other} of another database")
        }
    };
    (what, bytes)
}

/// Serves damaged files. Returns how many were served.
async fn serve_damaged_files(seed: u64, rounds: usize) -> usize {
    let (database, links) = database_of_links("link-");
    let key = database.default_key().to_owned();
    let (other, _) = database_of_links("other-");
    let (intact, foreign) = (fs::read(database.file()).unwrap(), fs::read(other.file()).unwrap());
    let mut rng = StdRng::seed_from_u64(seed);
    let mut served = 0;
    for round in 0..rounds {
        let (what, bytes) = damage(&mut rng, &intact, &foreign);
        let damaged = Arc::new(Database::of(Store::Sqlite));
        fs::write(damaged.file(), &bytes).unwrap();
        let round = format!("seed {seed}, round {round}: {what}");
        let server = match Server::try_on(&damaged) {
            Ok(server) => server,
            Err(ended) => {
                assert_eq!(ended.code, Some(1), "{round}: {}", ended.log);
                assert_eq!(ended.log.lines().count(), 1, "{round}: {}", ended.log);
                assert!(ended.log.contains("damaged"), "{round}: {}", ended.log);
                assert!(fs::read(damaged.file()).unwrap() == bytes, "{round}: it was changed");
                continue;
            }
        };
        served += 1;
        let (anyone, api) = (&server.anyone(), &server.with_key(&key));
        let sample = links.iter().sample(&mut rng, VISITED);
        let visits = iter(sample).map(async |(code, (destination, clicks))| {
            let visit = anyone.head(&format!("/{code}")).await;
            let stats = api.stats(code).await;
            match visit.status {
                302 => assert_eq!(visit.header("location"), Some(&**destination), "{round}"),
                404 => drop(server.wait_for_log(DAMAGED)),
                status => assert_eq!(status, 503, "{round}: {code}"),
            }
            match stats.status {
                200 => assert_eq!(stats.data()["clicks"], json!(clicks), "{round}: {code}"),
                404 => drop(server.wait_for_log(DAMAGED)),
                // The key may be damaged.
                status => assert!([401, 503].contains(&status), "{round}: {code}: {status}"),
            }
        });
        visits.buffer_unordered(16).collect::<Vec<()>>().await;
    }
    served
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_file_is_refused_or_sends_nothing_wrong() {
    only_on!(Sqlite: "PostgreSQL checks its own files");
    serve_damaged_files(1, 20).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn two_hundred_damaged_files_are_refused_or_send_nothing_wrong() {
    only_on!(Sqlite: "PostgreSQL checks its own files");
    let served = serve_damaged_files(2, 200).await;
    assert!(served < 200, "most are refused");
}

/// Waits until the server is not ready and creates nothing, and names the damage once.
async fn assert_damage_stops_writes(server: &Server) {
    eventually(TIMEOUT, "readiness turns 503", async || {
        server.anyone().get("/health/ready").await.status == 503
    })
    .await;
    let file = fs::read(server.database().file()).unwrap();
    for _ in 0..3 {
        server.api().shorten(&json!({"url": URL})).await.problem(503, "unavailable");
    }
    // No task writes either.
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    assert!(fs::read(server.database().file()).unwrap() == file, "nothing more is written");
    assert_eq!(server.log().matches(DAMAGED).count(), 1, "{}", server.log());
    server.anyone().get("/health/live").await.expect(200);
}

/// Serves a database of links with a cached link, whose code is returned.
async fn serve_links() -> (Server, String) {
    let (database, links) = database_of_links("link-");
    let server = Server::on(&database);
    let cached = links.keys().next().unwrap().clone();
    server.anyone().get(&format!("/{cached}")).await.expect(302);
    (server, cached)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damage_of_a_running_database_stops_writes() {
    only_on!(Sqlite: "PostgreSQL checks its own files");
    let (server, cached) = serve_links().await;
    let file = fs::File::options().write(true).open(server.database().file()).unwrap();
    let pages = file.metadata().unwrap().len() as usize / PAGE;
    for page in 1..pages {
        file.write_all_at(&[0xff; PAGE], (page * PAGE) as u64).unwrap();
    }
    // Pages may be in SQLite's cache.
    let mut number = LINKS;
    eventually(TIMEOUT, "the damage is noticed", async || {
        number -= 1;
        let status = server.anyone().head(&format!("/link-{number}")).await.status;
        assert!([302, 503].contains(&status), "{status}");
        server.log().contains(DAMAGED)
    })
    .await;
    assert_damage_stops_writes(&server).await;
    for _ in 0..3 {
        server.anyone().get(&format!("/{cached}")).await.expect(302);
    }
    server.anyone().get("/made-up").await.expect(503);
    let before = fs::read(server.database().file()).unwrap();
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    assert!(ended.log.contains("\"clicks\":3"), "they are spooled: {}", ended.log);
    assert!(fs::read(ended.database.file()).unwrap() == before, "the end writes nothing");
}

/// Copies `from` over the database file of a running server, as `cp` does.
async fn assert_copy_is_noticed(server: Server, from: &Path) {
    for _ in 0..20 {
        server.api().create(URL).await;
    }
    server.overwrite_database(from);
    server.api().shorten(&json!({"url": URL})).await.problem(503, "unavailable");
    assert_damage_stops_writes(&server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copy_over_a_running_database_is_noticed() {
    only_on!(Sqlite: "PostgreSQL checks its own files");
    let (server, _) = serve_links().await;
    let elsewhere = tempfile::tempdir().unwrap();
    let backup = server.terse(&["backup", elsewhere.path().to_str().unwrap()]).done().stdout;
    assert_copy_is_noticed(server, Path::new(backup.trim_end())).await;

    let (server, _) = serve_links().await;
    let copy = elsewhere.path().join("copy.db");
    fs::copy(server.database().file(), &copy).unwrap();
    let file = server.database().file();
    // The copy is older than the last checkpoint.
    for number in 0..200 {
        let url = format!("{URL}{number}/{}", "x".repeat(1_000));
        server.api().create(&url).await;
    }
    let bytes = fs::metadata(&copy).unwrap().len();
    eventually(TIMEOUT, "the file grows", async || fs::metadata(&file).unwrap().len() > bytes)
        .await;
    assert_copy_is_noticed(server, &copy).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vacuum_of_a_running_database_is_no_damage() {
    only_on!(Sqlite: "PostgreSQL has a vacuum of its own");
    let (server, cached) = serve_links().await;
    server.terse(&["link", "delete", "--owner", "default", "--yes"]).done();
    let length = || fs::metadata(server.database().file()).unwrap().len();
    let before = length();
    for _ in 0..3 {
        server.api().create(URL).await;
        server.database().execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)").await;
        server.api().create(URL).await;
    }
    eventually(TIMEOUT, "the file shrinks", async || length() < before).await;
    eventually(TIMEOUT, "the link is deleted", async || {
        server.anyone().get(&format!("/{cached}")).await.status == 410
    })
    .await;
    server.anyone().get("/health/ready").await.expect(200);
}

#[tokio::test]
async fn damaged_row_fails_alone_until_repaired() {
    only_on!(Sqlite: "PostgreSQL has checksums of pages");
    let server = Server::start();
    let (api, anyone) = (server.api(), server.anyone());
    let (good, damaged) = (api.create(URL).await, api.create(URL).await);
    let database = Arc::clone(server.database());
    let change = format!("UPDATE links SET checksum = checksum + 1 WHERE short_code = '{damaged}'");
    database.execute(&change).await;
    anyone.get(&format!("/{damaged}")).await.expect(503);
    api.stats(&damaged).await.problem(503, "unavailable");
    anyone.get(&format!("/{good}")).await.expect(302);
    anyone.get("/health/ready").await.expect(200);
    let named = format!("the row of the link '{damaged}' does not match its checksum");
    server.wait_for_log(&named);
    // A change would hide the damage.
    let error = server.terse(&["link", "disable", &damaged]).failed();
    assert!(error.contains(&named), "{error}");

    let found = database.terse(&["check", "--json"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(found.stdout.contains("link-checksum") && found.stdout.contains(&damaged), "{found:?}");
    assert_eq!(database.terse(&["check", "--repair"]).code, Some(1));
    anyone.get(&format!("/{damaged}")).await.expect(503);
    database.terse(&["check", "--accept-damaged-links"]).done();
    database.terse(&["check"]).done();
    anyone.get(&format!("/{damaged}")).await.expect(302);
    server.terse(&["link", "disable", &damaged]).done();
    database.terse(&["check"]).done();
}

#[tokio::test]
async fn link_changed_by_hand_redirects() {
    only_on!(Sqlite: "PostgreSQL has checksums of pages");
    let server = Server::start();
    let code = server.api().create(URL).await;
    let change = "UPDATE links SET destination_url = 'https://example.org/by-hand'";
    server.database().execute(change).await;
    let visit = server.anyone().get(&format!("/{code}")).await.expect(302);
    assert_eq!(visit.header("location"), Some("https://example.org/by-hand"));
    let found = server.terse(&["check"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(found.stdout.contains("changed by hand"), "{found:?}");
    server.terse(&["check", "--repair"]).done();
    server.terse(&["check"]).done();
}

#[tokio::test]
async fn changed_count_is_damage() {
    only_on!(Sqlite: "PostgreSQL has checksums of pages");
    let (database, _) = database_of_links("link-");
    let change = "PRAGMA ignore_check_constraints = ON; UPDATE click_counts SET count = 1234567";
    database.execute(change).await;
    // SQLite computed the checksum for the new count. The next bit is damage.
    let mut bytes = fs::read(database.file()).unwrap();
    let count = 1_234_567_u32.to_be_bytes();
    let at = bytes.windows(3).position(|window| window == &count[1..]).unwrap();
    bytes[at] ^= 8;
    fs::write(database.file(), bytes).unwrap();
    let ended = Server::try_on(&database).map(drop).unwrap_err();
    assert!(ended.log.contains("damaged: "), "{}", ended.log);
}

#[test]
fn database_of_another_program_is_refused() {
    only_on!(Sqlite: "a database on PostgreSQL may have other tables");
    let source = database_of_links("link-").0;
    // The first table has the name of one of Terse's.
    for table in ["links", "bookmarks"] {
        let database = Database::of(Store::Sqlite);
        let foreign = rusqlite::Connection::open(database.file()).unwrap();
        foreign.execute_batch(&format!("CREATE TABLE {table} (url)")).unwrap();
        foreign.close().unwrap();
        let content = fs::read(database.file()).unwrap();
        let copy = ["copy", "--from", &source.url(), "--to", &database.url()];
        let serve = ["serve", "--listen", "127.0.0.1:0"];
        for command in [&serve[..], &["migrate", "--create"], &["owner", "list"], &["check"], &copy]
        {
            let error = database.terse(command).failed();
            let expected = format!(
                "terse: {} is the database of another program: it has tables, but not those of Terse",
                database.file().display()
            );
            assert_eq!(error, expected);
        }
        assert_eq!(fs::read(database.file()).unwrap(), content);
        assert_eq!(fs::read_dir(database.directory()).unwrap().count(), 1);
    }
}

#[test]
fn files_that_are_no_database_are_refused() {
    only_on!(Sqlite: "PostgreSQL checks its own files");
    let text = "no database, but long enough to look like one ".repeat(200);
    for content in [text.as_bytes(), &[0; 8192]] {
        let database = Arc::new(Database::of(Store::Sqlite));
        fs::write(database.file(), content).unwrap();
        let url = format!("sqlite://{}?mode=rw", database.file().display());
        let serve = ["serve", "--listen", "127.0.0.1:0", "--database-url", &url];
        let error = database.terse(&serve).failed();
        assert!(error.contains("damaged: ") && error.contains("t.db"), "{error}");
        assert_eq!(fs::read(database.file()).unwrap(), content);
    }
}
