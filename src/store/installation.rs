//! An installation, that is, a database and its copies: its secret, signs of life of the servers that share the
//! database, the time of its last backup, and what it has, in a few numbers.
//!
//! A server that was killed gives no sign any more, and counts for [`MAX_SILENCE`]. The last backup is the
//! row with the identifier [`BACKUP_ID`]: a command that ran.

use std::time::Duration;

use sea_orm::{ConnectionTrait, FromQueryResult};

use super::click_sums::{open_counts, unclosed_with};
use super::dialect::SqlDialect;
use super::error::StoreError;
use super::query::{execute, row, scalar};
use crate::values::Timestamp;

/// Maximum time between two signs of life of a running server.
pub(super) const MAX_SILENCE: Duration = Duration::from_secs(45);
const BACKUP_ID: i64 = 0;
const VERSION: &str = env!("CARGO_PKG_VERSION");

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
    execute(db, "UPDATE installation SET secret = $1 WHERE id = 1", [secret.into()]).await
}

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
pub async fn delete_server(db: &impl ConnectionTrait, id: i64) -> Result<(), StoreError> {
    execute(db, "DELETE FROM instances WHERE id = $1", [id.into()]).await
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
    execute(db, sql, values).await
}

/// What a database has.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Overview {
    /// Name of the newest migration.
    pub schema: String,
    /// Time at which the last complete backup began.
    pub last_backup_at: Option<Timestamp>,
    /// Number of servers that share the database.
    pub instances: i64,
    /// Number of links.
    pub links: i64,
    /// Number of links created today.
    pub links_today: i64,
    /// Number of owners.
    pub owners: i64,
    /// Number of clicks today.
    pub clicks_today: i64,
}

/// Returns what a database has. It costs what was clicked today. Callers
/// that are servers give their identifier, because a server that cannot write has no row.
pub async fn overview(
    db: &impl ConnectionTrait,
    server_id: Option<i64>,
    now: Timestamp,
) -> Result<Overview, StoreError> {
    let today = now.day();
    let counts = open_counts(SqlDialect::from_connection(db), None);
    // The next rollup discards the pending clicks of deleted links.
    let exists = "link_id IN (SELECT id FROM links WHERE owner_id IS NOT NULL AND id = link_id)";
    let unclosed = unclosed_with(&counts, exists, today);
    let (others, itself) = match server_id {
        Some(id) => (format!("AND id <> {id}"), 1),
        None => (String::new(), 0),
    };
    let sql = format!(
        "SELECT (SELECT MAX(version) FROM seaql_migrations) AS schema,
             (SELECT MAX(started_at) FROM instances WHERE kind = 'backup') AS last_backup_at,
             {itself} + (SELECT COUNT(*) FROM instances
                 WHERE kind = 'server' AND seen_at >= $1 {others}) AS instances,
             owned.*, clicked.*
         FROM (
             SELECT COUNT(*) AS owners, CAST(COALESCE(SUM(link_count), 0) AS bigint) AS links,
                 CAST(COALESCE(SUM(CASE created_day WHEN {today} THEN created_today END), 0) AS bigint)
                     AS links_today
             FROM owners
         ) AS owned CROSS JOIN (
             SELECT CAST(COALESCE(SUM(count), 0) AS bigint) AS clicks_today FROM (
                 {unclosed}
                 UNION ALL SELECT link_id, day, count FROM click_days WHERE day = {today}
                 UNION ALL SELECT 0, day, clicks FROM deleted_click_days WHERE day = {today}
             ) AS days WHERE day = {today}
         ) AS clicked"
    );
    let found = row(db, &sql, [now.minus(MAX_SILENCE).into()]).await?;
    found.ok_or_else(|| sea_orm::DbErr::RecordNotFound("no overview".to_owned()).into())
}
