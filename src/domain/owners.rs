//! Owners of links and API keys.

use rand::Rng;

use super::AdminError;
use super::plans::UNLIMITED;
use crate::store::entities::owner::Model;
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
    /// Why the owner is suspended, if it is.
    pub suspended: Option<Reason>,
    /// Time of creation.
    pub created_at: Timestamp,
}

impl From<Model> for Owner {
    fn from(row: Model) -> Self {
        let Model { id: _, name, plan, link_count, suspended_reason, created_at } = row;
        Self {
            name,
            plan,
            links: link_count,
            suspended: suspended_reason.as_deref().map(Reason::from_stored),
            created_at: Timestamp::from_millis(created_at),
        }
    }
}

/// Creates an owner and its first API key, and returns the key. The database stores only its hash.
///
/// # Errors
/// [`AdminError::OwnerExists`], [`AdminError::NoSuchPlan`], or if the database fails.
pub async fn add(
    store: &Store,
    name: &Name,
    plan: &str,
    now: Timestamp,
    rng: &mut impl Rng,
) -> Result<ApiKey, AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    check_plan(db, plan).await?;
    let owner_id = match owners::insert(db, name.as_str(), plan, now).await {
        Ok(id) => id,
        Err(StoreError::Conflict) => return Err(AdminError::OwnerExists(name.as_str().to_owned())),
        Err(error) => return Err(error.into()),
    };
    let key = ApiKey::generate(rng);
    keys::insert(db, owner_id, key.hash(), None, KeyScope::Full, None, now).await?;
    transaction.commit().await?;
    Ok(key)
}

/// Returns whether any owner exists.
///
/// # Errors
/// If the database fails.
pub async fn any(store: &Store) -> Result<bool, StoreError> {
    owners::any(store.reader()).await
}

/// Creates the first owner of a new database with the plan [`UNLIMITED`]. Returns its API key, or
/// `None` if the database already has an owner.
///
/// # Errors
/// If the database fails.
pub async fn add_first(
    store: &Store,
    name: &Name,
    now: Timestamp,
    rng: &mut impl Rng,
) -> Result<Option<ApiKey>, AdminError> {
    if any(store).await? {
        return Ok(None);
    }
    match add(store, name, UNLIMITED, now, rng).await {
        Ok(key) => Ok(Some(key)),
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

/// Moves an owner to another plan. A lower limit removes no links.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], [`AdminError::NoSuchPlan`], or if the database fails.
pub async fn set_plan(store: &Store, name: &str, plan: &str) -> Result<(), AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    check_plan(db, plan).await?;
    if !owners::set_plan(db, name, plan).await? {
        return Err(AdminError::NoSuchOwner(name.to_owned()));
    }
    Ok(transaction.commit().await?)
}

/// Finds an owner by name.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], or if the database fails.
pub(super) async fn named(db: &impl Connection, name: &str) -> Result<Model, AdminError> {
    owners::find(db, name).await?.ok_or_else(|| AdminError::NoSuchOwner(name.to_owned()))
}

async fn check_plan(db: &impl Connection, name: &str) -> Result<(), AdminError> {
    match plans::find(db, name).await? {
        Some(_) => Ok(()),
        None => Err(AdminError::NoSuchPlan(name.to_owned())),
    }
}
