//! Owners of links and API keys.

use rand::Rng;

use super::changes::{Action, Change, ChangeTransaction, Changed, Subject};
use super::keys::{self, NewKey, NewSecret};
use super::links::LinkRules;
pub(super) use super::owner_lookup::{find_by_name, lock_named};
use super::plans::UNLIMITED;
use super::{Error, Field};
use crate::store::entities::owner::Model;
use crate::store::events::{self as history, EventChange};
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Connection, Durability, Store, StoreError, keys as stored_keys, owners, plans};
use crate::values::{ApiKey, Destination, KeyScope, Name, Reason, Timestamp};

/// An owner as the operator sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Name of the owner.
    pub name: String,
    /// Name of the owner's plan.
    pub plan: String,
    /// Number of the owner's links.
    pub links: i64,
    /// Reason of the suspension, if the owner is suspended.
    pub suspended: Option<Reason>,
    /// Where visitors of the owner's expired links go that have no such destination of their own.
    pub fallback_url: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
}

impl From<Model> for Owner {
    fn from(row: Model) -> Self {
        let Model {
            id: _,
            name,
            plan,
            link_count,
            created_day: _,
            created_today: _,
            created_month: _,
            created_in_month: _,
            suspended_reason,
            created_at,
            fallback_url,
        } = row;
        Self {
            name,
            plan,
            links: link_count,
            suspended: suspended_reason.as_deref().map(Reason::from_stored),
            fallback_url,
            created_at: Timestamp::from_millis(created_at),
        }
    }
}

/// Creates an owner with an API key, if one is wanted, and returns the secret of the key. The
/// database stores only the hash of the key. After a dry run, the returned key does not exist.
///
/// # Errors
/// [`Error::OwnerExists`], [`Error::PlanNotFound`], or if the database fails.
pub async fn add(
    store: &Store,
    name: &Name,
    plan: &str,
    key: Option<&NewKey>,
    change: &Change,
    rng: &mut impl Rng,
) -> Result<Changed<Option<ApiKey>>, Error> {
    let key = key.map(|key| (key, NewSecret::generate(None, rng)));
    let key = key.as_ref();
    let added = change.apply(store, Action::OwnerAdd, async |mut transaction| {
        let owner = insert(&transaction.db, name, plan, change.now).await?;
        if let Some((key, secret)) = key {
            keys::insert(&transaction, &owner, None, key, secret).await?;
        }
        transaction.record(&Subject::from_owner(&owner, name.as_str()), 1).await?;
        transaction.done(key.map(|(_, secret)| secret.key.clone()))
    });
    added.await
}

async fn insert(
    db: &impl Connection,
    name: &Name,
    plan: &str,
    now: Timestamp,
) -> Result<Model, Error> {
    check_plan(db, plan).await?;
    let inserted = owners::insert(db, name.as_str(), plan, now).await;
    inserted.map_err(|error| exists(name, error))
}

fn exists(name: &Name, error: StoreError) -> Error {
    if matches!(error, StoreError::Conflict) {
        Error::OwnerExists(name.as_str().to_owned())
    } else {
        error.into()
    }
}

/// Returns whether any owner exists.
///
/// # Errors
/// If the database fails.
pub async fn any(store: &Store) -> Result<bool, StoreError> {
    owners::any(store.reader()).await
}

/// Creates the first owner of a new database, with the plan [`UNLIMITED`] and a key of the scope
/// [`KeyScope::Manage`]. Returns the owner's API
/// key, or `None` if the database has an owner or had one. It records no event, because it is not a
/// change by an operator.
///
/// # Errors
/// If the database fails.
pub async fn add_first(
    store: &Store,
    name: &Name,
    now: Timestamp,
    rng: &mut impl Rng,
) -> Result<Option<ApiKey>, Error> {
    let reader = store.reader();
    if owners::any(reader).await? || history::any(reader, Action::OwnerDelete.as_str()).await? {
        return Ok(None);
    }
    let transaction = store.begin(Durability::PowerLoss).await?;
    let secret = NewSecret::generate(None, rng);
    let new = NewKey { label: None, scope: KeyScope::Manage, expires_at: None };
    match insert(&transaction, name, UNLIMITED, now).await {
        Ok(owner) => {
            stored_keys::insert(&transaction, &secret.row(&owner, &new, now)).await?;
            transaction.commit().await?;
            Ok(Some(secret.key))
        }
        // Another process has created the first owner concurrently.
        Err(Error::OwnerExists(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns all owners in the order of their names.
///
/// # Errors
/// If the database fails.
pub async fn list(store: &Store) -> Result<Vec<Owner>, Error> {
    Ok(owners::list(store.reader()).await?.into_iter().map(Owner::from).collect())
}

/// Assigns another plan to an owner. A lower limit deletes no links.
///
/// # Errors
/// [`Error::OwnerNotFound`], [`Error::PlanNotFound`], or if the database fails.
pub async fn set_plan(
    store: &Store,
    name: &str,
    plan: &str,
    change: &Change,
) -> Result<Changed, Error> {
    let changed = change.apply(store, Action::OwnerPlan, async |mut transaction| {
        check_plan(&transaction.db, plan).await?;
        let owner = lock_named(&transaction.db, name).await?;
        if owner.plan != plan {
            owners::set_plan(&transaction.db, owner.id, plan).await?;
            // Servers cache the rate of an owner's plan with the owner's keys.
            invalidations::publish(&transaction.db, &Invalidation::Keys, change.now).await?;
            transaction.record(&Subject::from_owner(&owner, name), 1).await?;
        }
        transaction.done(())
    });
    changed.await
}

/// New values for properties of an owner. `None` keeps a value, and `Some(None)` removes it.
#[derive(Debug, Clone, Default)]
pub struct OwnerEdit {
    /// Name of the plan.
    pub plan: Option<String>,
    /// Where visitors of the owner's expired links go that have no such destination of their own.
    pub fallback: Option<Option<Destination>>,
}

/// Changes the properties of an owner. Running servers apply the change within a second.
///
/// # Errors
/// [`Error::OwnerNotFound`], [`Error::PlanNotFound`], [`Error::Invalid`],
/// [`Error::DestinationBlocked`], or if the database fails.
pub async fn edit(
    store: &Store,
    name: &str,
    edit: &OwnerEdit,
    rules: &LinkRules,
    change: &Change,
) -> Result<Changed, Error> {
    if let Some(Some(fallback)) = &edit.fallback {
        rules.check_destination(Field::Fallback, fallback, change.now)?;
    }
    let changed = change.apply(store, Action::OwnerEdit, async |mut transaction| {
        let db = &transaction.db;
        if let Some(plan) = &edit.plan {
            check_plan(db, plan).await?;
        }
        let owner = lock_named(db, name).await?;
        let plan = edit.plan.as_ref().filter(|plan| **plan != owner.plan);
        let fallback = edit.fallback.clone().map(|url| url.map(Destination::into_string));
        let fallback = fallback.filter(|url| *url != owner.fallback_url);
        if plan.is_none() && fallback.is_none() {
            return transaction.done(());
        }
        if let Some(plan) = plan {
            owners::set_plan(db, owner.id, plan).await?;
        }
        if let Some(fallback) = fallback {
            owners::set_fallback(db, owner.id, fallback).await?;
        }
        invalidations::publish(db, &Invalidation::Owner(owner.id), change.now).await?;
        transaction.record(&Subject::from_owner(&owner, name), 1).await?;
        transaction.done(())
    });
    changed.await
}

/// Renames an owner, also in the history.
///
/// # Errors
/// [`Error::OwnerNotFound`], [`Error::OwnerExists`], or if the database fails.
pub async fn rename(
    store: &Store,
    name: &str,
    new: &Name,
    change: &Change,
) -> Result<Changed, Error> {
    let renamed = change.apply(store, Action::OwnerRename, async |mut transaction| {
        let (db, new_name) = (&transaction.db, new.as_str());
        let owner = lock_named(db, name).await?;
        if name == new_name {
            return transaction.done(());
        }
        owners::rename(db, owner.id, new_name).await.map_err(|error| exists(new, error))?;
        history::rename_owner(db, owner.id, name, new_name).await?;
        invalidations::publish(db, &Invalidation::Owner(owner.id), change.now).await?;
        let values = |name: &str| serde_json::json!({ "name": name }).to_string();
        let (before, after) = (values(name), values(new_name));
        let values = EventChange { subject: owner.id.to_string(), before, after };
        let subject =
            Subject { text: new_name.to_owned(), owner: Some((owner.id, new_name.to_owned())) };
        transaction.record_values(&subject, history::OWNER, vec![values]).await?;
        transaction.done(())
    });
    renamed.await
}

/// Suspends an owner. Running servers reject the owner's keys and stop the owner's links within a
/// second. An owner who is already suspended gets the reason of the change, if it has one. Returns
/// the reason of the suspension.
///
/// # Errors
/// [`Error::OwnerNotFound`], or if the database fails.
pub async fn suspend(store: &Store, name: &str, change: &Change) -> Result<Changed<Reason>, Error> {
    let suspended = change.apply(store, Action::OwnerSuspend, async |mut transaction| {
        let owner = lock_named(&transaction.db, name).await?;
        let reason = reason_to_suspend(&owner, change);
        set_suspended(&mut transaction, &owner, Some(reason)).await?;
        transaction.done(reason)
    });
    suspended.await
}

/// Resumes a suspended owner. The owner's keys and links work as before the suspension.
///
/// # Errors
/// [`Error::OwnerNotFound`], or if the database fails.
pub async fn resume(store: &Store, name: &str, change: &Change) -> Result<Changed, Error> {
    let resumed = change.apply(store, Action::OwnerResume, async |mut transaction| {
        let owner = lock_named(&transaction.db, name).await?;
        set_suspended(&mut transaction, &owner, None).await?;
        transaction.done(())
    });
    resumed.await
}

/// Returns the reason to store for a suspended owner: the reason that the operator specified, or
/// else the stored reason, or else [`Reason::Other`].
pub(super) fn reason_to_suspend(owner: &Model, change: &Change) -> Reason {
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
        transaction.record_values(&subject, history::OWNER, vec![values]).await?;
    }
    Ok(())
}

/// Suspends or resumes an owner, and invalidates what servers cache of the owner. Returns the values
/// before and after, or `None` if there is nothing to change.
pub(super) async fn store_suspension(
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

async fn check_plan(db: &impl Connection, name: &str) -> Result<(), Error> {
    match plans::find(db, name).await? {
        Some(_) => Ok(()),
        None => Err(Error::PlanNotFound(name.to_owned())),
    }
}
