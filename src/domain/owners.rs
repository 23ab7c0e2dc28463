//! Who holds keys and links.

use rand::Rng;

use super::{AdminError, keys};
use crate::store::entities::owner::Model;
use crate::store::{Connection, Durability, Store, StoreError, owners, plans};
use crate::values::{ApiKey, Moment, Name};

/// An owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The name.
    pub name: String,
    /// The plan's name.
    pub plan: String,
    /// How many links exist.
    pub links: i64,
    /// When it was made.
    pub created_at: Moment,
}

impl From<Model> for Owner {
    fn from(Model { id: _, name, plan, link_count, created_at }: Model) -> Self {
        Self { name, plan, links: link_count, created_at: Moment::from_millis(created_at) }
    }
}

/// Makes an owner and a first key, which is returned and never shown again.
///
/// # Errors
/// [`AdminError::OwnerExists`], [`AdminError::NoSuchPlan`], or when the database fails.
pub async fn add(
    store: &Store,
    name: &Name,
    plan: &str,
    now: Moment,
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
    let (_, key) = keys::create(db, owner_id, None, None, now, rng).await?;
    transaction.commit().await?;
    Ok(key)
}

/// Whether there is an owner at all.
///
/// # Errors
/// When the database fails.
pub async fn any(store: &Store) -> Result<bool, StoreError> {
    owners::any(store.reader()).await
}

/// On a database without any owner makes one on the plan without limits, and returns its key.
///
/// # Errors
/// When the database fails.
pub async fn add_first(
    store: &Store,
    name: &Name,
    now: Moment,
    rng: &mut impl Rng,
) -> Result<Option<ApiKey>, AdminError> {
    if any(store).await? {
        return Ok(None);
    }
    match add(store, name, super::plans::UNLIMITED, now, rng).await {
        Ok(key) => Ok(Some(key)),
        // Another process that started at the same time was first.
        Err(AdminError::OwnerExists(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// All owners, by name.
///
/// # Errors
/// When the database fails.
pub async fn list(store: &Store) -> Result<Vec<Owner>, AdminError> {
    Ok(owners::list(store.reader()).await?.into_iter().map(Owner::from).collect())
}

/// Puts an owner on another plan. Links that are there already stay, however low the new limit.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], [`AdminError::NoSuchPlan`], or when the database fails.
pub async fn set_plan(store: &Store, name: &str, plan: &str) -> Result<(), AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    check_plan(db, plan).await?;
    if !owners::set_plan(db, name, plan).await? {
        return Err(AdminError::NoSuchOwner(name.to_owned()));
    }
    Ok(transaction.commit().await?)
}

/// The owner of that name.
pub(super) async fn named(db: &impl Connection, name: &str) -> Result<Model, AdminError> {
    owners::find(db, name).await?.ok_or_else(|| AdminError::NoSuchOwner(name.to_owned()))
}

async fn check_plan(db: &impl Connection, name: &str) -> Result<(), AdminError> {
    match plans::find(db, name).await? {
        Some(_) => Ok(()),
        None => Err(AdminError::NoSuchPlan(name.to_owned())),
    }
}
