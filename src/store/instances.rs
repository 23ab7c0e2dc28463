//! Signs of life of the servers that share a database, and the time of its last backup.
//!
//! A server that was killed gives no sign any more, and counts for [`MAX_SILENCE`]. The last backup is the
//! row with the identifier [`BACKUP_ID`]: a command that ran.

use std::time::Duration;

use sea_orm::ConnectionTrait;

use super::error::StoreError;
use super::query::execute;
use crate::values::Timestamp;

/// Maximum time between two signs of life of a running server.
pub(super) const MAX_SILENCE: Duration = Duration::from_secs(45);
const BACKUP_ID: i64 = 0;
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Stores a sign of life of the server with this identifier, and deletes servers without one.
pub async fn note_server(
    db: &impl ConnectionTrait,
    id: i64,
    started_at: Timestamp,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "DELETE FROM instances WHERE kind = 'server' AND seen_at < $1";
    execute(db, sql, [now.minus(MAX_SILENCE).into()]).await?;
    note(db, id, "server", [started_at, now]).await
}

/// Deletes the server with this identifier, because it stops.
pub async fn delete(db: &impl ConnectionTrait, id: i64) -> Result<(), StoreError> {
    execute(db, "DELETE FROM instances WHERE id = $1", [id.into()]).await?;
    Ok(())
}

/// Stores that a backup has what the database had at `began`.
pub async fn note_backup(
    db: &impl ConnectionTrait,
    began: Timestamp,
    now: Timestamp,
) -> Result<(), StoreError> {
    note(db, BACKUP_ID, "backup", [began, now]).await
}

async fn note(
    db: &impl ConnectionTrait,
    id: i64,
    kind: &str,
    [started_at, seen_at]: [Timestamp; 2],
) -> Result<(), StoreError> {
    let sql = "INSERT INTO instances (id, kind, version, started_at, seen_at)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE SET version = excluded.version,
             started_at = excluded.started_at, seen_at = excluded.seen_at";
    let values = [id.into(), kind.into(), VERSION.into(), started_at.into(), seen_at.into()];
    execute(db, sql, values).await?;
    Ok(())
}
