//! What is particular to SQLite.

use std::time::Duration;

use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};

use super::{Durability, StoreError, writer::Writer};

/// Pages of the write-ahead log (4 KiB each) above which writers wait for it to be emptied: 64 MiB.
/// Below it the log is emptied beside the writers, who then begin again at its start.
const LONG_LOG: i32 = 16_384;

/// The settings of every connection to an SQLite file.
pub(super) fn configure(
    options: SqliteConnectOptions,
    busy_timeout: Duration,
) -> SqliteConnectOptions {
    options
        .busy_timeout(busy_timeout)
        .foreign_keys(true)
        .pragma("journal_mode", "WAL")
        // FULL is the safe one to begin with: the writer steps down where a promise allows it.
        .pragma("synchronous", "FULL")
}

/// Checkpoints happen in [`checkpoint`], off the writer's path.
pub(super) fn without_checkpoints(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options.pragma("wal_autocheckpoint", "0")
}

/// In WAL mode NORMAL does not flush at a commit: what was written is with the operating system,
/// which outlives the process.
pub(super) fn synchronous(durability: Durability) -> &'static str {
    match durability {
        Durability::ProcessDeath => "PRAGMA synchronous = NORMAL",
        Durability::PowerLoss => "PRAGMA synchronous = FULL",
    }
}

/// Empties the write-ahead log as far as readers let it.
pub(super) async fn checkpoint(
    readers: &DatabaseConnection,
    writer: &Writer,
) -> Result<(), StoreError> {
    if log_pages(readers, "PRAGMA wal_checkpoint(PASSIVE)").await? > LONG_LOG {
        writer
            .alone(Durability::ProcessDeath, async |db| {
                log_pages(db, "PRAGMA wal_checkpoint(RESTART)").await
            })
            .await?;
    }
    Ok(())
}

/// Runs a checkpoint; how many pages the log had.
async fn log_pages(db: &DatabaseConnection, pragma: &str) -> Result<i32, StoreError> {
    let row = db.query_one_raw(Statement::from_string(DbBackend::Sqlite, pragma)).await?;
    Ok(row.map_or(Ok(0), |row| row.try_get_by_index(1))?)
}
