//! Owners by name.

use super::Error;
use crate::store::entities::owner::Model;
use crate::store::{Connection, owners};

/// Finds an owner by name and locks it until the transaction ends.
///
/// # Errors
/// [`Error::OwnerNotFound`], or if the database fails.
pub(super) async fn lock_named(db: &impl Connection, name: &str) -> Result<Model, Error> {
    owners::lock_named(db, name).await?.ok_or_else(|| Error::OwnerNotFound(name.to_owned()))
}

/// Finds an owner by name.
///
/// # Errors
/// [`Error::OwnerNotFound`], or if the database fails.
pub(super) async fn find_by_name(db: &impl Connection, name: &str) -> Result<Model, Error> {
    owners::find(db, name).await?.ok_or_else(|| Error::OwnerNotFound(name.to_owned()))
}
