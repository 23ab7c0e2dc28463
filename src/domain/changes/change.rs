//! A change, and its result.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::values::{ActorName, CaseId, Note, Reason, Timestamp};

/// Who makes a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person or program at a shell, under the name that it gives itself.
    Command(ActorName),
    /// A program with an owner's API key.
    OwnerKey {
        /// Identifier of the key.
        id: i64,
        /// Label of the key, or another name for it.
        name: Arc<str>,
    },
    /// A program of the operator, with an operator key.
    OperatorKey {
        /// Identifier of the key.
        id: i64,
        /// Name of the key.
        name: Arc<str>,
    },
}

/// Type of an actor, as events show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActorType {
    /// A command.
    Command,
    /// An owner's API key.
    OwnerKey,
    /// An operator key.
    OperatorKey,
}

impl ActorType {
    /// All types.
    pub const ALL: [Self; 3] = [Self::Command, Self::OwnerKey, Self::OperatorKey];

    /// Returns the name of the type in JSON and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::OwnerKey => "owner_key",
            Self::OperatorKey => "operator_key",
        }
    }

    /// Returns the name in the database, which has none for commands.
    #[must_use]
    pub const fn stored(self) -> Option<&'static str> {
        match self {
            Self::Command => None,
            Self::OwnerKey | Self::OperatorKey => Some(self.as_str()),
        }
    }

    /// Returns the type with this name. Commands record events without a type.
    #[must_use]
    pub fn from_stored(name: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|one| name == Some(one.as_str())).unwrap_or(Self::Command)
    }
}

impl Actor {
    /// Returns the name that events show.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Command(name) => name.as_str(),
            Self::OwnerKey { name, .. } | Self::OperatorKey { name, .. } => name,
        }
    }

    /// Returns the identifier of the owner's key, if the actor is one.
    #[must_use]
    pub const fn owner_key_id(&self) -> Option<i64> {
        match self {
            Self::Command(_) | Self::OperatorKey { .. } => None,
            Self::OwnerKey { id, .. } => Some(*id),
        }
    }

    /// Returns the type and the identifier that events record. Both are `None` for commands.
    #[must_use]
    pub(super) const fn stored(&self) -> (Option<&'static str>, Option<i64>) {
        match self {
            Self::Command(_) => (ActorType::Command.stored(), None),
            Self::OwnerKey { id, .. } => (ActorType::OwnerKey.stored(), Some(*id)),
            Self::OperatorKey { id, .. } => (ActorType::OperatorKey.stored(), Some(*id)),
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
