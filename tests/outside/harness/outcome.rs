//! What a command of `terse` has printed, and how it ended.

use std::process::Output;

use serde_json::Value;

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

    /// Replaces the error that `--json` prints on stderr by the line that people read, so that both
    /// can be compared with the same text.
    #[track_caller]
    pub(crate) fn error_as_text(mut self) -> Self {
        let lines = self.stderr.lines().map(|line| match serde_json::from_str::<Value>(line) {
            Ok(error) => {
                assert!(error["code"].is_string(), "{self:#?}");
                format!("terse: {}\n", error["error"].as_str().expect("a text"))
            }
            Err(_) => format!("{line}\n"),
        });
        self.stderr = lines.collect();
        self
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
