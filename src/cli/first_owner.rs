//! The first owner of a new database.

use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::error::CommandError;
use crate::domain::owners;
use crate::store::Store;
use crate::values::{ApiKey, Name};

/// Name of the first owner.
pub(super) const FIRST_OWNER: &str = "default";

/// Creates the first owner if the database has none, and returns the owner's key.
pub(super) async fn add_first_owner(store: &Store) -> Result<Option<ApiKey>, CommandError> {
    let name = Name::parse(FIRST_OWNER).map_err(|error| CommandError::Other(error.to_string()))?;
    Ok(owners::add_first(store, &name, store.now(), &mut UnwrapErr(SysRng)).await?)
}
