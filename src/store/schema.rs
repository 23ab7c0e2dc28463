//! What a database's schema means to this program.

use migration::SchemaStatus;

use super::error::StoreError;

/// Whether migrations are missing.
///
/// # Errors
/// [`StoreError::TooNew`]
pub(super) fn needs_migration(status: SchemaStatus) -> Result<bool, StoreError> {
    match status {
        SchemaStatus::Current | SchemaStatus::Newer => Ok(false),
        SchemaStatus::Outdated => Ok(true),
        SchemaStatus::Incompatible(major) => Err(StoreError::TooNew { major }),
    }
}
