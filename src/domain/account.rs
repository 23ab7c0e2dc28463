//! What an owner's programs may know about the owner.

use super::Error;
use super::keys::Key;
use super::owners::Owner;
use super::plans::Plan;
use super::usage::{self, OwnerUsage};
use crate::store::domains::{self, DomainRow};
use crate::store::{Store, keys, owners};
use crate::values::Timestamp;

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
