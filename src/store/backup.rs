//! Backups of an SQLite database.

use std::path::Path;

use sea_orm::{ConnectionTrait, FromQueryResult};
use serde::Serialize;

use super::copy::{TotalClicks, differences, with_clicks};
use super::database::Store;
use super::error::{StoreError, missing_migrations};
use super::options::{IfMissing, Limits};
use super::query::scalar;
use super::url::DatabaseUrl;

/// What a database contains, by which a backup is compared with its source.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult, Serialize)]
pub struct BackupContent {
    /// Name of the newest migration.
    pub schema: String,
    /// Number of links, deleted ones not included.
    pub links: i64,
    /// Sum of the clicks of all links, pending clicks included.
    #[sea_orm(nested)]
    pub clicks: TotalClicks,
}

/// Writes a consistent copy of an SQLite database into the empty file `target`, and compares the
/// copy with the snapshot. It does not flush the file. `progress` receives the number of copied
/// pages and the total.
///
/// # Errors
/// If a database fails, or the copy is damaged or differs from the snapshot.
pub async fn back_up(
    store: &Store,
    target: &Path,
    progress: impl FnMut(u64, u64) + Send + 'static,
) -> Result<BackupContent, StoreError> {
    let snapshot = store.snapshot().await?;
    let expected = content(&snapshot).await?;
    snapshot.copy_to_file(target, progress).await?;
    drop(snapshot);
    let copied = inspect(target).await?;
    if copied == expected {
        Ok(copied)
    } else {
        Err(StoreError::Copy(format!(
            "the backup differs from the database ({})",
            differences(&copied, &expected)
        )))
    }
}

/// Checks the structure of an SQLite file, and returns what it contains.
///
/// # Errors
/// [`StoreError::SchemaTooNew`], or [`StoreError::Copy`] if a migration is unknown or the file is
/// damaged; or if the file cannot be read.
pub async fn inspect(file: &Path) -> Result<BackupContent, StoreError> {
    let limits = Limits { connections: Some(1), ..Limits::default() };
    let store = Store::open(&DatabaseUrl::read_only(file), IfMissing::Fail, &limits).await?;
    let reader = store.reader();
    let finding: Option<String> = scalar(reader, "PRAGMA quick_check(1)", []).await?;
    if finding.as_deref() != Some("ok") {
        let finding = finding.unwrap_or_else(|| "it cannot be read".to_owned());
        return Err(StoreError::Copy(format!("{} is damaged: {finding}", file.display())));
    }
    // An older schema is complete too, and the next start of a server upgrades it.
    missing_migrations(migration::schema_status(reader).await?)?;
    let content = content(reader).await?;
    store.close().await?;
    Ok(content)
}

/// Reads what a database contains.
pub async fn content(db: &impl ConnectionTrait) -> Result<BackupContent, StoreError> {
    let columns = "(SELECT MAX(version) FROM seaql_migrations) AS schema,
        (SELECT COUNT(*) FROM links WHERE owner_id IS NOT NULL) AS links";
    with_clicks(db, columns).await
}
