//! Owners of links and API keys.

mod create;
mod edit;

use super::Error;
use super::page::{FoundPage, PageRequest};
use crate::store::{Connection, Store, StoreError, owners, plans};

pub use self::create::{CreatedOwner, NewOwner, add_first, create};
pub use self::edit::{OwnerEdit, edit, rename, resume, set_plan, suspend};
pub(super) use self::edit::{reason_to_suspend, store_suspension};
pub use super::owner_lookup::OwnerRef;
pub use crate::store::entities::owner::Model as Owner;

fn exists(name: &str, error: StoreError) -> Error {
    if matches!(error, StoreError::Conflict) {
        Error::OwnerExists(name.to_owned())
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
    Ok(owners::list(store.reader()).await?)
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
    let owners = owners::page(store.reader(), name, plan, *suspended, before, rows).await?;
    Ok(FoundPage::cut(owners, request.limit, |owner: &Owner| owner.id))
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
