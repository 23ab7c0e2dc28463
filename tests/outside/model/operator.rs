//! The operator: runs commands as processes, kills some of them, and records how they ended.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use serde_json::Value;

use super::commands::{Command, Options};
use super::effect::Steps;
use crate::harness::{Database, Outcome, Store};
use crate::link_commands::lines;

/// The actor of all events.
pub(super) const ACTOR: &str = "tester";
/// Options with long timeouts, because commands get little CPU time.
const TIMEOUTS: [&str; 4] =
    ["--database-statement-timeout", "60000", "--database-acquire-timeout", "60000"];

/// A command that has run.
#[derive(Debug)]
pub(super) struct CommandRun {
    pub(super) command: Command,
    pub(super) options: Options,
    pub(super) steps: Steps,
    /// The cases of the command and its repetitions.
    pub(super) cases: Vec<String>,
    /// The outcome of the last run; `None` if the test killed it.
    pub(super) outcome: Option<Outcome>,
    /// After an import, those codes of the file that the owner has.
    pub(super) imported: BTreeSet<String>,
}

/// Runs commands one after another.
#[derive(Clone)]
pub(super) struct Operator {
    pub(super) database: Arc<Database>,
    /// Number of beginnings and ends of commands.
    pub(super) step: Arc<AtomicU64>,
}

impl Operator {
    /// Counts a beginning or end of a command, and returns the new number.
    fn next_step(&self) -> u64 {
        self.step.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Runs a command, and repeats an interrupted deletion of an owner until it is complete.
    pub(super) fn run(&self, command: Command, mut options: Options) -> CommandRun {
        let begun = self.next_step();
        let mut cases = vec![options.case.clone()];
        let mut outcome = self.attempt(&command, &options);
        let is_deletion = matches!(command, Command::OwnerDelete { .. });
        if outcome.is_none() && is_deletion && !options.is_dry_run {
            options.kill_after = None;
            options.case.push_str("-again");
            cases.push(options.case.clone());
            outcome = self.attempt(&command, &options);
        }
        let mut imported = BTreeSet::new();
        if let Command::Import { owner, rows } = &command {
            let codes: BTreeSet<&String> = rows.iter().map(|row| &row.code).collect();
            let found = self.database.terse(&["link", "find", "--owner", owner, "--json"]);
            let found = lines(&found.stdout).into_iter();
            let found = found.map(|link| link["short_code"].as_str().expect("a code").to_owned());
            imported = found.filter(|code| codes.contains(code)).collect();
        }
        let steps = Steps { begun, ended: self.next_step() };
        CommandRun { command, options, steps, cases, outcome, imported }
    }

    /// Runs a command once. Returns `None` if it was killed before its end.
    fn attempt(&self, command: &Command, options: &Options) -> Option<Outcome> {
        let file = self.file(&options.case);
        command.write_input(&file);
        let arguments = command.arguments(options, file.to_str().expect("a UTF-8 path"));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut process = self.database.command();
        process.env("TERSE_ACTOR", ACTOR).args(TIMEOUTS).args(&arguments);
        process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = process.spawn().expect("terse starts");
        if let Some(delay) = options.kill_after {
            thread::sleep(delay);
            child.kill().expect("a child that was not waited for");
        }
        let output: Output = child.wait_with_output().expect("terse can be waited for");
        if output.status.code().is_none() {
            assert!(options.kill_after.is_some(), "{arguments:?} ended by a signal: {output:?}");
            wait_for_orphans(&self.database);
            return None;
        }
        let outcome = Outcome::new(&arguments, &output);
        for fault in ["deadlock", "panicked", "internal", "database-failed"] {
            assert!(!outcome.stderr.contains(fault), "{outcome:#?}");
        }
        Some(outcome)
    }

    fn file(&self, case: &str) -> PathBuf {
        self.database.directory().join(format!("{case}.in"))
    }

    /// Runs a list command, and returns its JSON output.
    pub(super) fn list(&self, arguments: &[&str]) -> Value {
        self.database.terse(&[arguments, &["--json"]].concat()).json()
    }

    /// Returns the objects of JSON Lines that a command prints.
    pub(super) fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        lines(&self.database.terse(&[arguments, &["--json"]].concat()).done().stdout)
    }

    /// Returns the events that the history lists for these conditions, newest first.
    pub(super) fn history(&self, conditions: &[&str]) -> Vec<Value> {
        self.lines(&[&["history"], conditions].concat())
    }

    /// Returns the identifiers of the events that changed a link.
    pub(super) fn events_of(&self, code: &str) -> BTreeSet<i64> {
        let events = self.history(&[&format!("--link={code}")]);
        events.iter().map(|event| event["id"].as_i64().expect("a number")).collect()
    }
}

/// Waits until the transactions of killed processes have ended: PostgreSQL may still commit one
/// whose client has sent the request.
pub(super) fn wait_for_orphans(database: &Database) {
    if database.store() == Store::Postgres {
        for table in ["owners", "links", "events"] {
            database.sql(&format!("BEGIN; LOCK TABLE {table} IN SHARE MODE; COMMIT"));
        }
    }
}
