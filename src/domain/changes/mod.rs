//! Changes by operators and by owners' programs: who changes what, when and why. Each change records
//! an event in its own transaction. The history lists events, and an undo reverts one.

mod extent;
mod history;
mod outbox;
mod transaction;
mod undo;

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::Instant;

use strum_macros::{EnumString, IntoStaticStr, VariantNames};
use tokio_util::sync::CancellationToken;

use super::Error;
use super::idempotency::{IdempotentRequest, Namespace};
use super::version::{Precondition, Versioned};
use crate::values::{ActorName, CaseId, Note, Reason, Timestamp};

pub use self::extent::{ChangeExtent, FirstNames, extent};
pub use self::history::{
    Event, History, HistoryFilter, ShownChange, before_and_after, changes, event, known_owner,
};
pub(super) use self::transaction::{ChangeTransaction, Run, Subject, stop_run};
pub use self::undo::{Skipped, stop, undo};
pub use crate::store::events::ChangeKind;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum ActorType {
    /// A command.
    Command,
    /// An owner's API key.
    OwnerKey,
    /// An operator key.
    OperatorKey,
    /// An import, which creates links.
    Import,
}

impl ActorType {
    /// Returns the name in the database, which has none for commands.
    pub const fn stored(self) -> Option<&'static str> {
        match self {
            Self::Command => None,
            Self::OwnerKey | Self::OperatorKey | Self::Import => Some(self.into_str()),
        }
    }

    /// Returns the type with this name. Commands record events without a type.
    pub fn from_stored(name: Option<&str>) -> Self {
        name.and_then(|name| name.parse().ok()).unwrap_or(Self::Command)
    }
}

impl Actor {
    /// Returns the name that events show.
    pub fn name(&self) -> &str {
        match self {
            Self::Command(name) => name.as_str(),
            Self::OwnerKey { name, .. } | Self::OperatorKey { name, .. } => name,
        }
    }

    /// Returns the identifier of the owner's key, if the actor is one.
    pub const fn owner_key_id(&self) -> Option<i64> {
        if let Self::OwnerKey { id, .. } = self { Some(*id) } else { None }
    }

    /// Returns the type and the identifier that events record. Both are `None` for commands.
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
    /// Versions for which it may be made of what it changes. `None`: any.
    pub precondition: Option<Precondition>,
    /// Whether this is a dry run, whose transaction is rolled back.
    pub is_dry_run: bool,
    /// The time of the change.
    pub now: Timestamp,
    /// Cancelled by another task to end a change in slices after the slice in progress.
    pub stop: CancellationToken,
    /// The request that makes the change, if its client may repeat it.
    pub request: Option<(Namespace, IdempotentRequest)>,
    /// What someone waits for who does not wait until the end of a change in slices.
    pub awaited: Option<Awaited>,
}

/// What someone waits for who does not wait until the end of a change in slices.
#[derive(Debug, Clone)]
pub struct Awaited {
    /// Time by which the event should exist, even if nothing has changed yet.
    pub deadline: Instant,
    /// Receives the identifier of the event.
    pub event: watch::Sender<Option<i64>>,
}

impl Awaited {
    fn is_late(&self) -> bool {
        self.deadline <= Instant::now()
    }
}

impl Change {
    /// Returns the change with a condition on what it changes.
    #[must_use]
    pub fn only_if(self, precondition: Option<Precondition>) -> Self {
        Self { precondition, ..self }
    }

    /// Checks the present version of what it changes. Callers must hold the lock of its row.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`].
    pub(super) fn check(&self, present: &impl Versioned) -> Result<(), Error> {
        self.precondition.as_ref().map_or(Ok(()), |condition| condition.check(present))
    }
}

/// Result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changed<T = ()> {
    /// Identifier of the event, for a repeated request of the first one. `None`: nothing changed, or the
    /// change was a dry run.
    pub event: Option<i64>,
    /// Number of links, owners, keys, plans or patterns that changed, or would change in a dry run.
    pub changed: u64,
    /// Whether an earlier transmission of the request made the change.
    pub is_replay: bool,
    /// What the change returns besides.
    pub value: T,
}

impl<T> Changed<T> {
    /// Returns the result with another value.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Changed<U> {
        Changed {
            event: self.event,
            changed: self.changed,
            is_replay: self.is_replay,
            value: convert(self.value),
        }
    }
}

/// Action of an operator, which an event records under the name of the command that performs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[cfg_attr(test, derive(strum_macros::VariantArray))]
#[strum(const_into_str)]
pub enum Action {
    /// Disables links.
    #[strum(serialize = "link disable")]
    LinkDisable,
    /// Enables links.
    #[strum(serialize = "link enable")]
    LinkEnable,
    /// Pauses links.
    #[strum(serialize = "link pause")]
    LinkPause,
    /// Ends the pause of links.
    #[strum(serialize = "link unpause")]
    LinkUnpause,
    /// Changes the properties of a link.
    #[strum(serialize = "link edit")]
    LinkEdit,
    /// Deletes links.
    #[strum(serialize = "link delete")]
    LinkDelete,
    /// Creates an owner.
    #[strum(serialize = "owner add")]
    OwnerAdd,
    /// Assigns a plan to an owner.
    #[strum(serialize = "owner plan")]
    OwnerPlan,
    /// Changes the properties of an owner.
    #[strum(serialize = "owner edit")]
    OwnerEdit,
    /// Suspends an owner.
    #[strum(serialize = "owner suspend")]
    OwnerSuspend,
    /// Resumes a suspended owner.
    #[strum(serialize = "owner resume")]
    OwnerResume,
    /// Renames an owner.
    #[strum(serialize = "owner rename")]
    OwnerRename,
    /// Deletes an owner with all links and keys.
    #[strum(serialize = "owner delete")]
    OwnerDelete,
    /// Creates a key.
    #[strum(serialize = "key add")]
    KeyAdd,
    /// Changes when a key expires.
    #[strum(serialize = "key expire")]
    KeyExpire,
    /// Changes the label or the expiry of a key.
    #[strum(serialize = "key edit")]
    KeyEdit,
    /// Revokes keys.
    #[strum(serialize = "key revoke")]
    KeyRevoke,
    /// Creates an operator key.
    #[strum(serialize = "operator add")]
    OperatorAdd,
    /// Revokes an operator key.
    #[strum(serialize = "operator revoke")]
    OperatorRevoke,
    /// Creates a plan.
    #[strum(serialize = "plan add")]
    PlanAdd,
    /// Changes a plan.
    #[strum(serialize = "plan set")]
    PlanSet,
    /// Deletes a plan.
    #[strum(serialize = "plan remove")]
    PlanRemove,
    /// Blocks patterns.
    #[strum(serialize = "block add")]
    BlockAdd,
    /// Adds exceptions to blocks.
    #[strum(serialize = "block allow")]
    BlockAllow,
    /// Removes patterns.
    #[strum(serialize = "block remove")]
    BlockRemove,
    /// Replaces the patterns of a source.
    #[strum(serialize = "block import")]
    BlockImport,
    /// Removes a source with all patterns.
    #[strum(serialize = "block remove --source")]
    BlockRemoveSource,
    /// Adds a domain to an owner.
    #[strum(serialize = "domain add")]
    DomainAdd,
    /// Removes a domain.
    #[strum(serialize = "domain remove")]
    DomainRemove,
    /// Makes a domain the default of its owner.
    #[strum(serialize = "domain default")]
    DomainDefault,
    /// Changes where visitors of a domain's start page go.
    #[strum(serialize = "domain edit")]
    DomainEdit,
    /// Creates a webhook.
    #[strum(serialize = "webhook add")]
    WebhookAdd,
    /// Changes a webhook.
    #[strum(serialize = "webhook edit")]
    WebhookEdit,
    /// Replaces the secret of a webhook.
    #[strum(serialize = "webhook rotate")]
    WebhookRotate,
    /// Disables a webhook.
    #[strum(serialize = "webhook disable")]
    WebhookDisable,
    /// Enables a disabled webhook.
    #[strum(serialize = "webhook enable")]
    WebhookEnable,
    /// Deletes a webhook.
    #[strum(serialize = "webhook remove")]
    WebhookRemove,
    /// Opens months again that a wrong clock closed.
    #[strum(serialize = "usage reopen")]
    UsageReopen,
    /// Reverts another event.
    #[strum(serialize = "undo")]
    Undo,
    /// Stops the change of another event.
    #[strum(serialize = "stop")]
    Stop,
}

impl Action {
    /// Returns whether an event of this action can be undone.
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
    pub const fn is_about_domains(self) -> bool {
        matches!(
            self,
            Self::DomainAdd | Self::DomainRemove | Self::DomainDefault | Self::DomainEdit
        )
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn documentation_of_undo_lists_the_reversible_actions() {
        let page = include_str!("../../../docs/cli.md");
        let (_, section) = page.split_once("\n### undo\n").unwrap();
        let (sentence, _) = section.split_once(';').unwrap();
        for action in Action::VARIANTS {
            let is_listed = sentence.contains(&format!("`{}`", action.into_str()));
            assert_eq!(is_listed, action.is_reversible(), "{action:?}");
        }
    }
}
