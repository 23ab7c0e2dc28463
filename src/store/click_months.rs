//! Clicks by month: the close of a day and the deletion of links add to them.
//!
//! A click is added to the month of its day when the day closes, or when its link is deleted, but to
//! no month that is closed: what arrives later counts in the next one. `usage_months` has the clicks of
//! each owner, `click_months` those of links. A deleted link leaves the latter only.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, FromQueryResult};

use super::error::StoreError;
use super::query::{execute, numbers, row, scalar, scalars};
use crate::values::Month;

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
pub(super) fn add_closed(condition: &str, month: i64) -> String {
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
pub(super) async fn remove_links(
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
    let months = numbers(scalars(db, EXISTING_MONTHS, []).await?);
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

/// Query for the months of which rows exist, which reads one row per month.
const EXISTING_MONTHS: &str = "WITH RECURSIVE months (month) AS (
        SELECT MIN(month) FROM click_months
        UNION ALL
        SELECT (SELECT MIN(month) FROM click_months WHERE click_months.month > months.month)
        FROM months WHERE months.month IS NOT NULL
    )
    SELECT month FROM months WHERE month IS NOT NULL";

/// Returns whether links have clicks in a month that ended before a day.
pub(super) async fn any_before(db: &impl ConnectionTrait, day: i64) -> Result<bool, StoreError> {
    let sql = "SELECT month FROM click_months WHERE month < $1 LIMIT 1";
    Ok(scalar::<i64>(db, sql, [Month::from_day(day).number().into()]).await?.is_some())
}

/// Deletes the clicks of at most `max_rows` links in months that ended before a day. The clicks of
/// owners stay.
pub(super) async fn delete_before(
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
    execute(db, sql, [month.into(), owner_id.into(), link_id.into()]).await?;
    Ok(())
}

/// Key of a row of `click_months`.
#[derive(Debug, FromQueryResult)]
struct MonthKey {
    month: i64,
    owner_id: i64,
    link_id: i64,
}
