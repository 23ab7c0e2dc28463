//! Changes of an owner's properties, and suspensions.

use serde_json::{Value, json};

use super::{Owner, check_external_id, check_plan};
use crate::domain::changes::{Action, Change, ChangeTransaction, Changed, Subject};
use crate::domain::links::LinkRules;
use crate::domain::owner_lookup::OwnerRef;
use crate::domain::version::Versioned;
use crate::domain::{Error, Field};
use crate::store::events::{self as history, ChangeKind, EventChange};
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Connection, Store, StoreError, owners};
use crate::values::{Destination, ExternalId, Name, Reason, Timestamp};

/// Assigns another plan to an owner. A lower limit deletes no links.
///
/// # Errors
/// [`Error::OwnerNotFound`] or [`Error::PlanNotFound`].
pub async fn set_plan(
    store: &Store,
    owner: impl Into<OwnerRef<'_>>,
    plan: &str,
    change: &Change,
) -> Result<Changed, Error> {
    let owner = owner.into();
    let changed = change.apply(store, Action::OwnerPlan, async |mut transaction| {
        check_plan(&transaction.db, plan).await?;
        let before = owner.lock(&transaction.db).await?;
        let after = Owner { plan: plan.to_owned(), ..before.clone() };
        store_edit(&mut transaction, &before, &after).await?;
        transaction.done(())
    });
    changed.await
}

/// New values for properties of an owner. `None` keeps a value, and `Some(None)` removes it.
#[derive(Debug, Clone, Default)]
pub struct OwnerEdit {
    /// Name.
    pub name: Option<Name>,
    /// Name of the plan.
    pub plan: Option<String>,
    /// The operator's own identifier.
    pub external_id: Option<Option<ExternalId>>,
    /// Where visitors of the owner's expired links go that have no such destination of their own.
    pub fallback: Option<Option<Destination>>,
}

impl OwnerEdit {
    /// Returns the action of the event: that of a command.
    const fn action(&self) -> Action {
        let Self { name, plan, external_id, fallback } = self;
        let are_others_none = plan.is_none() && external_id.is_none() && fallback.is_none();
        if name.is_some() && are_others_none { Action::OwnerRename } else { Action::OwnerEdit }
    }
}

/// Changes the properties of an owner, the name also in the history. Running servers apply the
/// change within a second. Returns the owner as it is afterwards.
///
/// # Errors
/// [`Error::OwnerNotFound`], [`Error::PreconditionFailed`], [`Error::OwnerExists`],
/// [`Error::PlanNotFound`], [`Error::ExternalIdInUse`], [`Error::Invalid`],
/// [`Error::DestinationBlocked`].
pub async fn edit(
    store: &Store,
    owner: impl Into<OwnerRef<'_>>,
    edit: &OwnerEdit,
    rules: &LinkRules,
    change: &Change,
) -> Result<Changed<Owner>, Error> {
    let owner = owner.into();
    let changed = change.apply(store, edit.action(), async |mut transaction| {
        let before = owner.lock(&transaction.db).await?;
        change.check(&before)?;
        let mut after = before.clone();
        if let Some(name) = &edit.name {
            name.as_str().clone_into(&mut after.name);
        }
        if let Some(plan) = &edit.plan {
            check_plan(&transaction.db, plan).await?;
            after.plan.clone_from(plan);
        }
        if let Some(id) = &edit.external_id {
            after.external_id = id.as_ref().map(|id| id.as_str().to_owned());
            check_external_id(&transaction.db, after.external_id.as_deref(), after.id).await?;
        }
        if let Some(fallback) = &edit.fallback {
            after.fallback_url = fallback.as_ref().map(|url| url.as_str().to_owned());
            if let Some(new) =
                fallback.as_ref().filter(|_| after.fallback_url != before.fallback_url)
            {
                rules.check_destination(Field::Fallback, new, change.now)?;
            }
        }
        store_edit(&mut transaction, &before, &after).await?;
        transaction.done(after)
    });
    changed.await
}

impl Versioned for Owner {
    fn writable(&self) -> Value {
        let mut values = vec![json!(self.name), json!(self.plan), json!(self.fallback_url)];
        // Two versions that run at the same time agree on owners without one.
        values.extend(self.external_id.as_ref().map(|id| json!(id)));
        values.into()
    }
}

/// Stores the new values of an owner, and records the event, unless nothing changes.
async fn store_edit(
    transaction: &mut ChangeTransaction<'_>,
    before: &Owner,
    after: &Owner,
) -> Result<(), Error> {
    let (db, id) = (&transaction.db, before.id);
    if after == before {
        return Ok(());
    }
    // The name follows alone, because both it and the external identifier may be in use.
    let unnamed = Owner { name: before.name.clone(), ..after.clone() };
    if unnamed != *before {
        let in_use = Error::ExternalIdInUse { short_code: None };
        let updated = owners::update(db, before, &unnamed).await;
        updated.map_err(|error| Error::of_write(error, in_use))?;
    }
    if after.name != before.name {
        let exists = Error::OwnerExists(after.name.clone());
        let renamed = owners::update(db, &unnamed, after).await;
        renamed.map_err(|error| Error::of_write(error, exists))?;
        history::rename_owner(db, id, &before.name, &after.name).await?;
    }
    invalidations::publish(db, &Invalidation::Owner(id), transaction.change.now).await?;
    let subject = Subject::from_owner(after, after.name.as_str());
    let values = vec![event_change(Some(before), after)];
    transaction.record_values(&subject, ChangeKind::Owner, values).await?;
    Ok(())
}

/// Returns the change of an owner, as events record it. `before` is `None` for a new one.
pub(super) fn event_change(before: Option<&Owner>, after: &Owner) -> EventChange {
    let values = |owner: &Owner| {
        let (reason, since) = owner.suspended().unzip();
        json!({
            "name": owner.name, "plan_name": owner.plan, "external_id": owner.external_id,
            "fallback_url": owner.fallback_url,
            "suspended_reason": reason.map(<&str>::from),
            "suspended_at": since.flatten().map(Timestamp::millis),
        })
    };
    EventChange::between(after.id, &json!(before.map(values)), &values(after))
}

/// Renames an owner, also in the history.
///
/// # Errors
/// [`Error::OwnerNotFound`] or [`Error::OwnerExists`].
pub async fn rename(
    store: &Store,
    owner: impl Into<OwnerRef<'_>>,
    new: &Name,
    change: &Change,
) -> Result<Changed, Error> {
    let owner = owner.into();
    let renamed = change.apply(store, Action::OwnerRename, async |mut transaction| {
        let before = owner.lock(&transaction.db).await?;
        let after = Owner { name: new.as_str().to_owned(), ..before.clone() };
        store_edit(&mut transaction, &before, &after).await?;
        transaction.done(())
    });
    renamed.await
}

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
    let suspended = change.apply_once(store, Action::OwnerSuspend, async |mut transaction| {
        let owner = owner.lock(&transaction.db).await?;
        let reason = reason_to_suspend(&owner, change);
        set_suspended(&mut transaction, &owner, Some(reason)).await?;
        transaction.done(Some(reason))
    });
    // The first response to a repeated request has no reason.
    Ok(suspended.await?.map(|reason| reason.unwrap_or(Reason::Other)))
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
    let resumed = change.apply_once(store, Action::OwnerResume, async |mut transaction| {
        let owner = owner.lock(&transaction.db).await?;
        set_suspended(&mut transaction, &owner, None).await?;
        transaction.done(())
    });
    resumed.await
}

/// Returns the reason to store for a suspended owner: the reason that the operator specified, or
/// else the stored reason, or else [`Reason::Other`].
pub(in crate::domain) fn reason_to_suspend(owner: &Owner, change: &Change) -> Reason {
    change.reason.or(owner.suspended_reason).unwrap_or(Reason::Other)
}

/// Suspends or resumes an owner, and records an event if that changes anything.
async fn set_suspended(
    transaction: &mut ChangeTransaction<'_>,
    owner: &Owner,
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
    owner: &Owner,
    suspended: Option<Reason>,
    now: Timestamp,
) -> Result<Option<EventChange>, StoreError> {
    if owner.suspended_reason == suspended {
        return Ok(None);
    }
    // Another reason does not change since when an owner is suspended.
    let since = owner.suspended().map_or(Some(now), |(_, since)| since);
    let since = suspended.and(since);
    let after = Owner { suspended_reason: suspended, suspended_at: since, ..owner.clone() };
    owners::update(db, owner, &after).await?;
    invalidations::publish(db, &Invalidation::Owner(owner.id), now).await?;
    Ok(Some(event_change(Some(owner), &after)))
}
