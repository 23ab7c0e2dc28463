//! Events: who changed what, when and why. Every change by an operator records an event in its own
//! transaction.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sea_orm::Set;

use crate::store::events::NewEvent;
use crate::store::{Connection, StoreError, Transaction, events};
use crate::values::{Reason, Timestamp};

/// Context of an operator's change: the data of its event, and how to run it.
#[derive(Debug, Clone)]
pub struct ChangeContext {
    /// Name of the person or program that makes the change.
    pub actor: String,
    /// Reason, if the operator specified one.
    pub reason: Option<Reason>,
    /// A note for other operators.
    pub note: Option<String>,
    /// Identifier, in the operator's own system, of the case that led to the change.
    pub case: Option<String>,
    /// Whether this is a dry run, whose transaction is rolled back.
    pub is_dry_run: bool,
    /// The time of the change.
    pub now: Timestamp,
    /// Request by which another task can end a change in slices early.
    pub stop: StopRequest,
}

/// Request to end a change in slices after the slice in progress.
#[derive(Debug, Clone, Default)]
pub struct StopRequest(Arc<AtomicBool>);

impl StopRequest {
    /// Requests the end.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the end was requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangeResult {
    /// Identifier of the event. `None`: nothing changed, or the change was a dry run.
    pub event: Option<i64>,
    /// Number of links, owners, keys, plans or patterns that changed, or would change in a dry run.
    pub changed: u64,
}

/// Action of an operator, which an event records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Disables links.
    LinkDisable,
    /// Enables links.
    LinkEnable,
    /// Changes the properties of a link.
    LinkEdit,
    /// Deletes links.
    LinkDelete,
    /// Creates an owner.
    OwnerAdd,
    /// Assigns a plan to an owner.
    OwnerPlan,
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
    /// Revokes keys.
    KeyRevoke,
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
    /// Reverts another event.
    Undo,
}

impl Action {
    const ALL: [Self; 21] = [
        Self::LinkDisable,
        Self::LinkEnable,
        Self::LinkEdit,
        Self::LinkDelete,
        Self::OwnerAdd,
        Self::OwnerPlan,
        Self::OwnerSuspend,
        Self::OwnerResume,
        Self::OwnerRename,
        Self::OwnerDelete,
        Self::KeyAdd,
        Self::KeyExpire,
        Self::KeyRevoke,
        Self::PlanAdd,
        Self::PlanSet,
        Self::BlockAdd,
        Self::BlockAllow,
        Self::BlockRemove,
        Self::BlockImport,
        Self::BlockRemoveSource,
        Self::Undo,
    ];

    /// Returns the name of the action in events: the command that performs it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LinkDisable => "link disable",
            Self::LinkEnable => "link enable",
            Self::LinkEdit => "link edit",
            Self::LinkDelete => "link delete",
            Self::OwnerAdd => "owner add",
            Self::OwnerPlan => "owner plan",
            Self::OwnerSuspend => "owner suspend",
            Self::OwnerResume => "owner resume",
            Self::OwnerRename => "owner rename",
            Self::OwnerDelete => "owner delete",
            Self::KeyAdd => "key add",
            Self::KeyExpire => "key expire",
            Self::KeyRevoke => "key revoke",
            Self::PlanAdd => "plan add",
            Self::PlanSet => "plan set",
            Self::BlockAdd => "block add",
            Self::BlockAllow => "block allow",
            Self::BlockRemove => "block remove",
            Self::BlockImport => "block import",
            Self::BlockRemoveSource => "block remove --source",
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
                | Self::LinkEdit
                | Self::OwnerSuspend
                | Self::OwnerResume
                | Self::BlockAdd
                | Self::BlockAllow
                | Self::BlockRemove
        )
    }

    /// Returns the action with this name, or `None` if only a newer version of Terse knows it.
    #[must_use]
    pub fn from_stored(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }
}

/// The subject of an event: what the event changed, and its owner if everything has the same owner.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Short code, name, identifier or pattern, or a description of several things. It never
    /// contains a destination, because the deletion of a link must erase the destination.
    pub text: &'a str,
    /// Identifier and name of the owner.
    pub owner: Option<(i64, &'a str)>,
}

/// Records an event that changed `changed` things, and returns its identifier. If nothing changed,
/// it records no event and returns `None`.
///
/// # Errors
/// If the database fails.
pub async fn record(
    db: &impl Connection,
    context: &ChangeContext,
    action: Action,
    subject: Subject<'_>,
    changed: u64,
) -> Result<Option<i64>, StoreError> {
    if changed == 0 {
        return Ok(None);
    }
    let ChangeContext { actor, reason, note, case, now, is_dry_run: _, stop: _ } = context;
    let event = NewEvent {
        at: Set(now.millis()),
        actor: Set(actor.clone()),
        action: Set(action.as_str().to_owned()),
        subject: Set(subject.text.to_owned()),
        owner_id: Set(subject.owner.map(|(id, _)| id)),
        owner: Set(subject.owner.map(|(_, name)| name.to_owned())),
        reason: Set(reason.unwrap_or(Reason::Other).as_str().to_owned()),
        note: Set(note.clone()),
        case_id: Set(case.clone()),
        changed: Set(i64::try_from(changed).unwrap_or(i64::MAX)),
        ..NewEvent::default()
    };
    events::insert(db, event).await.map(Some)
}

/// Commits a change and its event, and returns the result. In a dry run it rolls the change back,
/// and the result has no event.
///
/// # Errors
/// If the database fails.
pub async fn commit(
    transaction: Transaction,
    context: &ChangeContext,
    event: Option<i64>,
    changed: u64,
) -> Result<ChangeResult, StoreError> {
    if context.is_dry_run {
        drop(transaction);
        return Ok(ChangeResult { event: None, changed });
    }
    transaction.commit().await?;
    Ok(ChangeResult { event, changed })
}
