//! Queries that compare redundant data, and statements that correct them.

use sea_orm::{ConnectionTrait, FromQueryResult};

use super::click_days::{self, any_day};
use super::clicks::lock_rollups;
use super::database::Store;
use super::dialect::SqlDialect;
use super::error::StoreError;
use super::query::{execute, numbers, rows, scalar, scalars};
use super::{owners, usage};
use crate::values::Timestamp;

/// Maximum number of faults that SQLite reports of a damaged file.
const MAX_FAULTS: u32 = 20;

/// An owner whose count of links differs from the number of links.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct WrongLinkCount {
    /// Identifier of the owner.
    pub id: i64,
    /// Name of the owner.
    pub name: String,
    /// The stored count.
    pub link_count: i64,
    /// The number of links.
    pub links: i64,
}

/// Returns what is damaged in the structure of an SQLite file. Returns nothing on PostgreSQL.
pub async fn faults(store: &Store) -> Vec<String> {
    let db = store.reader();
    if SqlDialect::from_connection(db) == SqlDialect::Postgres {
        return Vec::new();
    }
    let sql = format!("PRAGMA integrity_check({MAX_FAULTS})");
    let found: Result<Vec<String>, _> = scalars(db, &sql, []).await;
    // SQLite gives up on some damage.
    let found = found.unwrap_or_else(|error| vec![error.to_string()]);
    found.into_iter().filter(|text| text != "ok").collect()
}

/// Returns the owners whose count of links is wrong, in the order of their names.
pub async fn wrong_link_counts(
    db: &impl ConnectionTrait,
) -> Result<Vec<WrongLinkCount>, StoreError> {
    rows(
        db,
        "SELECT owners.id, owners.name, owners.link_count,
            CAST(COALESCE(counted.links, 0) AS bigint) AS links
         FROM owners LEFT JOIN (
             SELECT owner_id, COUNT(*) AS links FROM links
             WHERE owner_id IS NOT NULL GROUP BY owner_id
         ) AS counted ON counted.owner_id = owners.id
         WHERE owners.link_count <> COALESCE(counted.links, 0) ORDER BY owners.name",
        [],
    )
    .await
}

/// Sets the count of an owner to the number of links. The difference counts as links that were created or
/// deleted now, because the links of months must add up.
pub async fn correct_link_count(
    db: &impl ConnectionTrait,
    owner_id: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    lock_rollups(db).await?;
    let before = owners::lock(db, owner_id).await?;
    let sql = "UPDATE owners SET link_count = (SELECT COUNT(*) FROM links WHERE owner_id = $1)
         WHERE id = $1";
    execute(db, sql, [owner_id.into()]).await?;
    let (Some(before), Some(after)) = (before, owners::get(db, owner_id).await?) else {
        return Ok(());
    };
    let missing = after.link_count - before.link_count;
    usage::count_links(db, &after, now, [missing.max(0), (-missing).max(0)]).await
}

/// Returns the number of links whose owner does not exist.
pub async fn links_without_owner(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    count(
        db,
        "SELECT COUNT(*) FROM links
         WHERE owner_id IS NOT NULL AND owner_id NOT IN (SELECT id FROM owners)",
    )
    .await
}

/// A link with a long destination.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct LongDestination {
    /// Identifier of the link.
    pub id: i64,
    /// Short code.
    pub short_code: String,
    /// The destination.
    pub destination_url: String,
}

/// Returns up to `limit` links after the link `last` whose destination has more than `min_bytes`
/// bytes, in the order of their identifiers.
pub async fn long_destinations(
    db: &impl ConnectionTrait,
    last: i64,
    min_bytes: usize,
    limit: u32,
) -> Result<Vec<LongDestination>, StoreError> {
    let sql = format!(
        "SELECT id, short_code, destination_url FROM links
         WHERE id > $1 AND octet_length(destination_url) > {min_bytes} ORDER BY id LIMIT {limit}"
    );
    rows(db, &sql, [last.into()]).await
}

/// Returns up to `limit` identifiers of counts whose link does not exist or is deleted.
pub async fn counts_without_link(
    db: &impl ConnectionTrait,
    limit: u32,
) -> Result<Vec<i64>, StoreError> {
    let sql = format!(
        "SELECT link_id FROM (
             SELECT link_id FROM click_counts UNION SELECT link_id FROM recent_counts
         ) AS counted WHERE {WITHOUT_LINK} ORDER BY link_id LIMIT {limit}"
    );
    scalars(db, &sql, []).await
}

/// Condition on a row with a `link_id` whose link does not exist or is deleted.
const WITHOUT_LINK: &str = "NOT EXISTS (
    SELECT 1 FROM links WHERE links.id = link_id AND links.owner_id IS NOT NULL)";

/// Deletes the counts with these identifiers whose link does not exist or is deleted. The caller
/// keeps rollups from running.
pub async fn delete_counts_without_link(
    db: &impl ConnectionTrait,
    link_ids: &[i64],
) -> Result<(), StoreError> {
    let ids = numbers(link_ids);
    for table in SqlDialect::from_connection(db).count_tables() {
        let sql = format!("DELETE FROM {table} WHERE link_id IN ({ids}) AND {WITHOUT_LINK}");
        execute(db, &sql, []).await?;
    }
    let any_day = any_day(db);
    let days =
        format!("DELETE FROM click_days WHERE link_id IN ({ids}) AND {any_day} AND {WITHOUT_LINK}");
    execute(db, &days, []).await
}

/// A link whose days and opening balance do not add up to its closed clicks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
struct LinkDays {
    link_id: i64,
    /// The count, or 0 if the link has none.
    count: i64,
    closed: i64,
    /// Sum of the days.
    days: i64,
    /// The lowest number of clicks of a day, or 1 if there is no day.
    lowest: i64,
}

/// Returns a query for the wrong [`LinkDays`]. It considers the counts and the days that meet these
/// conditions of SQL. A count below zero is another fault.
fn wrong_days(counts: &str, days: &str) -> String {
    format!(
        "SELECT link_id, count, closed, days, lowest FROM (
             SELECT link_id, CAST(SUM(count) AS bigint) AS count,
                 CAST(SUM(opening) AS bigint) AS opening, CAST(SUM(closed) AS bigint) AS closed,
                 CAST(SUM(days) AS bigint) AS days, MIN(lowest) AS lowest
             FROM (
                 SELECT link_id, count, opening, closed, 0 AS days, 1 AS lowest FROM click_counts
                 WHERE {counts}
                 UNION ALL
                 SELECT link_id, 0, 0, 0, count, count FROM click_days WHERE {days}
             ) AS parts GROUP BY link_id
         ) AS links
         WHERE count >= 0 AND (opening + days <> closed OR closed > count OR closed < 0
             OR opening < 0 OR lowest <= 0)
         ORDER BY link_id"
    )
}

/// Returns up to `limit` identifiers of links whose days do not add up to their closed clicks, or
/// that have days but no count.
pub async fn links_with_wrong_days(
    db: &impl ConnectionTrait,
    limit: u32,
) -> Result<Vec<i64>, StoreError> {
    let sql = format!("{} LIMIT {limit}", wrong_days("TRUE", "TRUE"));
    let found: Vec<LinkDays> = rows(db, &sql, []).await?;
    Ok(found.into_iter().map(|link| link.link_id).collect())
}

/// Corrects the opening balances of links, so that they and the days add up to the closed clicks.
/// If the days of a link exceed these, it folds the days. The caller keeps rollups from running.
pub async fn correct_days(db: &impl ConnectionTrait, link_ids: &[i64]) -> Result<(), StoreError> {
    let ids = numbers(link_ids);
    let any_day = any_day(db);
    let counts = format!("link_id IN ({ids})");
    let sql = wrong_days(&counts, &format!("{counts} AND {any_day}"));
    let wrong: Vec<LinkDays> = rows(db, &sql, []).await?;
    for LinkDays { link_id, count, closed, days, lowest } in wrong {
        let closed = closed.clamp(0, count);
        let opening = if lowest > 0 && days <= closed {
            closed - days
        } else {
            click_days::delete(db, &[link_id]).await?;
            closed
        };
        let sql = "UPDATE click_counts SET opening = $2, closed = $3, is_open = count <> $3
             WHERE link_id = $1";
        execute(db, sql, [link_id.into(), opening.into(), closed.into()]).await?;
    }
    Ok(())
}

/// Returns the number of counts and pending clicks below zero.
pub async fn negative_counts(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    count(
        db,
        "SELECT COUNT(*) FROM (
             SELECT count FROM click_counts UNION ALL SELECT count FROM recent_counts
             UNION ALL SELECT count FROM pending_clicks
         ) AS counts WHERE count < 0",
    )
    .await
}

/// Returns the number of pending clicks whose link has never existed.
pub async fn pending_without_link(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    count(
        db,
        "SELECT CAST(COALESCE(SUM(count), 0) AS bigint) FROM pending_clicks
         WHERE NOT EXISTS (SELECT 1 FROM links WHERE links.id = link_id)",
    )
    .await
}

/// Returns the number of pending clicks.
pub async fn pending(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    count(db, "SELECT CAST(COALESCE(SUM(count), 0) AS bigint) FROM pending_clicks").await
}

async fn count(db: &impl ConnectionTrait, sql: &str) -> Result<i64, StoreError> {
    Ok(scalar(db, sql, []).await?.unwrap_or(0))
}
