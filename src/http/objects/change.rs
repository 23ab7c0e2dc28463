//! Changes, and their results.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::fields::{Count, Flag, Identifier, SubjectText};
use crate::domain::changes::{Actor, Change, Changed, Skipped};
use crate::http::openapi::field::{Nullable, example};
use crate::http::openapi::json_body::request_object;
use crate::values::{CaseId, Note, Reason, Timestamp};

request_object! {
    json!({ "reason": "phishing", "case": "4711" });
    strict
    /// Reason, note and case of a change, for the history.
    #[derive(Clone)]
    #[oai(rename = "ChangeReason")]
    pub struct ChangeAccount {
        /// The reason for the change, for the history.
        #[oai(nullable)]
        pub reason: Option<Reason>,
        /// A note for the history.
        #[oai(nullable)]
        pub note: Option<Note>,
        /// The identifier of a case in your own system, for the history.
        #[oai(nullable)]
        pub case: Option<CaseId>,
    }
}

impl ChangeAccount {
    /// Returns the change by an actor at the time `now`.
    #[must_use]
    pub fn change_by(self, actor: Actor, now: Timestamp) -> Change {
        let Self { reason, note, case } = self;
        let stop = CancellationToken::new();
        Change { actor, reason, note, case, is_dry_run: false, now, stop }
    }
}

/// The result of a change.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct ChangeResult {
    /// Identifies the event; `null` if there was nothing to change.
    event: Nullable<Identifier>,
    /// Number of things that changed.
    changed: Count,
}

impl<T> From<&Changed<T>> for ChangeResult {
    fn from(changed: &Changed<T>) -> Self {
        let count = Count(changed.changed.try_into().unwrap_or(i64::MAX));
        Self { event: Nullable(changed.event.map(Identifier)), changed: count }
    }
}

example!(ChangeResult, (&Changed { event: Some(31), changed: 1, value: () }).into());

/// The result of a change of any number of links.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct LinkChangeResult {
    /// Identifies the event; `null` for a dry run, and if there was nothing to change.
    event: Nullable<Identifier>,
    /// Number of links that changed, or would change in a dry run.
    changed: Count,
    /// 1 if it was a dry run.
    dry_run: Flag,
}

impl LinkChangeResult {
    /// Describes the result of a change.
    pub fn new(changed: &Changed, is_dry_run: bool) -> Self {
        let ChangeResult { event, changed } = changed.into();
        Self { event, changed, dry_run: is_dry_run.into() }
    }
}

example!(
    LinkChangeResult,
    Self::new(&Changed { event: Some(31), changed: 2000, value: () }, false)
);

/// The result of an undo.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct UndoResult {
    /// Identifies the event of the undo; `null` if there was nothing to revert.
    event: Nullable<Identifier>,
    /// Number of links, owners, patterns or domains that were reverted.
    changed: Count,
    /// The codes of links, names of owners, patterns and hosts of domains that were not reverted, or not
    /// completely, because they have changed since, or were deleted.
    skipped: Vec<SubjectText>,
}

impl From<Changed<Vec<Skipped>>> for UndoResult {
    fn from(undone: Changed<Vec<Skipped>>) -> Self {
        let ChangeResult { event, changed } = (&undone).into();
        let skipped = undone.value.into_iter().map(|skipped| SubjectText(skipped.subject));
        Self { event, changed, skipped: skipped.collect() }
    }
}

example!(UndoResult, Changed { event: Some(32), changed: 1, value: Vec::new() }.into());
