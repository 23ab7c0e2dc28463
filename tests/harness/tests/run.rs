//! `harness run` from the outside.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use harness::{Store, TIMEOUT, until};

/// Returns a command that runs a shell script with a server on the chosen store.
fn harness_run(script: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    command.arg("run");
    if Store::chosen() == Store::Postgres {
        command.arg("--postgres");
    }
    command.args(["--", "sh", "-ec", script]);
    command
}

#[test]
fn command_finds_a_server_and_its_database() {
    let script = r#""$TERSE" owner add other >/dev/null; test -n "$TERSE_KEY"; echo "$TERSE_URL""#;
    let output = harness_run(script).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.starts_with(b"http://127.0.0.1:"), "{output:?}");
}

#[test]
fn exit_status_is_that_of_the_command() {
    assert_eq!(harness_run("exit 7").status().unwrap().code(), Some(7));
    assert_eq!(harness_run("kill -TERM $$").status().unwrap().code(), Some(128 + 15));
}

#[test]
fn exit_status_is_1_if_the_server_does_not_end_with_0() {
    let mut command = harness_run("echo started; cat");
    let mut harness = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    read_line(&mut harness);
    let server = child_named(harness.id(), "terse").to_string();
    assert!(Command::new("kill").args(["-s", "KILL", &server]).status().unwrap().success());
    drop(harness.stdin.take());
    assert_eq!(harness.wait().unwrap().code(), Some(1));
}

#[test]
fn killed_harness_leaves_no_server_and_no_files() {
    let mut command = harness_run(r#"echo "$TERSE_URL"; cat"#);
    let mut harness = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let address = read_line(&mut harness).trim().trim_start_matches("http://").to_owned();
    assert!(TcpStream::connect(&address).is_ok(), "{address}");
    let server = child_named(harness.id(), "terse");
    let directory = std::fs::read_link(format!("/proc/{server}/cwd")).unwrap();
    assert!(directory.is_dir());

    harness.kill().unwrap();
    harness.wait().unwrap();
    let is_gone = || (TcpStream::connect(&address).is_err() && !directory.exists()).then_some(());
    until(TIMEOUT, || "the server and its files are gone", is_gone);
}

/// Returns the first line of the command's output.
fn read_line(harness: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(harness.stdout.take().unwrap()).read_line(&mut line).unwrap();
    line
}

/// Returns the id of a child process with that name.
fn child_named(parent: u32, name: &str) -> u32 {
    let ids = std::fs::read_dir("/proc").unwrap().flatten();
    let mut ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |id: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        status.contains(&format!("Name:\t{name}\n"))
            && status.contains(&format!("PPid:\t{parent}\n"))
    };
    ids.find(is_child).unwrap()
}
