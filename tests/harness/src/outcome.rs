//! Outcomes of commands.

use std::process::Output;

use serde_json::Value;

/// The output and exit code of a command.
#[derive(Debug)]
pub struct Outcome {
    /// The arguments, for messages of failures.
    pub arguments: Vec<String>,
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Outcome {
    /// Converts the output of a command with these arguments.
    #[must_use]
    pub fn new(arguments: &[&str], output: &Output) -> Self {
        Self {
            arguments: arguments.iter().map(|&text| text.to_owned()).collect(),
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Returns the outcome; panics unless the command succeeded.
    #[track_caller]
    pub fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }

    /// Returns the one line on stderr; panics unless the command failed with exactly one line.
    #[track_caller]
    pub fn failed(self) -> String {
        assert_eq!(self.code, Some(1), "{self:#?}");
        assert_eq!(self.stdout, "", "{self:#?}");
        let line = self.stderr.trim_end();
        assert!(!line.is_empty() && line.lines().count() == 1, "{self:#?}");
        line.to_owned()
    }

    /// Replaces JSON errors on stderr with the lines that the command prints without `--json`, so
    /// that tests can compare both with the same text.
    #[track_caller]
    pub fn error_as_text(mut self) -> Self {
        let lines = self.stderr.lines().map(|line| match serde_json::from_str::<Value>(line) {
            Ok(error) => {
                assert!(error["code"].is_string(), "{self:#?}");
                format!("terse: {}\n", error["error"].as_str().expect("a string"))
            }
            Err(_) => format!("{line}\n"),
        });
        self.stderr = lines.collect();
        self
    }

    /// Panics unless the command rejected its arguments with a message.
    #[track_caller]
    pub fn misused(self) {
        assert_eq!(self.code, Some(2), "{:?}: {self:#?}", self.arguments);
        assert_eq!(self.stdout, "", "{self:#?}");
        assert!(!self.stderr.trim().is_empty(), "{self:#?}");
    }

    /// Returns the operator key; panics unless standard output is one and nothing else.
    #[track_caller]
    pub fn operator_key(self) -> String {
        let outcome = self.done();
        let key = outcome.stdout.trim_end_matches('\n');
        assert!(is_operator_key(key), "stdout is not an operator key alone: {outcome:#?}");
        key.to_owned()
    }

    /// Returns the key; panics unless standard output is a key and nothing else.
    #[track_caller]
    pub fn key(self) -> String {
        let outcome = self.done();
        let key = outcome.stdout.trim_end_matches('\n');
        assert!(is_key(key), "stdout is not a key alone: {outcome:#?}");
        key.to_owned()
    }

    /// Returns standard output as JSON; panics unless it is JSON.
    #[track_caller]
    pub fn json(self) -> Value {
        let outcome = self.done();
        match serde_json::from_str(&outcome.stdout) {
            Ok(value) => value,
            Err(error) => panic!("stdout is not JSON ({error}): {outcome:#?}"),
        }
    }
}

/// Returns whether the text has the form of an API key.
#[must_use]
pub fn is_key(text: &str) -> bool {
    text.strip_prefix("terse_").is_some_and(|rest| {
        rest.len() >= 20 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Returns whether the text has the form of an operator key.
#[must_use]
pub fn is_operator_key(text: &str) -> bool {
    text.strip_prefix("terse_op_").is_some_and(|rest| is_key(&format!("terse_{rest}")))
}

/// Returns the first object in `value`, at any depth, whose `field` is `text`.
#[must_use]
pub fn find_object<'v>(value: &'v Value, field: &str, text: &str) -> Option<&'v Value> {
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
