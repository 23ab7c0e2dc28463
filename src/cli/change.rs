//! The options that all commands with changes have in common, and how these confirm what they did.

use std::io::{self, IsTerminal as _, Write as _};

use clap::Args;
use serde_json::{Map, Value};

use super::error::CommandError;
use super::output::{Output, eprint_line};
use crate::domain::events::{ChangeContext, ChangeResult};
use crate::values::{ApiKey, Reason, Timestamp, ValidationError};

/// Maximum number of characters of an actor and of the identifier of a case.
const MAX_NAME: usize = 255;
/// Maximum number of characters of a note.
const MAX_NOTE: usize = 1_000;

/// Options of a command that changes something: the data of its event, dry run and confirmation.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Change options")]
pub(super) struct ChangeOptions {
    /// Why: phishing, malware, spam, legal, owner-request or other [default: other]
    #[arg(long, value_enum, hide_possible_values = true)]
    reason: Option<Reason>,
    /// A note for the history
    #[arg(long, value_name = "TEXT", value_parser = note)]
    note: Option<String>,
    /// Identifier of the case in your own system
    #[arg(long, value_name = "ID", value_parser = name)]
    case: Option<String>,
    /// Who makes the change [default: SUDO_USER, or the process's user]
    #[arg(long, env = "TERSE_ACTOR", hide_env_values = true, value_name = "NAME", value_parser = name)]
    actor: Option<String>,
    /// Report what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

fn name(text: &str) -> Result<String, ValidationError> {
    line(text, MAX_NAME)
}

fn note(text: &str) -> Result<String, ValidationError> {
    line(text, MAX_NOTE)
}

fn line(text: &str, max: usize) -> Result<String, ValidationError> {
    if text.trim().is_empty() {
        return Err(ValidationError::because("must not be empty"));
    }
    if ApiKey::is_in(text) {
        return Err(ValidationError::because("must not contain an API key"));
    }
    if text.chars().any(char::is_control) {
        return Err(ValidationError::because("must not contain control characters"));
    }
    if text.chars().count() > max {
        let reason = format!("must not be longer than {max} characters");
        return Err(ValidationError(reason.into()));
    }
    Ok(text.to_owned())
}

impl ChangeOptions {
    /// Returns what the operator says about the change.
    pub(super) fn context(&self, now: Timestamp) -> ChangeContext {
        ChangeContext {
            actor: self.actor.clone().unwrap_or_else(default_actor),
            reason: self.reason,
            note: self.note.clone(),
            case: self.case.clone(),
            is_dry_run: self.dry_run,
            now,
        }
    }

    /// Returns whether a bulk change needs no confirmation.
    pub(super) const fn is_confirmed(&self) -> bool {
        self.yes || self.dry_run
    }

    /// Asks for confirmation of a bulk change on a terminal, and requires `--yes` elsewhere. A dry
    /// run needs neither.
    pub(super) fn confirm_bulk(&self, question: &str) -> Result<(), CommandError> {
        if self.is_confirmed() {
            return Ok(());
        }
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(CommandError::Usage(
                "this is a bulk change: add --yes, or --dry-run to see what would change".into(),
            ));
        }
        let _ = write!(io::stderr(), "{question} [y/N] ");
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        if is_yes(&answer) {
            Ok(())
        } else {
            Err(CommandError::Other("not confirmed; nothing was changed".into()))
        }
    }

    /// Confirms a change: one line on stderr that ends with the event, and with `--json` an object
    /// on stdout with `event`, `changed` and `members`. `text` says what changed, in the past tense.
    pub(super) fn report(
        &self,
        output: Output,
        text: &str,
        result: ChangeResult,
        members: Value,
    ) -> Result<(), CommandError> {
        self.confirm(text, result);
        if output.json {
            output.show("", &self.object(result, members))?;
        }
        Ok(())
    }

    /// Writes the confirmation on stderr.
    pub(super) fn confirm(&self, text: &str, result: ChangeResult) {
        eprint_line(&match result {
            _ if self.dry_run => format!("dry run, nothing was changed: {text}"),
            ChangeResult { event: Some(event), .. } => format!("{text} (event {event})"),
            ChangeResult { event: None, .. } => format!("nothing to change: {text}"),
        });
    }

    /// Returns the object of a result.
    pub(super) fn object(&self, result: ChangeResult, members: Value) -> Value {
        let mut object = Map::new();
        object.insert("event".to_owned(), result.event.into());
        object.insert("changed".to_owned(), result.changed.into());
        object.insert("dry_run".to_owned(), self.dry_run.into());
        if let Value::Object(members) = members {
            object.extend(members);
        }
        Value::Object(object)
    }
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].iter().any(|yes| answer.trim().eq_ignore_ascii_case(yes))
}

/// Returns the user behind `sudo`, or else the user of the process, by name if it has one.
fn default_actor() -> String {
    let sudo_user = std::env::var("SUDO_USER").ok().filter(|user| !user.trim().is_empty());
    sudo_user.unwrap_or_else(|| {
        let id = rustix::process::getuid();
        whoami::username().unwrap_or_else(|_| format!("uid {}", id.as_raw()))
    })
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn yes_counts_in_any_case() {
        for answer in ["y\n", "Y", "yes\n", "Yes", "YES\r\n"] {
            assert!(is_yes(answer), "{answer:?}");
        }
        for answer in ["", "\n", "n\n", "no", "evil.example\n", "yes, please"] {
            assert!(!is_yes(answer), "{answer:?}");
        }
    }
}
