//! Changes, and their results.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::fields::{Count, Identifier, StatusWord, SubjectText};
use crate::domain::changes::{Actor, Change, ChangeExtent, Changed, FirstNames};
use crate::http::openapi::field::{Nullable, example};
use crate::http::openapi::json_body::{OptionalNested, request_object};
use crate::values::{CaseId, Note, Reason, Timestamp};

request_object! {
    json!({ "reason": "phishing", "case_id": "4711" });
    strict
    /// Why something is changed, for the history.
    #[derive(Clone, Default)]
    pub struct Audit {
        /// The reason for the change.
        pub reason?: Reason,
        /// A note about it.
        pub note?: Note,
        /// The identifier of a case in your own system.
        pub case_id?: CaseId,
    }
}

impl Audit {
    /// Returns the change by an actor at the time `now`.
    pub fn change_by(self, actor: Actor, now: Timestamp) -> Change {
        let Self { reason, note, case_id: case } = self;
        let stop = CancellationToken::new();
        Change {
            actor,
            reason,
            note,
            case,
            precondition: None,
            is_dry_run: false,
            now,
            stop,
            request: None,
            awaited: None,
        }
    }
}

request_object! {
    json!({ "audit": { "reason": "phishing", "case_id": "4711" } });
    strict
    /// Why something is changed.
    pub struct AuditRequest: Into<Audit> = audit.0.unwrap_or_default() => {
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

/// The result of a change.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct ChangeResult {
    /// Identifies the event; `null` if there was nothing to change.
    pub(super) event_id: Nullable<Identifier>,
    /// Number of things that changed.
    pub(super) changed: Count,
}

impl<T> From<&Changed<T>> for ChangeResult {
    fn from(changed: &Changed<T>) -> Self {
        let count = Count(changed.changed.try_into().unwrap_or(i64::MAX));
        Self { event_id: Nullable(changed.event.map(Identifier)), changed: count }
    }
}

example!(
    ChangeResult,
    (&Changed { event: Some(31), changed: 1, ..Changed::<()>::default() }).into()
);

/// The result of an undo.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct UndoResult {
    /// Identifies the event of the undo; `null` if there was nothing to revert.
    event_id: Nullable<Identifier>,
    /// Number of links, owners, patterns or domains that were reverted.
    changed: Count,
    /// Whether the undo goes on.
    status: StatusWord,
    /// The codes of links, names of owners, patterns and hosts of domains that were not reverted, or not
    /// completely, because they have changed since, or were deleted; the first 100.
    #[oai(validator(max_items = 100))]
    skipped: Vec<SubjectText>,
    /// Number of all that were not reverted.
    skipped_count: Count,
}

impl From<&Changed<ChangeExtent>> for UndoResult {
    fn from(undone: &Changed<ChangeExtent>) -> Self {
        let ChangeResult { event_id, changed } = undone.into();
        let ChangeExtent { status, skipped, .. } = &undone.value;
        let (skipped, skipped_count) = listed(skipped);
        Self { event_id, changed, status: status.into_str().into(), skipped, skipped_count }
    }
}

example!(
    UndoResult,
    (&Changed { event: Some(32), changed: 1, ..Changed::<ChangeExtent>::default() }).into()
);

/// Describes the first of several names, and the number of all.
pub(super) fn listed(FirstNames { first, count }: &FirstNames) -> (Vec<SubjectText>, Count) {
    let names = first.iter().cloned().map(SubjectText).collect();
    (names, Count((*count).try_into().unwrap_or(i64::MAX)))
}
