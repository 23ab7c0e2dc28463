//! Suspensions of owners.

use crate::domain::Error;
use crate::domain::changes::{Action, Change, ChangeTransaction, Changed, Subject};
use crate::domain::owner_lookup::OwnerRef;
use crate::store::entities::owner::Model;
use crate::store::events::{ChangeKind, EventChange};
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Connection, Store, StoreError, owners};
use crate::values::{Reason, Timestamp};

/// Suspends an owner. Running servers reject the owner's keys and stop the owner's links within a
/// second. An owner who is already suspended gets the reason of the change, if it has one. Returns
/// the reason of the suspension.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn suspend(
    store: &Store,
    owner: impl Into<OwnerRef<'_>>,
    change: &Change,
) -> Result<Changed<Reason>, Error> {
    let owner = owner.into();
    let suspended = change.apply(store, Action::OwnerSuspend, async |mut transaction| {
        let owner = owner.lock(&transaction.db).await?;
        let reason = reason_to_suspend(&owner, change);
        set_suspended(&mut transaction, &owner, Some(reason)).await?;
        transaction.done(reason)
    });
    suspended.await
}

/// Resumes a suspended owner. The owner's keys and links work as before the suspension.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn resume(
    store: &Store,
    owner: impl Into<OwnerRef<'_>>,
    change: &Change,
) -> Result<Changed, Error> {
    let owner = owner.into();
    let resumed = change.apply(store, Action::OwnerResume, async |mut transaction| {
        let owner = owner.lock(&transaction.db).await?;
        set_suspended(&mut transaction, &owner, None).await?;
        transaction.done(())
    });
    resumed.await
}

/// Returns the reason to store for a suspended owner: the reason that the operator specified, or
/// else the stored reason, or else [`Reason::Other`].
pub(in crate::domain) fn reason_to_suspend(owner: &Model, change: &Change) -> Reason {
    let present = owner.suspended_reason.as_deref().map(Reason::from_stored);
    change.reason.or(present).unwrap_or(Reason::Other)
}

/// Suspends or resumes an owner, and records an event if that changes anything.
async fn set_suspended(
    transaction: &mut ChangeTransaction<'_>,
    owner: &Model,
    suspended: Option<Reason>,
) -> Result<(), StoreError> {
    let now = transaction.change.now;
    if let Some(values) = store_suspension(&transaction.db, owner, suspended, now).await? {
        let subject = Subject::from_owner(owner, owner.name.as_str());
        transaction.record_values(&subject, ChangeKind::Owner, vec![values]).await?;
    }
    Ok(())
}

/// Suspends or resumes an owner, and invalidates what servers cache of the owner. Returns the values
/// before and after, or `None` if there is nothing to change.
pub(in crate::domain) async fn store_suspension(
    db: &impl Connection,
    owner: &Model,
    suspended: Option<Reason>,
    now: Timestamp,
) -> Result<Option<EventChange>, StoreError> {
    let after = suspended.map(Reason::as_str);
    if owner.suspended_reason.as_deref() == after {
        return Ok(None);
    }
    owners::set_suspended(db, owner.id, suspended).await?;
    invalidations::publish(db, &Invalidation::Owner(owner.id), now).await?;
    let values = |reason| serde_json::json!({ "suspended_reason": reason }).to_string();
    Ok(Some(EventChange {
        subject: owner.id.to_string(),
        before: values(owner.suspended_reason.as_deref()),
        after: values(after),
    }))
}
