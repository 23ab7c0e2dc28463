//! Owners of links and API keys.

mod create;
mod edit;

use super::Error;
use super::page::{FoundPage, PageRequest};
use crate::store::entities::owner::Model;
use crate::store::{Connection, Store, StoreError, owners, plans};
use crate::values::{Name, Reason, Timestamp};

pub use self::create::{CreatedOwner, NewOwner, add_first, create};
pub use self::edit::{OwnerEdit, edit, rename, resume, set_plan, suspend};
pub(super) use self::edit::{reason_to_suspend, store_suspension};
pub use super::owner_lookup::OwnerRef;

/// An owner as the operator sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Identifier of the owner, which never changes and is never used again.
    pub id: i64,
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
            id,
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
            id,
            name,
            plan,
            links: link_count,
            suspended: suspended_reason,
            fallback_url,
            created_at,
        }
    }
}

fn exists(name: &Name, error: StoreError) -> Error {
    if matches!(error, StoreError::Conflict) {
        Error::OwnerExists(name.as_str().to_owned())
    } else {
        error.into()
    }
}

/// Returns whether any owner exists.
pub async fn any(store: &Store) -> Result<bool, StoreError> {
    owners::any(store.reader()).await
}

/// Returns all owners in the order of their names.
pub async fn list(store: &Store) -> Result<Vec<Owner>, Error> {
    Ok(owners::list(store.reader()).await?.into_iter().map(Owner::from).collect())
}

/// Conditions on the owners of a list. An owner must meet all of them.
#[derive(Debug, Clone, Default)]
pub struct OwnerFilter {
    /// Name.
    pub name: Option<String>,
    /// Name of the plan.
    pub plan: Option<String>,
    /// Whether the owner is suspended.
    pub suspended: Option<bool>,
}

/// Returns a page of owners, newest first.
pub async fn page(
    store: &Store,
    filter: &OwnerFilter,
    request: PageRequest,
) -> Result<FoundPage<Owner>, Error> {
    let OwnerFilter { name, plan, suspended } = filter;
    let (name, plan) = (name.as_deref(), plan.as_deref());
    let (before, rows) = (request.position.0, request.rows());
    let rows = owners::page(store.reader(), name, plan, *suspended, before, rows).await?;
    let owners = rows.into_iter().map(Owner::from).collect();
    Ok(FoundPage::cut(owners, request.limit, |owner: &Owner| owner.id))
}

/// Returns an owner.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn get(store: &Store, owner: OwnerRef<'_>) -> Result<Owner, Error> {
    Ok(owner.find(store.reader()).await?.into())
}

async fn check_plan(db: &impl Connection, name: &str) -> Result<(), Error> {
    match plans::find(db, name).await? {
        Some(_) => Ok(()),
        None => Err(Error::PlanNotFound(name.to_owned())),
    }
}
