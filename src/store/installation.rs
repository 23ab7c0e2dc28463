//! The secret of a database, which its copies share.

use sea_orm::ConnectionTrait;

use super::error::StoreError;
use super::query::{execute, scalar};

/// Reads the secret that encrypts cursors and derives the codes of imported rows.
///
/// # Errors
/// If the database fails, or has no secret.
pub async fn secret(db: &impl ConnectionTrait) -> Result<String, StoreError> {
    let found = scalar(db, "SELECT secret FROM installation WHERE id = 1", []).await?;
    found.filter(|secret: &String| !secret.is_empty()).ok_or(StoreError::SecretMissing)
}

/// Gives a copy of a database the secret of the original.
pub(super) async fn set_secret(db: &impl ConnectionTrait, secret: &str) -> Result<(), StoreError> {
    execute(db, "UPDATE installation SET secret = $1 WHERE id = 1", [secret.into()]).await?;
    Ok(())
}
