//! Owners of links and API keys, and what their programs may know about them.

mod create;
mod edit;

use std::collections::HashMap;

use super::keys::Key;
use super::page::{FoundPage, ListPosition, PageRequest};
use super::plans::Plan;
use super::usage::OwnerUsage;
use super::version::Versioned;
use super::{Error, usage};
use crate::store::domains::DomainRow;
use crate::store::{Connection, Store, StoreError, domains, keys, owners, plans};
use crate::values::{Day, Timestamp};

pub use self::create::{CreatedOwner, NewOwner, add_first, create};
pub use self::edit::{OwnerEdit, edit, rename, resume, set_plan, suspend};
pub(super) use self::edit::{reason_to_suspend, store_suspension};
pub use super::owner_lookup::OwnerRef;
pub use crate::store::entities::owner::Model as Owner;
pub use crate::store::owners::OwnerFilter;

/// Checks that no owner but the one with this identifier has an external identifier.
///
/// # Errors
/// [`Error::ExternalIdInUse`]
async fn check_external_id(
    db: &impl Connection,
    external_id: Option<&str>,
    owner_id: i64,
) -> Result<(), Error> {
    let Some(external_id) = external_id else { return Ok(()) };
    match owners::id_of_external_id(db, external_id).await? {
        Some(id) if id != owner_id => Err(Error::ExternalIdInUse { short_code: None }),
        Some(_) | None => Ok(()),
    }
}

/// An owner as the operator sees it.
#[derive(Debug, Clone)]
pub struct OwnerInfo {
    /// The owner.
    pub owner: Owner,
    /// The day on which the owner's keys were last used. `None`: they never were.
    pub last_active_on: Option<Day>,
}

impl Versioned for OwnerInfo {
    fn writable(&self) -> serde_json::Value {
        self.owner.writable()
    }
}

impl OwnerInfo {
    fn new(owner: Owner, last_uses: &HashMap<i64, Timestamp>) -> Self {
        let last_use = last_uses.get(&owner.id);
        let last_active_on = last_use.map(|time| Day::from_number(time.day()));
        Self { owner, last_active_on }
    }
}

/// Finds out when an owner was last active.
pub async fn describe(store: &Store, owner: Owner) -> Result<OwnerInfo, Error> {
    let last_uses = keys::last_uses(store.reader(), &[owner.id]).await?;
    Ok(OwnerInfo::new(owner, &last_uses))
}

/// Finds out when owners were last active.
async fn describe_all(store: &Store, owners: Vec<Owner>) -> Result<Vec<OwnerInfo>, Error> {
    let ids: Vec<i64> = owners.iter().map(|owner| owner.id).collect();
    let last_uses = keys::last_uses(store.reader(), &ids).await?;
    Ok(owners.into_iter().map(|owner| OwnerInfo::new(owner, &last_uses)).collect())
}

/// Returns whether any owner exists.
pub async fn any(store: &Store) -> Result<bool, StoreError> {
    owners::any(store.reader()).await
}

/// Returns all owners in the order of their names.
pub async fn list(store: &Store) -> Result<Vec<OwnerInfo>, Error> {
    describe_all(store, owners::list(store.reader()).await?).await
}

/// Returns a page of owners, newest first. With conditions it may be short, since it reads a bounded
/// number of owners.
pub async fn page(
    store: &Store,
    filter: &OwnerFilter,
    request: PageRequest,
) -> Result<FoundPage<OwnerInfo>, Error> {
    let (before, rows) = (request.position.0, request.rows());
    let (owners, last_read) = owners::page(store.reader(), filter, before, rows).await?;
    let FoundPage { items, next } = FoundPage::cut(owners, request.limit, |owner: &Owner| owner.id);
    let next = next.or_else(|| last_read.map(ListPosition));
    Ok(FoundPage { items: describe_all(store, items).await?, next })
}

/// Returns whether the owner exists and is not suspended.
///
/// # Errors
/// If the database fails.
pub async fn is_active(store: &Store, owner_id: i64) -> Result<bool, Error> {
    let owner = owners::get(store.reader(), owner_id).await?;
    Ok(owner.is_some_and(|owner| owner.suspended_reason.is_none()))
}

/// Returns an owner.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn get(store: &Store, owner: OwnerRef<'_>) -> Result<Owner, Error> {
    owner.find(store.reader()).await
}

async fn check_plan(db: &impl Connection, name: &str) -> Result<(), Error> {
    let exists = plans::hold(db, name).await?;
    if exists { Ok(()) } else { Err(Error::PlanNotFound(name.to_owned())) }
}

/// An owner as the owner's own programs see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The owner.
    pub owner: Owner,
    /// The owner's plan.
    pub plan: Plan,
    /// The key that asks.
    pub key: Key,
    /// What only a key that reads sees.
    pub details: Option<AccountDetails>,
}

/// What an owner uses and has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountDetails {
    /// Number of links that the owner has created today (UTC).
    pub links_today: i64,
    /// Usage of this month. `None`: the owner's first month has not begun, because a clock went back.
    pub usage: Option<OwnerUsage>,
    /// The owner's domains, the default one first.
    pub domains: Vec<DomainRow>,
}

/// Returns the account of the owner of a key, or `None` if the owner has no such key any more. It costs
/// what the owner has, and nothing of other owners. `is_reader` says whether the key may read.
pub async fn account(
    store: &Store,
    owner_id: i64,
    key_id: i64,
    is_reader: bool,
    now: Timestamp,
) -> Result<Option<Account>, Error> {
    let db = store.reader();
    let Some(key) = keys::get(db, owner_id, key_id).await? else { return Ok(None) };
    let Some((owner, plan)) = owners::with_plan(db, owner_id).await? else { return Ok(None) };
    let details = if is_reader {
        let is_today = owner.created_day == now.day();
        Some(AccountDetails {
            links_today: if is_today { owner.created_today } else { 0 },
            usage: usage::of_owner(store, &owner, now.into()).await?,
            domains: domains::of_owner(db, owner_id).await?,
        })
    } else {
        None
    };
    Ok(Some(Account { owner, plan, key, details }))
}
