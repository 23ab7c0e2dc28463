//! A database in a directory of its own, and the command line on it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

/// An SQLite file that may not exist yet, in a directory that goes with it.
pub(crate) struct Database {
    directory: TempDir,
    default_key: OnceLock<String>,
}

impl Database {
    /// A place for a database; nothing is made in it.
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        Self { directory, default_key: OnceLock::new() }
    }

    /// The directory, which holds nothing else.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The database file.
    pub(crate) fn file(&self) -> PathBuf {
        self.directory().join("t.db")
    }

    /// The database's URL, as `--database-url` takes it.
    pub(crate) fn url(&self) -> String {
        format!("sqlite://{}?mode=rwc", self.file().display())
    }

    /// The key of the owner `default`, learnt when the first server started here.
    pub(crate) fn default_key(&self) -> &OnceLock<String> {
        &self.default_key
    }

    /// `terse`, set to this database and to nothing else.
    pub(crate) fn command(&self) -> Command {
        let mut command = bare_command();
        command.current_dir(self.directory()).env("TERSE_DATABASE_URL", self.url());
        command
    }

    /// Runs `terse` with these arguments.
    pub(crate) fn terse(&self, arguments: &[&str]) -> Outcome {
        let output = self.command().args(arguments).output();
        Outcome::new(arguments, &output.expect("terse can be run"))
    }

    /// Adds an owner on that plan, and gives its key.
    #[track_caller]
    pub(crate) fn owner(&self, name: &str, plan: &str) -> String {
        self.terse(&["owner", "add", name, "--plan", plan]).key()
    }

    /// Makes or changes a plan.
    #[track_caller]
    pub(crate) fn plan(&self, name: &str, max_links: &str, custom_codes: bool) {
        let custom_codes = custom_codes.to_string();
        self.terse(&[
            "plan",
            "set",
            name,
            "--max-links",
            max_links,
            "--custom-codes",
            &custom_codes,
        ])
        .done();
    }

    /// The id under which the command line lists the key with that label.
    #[track_caller]
    pub(crate) fn key_id(&self, owner: &str, label: &str) -> String {
        let listed = self.terse(&["key", "list", owner, "--json"]).json();
        let key = find_object(&listed, "label", label).expect("the key is listed");
        let id = &key["id"];
        id.as_str().map_or_else(|| id.to_string(), str::to_owned)
    }
}

/// `terse` without any setting of the surroundings.
pub(crate) fn bare_command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terse"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TERSE_") {
            command.env_remove(name);
        }
    }
    command.env_remove("RUST_LOG");
    command
}

/// The first object in `value`, however deep, whose `field` is `text`.
pub(crate) fn find_object<'v>(value: &'v Value, field: &str, text: &str) -> Option<&'v Value> {
    if value[field] == text {
        return Some(value);
    }
    let inside: Vec<&Value> = if let Some(items) = value.as_array() {
        items.iter().collect()
    } else if let Some(members) = value.as_object() {
        members.values().collect()
    } else {
        Vec::new()
    };
    inside.into_iter().find_map(|value| find_object(value, field, text))
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// What the command was asked, for the messages of failures.
    pub(crate) arguments: Vec<String>,
    /// The exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Outcome {
    /// Takes in what a command left.
    pub(crate) fn new(arguments: &[&str], output: &Output) -> Self {
        Self {
            arguments: arguments.iter().map(|&text| text.to_owned()).collect(),
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Panics unless the command did its work.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }

    /// Panics unless the command failed with exactly one line, and gives the line.
    #[track_caller]
    pub(crate) fn failed(self) -> String {
        assert_eq!(self.code, Some(1), "{self:#?}");
        assert_eq!(self.stdout, "", "{self:#?}");
        let line = self.stderr.trim_end();
        assert!(!line.is_empty() && line.lines().count() == 1, "{self:#?}");
        line.to_owned()
    }

    /// Panics unless the command refused its arguments and said why.
    #[track_caller]
    pub(crate) fn misused(self) {
        assert_eq!(self.code, Some(2), "{:?}: {self:#?}", self.arguments);
        assert_eq!(self.stdout, "", "{self:#?}");
        assert!(!self.stderr.trim().is_empty(), "{self:#?}");
    }

    /// The key that is the whole of standard output.
    #[track_caller]
    pub(crate) fn key(self) -> String {
        let outcome = self.done();
        let key = outcome.stdout.trim_end_matches('\n');
        assert!(is_key(key), "stdout is not just a key: {outcome:#?}");
        key.to_owned()
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        let outcome = self.done();
        match serde_json::from_str(&outcome.stdout) {
            Ok(value) => value,
            Err(error) => panic!("stdout is no JSON ({error}): {outcome:#?}"),
        }
    }
}

/// Whether the whole text has the form of an API key.
pub(crate) fn is_key(text: &str) -> bool {
    text.strip_prefix("terse_").is_some_and(|rest| {
        rest.len() >= 20 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
