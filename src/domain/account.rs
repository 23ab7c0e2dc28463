//! What an owner's programs may know about the owner.

use super::keys::Key;
use super::owners::Owner;
use super::plans::Plan;
use super::{Error, domains};
use crate::store::{Store, keys, owners};
use crate::values::Timestamp;

/// An owner as the owner's own programs see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The owner.
    pub owner: Owner,
    /// The owner's plan.
    pub plan: Plan,
    /// Number of links that the owner has created today (UTC).
    pub links_today: i64,
    /// The key that asks.
    pub key: Key,
    /// Hosts of the owner's domains, the default one first.
    pub domains: Vec<String>,
}

/// Returns the account of the owner of a key, or `None` if the owner has no such key any more.
pub async fn account(
    store: &Store,
    owner_id: i64,
    key_id: i64,
    now: Timestamp,
) -> Result<Option<Account>, Error> {
    let db = store.reader();
    let Some(key) = keys::get(db, owner_id, key_id).await? else { return Ok(None) };
    let Some((owner, plan)) = owners::with_plan(db, owner_id).await? else { return Ok(None) };
    let is_today = owner.created_day == now.day();
    Ok(Some(Account {
        links_today: if is_today { owner.created_today } else { 0 },
        owner,
        plan,
        key,
        domains: domains::of_owner(db, owner_id).await?,
    }))
}
