//! Ctrl-C during an import.

use std::io::Write as _;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::concurrency::rows;
use super::{counts, database, exported, file};
use crate::harness::{Database, Outcome, TIMEOUT, eventually, only_on, send_signal};

/// Starts an import of standard input, and returns its process and the pipe to it.
fn start_import(database: &Database, more: &[&str]) -> (Child, ChildStdin) {
    let mut command = database.command();
    command.args(["import", "-", "--owner", "me", "--json"]).args(more);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let pipe = child.stdin.take().unwrap();
    (child, pipe)
}

fn wait_for_outcome(child: Child) -> Outcome {
    Outcome::new(&["import"], &child.wait_with_output().unwrap()).error_as_text()
}

fn link_count(database: &Database) -> u64 {
    let owners = database.terse(&["owner", "list", "--json"]).json();
    owners[0]["links"].as_u64().unwrap()
}

#[tokio::test]
async fn interrupted_import_continues_in_the_next_run() {
    const ROWS: usize = 9_000;
    let database = database();
    let whole = rows(ROWS);
    file(&database, "in", &whole);
    for (name, status, links) in [("INT", 130, 4_000), ("TERM", 143, 6_000)] {
        let (child, mut pipe) = start_import(&database, &["--rejects", "out"]);
        // Writes more than the buffers hold, and leaves the pipe open.
        let part: Vec<&str> = whole.split_inclusive('\n').take(links + 1).collect();
        pipe.write_all(part.concat().as_bytes()).unwrap();
        pipe.write_all(b",nonsense,1\n").unwrap();
        let enough = links as u64 / 2_000 * 2_000;
        eventually(TIMEOUT, "links are imported", async || link_count(&database) >= enough).await;
        send_signal(&child, name);
        let outcome = wait_for_outcome(child);
        assert_eq!(outcome.code, Some(status), "{outcome:?}");
        let last = outcome.stderr.lines().last().unwrap();
        assert!(last.starts_with("terse: -: interrupted after "), "{outcome:?}");
        let summary: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(summary["interrupted"], true);
        let [imported, already, _] = counts(&outcome);
        assert_eq!(imported + already, link_count(&database), "{outcome:?}");
        let refused = std::fs::read_to_string(database.directory().join("out")).unwrap();
        assert!(refused.starts_with("line,reason,short_code,"), "{refused}");
        drop(pipe);
    }
    let before = link_count(&database);
    let outcome = database.terse(&["import", "in", "--owner", "me", "--json"]).done();
    assert_eq!(counts(&outcome), [ROWS as u64 - before, before, 0]);
    assert_eq!(outcome.json()["interrupted"], false);
    assert_eq!(exported(&database).len(), ROWS);
}

/// The exit status reports the result even if the reader closes the pipe at once, as `head -0`
/// does.
#[tokio::test]
async fn closed_stdout_is_not_an_error() {
    let database = database();
    let unread = |command: &mut Command| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        command.stdout(writer).stderr(Stdio::piped());
    };
    for (content, status) in [("https://example.com/", 0), ("nonsense", 1)] {
        file(&database, "in", format!("destination_url\n{content}\n"));
        let mut command = database.command();
        unread(command.args(["import", "in", "--owner", "me"]));
        let outcome = Outcome::new(&["import"], &command.output().unwrap());
        assert_eq!(outcome.code, Some(status), "{outcome:?}");
    }
    let mut command = database.command();
    unread(command.args(["import", "-", "--owner", "me"]).stdin(Stdio::piped()));
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(rows(3_000).as_bytes()).unwrap();
    eventually(TIMEOUT, "links are imported", async || link_count(&database) >= 1_000).await;
    send_signal(&child, "INT");
    let outcome = wait_for_outcome(child);
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    drop(pipe);
}

#[tokio::test]
async fn import_fails_if_the_database_file_is_gone() {
    only_on!(Sqlite: "PostgreSQL keeps its files to itself");
    let database = database();
    let (child, mut pipe) = start_import(&database, &[]);
    let whole = rows(6_000);
    let half = whole.len() / 2;
    pipe.write_all(&whole.as_bytes()[..half]).unwrap();
    eventually(TIMEOUT, "links are imported", async || link_count(&database) >= 1_000).await;
    std::fs::remove_file(database.file()).unwrap();
    pipe.write_all(&whole.as_bytes()[half..]).unwrap();
    drop(pipe);
    let outcome = wait_for_outcome(child);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains("was deleted or replaced while it was in use"), "{outcome:?}");
}

/// The user has not typed a line yet.
/// The disk is full once all rows are imported, before the end of the write-ahead log is stored.
#[tokio::test]
async fn import_that_fails_at_its_end_was_not_interrupted() {
    const ROWS: usize = 4_000;
    only_on!(Sqlite: "PostgreSQL stores each transaction for good");
    let database = database();
    let (child, mut pipe) = start_import(&database, &[]);
    pipe.write_all(rows(ROWS).as_bytes()).unwrap();
    eventually(TIMEOUT, "the links are imported", async || link_count(&database) == ROWS as u64)
        .await;
    let pid = child.id().to_string();
    let limit = Command::new("prlimit").args(["--pid", &pid, "--fsize=4096:unlimited"]).status();
    assert!(limit.expect("prlimit is installed").success());
    drop(pipe);
    let outcome = wait_for_outcome(child);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert_eq!(counts(&outcome), [ROWS as u64, 0, 0]);
    assert_eq!(super::summary(&outcome)["interrupted"], false);
    let said = outcome.stderr.lines().last().unwrap();
    let end = "; -: all 4000 rows were read; import the file again to be sure that they are stored";
    assert!(said.ends_with(end), "{said}");
    file(&database, "in", rows(ROWS));
    let again = database.terse(&["import", "in", "--owner", "me", "--json"]).done();
    assert_eq!(counts(&again), [0, ROWS as u64, 0]);
}

#[tokio::test]
async fn import_can_be_interrupted_before_the_first_row() {
    let database = database();
    let (child, pipe) = start_import(&database, &[]);
    let signals = format!("/proc/{}/status", child.id());
    eventually(TIMEOUT, "signals are waited for", async || {
        let status = std::fs::read_to_string(&signals).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << 14) > 0
    })
    .await;
    send_signal(&child, "INT");
    let outcome = wait_for_outcome(child);
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    assert!(outcome.stderr.starts_with("terse: -: interrupted after 0 rows"), "{outcome:?}");
    drop(pipe);
}
