//! What a database has, in a few numbers.

use sea_orm::{ConnectionTrait, FromQueryResult};

use super::click_sums::unclosed_with;
use super::dialect::SqlDialect;
use super::error::StoreError;
use super::instances::MAX_SILENCE;
use super::month_sums::open_counts;
use super::query::row;
use crate::values::Timestamp;

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
pub async fn read(
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
