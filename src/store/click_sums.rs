//! Sums of clicks by day, unclosed clicks included.
//!
//! The unclosed clicks of a link belong to today, but to the day that is due for a link that the
//! close of that day has not passed yet.

use std::ops::RangeInclusive;

use sea_orm::{ConnectionTrait, FromQueryResult};

use super::click_days::any_day;
use super::dialect::SqlDialect;
use super::error::StoreError;
use super::query::{numbers, rows, scalar, scalars};

/// Clicks of one link on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct DayClicks {
    /// Day in UTC, as a number since the Unix epoch.
    pub day: i64,
    /// Number of clicks.
    pub clicks: i64,
}

/// Clicks of one link on one day, or its opening balance.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct DayRecord {
    /// Short code.
    pub short_code: String,
    /// Day in UTC, as a number since the Unix epoch. `None`: the opening balance.
    pub day: Option<i64>,
    /// Number of clicks.
    pub clicks: i64,
}

/// Returns the day to which the unclosed clicks of a link belong, as an expression in SQL.
fn unclosed_day(today: i64) -> String {
    format!(
        "CASE WHEN link_id > day_close.position AND day_close.closed_until < {today}
             THEN day_close.closed_until + 1 ELSE {today} END"
    )
}

/// Returns a query for link, day and count of the unclosed clicks of the links that meet a
/// condition.
pub(super) fn unclosed(condition: &str, today: i64) -> String {
    let counts = format!(
        "SELECT link_id, count - closed AS count FROM click_counts
         WHERE {condition} AND count <> closed"
    );
    unclosed_with(&counts, condition, today)
}

/// Returns the query of [`unclosed`] with another query for the unclosed part of `click_counts`.
pub(super) fn unclosed_with(counts: &str, condition: &str, today: i64) -> String {
    let day = unclosed_day(today);
    format!(
        "SELECT link_id, {day} AS day, count FROM (
             {counts}
             UNION ALL SELECT link_id, count FROM recent_counts WHERE {condition}
             UNION ALL SELECT link_id, count FROM pending_clicks WHERE {condition}
         ) AS unclosed CROSS JOIN day_close"
    )
}

/// Returns the clicks of a link on each of the days on which it has any, in no order.
pub async fn of_link(
    db: &impl ConnectionTrait,
    link_id: i64,
    days: RangeInclusive<i64>,
    today: i64,
) -> Result<Vec<DayClicks>, StoreError> {
    let unclosed = unclosed(&format!("link_id = {link_id}"), today);
    let (first, last) = (*days.start(), *days.end());
    let sql = format!(
        "SELECT day, CAST(SUM(count) AS bigint) AS clicks FROM (
             SELECT link_id, day, count FROM click_days
             WHERE link_id = {link_id} AND day IN ({})
             UNION ALL {unclosed}
         ) AS days WHERE day BETWEEN {first} AND {last} GROUP BY day",
        numbers(days)
    );
    rows(db, &sql, []).await
}

/// Returns the identifiers of the next links after `after`, in their order: those of one owner or,
/// if `owner_id` is `None`, all that are not deleted.
pub async fn next_links(
    db: &impl ConnectionTrait,
    owner_id: Option<i64>,
    after: i64,
    limit: u32,
) -> Result<Vec<i64>, StoreError> {
    let owner = owner_id.map_or("IS NOT NULL".to_owned(), |id| format!("= {id}"));
    let sql =
        format!("SELECT id FROM links WHERE id > $1 AND owner_id {owner} ORDER BY id LIMIT $2");
    scalars(db, &sql, [after.into(), i64::from(limit).into()]).await
}

/// Returns a condition on a row with a `link_id`, by which the database reads the rows of these
/// links and few others. The identifiers are in ascending order and not empty.
fn link_condition(link_ids: &[i64]) -> String {
    let (first, last) = (link_ids.first().unwrap_or(&0), link_ids.last().unwrap_or(&0));
    if last.abs_diff(*first) < 2 * link_ids.len() as u64 {
        format!("link_id BETWEEN {first} AND {last}")
    } else {
        format!("link_id IN ({})", numbers(link_ids.iter().copied()))
    }
}

/// Returns the number of days of which rows exist, or a higher one.
pub async fn max_days(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    let sql = "SELECT COALESCE(
        (SELECT MAX(day) FROM click_days) - (SELECT MIN(day) FROM click_days), 0) + 1";
    Ok(scalar(db, sql, []).await?.unwrap_or(1))
}

/// Returns all days of links, which add up to the counts, in the order of identifiers and days. The
/// opening balance of a link comes first. The identifiers are in ascending order.
pub async fn all_days(
    db: &impl ConnectionTrait,
    link_ids: &[i64],
    owner_id: Option<i64>,
    today: i64,
) -> Result<Vec<DayRecord>, StoreError> {
    let condition = link_condition(link_ids);
    let unclosed = unclosed(&condition, today);
    let any_day = any_day(db);
    let owner = owner_id.map_or("IS NOT NULL".to_owned(), |id| format!("= {id}"));
    let sql = format!(
        "SELECT links.short_code, days.day, CAST(SUM(days.count) AS bigint) AS clicks FROM (
             SELECT link_id, CAST(NULL AS bigint) AS day, opening AS count FROM click_counts
             WHERE {condition}
             UNION ALL
             SELECT link_id, day, count FROM click_days WHERE {condition} AND {any_day}
             UNION ALL {unclosed}
         ) AS days JOIN links ON links.id = days.link_id
         WHERE links.owner_id {owner}
         GROUP BY links.id, links.short_code, days.day HAVING SUM(days.count) <> 0
         ORDER BY links.id, days.day {}",
        SqlDialect::from_connection(db).nulls_first()
    );
    rows(db, &sql, []).await
}
