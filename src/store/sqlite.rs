//! What is particular to SQLite.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};

use super::{Durability, StoreError, writer::Writer};

/// Pages of the write-ahead log (4 KiB each) above which writers pause for a checkpoint: 64 MiB.
const LONG_LOG: i32 = 16_384;

/// A database file, told from another at the same path. What is deleted or replaced under a running
/// server goes on in a file that nobody will find again.
#[derive(Debug, Clone)]
pub(super) struct OpenFile {
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

impl OpenFile {
    pub(super) fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), identity: identity(path) }
    }

    /// Whether the path still leads to the file.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if identity(&self.path) == self.identity {
            Ok(())
        } else {
            Err(StoreError::Replaced { path: self.path.display().to_string() })
        }
    }
}

/// Device and inode.
fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

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

/// Moves the write-ahead log into the database file as far as readers let it, so that the next
/// writer begins again at its start. Nobody waits for anybody in a passive checkpoint; only where
/// the log has grown long beside writers who never pause, it is done while they do.
pub(super) async fn checkpoint(
    readers: &DatabaseConnection,
    writer: &Writer,
) -> Result<(), StoreError> {
    if log_pages(readers).await? > LONG_LOG {
        writer.alone(Durability::ProcessDeath, async |db| log_pages(db).await).await?;
    }
    Ok(())
}

/// Runs a checkpoint; how many pages the log has.
async fn log_pages(db: &DatabaseConnection) -> Result<i32, StoreError> {
    let passive = Statement::from_string(DbBackend::Sqlite, "PRAGMA wal_checkpoint(PASSIVE)");
    let row = db.query_one_raw(passive).await?;
    Ok(row.map_or(Ok(0), |row| row.try_get_by_index(1))?)
}
