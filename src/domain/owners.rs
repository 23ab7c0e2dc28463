//! Owners of links and API keys.

use rand::Rng;

use super::AdminError;
use super::events::{self, Action, ChangeContext, ChangeResult, Subject};
use super::plans::UNLIMITED;
use crate::store::changes::{self, Change};
use crate::store::entities::owner::Model;
use crate::store::events::{self as history, EventChange};
use crate::store::{Connection, Durability, Store, StoreError, keys, owners, plans};
use crate::values::{ApiKey, KeyScope, Name, Reason, Timestamp};

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
            suspended_reason,
            created_at,
        } = row;
        Self {
            name,
            plan,
            links: link_count,
            suspended: suspended_reason.as_deref().map(Reason::from_stored),
            created_at: Timestamp::from_millis(created_at),
        }
    }
}

/// Creates an owner and the owner's first API key, and returns the key. The database stores only
/// the hash of the key. After a dry run, the returned key does not exist.
///
/// # Errors
/// [`AdminError::OwnerExists`], [`AdminError::NoSuchPlan`], or if the database fails.
pub async fn add(
    store: &Store,
    name: &Name,
    plan: &str,
    context: &ChangeContext,
    rng: &mut impl Rng,
) -> Result<(ChangeResult, ApiKey), AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let (owner_id, key) = insert(db, name, plan, context.now, rng).await?;
    let subject = Subject { text: name.as_str(), owner: Some((owner_id, name.as_str())) };
    let event = events::record(db, context, Action::OwnerAdd, subject, 1).await?;
    Ok((events::commit(transaction, context, event, 1).await?, key))
}

async fn insert(
    db: &impl Connection,
    name: &Name,
    plan: &str,
    now: Timestamp,
    rng: &mut impl Rng,
) -> Result<(i64, ApiKey), AdminError> {
    check_plan(db, plan).await?;
    let owner_id = match owners::insert(db, name.as_str(), plan, now).await {
        Ok(id) => id,
        Err(error) => return Err(exists(name, error)),
    };
    let key = ApiKey::generate(rng);
    keys::insert(db, owner_id, key.hash(), None, KeyScope::Full, None, now).await?;
    Ok((owner_id, key))
}

fn exists(name: &Name, error: StoreError) -> AdminError {
    if matches!(error, StoreError::Conflict) {
        AdminError::OwnerExists(name.as_str().to_owned())
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

/// Creates the first owner of a new database, with the plan [`UNLIMITED`]. Returns the owner's API
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
) -> Result<Option<ApiKey>, AdminError> {
    let reader = store.reader();
    if owners::any(reader).await? || history::any(reader, Action::OwnerDelete.as_str()).await? {
        return Ok(None);
    }
    let transaction = store.begin(Durability::PowerLoss).await?;
    match insert(&transaction, name, UNLIMITED, now, rng).await {
        Ok((_, key)) => {
            transaction.commit().await?;
            Ok(Some(key))
        }
        // Another process has created the first owner concurrently.
        Err(AdminError::OwnerExists(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns all owners in the order of their names.
///
/// # Errors
/// If the database fails.
pub async fn list(store: &Store) -> Result<Vec<Owner>, AdminError> {
    Ok(owners::list(store.reader()).await?.into_iter().map(Owner::from).collect())
}

/// Assigns another plan to an owner. A lower limit deletes no links.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], [`AdminError::NoSuchPlan`], or if the database fails.
pub async fn set_plan(
    store: &Store,
    name: &str,
    plan: &str,
    context: &ChangeContext,
) -> Result<ChangeResult, AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    check_plan(db, plan).await?;
    let owner = lock_named(db, name).await?;
    let changed = u64::from(owner.plan != plan);
    if changed > 0 {
        owners::set_plan(db, owner.id, plan).await?;
        // Servers cache the rate of an owner's plan with the owner's keys.
        changes::publish(db, &Change::Keys, context.now).await?;
    }
    let event = events::record(db, context, Action::OwnerPlan, subject(&owner), changed).await?;
    Ok(events::commit(transaction, context, event, changed).await?)
}

/// Renames an owner, also in the history.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], [`AdminError::OwnerExists`], or if the database fails.
pub async fn rename(
    store: &Store,
    name: &str,
    new: &Name,
    context: &ChangeContext,
) -> Result<ChangeResult, AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let owner = lock_named(db, name).await?;
    let changed = u64::from(name != new.as_str());
    if changed > 0 {
        owners::rename(db, owner.id, new.as_str()).await.map_err(|error| exists(new, error))?;
        history::rename_owner(db, owner.id, name, new.as_str()).await?;
        changes::publish(db, &Change::Owner(owner.id), context.now).await?;
    }
    let subject = Subject { text: new.as_str(), owner: Some((owner.id, new.as_str())) };
    let event = events::record(db, context, Action::OwnerRename, subject, changed).await?;
    let values = |name: &str| serde_json::json!({ "name": name }).to_string();
    let (before, after) = (values(name), values(new.as_str()));
    let change = EventChange { subject: owner.id.to_string(), before, after };
    record_change(db, event, Some(change)).await?;
    Ok(events::commit(transaction, context, event, changed).await?)
}

/// Suspends an owner. Running servers reject the owner's keys and stop the owner's links within a
/// second. An owner who is already suspended gets the reason in `context`, if there is one.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], or if the database fails.
pub async fn suspend(
    store: &Store,
    name: &str,
    context: &ChangeContext,
) -> Result<(ChangeResult, Reason), AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let owner = lock_named(db, name).await?;
    let reason = reason_to_suspend(&owner, context);
    let change = set_suspended(db, &owner, Some(reason), context.now).await?;
    let changed = u64::from(change.is_some());
    let event = events::record(db, context, Action::OwnerSuspend, subject(&owner), changed).await?;
    record_change(db, event, change).await?;
    Ok((events::commit(transaction, context, event, changed).await?, reason))
}

/// Resumes a suspended owner. The owner's keys and links work as before the suspension.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], or if the database fails.
pub async fn resume(
    store: &Store,
    name: &str,
    context: &ChangeContext,
) -> Result<ChangeResult, AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let owner = lock_named(db, name).await?;
    let change = set_suspended(db, &owner, None, context.now).await?;
    let changed = u64::from(change.is_some());
    let event = events::record(db, context, Action::OwnerResume, subject(&owner), changed).await?;
    record_change(db, event, change).await?;
    Ok(events::commit(transaction, context, event, changed).await?)
}

/// Returns the reason to store for a suspended owner: the reason that the operator specified, or
/// else the stored reason, or else [`Reason::Other`].
pub(super) fn reason_to_suspend(owner: &Model, context: &ChangeContext) -> Reason {
    let present = owner.suspended_reason.as_deref().map(Reason::from_stored);
    context.reason.or(present).unwrap_or(Reason::Other)
}

/// Suspends or resumes an owner, and appends the change to the change log. Returns `None` if there
/// is nothing to change.
pub(super) async fn set_suspended(
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
    changes::publish(db, &Change::Owner(owner.id), now).await?;
    let values = |reason| serde_json::json!({ "suspended_reason": reason }).to_string();
    Ok(Some(EventChange {
        subject: owner.id.to_string(),
        before: values(owner.suspended_reason.as_deref()),
        after: values(after),
    }))
}

async fn record_change(
    db: &impl Connection,
    event: Option<i64>,
    change: Option<EventChange>,
) -> Result<(), StoreError> {
    match (event, change) {
        (Some(event), Some(change)) => {
            history::insert_changes(db, event, history::OWNER, vec![change]).await
        }
        _ => Ok(()),
    }
}

/// Returns the subject of an event about an owner.
pub(super) fn subject(owner: &Model) -> Subject<'_> {
    Subject { text: &owner.name, owner: Some((owner.id, &owner.name)) }
}

/// Finds an owner by name and locks it until the transaction ends.
pub(super) async fn lock_named(db: &impl Connection, name: &str) -> Result<Model, AdminError> {
    owners::lock_named(db, name).await?.ok_or_else(|| AdminError::NoSuchOwner(name.to_owned()))
}

/// Finds an owner by name.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], or if the database fails.
pub(super) async fn find_by_name(db: &impl Connection, name: &str) -> Result<Model, AdminError> {
    owners::find(db, name).await?.ok_or_else(|| AdminError::NoSuchOwner(name.to_owned()))
}

async fn check_plan(db: &impl Connection, name: &str) -> Result<(), AdminError> {
    match plans::find(db, name).await? {
        Some(_) => Ok(()),
        None => Err(AdminError::NoSuchPlan(name.to_owned())),
    }
}
