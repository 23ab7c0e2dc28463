//! Clicks by day and by month: the close of a day, in slices, and the deletion of rows and of links.
//!
//! For each link, the opening balance and the rows of `click_days` add up to `closed` in
//! `click_counts`, and `closed` is at most the count. Every function here preserves that.
//!
//! A click is added to the month of its day when the day closes, or when its link is deleted, but to
//! no month that is closed: what arrives later counts in the next one. `usage_months` has the clicks of
//! each owner, `click_months` those of links. A deleted link leaves the latter only.

use std::collections::BTreeMap;

use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, IntoActiveModel,
};

pub use super::entities::day_close::Model as DayClose;

use super::clicks::lock_rollups;
use super::dialect::SqlDialect;
use super::entities::day_close;
use super::error::StoreError;
use super::query::{execute, execute_counting, numbers, row, scalar, scalars};
use crate::values::{Month, Timestamp};

/// Returns the query for the values of the first key column of a table. It searches one row per value,
/// whereas `DISTINCT` would read all rows.
fn existing(column: &str, table: &str) -> String {
    format!(
        "WITH RECURSIVE found ({column}) AS (
             SELECT MIN({column}) FROM {table}
             UNION ALL
             SELECT (SELECT MIN({column}) FROM {table} WHERE {table}.{column} > found.{column})
             FROM found WHERE found.{column} IS NOT NULL
         )
         SELECT {column} FROM found WHERE {column} IS NOT NULL"
    )
}

/// Result of one slice of a close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CloseSlice {
    /// The day, as a number since the Unix epoch.
    pub day: i64,
    /// Number of links whose clicks the slice closed.
    pub links: u64,
    /// Whether the day is closed.
    pub is_complete: bool,
}

/// Returns the state of the close of days.
pub async fn state(db: &impl ConnectionTrait) -> Result<DayClose, StoreError> {
    day_close::Entity::find_by_id(1).one(db).await?.ok_or_else(no_state)
}

fn no_state() -> StoreError {
    DbErr::RecordNotFound("the table day_close is empty".to_owned()).into()
}

/// Closes the next day for at most `max_links` links. Returns `None` if no day is due, because the
/// last closed day is `yesterday`.
///
/// All clicks that are not closed yet belong to the day after the last closed one, even if further
/// days have passed since. A day that was closed because the clock was ahead stays closed.
pub async fn close_slice(
    db: &impl ConnectionTrait,
    yesterday: i64,
    max_links: u32,
) -> Result<Option<CloseSlice>, StoreError> {
    // Counts change only in rollups, so that the statements below read the same ones.
    lock_rollups(db).await?;
    let next: NextSlice = row(db, &next_slice(max_links), []).await?.ok_or_else(no_state)?;
    let NextSlice { closed_until, position, open_month, last, links } = next;
    if closed_until >= yesterday {
        return Ok(None);
    }
    let day = closed_until + 1;
    let is_complete = last == position;
    if is_complete {
        let sql =
            "UPDATE day_close SET closed_day = $1, closed_until = $2, position = 0 WHERE id = 1";
        execute(db, sql, [day.into(), yesterday.into()]).await?;
    } else {
        // One request, because redirects on SQLite wait for the transaction. A day may have rows
        // already, if the clock was ahead.
        let condition = format!("link_id > {position} AND link_id <= {last} AND count > closed");
        let add_to_month =
            add_closed_months(&condition, Month::from_day(day).number().max(open_month));
        db.execute_unprepared(&format!(
            "INSERT INTO click_days (day, link_id, count)
             SELECT {day}, link_id, count - closed FROM click_counts
             WHERE {condition} ORDER BY link_id
             ON CONFLICT (day, link_id) DO UPDATE SET count = click_days.count + excluded.count;
             {add_to_month};
             UPDATE click_counts SET closed = count, is_open = FALSE WHERE {condition};
             UPDATE day_close SET position = {last} WHERE id = 1"
        ))
        .await?;
    }
    let links = u64::try_from(links).unwrap_or(0);
    Ok(Some(CloseSlice { day, links, is_complete }))
}

/// State of the close, and the links that its next slice passes.
#[derive(Debug, FromQueryResult)]
struct NextSlice {
    closed_until: i64,
    position: i64,
    open_month: i64,
    /// The last link, or `position` if no link is left.
    last: i64,
    /// Number of links with clicks that are not closed.
    links: i64,
}

/// Returns the query for [`NextSlice`].
fn next_slice(max_links: u32) -> String {
    format!(
        "SELECT closed_until, position, open_month,
             COALESCE(MAX(slice.link_id), position) AS last,
             COUNT(CASE WHEN slice.count > slice.closed THEN 1 END) AS links
         FROM day_close LEFT JOIN (
             SELECT link_id, count, closed FROM click_counts
             WHERE link_id > (SELECT position FROM day_close WHERE id = 1)
             ORDER BY link_id LIMIT {max_links}
         ) AS slice ON TRUE
         WHERE id = 1 GROUP BY closed_until, position, open_month"
    )
}

/// Replaces the state of the closes by the given state, of another database.
pub(super) async fn set_all(db: &impl ConnectionTrait, state: &DayClose) -> Result<(), StoreError> {
    state.clone().into_active_model().reset_all().update(db).await?;
    Ok(())
}

/// Returns whether rows exist that [`fold_slice`] would fold.
pub async fn is_fold_due(db: &impl ConnectionTrait, keep_days: u32) -> Result<bool, StoreError> {
    let last = last_folded_day(&state(db).await?, keep_days);
    Ok(oldest_day(db).await? <= last || any_month_before(db, last + 1).await?)
}

/// Returns the last day to fold. Age counts from the last day to which clicks were added, and not from
/// the clock, so that a clock which jumps ahead folds nothing.
fn last_folded_day(state: &DayClose, keep_days: u32) -> i64 {
    state.closed_day - i64::from(keep_days)
}

/// Returns the beginning of the first day that stays if `keep_days` days do.
pub async fn kept_since(
    db: &impl ConnectionTrait,
    keep_days: u32,
) -> Result<Timestamp, StoreError> {
    Ok(Timestamp::from_day(last_folded_day(&state(db).await?, keep_days) + 1))
}

/// Returns the first day of which rows exist, or the highest number if there is none.
async fn oldest_day(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    let day: Option<i64> =
        scalar(db, "SELECT day FROM click_days ORDER BY day LIMIT 1", []).await?;
    Ok(day.unwrap_or(i64::MAX))
}

/// Moves at most `max_rows` rows of the oldest day into the opening balances of their links, if
/// `keep_days` later days stay. If they do of no day, it deletes rows of months that have ended before
/// these days.
pub async fn fold_slice(
    db: &impl ConnectionTrait,
    keep_days: u32,
    max_rows: u32,
) -> Result<(), StoreError> {
    lock_rollups(db).await?;
    let day = oldest_day(db).await?;
    let last_folded = last_folded_day(&state(db).await?, keep_days);
    if day > last_folded {
        return delete_months_before(db, last_folded + 1, max_rows).await;
    }
    let last: Option<i64> = scalar(
        db,
        "SELECT MAX(link_id) FROM (
             SELECT link_id FROM click_days WHERE day = $1 ORDER BY link_id LIMIT $2) AS slice",
        [day.into(), i64::from(max_rows).into()],
    )
    .await?;
    let rows = [day.into(), last.unwrap_or(i64::MAX).into()];
    execute(
        db,
        "UPDATE click_counts SET opening = opening + (
             SELECT count FROM click_days
             WHERE day = $1 AND click_days.link_id = click_counts.link_id)
         WHERE link_id IN (SELECT link_id FROM click_days WHERE day = $1 AND link_id <= $2)",
        rows.clone(),
    )
    .await?;
    execute(db, "DELETE FROM click_days WHERE day = $1 AND link_id <= $2", rows).await?;
    execute(db, "DELETE FROM deleted_click_days WHERE day <= $1", [day.into()]).await
}

/// Returns a condition that is true for every row of `click_days`. With it, the database finds the
/// rows of a link by their key, which begins with the day.
pub(super) fn any_day(db: &impl ConnectionTrait) -> String {
    SqlDialect::from_connection(db).is_any_of("day", &existing("day", "click_days"))
}

/// Deletes the days of links, and returns the number of rows. The caller keeps rollups from
/// running.
pub async fn delete(db: &impl ConnectionTrait, link_ids: &[i64]) -> Result<u64, StoreError> {
    if link_ids.is_empty() {
        return Ok(0);
    }
    let (any_day, ids) = (any_day(db), numbers(link_ids));
    let sql = format!("DELETE FROM click_days WHERE link_id IN ({ids}) AND {any_day}");
    execute_counting(db, &sql, []).await
}

/// Returns the number of rows of an owner's links.
pub async fn count(db: &impl ConnectionTrait, owner_id: i64) -> Result<u64, StoreError> {
    let sql = format!(
        "SELECT COUNT(*) FROM click_days
         WHERE link_id IN (SELECT id FROM links WHERE owner_id = $1) AND {}",
        any_day(db)
    );
    let count: Option<i64> = scalar(db, &sql, [owner_id.into()]).await?;
    Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
}

/// Clicks of an owner in a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub(super) struct MonthClicks {
    pub(super) owner_id: i64,
    /// Number of the month, such as 202601.
    pub(super) month: i64,
    pub(super) clicks: i64,
}

/// Returns statements that add the unclosed clicks of the rows of `click_counts` that meet a condition
/// to a month.
fn add_closed_months(condition: &str, month: i64) -> String {
    let counts = format!(
        "click_counts CROSS JOIN links
         WHERE {condition} AND links.id = link_id AND owner_id IS NOT NULL"
    );
    format!(
        "INSERT INTO click_months (month, owner_id, link_id, count)
         SELECT {month}, owner_id, link_id, count - closed FROM {counts} ORDER BY owner_id, link_id
         ON CONFLICT (month, owner_id, link_id)
             DO UPDATE SET count = click_months.count + excluded.count;
         INSERT INTO usage_months (month, owner_id, clicks)
         SELECT {month}, owner_id, SUM(count - closed) FROM {counts}
         GROUP BY owner_id ORDER BY owner_id
         ON CONFLICT (month, owner_id) DO UPDATE SET clicks = usage_months.clicks + excluded.clicks"
    )
}

/// Removes links from the months, and adds their unclosed clicks to those of their owners. The links
/// are pairs of identifier and owner. The caller keeps rollups from running, and deletes the links.
pub(super) async fn remove_from_months(
    db: &impl ConnectionTrait,
    links: &[(i64, i64)],
    unclosed: &[MonthClicks],
) -> Result<(), StoreError> {
    for &MonthClicks { owner_id, month, clicks } in unclosed {
        let add = "INSERT INTO usage_months (month, owner_id, clicks) VALUES ($1, $2, $3)
             ON CONFLICT (month, owner_id)
                 DO UPDATE SET clicks = usage_months.clicks + excluded.clicks";
        execute(db, add, [month.into(), owner_id.into(), clicks.into()]).await?;
    }
    let mut of_owners: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (id, owner_id) in links {
        of_owners.entry(*owner_id).or_default().push(*id);
    }
    let months = numbers(scalars::<i64>(db, &existing("month", "click_months"), []).await?);
    if months.is_empty() {
        return Ok(());
    }
    for (owner_id, ids) in of_owners {
        let sql = format!(
            "DELETE FROM click_months
             WHERE month IN ({months}) AND owner_id = {owner_id} AND link_id IN ({})",
            numbers(ids)
        );
        execute(db, &sql, []).await?;
    }
    Ok(())
}

/// Returns whether links have clicks in a month that ended before a day.
async fn any_month_before(db: &impl ConnectionTrait, day: i64) -> Result<bool, StoreError> {
    let sql = "SELECT month FROM click_months WHERE month < $1 LIMIT 1";
    Ok(scalar::<i64>(db, sql, [Month::from_day(day).number().into()]).await?.is_some())
}

/// Deletes the clicks of at most `max_rows` links in months that ended before a day. The clicks of
/// owners stay.
async fn delete_months_before(
    db: &impl ConnectionTrait,
    day: i64,
    max_rows: u32,
) -> Result<(), StoreError> {
    let month = Month::from_day(day).number();
    let sql = "SELECT month, owner_id, link_id FROM click_months WHERE month < $1
         ORDER BY month, owner_id, link_id LIMIT 1 OFFSET $2";
    let last = [month.into(), (i64::from(max_rows) - 1).into()];
    let last: Option<MonthKey> = row(db, sql, last).await?;
    // Without such a row, all rows of these months are few enough.
    let MonthKey { month, owner_id, link_id } =
        last.unwrap_or(MonthKey { month, owner_id: i64::MIN, link_id: i64::MIN });
    let sql = "DELETE FROM click_months WHERE (month, owner_id, link_id) <= ($1, $2, $3)";
    execute(db, sql, [month.into(), owner_id.into(), link_id.into()]).await
}

/// Key of a row of `click_months`.
#[derive(Debug, FromQueryResult)]
struct MonthKey {
    month: i64,
    owner_id: i64,
    link_id: i64,
}
