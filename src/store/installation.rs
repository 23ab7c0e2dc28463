//! The secret of an installation, that is, of a database and its copies.

use sea_orm::ConnectionTrait;

use super::error::StoreError;
use super::query::{execute, scalar};

/// Reads the secret that encrypts cursors and derives the codes of imported rows.
///
/// # Errors
/// If the database fails, or [`StoreError::SecretMissing`].
pub async fn secret(db: &impl ConnectionTrait) -> Result<String, StoreError> {
    let found = scalar(db, "SELECT secret FROM installation WHERE id = 1", []).await?;
    found.filter(|secret: &String| !secret.is_empty()).ok_or(StoreError::SecretMissing)
}

/// Sets the secret of a new copy to the secret of its source.
pub(super) async fn set_secret(db: &impl ConnectionTrait, secret: &str) -> Result<(), StoreError> {
    execute(db, "UPDATE installation SET secret = $1 WHERE id = 1", [secret.into()]).await?;
    Ok(())
}
