//! Usage of owners by month, by which an operator bills them.
//!
//! [`month_close`] closes a month after its last day, so that its usage never changes. [`requests`] counts
//! requests.

pub mod month_close;
pub mod requests;

use super::Error;
use super::changes::known_owner;
use super::owner_lookup::OwnerRef;
use crate::store::click_sums::OwnerLinks;
use crate::store::entities::owner;
use crate::store::usage::OwnerName;
pub use crate::store::usage::OwnerUsage;
use crate::store::{Store, StoreError, click_days, usage};
use crate::values::Month;

/// Usage of owners in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthUsage {
    /// The month.
    pub month: Month,
    /// Whether the month is closed, so that its usage never changes.
    pub is_final: bool,
    /// The owners who existed in the month, in the order of their names.
    pub owners: Vec<OwnerUsage>,
}

/// Returns the usage of a month: of all owners, or of one. A name is that in the usage or, if no owner
/// has it there, the present one.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn of_month(
    store: &Store,
    month: Month,
    owner: Option<OwnerRef<'_>>,
) -> Result<MonthUsage, Error> {
    let db = store.reader();
    let is_final = usage::is_closed(&click_days::state(db).await?, month);
    let mut owners = usage::of_month(db, None, month, is_final, store.now().day()).await?;
    if let Some(owner) = owner {
        let ids = owner_ids(store, month, owner).await?;
        owners.retain(|owner| ids.contains(&owner.owner_id));
    }
    Ok(MonthUsage { month, is_final, owners })
}

/// Returns the usage of an owner in a month, or `None` if the owner did not exist in it. It reads only
/// what concerns the owner.
pub async fn of_owner(
    store: &Store,
    owner: &owner::Model,
    month: Month,
) -> Result<Option<OwnerUsage>, StoreError> {
    let db = store.reader();
    let is_final = usage::is_closed(&click_days::state(db).await?, month);
    let links = OwnerLinks { id: owner.id, links: owner.link_count };
    let found = usage::of_month(db, Some(links), month, is_final, store.now().day()).await?;
    Ok(found.into_iter().next())
}

/// Returns the identifiers of the owners who have a name in a month or, if none has it, of the owner
/// who has the name now. An owner with an identifier may be deleted.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub(super) async fn owner_ids(
    store: &Store,
    month: Month,
    owner: OwnerRef<'_>,
) -> Result<Vec<i64>, Error> {
    let name = match owner {
        OwnerRef::Id(id) => return Ok(vec![known_owner(store, id).await?]),
        OwnerRef::Name(name) => name,
    };
    let names = usage::names(store.reader(), month).await?.into_iter();
    let ids: Vec<i64> =
        names.filter(|of| of.owner == name).map(|OwnerName { owner_id, .. }| owner_id).collect();
    if !ids.is_empty() {
        return Ok(ids);
    }
    Ok(vec![OwnerRef::Name(name).find(store.reader()).await?.id])
}
