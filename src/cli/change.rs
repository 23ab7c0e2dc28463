//! Options that all commands that change something share, and the confirmation of a change.

use std::io::{self, IsTerminal as _, Write as _};

use clap::Args;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::error::{CommandError, Result};
use super::output::{Output, eprint_line, escape};
use crate::domain::changes::{Actor, Change, Changed};
use crate::values::{ActorName, CaseId, Note, Reason, Timestamp};

/// Options of a command that changes something: the data of its event, dry run and confirmation.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Change options")]
pub(super) struct ChangeOptions {
    /// Reason for the change: phishing, malware, spam, legal, owner-request or other [default: other]
    #[arg(long, value_enum, hide_possible_values = true)]
    reason: Option<Reason>,
    /// A note for the history
    #[arg(long, value_name = "TEXT")]
    note: Option<Note>,
    /// ID of the case in your own system
    #[arg(long, value_name = "ID")]
    case: Option<CaseId>,
    /// Who makes the change [default: TERSE_ACTOR, else SUDO_USER, else the process's user]
    #[arg(long, value_name = "NAME")]
    actor: Option<ActorName>,
    /// Report what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

impl ChangeOptions {
    /// Returns the change that these options describe, with `now` as its time.
    ///
    /// # Errors
    /// If `TERSE_ACTOR` is needed and invalid.
    pub(super) fn at(&self, now: Timestamp) -> Result<Change> {
        Ok(Change {
            actor: Actor::Command(self.actor.clone().map_or_else(default_actor, Ok)?),
            reason: self.reason,
            note: self.note.clone(),
            case: self.case.clone(),
            precondition: None,
            is_dry_run: self.dry_run,
            now,
            stop: CancellationToken::new(),
            request: None,
            awaited: None,
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
    pub(super) fn must_ask(&self) -> Result<bool> {
        if self.is_confirmed() {
            return Ok(false);
        }
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(CommandError::usage(
                "this is a bulk change: add --yes, or --dry-run to see what would change",
            ));
        }
        Ok(true)
    }

    /// Asks the operator to confirm a bulk change, unless the command has `--yes` or is a dry run.
    /// Without a terminal, it requires one of these options.
    pub(super) fn confirm_bulk(&self, question: &str) -> Result {
        if !self.must_ask()? {
            return Ok(());
        }
        let _ = write!(io::stderr(), "{} [y/N] ", escape(question));
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
            Ok(())
        } else {
            Err(CommandError::other("not confirmed; nothing was changed"))
        }
    }

    /// Reports a change that was made: one line on stderr that ends with the event and, with
    /// `--json`, an object on stdout with `event_id`, `changed` and `members`. `text` says what
    /// changed, in the past tense.
    pub(super) fn report<T>(
        &self,
        output: Output,
        text: &str,
        changed: &Changed<T>,
        members: Value,
    ) -> Result {
        self.print_confirmation(text, changed);
        if output.json {
            output.show("", &self.object(changed, members))?;
        }
        Ok(())
    }

    /// Reports a change as [`report`](Self::report) does. `texts` say what it did, and what is so already if
    /// it did nothing.
    pub(super) fn report_either<T>(
        &self,
        output: Output,
        [done, already]: [&str; 2],
        changed: &Changed<T>,
        members: Value,
    ) -> Result {
        let text = if changed.changed > 0 { done } else { already };
        self.report(output, text, changed, members)
    }

    /// Writes the line about a change to stderr.
    pub(super) fn print_confirmation<T>(&self, text: &str, changed: &Changed<T>) {
        eprint_line(&match changed.event {
            _ if self.dry_run && changed.changed == 0 => {
                format!("dry run, nothing to change: {text}")
            }
            _ if self.dry_run => format!("dry run, would have {text}"),
            Some(event) => format!("{text} (event {event})"),
            None => format!("nothing to change: {text}"),
        });
    }

    /// Returns the JSON object for the result of a change, with further `members`.
    pub(super) fn object<T>(&self, changed: &Changed<T>, members: Value) -> Value {
        let mut object = Map::new();
        object.insert("event_id".to_owned(), changed.event.into());
        object.insert("changed".to_owned(), changed.changed.into());
        object.insert("dry_run".to_owned(), self.dry_run.into());
        if let Value::Object(members) = members {
            object.extend(members);
        }
        Value::Object(object)
    }
}

/// Returns the name in `TERSE_ACTOR` if it is not empty, or else the user who called `sudo`, or else the
/// user of the process. A user whose name is invalid is skipped, because the operator did not choose it.
fn default_actor() -> Result<ActorName> {
    if let Some(actor) = std::env::var_os("TERSE_ACTOR").filter(|actor| !actor.is_empty()) {
        let error = |error| CommandError::Usage(format!("TERSE_ACTOR {error}"));
        return ActorName::parse(&actor.to_string_lossy()).map_err(error);
    }
    let sudo = std::env::var("SUDO_USER").ok();
    let user = std::iter::from_fn(|| whoami::username().ok()).take(1);
    let actor = sudo.into_iter().chain(user).map(|text| ActorName::parse(&text));
    let uid = || ActorName::parse(&format!("uid {}", rustix::process::getuid().as_raw()));
    let invalid = |error| CommandError::Other(format!("the actor {error}"));
    actor.flatten().next().map_or_else(uid, Ok).map_err(invalid)
}
