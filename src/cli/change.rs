//! Options that all commands that change something share, and the confirmation of a change.

use std::io::{self, IsTerminal as _, Write as _};

use clap::Args;
use serde_json::{Map, Value};

use super::error::CommandError;
use super::output::{Output, eprint_line};
use crate::domain::events::{ChangeContext, ChangeResult, StopRequest};
use crate::values::{ApiKey, Reason, Timestamp, ValidationError};

/// Maximum number of characters in an actor or in the identifier of a case.
const MAX_NAME: usize = 255;
/// Maximum number of characters in a note.
const MAX_NOTE: usize = 1_000;

/// Options of a command that changes something: the data of its event, dry run and confirmation.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Change options")]
pub(super) struct ChangeOptions {
    /// Reason for the change: phishing, malware, spam, legal, owner-request or other [default: other]
    #[arg(long, value_enum, hide_possible_values = true)]
    reason: Option<Reason>,
    /// A note for the history
    #[arg(long, value_name = "TEXT", value_parser = note)]
    note: Option<String>,
    /// ID of the case in your own system
    #[arg(long, value_name = "ID", value_parser = name)]
    case: Option<String>,
    /// Who makes the change [default: TERSE_ACTOR, else SUDO_USER, else the process's user]
    #[arg(long, value_name = "NAME", value_parser = name)]
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
    /// Returns the context of the change that these options describe, with `now` as its time.
    ///
    /// # Errors
    /// If `TERSE_ACTOR` is needed and invalid.
    pub(super) fn context(&self, now: Timestamp) -> Result<ChangeContext, CommandError> {
        Ok(ChangeContext {
            actor: self.actor.clone().map_or_else(default_actor, Ok)?,
            reason: self.reason,
            note: self.note.clone(),
            case: self.case.clone(),
            is_dry_run: self.dry_run,
            now,
            stop: StopRequest::default(),
        })
    }

    /// Returns whether a bulk change needs no confirmation by the operator.
    pub(super) const fn is_confirmed(&self) -> bool {
        self.yes || self.dry_run
    }

    /// Returns whether a bulk change must ask the operator for confirmation on the terminal.
    ///
    /// # Errors
    /// If it must, but the command does not run on a terminal.
    pub(super) fn must_ask(&self) -> Result<bool, CommandError> {
        if self.is_confirmed() {
            return Ok(false);
        }
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(CommandError::Usage(
                "this is a bulk change: add --yes, or --dry-run to see what would change".into(),
            ));
        }
        Ok(true)
    }

    /// Asks the operator to confirm a bulk change, unless the command has `--yes` or is a dry run.
    /// Without a terminal, it requires one of these options.
    pub(super) fn confirm_bulk(&self, question: &str) -> Result<(), CommandError> {
        if !self.must_ask()? {
            return Ok(());
        }
        let _ = write!(io::stderr(), "{question} [y/N] ");
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
            Ok(())
        } else {
            Err(CommandError::Other("not confirmed; nothing was changed".into()))
        }
    }

    /// Reports a change that was made: one line on stderr that ends with the event and, with
    /// `--json`, an object on stdout with `event`, `changed` and `members`. `text` says what
    /// changed, in the past tense.
    pub(super) fn report(
        &self,
        output: Output,
        text: &str,
        result: ChangeResult,
        members: Value,
    ) -> Result<(), CommandError> {
        self.print_confirmation(text, result);
        if output.json {
            output.show("", &self.object(result, members))?;
        }
        Ok(())
    }

    /// Writes the line about a change to stderr.
    pub(super) fn print_confirmation(&self, text: &str, result: ChangeResult) {
        eprint_line(&match result {
            _ if self.dry_run && result.changed == 0 => {
                format!("dry run, nothing to change: {text}")
            }
            _ if self.dry_run => format!("dry run, would have {text}"),
            ChangeResult { event: Some(event), .. } => format!("{text} (event {event})"),
            ChangeResult { event: None, .. } => format!("nothing to change: {text}"),
        });
    }

    /// Returns the JSON object for the result of a change, with further `members`.
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

/// Returns the name in `TERSE_ACTOR`, or else the user who called `sudo`, or else the user of the
/// process. A user whose name is invalid is skipped, because the operator did not choose it.
fn default_actor() -> Result<String, CommandError> {
    if let Some(actor) = std::env::var_os("TERSE_ACTOR") {
        let error = |error| CommandError::Usage(format!("TERSE_ACTOR {error}"));
        return name(&actor.to_string_lossy()).map_err(error);
    }
    let sudo = std::env::var("SUDO_USER").ok();
    let user = std::iter::from_fn(|| whoami::username().ok()).take(1);
    let actor = sudo.into_iter().chain(user).find_map(|text| name(&text).ok());
    Ok(actor.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw())))
}
