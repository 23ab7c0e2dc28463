//! Changes by operators and by owners' programs: who changes what, when and why. Each change records
//! an event in its own transaction. The history lists events, and an undo reverts one.

mod history;
mod transaction;
mod undo;

use std::sync::Arc;

use sea_orm::{EnumIter, Iterable as _};
use tokio_util::sync::CancellationToken;

use crate::values::{ActorName, CaseId, Note, Reason, Timestamp};

pub use self::history::{Event, History, HistoryFilter, ShownChange, changes, event};
pub(super) use self::transaction::{ChangeTransaction, Subject};
pub use self::undo::{Skipped, undo};

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
    const fn stored(&self) -> (Option<&'static str>, Option<i64>) {
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
        Changed { event: self.event, changed: self.changed, value: convert(self.value) }
    }
}

/// Action of an operator, which an event records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter)]
pub enum Action {
    /// Disables links.
    LinkDisable,
    /// Enables links.
    LinkEnable,
    /// Pauses links.
    LinkPause,
    /// Ends the pause of links.
    LinkUnpause,
    /// Changes the properties of a link.
    LinkEdit,
    /// Deletes links.
    LinkDelete,
    /// Creates an owner.
    OwnerAdd,
    /// Assigns a plan to an owner.
    OwnerPlan,
    /// Changes the properties of an owner.
    OwnerEdit,
    /// Suspends an owner.
    OwnerSuspend,
    /// Resumes a suspended owner.
    OwnerResume,
    /// Renames an owner.
    OwnerRename,
    /// Deletes an owner with all links and keys.
    OwnerDelete,
    /// Creates a key.
    KeyAdd,
    /// Changes when a key expires.
    KeyExpire,
    /// Changes the label or the expiry of a key.
    KeyEdit,
    /// Revokes keys.
    KeyRevoke,
    /// Creates an operator key.
    OperatorAdd,
    /// Revokes an operator key.
    OperatorRevoke,
    /// Creates a plan.
    PlanAdd,
    /// Changes a plan.
    PlanSet,
    /// Blocks patterns.
    BlockAdd,
    /// Adds exceptions to blocks.
    BlockAllow,
    /// Removes patterns.
    BlockRemove,
    /// Replaces the patterns of a source.
    BlockImport,
    /// Removes a source with all patterns.
    BlockRemoveSource,
    /// Adds a domain to an owner.
    DomainAdd,
    /// Removes a domain.
    DomainRemove,
    /// Makes a domain the default of its owner.
    DomainDefault,
    /// Changes where visitors of a domain's start page go.
    DomainEdit,
    /// Opens months again that a wrong clock closed.
    UsageReopen,
    /// Reverts another event.
    Undo,
}

impl Action {
    /// Returns the name of the action in events: the command that performs it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LinkDisable => "link disable",
            Self::LinkEnable => "link enable",
            Self::LinkPause => "link pause",
            Self::LinkUnpause => "link unpause",
            Self::LinkEdit => "link edit",
            Self::LinkDelete => "link delete",
            Self::OwnerAdd => "owner add",
            Self::OwnerPlan => "owner plan",
            Self::OwnerEdit => "owner edit",
            Self::OwnerSuspend => "owner suspend",
            Self::OwnerResume => "owner resume",
            Self::OwnerRename => "owner rename",
            Self::OwnerDelete => "owner delete",
            Self::KeyAdd => "key add",
            Self::KeyExpire => "key expire",
            Self::KeyEdit => "key edit",
            Self::KeyRevoke => "key revoke",
            Self::OperatorAdd => "operator add",
            Self::OperatorRevoke => "operator revoke",
            Self::PlanAdd => "plan add",
            Self::PlanSet => "plan set",
            Self::BlockAdd => "block add",
            Self::BlockAllow => "block allow",
            Self::BlockRemove => "block remove",
            Self::BlockImport => "block import",
            Self::BlockRemoveSource => "block remove --source",
            Self::DomainAdd => "domain add",
            Self::DomainRemove => "domain remove",
            Self::DomainDefault => "domain default",
            Self::DomainEdit => "domain edit",
            Self::UsageReopen => "usage reopen",
            Self::Undo => "undo",
        }
    }

    /// Returns whether an event of this action can be undone.
    #[must_use]
    pub const fn is_reversible(self) -> bool {
        matches!(
            self,
            Self::LinkDisable
                | Self::LinkEnable
                | Self::LinkPause
                | Self::LinkUnpause
                | Self::LinkEdit
                | Self::OwnerSuspend
                | Self::OwnerResume
                | Self::BlockAdd
                | Self::BlockAllow
                | Self::BlockRemove
                | Self::DomainAdd
                | Self::DomainRemove
                | Self::DomainDefault
                | Self::DomainEdit
        )
    }

    /// Returns whether the action changes domains.
    #[must_use]
    pub const fn is_about_domains(self) -> bool {
        matches!(
            self,
            Self::DomainAdd | Self::DomainRemove | Self::DomainDefault | Self::DomainEdit
        )
    }

    /// Returns the action with this name, or `None` if only a newer version of Terse knows it.
    #[must_use]
    pub fn from_stored(name: &str) -> Option<Self> {
        Self::iter().find(|action| action.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_of_undo_lists_the_reversible_actions() {
        let page = include_str!("../../../docs/cli.md");
        let (_, section) = page.split_once("\n### undo\n").unwrap();
        let (sentence, _) = section.split_once(';').unwrap();
        for action in Action::iter() {
            let is_listed = sentence.contains(&format!("`{}`", action.as_str()));
            assert_eq!(is_listed, action.is_reversible(), "{action:?}");
        }
    }
}
