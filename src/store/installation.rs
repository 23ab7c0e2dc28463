//! Which database this is.

use sea_orm::ConnectionTrait;

use super::{StoreError, execute, scalar};

/// The name that a database was given when it was made, and that its copies keep.
///
/// # Errors
/// When the database fails.
pub async fn name(db: &impl ConnectionTrait) -> Result<String, StoreError> {
    let found = scalar(db, "SELECT name FROM installation WHERE id = 1", []).await?;
    Ok(found.unwrap_or_default())
}

/// Makes a database the copy of the one of that name.
pub(super) async fn set_name(db: &impl ConnectionTrait, name: &str) -> Result<(), StoreError> {
    execute(db, "UPDATE installation SET name = $1 WHERE id = 1", [name.into()]).await?;
    Ok(())
}
