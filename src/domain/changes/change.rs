//! A change, and its result.

use tokio_util::sync::CancellationToken;

use crate::values::{ActorName, CaseId, Note, Reason, Timestamp};

/// Who makes a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person or program at a shell, under the name that it gives itself.
    Command(ActorName),
}

impl Actor {
    /// Returns the name that events show.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Command(name) => name.as_str(),
        }
    }
}

/// A change: the data of its event, and how to run it.
#[derive(Debug, Clone)]
pub struct Change {
    /// Who makes the change.
    pub actor: Actor,
    /// Reason, if the actor specified one.
    pub reason: Option<Reason>,
    /// A note for the history.
    pub note: Option<Note>,
    /// Identifier, in the operator's own system, of the case that led to the change.
    pub case: Option<CaseId>,
    /// Whether this is a dry run, whose transaction is rolled back.
    pub is_dry_run: bool,
    /// The time of the change.
    pub now: Timestamp,
    /// Cancelled by another task to end a change in slices after the slice in progress.
    pub stop: CancellationToken,
}

/// Result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changed<T = ()> {
    /// Identifier of the event. `None`: nothing changed, or the change was a dry run.
    pub event: Option<i64>,
    /// Number of links, owners, keys, plans or patterns that changed, or would change in a dry run.
    pub changed: u64,
    /// What the change returns besides.
    pub value: T,
}

impl<T> Changed<T> {
    /// Returns the result with another value.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Changed<U> {
        let Self { event, changed, value } = self;
        Changed { event, changed, value: convert(value) }
    }
}
