//! Imports concurrent with a running server, and killed imports.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use super::{counts, database, exported, file, import_json};
use crate::harness::{Load, Server, TIMEOUT, eventually, only_on, send_signal, until};

/// Returns this number of rows, every third without a code.
pub(super) fn rows(many: usize) -> String {
    let head = "short_code,destination_url,clicks\n".to_owned();
    (0..many).fold(head, |mut rows, number| {
        let code = if number % 3 == 0 { String::new() } else { format!("code{number}") };
        writeln!(rows, "{code},https://example.com/{number},{}", number % 7).unwrap();
        rows
    })
}

#[tokio::test]
async fn running_server_redirects_imported_links_at_once() {
    let server = Server::start();
    for code in ["spring", "off"] {
        server.anyone().get(&format!("/{code}")).await.expect(404);
    }
    file(server.database(), "in", super::ALL);
    server.terse(&["import", "in", "--owner", "default"]).done();
    let response = server.anyone().get("/spring").await.expect(302);
    assert_eq!(response.header("location"), Some("https://example.com/spring"));
    server.anyone().get("/off").await.expect(410);
    assert_eq!(server.api().clicks("spring").await, 42);
    server.anyone().get("/spring/qr.svg").await.expect(200);
    let links = server.api().links().await.expect(200);
    assert_eq!(links.codes(), ["off", "spring"], "the last row is the newest");
}

/// After a wait for the owner's row, the import must read the current plan.
#[tokio::test]
async fn import_continues_when_the_plan_changes() {
    only_on!(Postgres: "a file has one writer at a time");
    let database = &database();
    file(database, "in", rows(3));
    let change =
        "BEGIN; UPDATE owners SET plan = 'pro' WHERE name = 'me'; SELECT pg_sleep(1); COMMIT";
    std::thread::scope(|scope| {
        scope.spawn(|| database.sql(change));
        let begun = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' \
                     AND datname = current_database()";
        until(TIMEOUT, || "it is being changed", || (database.sql(begun) == "1").then_some(()));
        let outcome = database.terse(&["import", "in", "--owner", "me", "--json"]).done();
        assert_eq!(counts(&outcome), [3, 0, 0]);
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redirects_and_creations_continue_during_an_import() {
    let server = Server::start();
    let code = server.api().create("https://example.com/").await;
    let mut load = Load::default();
    load.visit(&server, 8, &[code]);
    load.create(&server, 2, server.key(), &[]);
    load.wait_for_redirects(50).await;
    server.database().owner("me", "unlimited");
    let outcome = tokio::task::block_in_place(|| import_json(server.database(), rows(5_000)));
    assert_eq!(counts(&outcome.done()), [5_000, 0, 0]);
    load.wait_for_redirects(50).await;
    assert_eq!(load.stop(), 0, "no client lost its connection");
    load.assert_counted(&server.api()).await;
    let owners = server.terse(&["owner", "list", "--json"]).json();
    let mine = owners.as_array().unwrap().iter().find(|owner| owner["name"] == "me").unwrap();
    assert_eq!(mine["links"], 5_000);
}

#[tokio::test]
async fn killed_import_completes_in_the_next_run() {
    const ROWS: usize = 20_000;
    let database = database();
    file(&database, "in", rows(ROWS));
    let mut command = database.command();
    command.args(["import", "-", "--owner", "me"]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The input never ends, so the import is not complete before the kill.
    let mut pipe = child.stdin.take().unwrap();
    let begins = rows(ROWS / 2);
    let writing = std::thread::spawn(move || {
        // The pipe breaks when its reader is killed.
        drop(pipe.write_all(begins.as_bytes()));
        pipe
    });
    let there = || {
        let owners = database.terse(&["owner", "list", "--json"]).json();
        owners[0]["links"].as_u64().unwrap()
    };
    eventually(TIMEOUT, "links are imported", async || there() > 0).await;
    child.kill().unwrap();
    child.wait().unwrap();
    drop(writing.join().unwrap());
    eventually(TIMEOUT, "statements in progress are complete", async || database.is_idle()).await;
    let before = there();
    assert!(before > 0 && before < ROWS as u64, "{before} when it was killed");
    assert_eq!(exported(&database).len() as u64, before, "what is counted is there");

    let outcome = database.terse(&["import", "in", "--owner", "me", "--json"]).done();
    assert_eq!(counts(&outcome), [ROWS as u64 - before, before, 0]);
    let links = exported(&database);
    assert_eq!((links.len(), there()), (ROWS, ROWS as u64));
    for (number, link) in links.iter().enumerate() {
        assert_eq!(link["destination_url"], format!("https://example.com/{number}"));
        assert_eq!(link["clicks"], number % 7);
    }
    let again = database.terse(&["import", "in", "--owner", "me", "--json"]).done();
    assert_eq!(counts(&again), [0, ROWS as u64, 0]);
    assert_eq!(exported(&database), links);
}

#[test]
fn concurrent_imports_create_each_link_once() {
    let database = database();
    database.owner("other", "unlimited");
    let rows: String = (0..3_000).fold("short_code,destination_url\n".to_owned(), |mut rows, n| {
        writeln!(rows, "code{n},https://example.com/").unwrap();
        rows
    });
    file(&database, "in", &rows);
    let (head, body) = rows.split_once('\n').unwrap();
    let backwards: Vec<&str> = body.lines().rev().collect();
    file(&database, "backwards", format!("{head}\n{}\n", backwards.join("\n")));
    let start = |name: &str, owner: &str| {
        let mut command = database.command();
        command.args(["import", name, "--owner", owner, "--json"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let running = [start("in", "me"), start("backwards", "other"), start("in", "me")];
    let mut created = 0;
    for child in running {
        let output = child.wait_with_output().unwrap();
        let outcome = crate::harness::Outcome::new(&["import"], &output);
        let [imported, there, refused] = counts(&outcome);
        assert_eq!(imported + there + refused, 3_000, "{outcome:?}");
        created += imported;
    }
    assert_eq!(created, 3_000);
    assert_eq!(exported(&database).len(), 3_000);
}

/// PostgreSQL's identifiers continue after imported ones, as SQLite's do.
#[tokio::test]
async fn links_can_be_created_after_an_import() {
    only_on!(Postgres: "a file gives the next number by itself");
    let server = Server::start();
    file(server.database(), "in", super::ALL);
    server.terse(&["import", "in", "--owner", "default"]).done();
    let code = server.api().create("https://example.com/").await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creations_do_not_wait_for_a_suspended_import() {
    only_on!(Postgres: "an SQLite import locks nothing before it writes");
    let server = Server::start();
    let database = server.database();
    let mine = server.with_key(&database.owner("me", "unlimited"));
    file(database, "in", rows(200_000));
    let mut import = database.command();
    import.args(["import", "in", "--owner", "me"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut import = import.spawn().unwrap();
    let name = database.sql("SELECT current_database()");
    // Counts imports in a transaction, which holds the lock of the owner's row.
    let suspended = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'
         AND state = 'idle in transaction' AND query NOT LIKE '%pg_advisory%' AND query NOT ILIKE 'begin%'"
    );
    let mut is_suspended = false;
    for _ in 0..2_000 {
        send_signal(&import, "STOP");
        tokio::time::sleep(Duration::from_millis(5)).await;
        is_suspended = database.sql(&suspended) == "1";
        if is_suspended || import.try_wait().unwrap().is_some() {
            break;
        }
        send_signal(&import, "CONT");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(is_suspended, "it was caught in a transaction");
    for api in [&mine, &server.api()] {
        api.create("https://example.com/").await;
    }
    import.kill().unwrap();
    import.wait().unwrap();
}
