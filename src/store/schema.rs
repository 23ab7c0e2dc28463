//! Checks of a database's schema version.

use migration::SchemaStatus;

use super::error::StoreError;

/// Returns whether the schema lacks migrations of this version of Terse.
///
/// # Errors
/// [`StoreError::SchemaTooNew`] if the schema has a later major version than this program.
pub(super) fn missing_migrations(status: SchemaStatus) -> Result<usize, StoreError> {
    match status {
        SchemaStatus::Current | SchemaStatus::Newer => Ok(0),
        SchemaStatus::Outdated(missing) => Ok(missing),
        SchemaStatus::Incompatible(major) => Err(StoreError::SchemaTooNew { major }),
    }
}
