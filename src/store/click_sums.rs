//! Sums of clicks by day and by month, unclosed clicks included. Those by month read only what was clicked in
//! the month.
//!
//! The unclosed clicks of a link belong to today, but to the day that is due for a link that the
//! close of that day has not passed yet.

use std::ops::RangeInclusive;

use sea_orm::{ConnectionTrait, FromQueryResult};

use super::click_days::{MonthClicks, any_day};
use super::dialect::SqlDialect;
use super::error::StoreError;
use super::query::{numbers, rows, scalar, scalars};
use crate::values::{Month, Timestamp};

/// Number of links up to which the unclosed clicks of an owner are found by the owner's links.
/// Otherwise, they are found among those of all owners.
pub(super) const MAX_LINKS: i64 = 50_000;

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
        format!("link_id IN ({})", numbers(link_ids))
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

/// Properties of links by which their clicks are summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grouping {
    /// By owner.
    pub owner: bool,
    /// By campaign.
    pub campaign: bool,
    /// By link.
    pub link: bool,
}

/// Sum of the clicks of a group of links of one owner. Properties that do not define the group are
/// `None`, and so are those of deleted links.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct GroupClicks {
    /// Identifier of the owner.
    pub owner_id: i64,
    /// Campaign, which is `None` also for links without one.
    pub campaign: Option<String>,
    /// Short code.
    pub short_code: Option<String>,
    /// Number of clicks.
    pub clicks: i64,
}

/// Returns the month to which a day counts, as an expression in SQL. The day is today or, before it,
/// the one that is due. The month is not closed, and does not begin after tomorrow for the task that closes
/// days, whatever the clock shows.
fn month_of_day(dialect: SqlDialect, today: i64) -> String {
    let [least, greatest] = dialect.extremes();
    let month = |day| format!("(SELECT {} FROM day_close)", dialect.month_of_day(day));
    let due = format!("{greatest}(open_month, {})", month("closed_until + 1"));
    let (month_today, last) = (Month::from_day(today).number(), month("closed_until + 2"));
    format!(
        "CASE day WHEN {today} THEN {greatest}({due}, {least}({month_today}, {last})) ELSE {due} END"
    )
}

/// Returns a query for owner, link and count of the clicks that are not closed and count to a month.
pub(super) fn unclosed_of_month(
    dialect: SqlDialect,
    owner: Option<OwnerLinks>,
    month: i64,
    today: i64,
) -> String {
    let unclosed = unclosed_with(&open_counts(dialect, owner), "TRUE", today);
    let owner = owner.map_or("IS NOT NULL".to_owned(), |owner| format!("= {}", owner.id));
    format!(
        "SELECT links.owner_id, link_id, campaign, short_code, count
         FROM ({unclosed}) AS days CROSS JOIN day_close CROSS JOIN links
         WHERE links.id = link_id AND links.owner_id {owner} AND {} = {month}",
        month_of_day(dialect, today)
    )
}

/// Returns the query for the counts that are not closed, at least those of one owner's links.
pub(super) fn open_counts(dialect: SqlDialect, owner: Option<OwnerLinks>) -> String {
    match owner {
        Some(OwnerLinks { id, links }) if links <= MAX_LINKS => format!(
            "SELECT link_id, count - closed AS count FROM links CROSS JOIN click_counts
             WHERE owner_id = {id} AND link_id = links.id AND count <> closed"
        ),
        _ => {
            // SQLite would otherwise read all counts.
            let index = dialect.index_hint("click_counts_open_idx");
            format!(
                "SELECT link_id, count - closed AS count FROM click_counts{index}
                 WHERE is_open AND count <> closed"
            )
        }
    }
}

/// An owner, and the number of the owner's links.
#[derive(Debug, Clone, Copy)]
pub struct OwnerLinks {
    /// Identifier of the owner.
    pub id: i64,
    /// Number of links.
    pub links: i64,
}

/// Returns the clicks of a month, of one owner or of all, summed up by owner and `grouping`. Groups
/// without clicks are missing.
pub async fn of_month(
    db: &impl ConnectionTrait,
    owner: Option<OwnerLinks>,
    month: Month,
    today: i64,
    grouping: Grouping,
) -> Result<Vec<GroupClicks>, StoreError> {
    let month = month.number();
    let unclosed = unclosed_of_month(SqlDialect::from_connection(db), owner, month, today);
    let of_owner = |table: &str| {
        let condition = owner.map(|owner| format!("AND {table}.owner_id = {}", owner.id));
        condition.unwrap_or_default()
    };
    let column = |name: &str, is_selected: bool| match is_selected {
        true => format!("{name} AS {name}"),
        false => format!("CAST(NULL AS text) AS {name}"),
    };
    let (campaign, code) =
        (column("campaign", grouping.campaign), column("short_code", grouping.link));
    let total = format!(
        "SELECT owner_id, CAST(NULL AS text) AS campaign, CAST(NULL AS text) AS short_code,
             clicks AS count
         FROM usage_months WHERE month = {month} {}",
        of_owner("usage_months")
    );
    // Clicks of an owner that none of the owner's links has are clicks of deleted links.
    let (known, closed) = if grouping.campaign || grouping.link {
        let known = format!(
            "WITH known AS (
                 SELECT click_months.owner_id, {campaign}, {code}, count
                 FROM click_months CROSS JOIN links
                 WHERE links.id = link_id AND month = {month} {}
             ) ",
            of_owner("click_months")
        );
        let closed = format!(
            "{total}
             UNION ALL SELECT owner_id, campaign, short_code, count FROM known
             UNION ALL SELECT owner_id, NULL, NULL, -count FROM known"
        );
        (known, closed)
    } else {
        (String::new(), total)
    };
    let sql = format!(
        "{known}SELECT owner_id, campaign, short_code, CAST(SUM(count) AS bigint) AS clicks
         FROM (
             {closed}
             UNION ALL SELECT owner_id, {campaign}, {code}, count FROM ({unclosed}) AS unclosed
         ) AS parts
         GROUP BY owner_id, campaign, short_code HAVING SUM(count) > 0"
    );
    rows(db, &sql, []).await
}

/// Returns the unclosed clicks of links, summed up by owner and month.
pub(super) async fn unclosed_of_links(
    db: &impl ConnectionTrait,
    link_ids: &[i64],
    now: Timestamp,
) -> Result<Vec<MonthClicks>, StoreError> {
    let condition = format!("link_id IN ({})", numbers(link_ids));
    let sql = format!(
        "SELECT links.owner_id, {} AS month, CAST(SUM(count) AS bigint) AS clicks
         FROM ({}) AS days CROSS JOIN day_close CROSS JOIN links
         WHERE links.id = link_id
         GROUP BY 1, 2 ORDER BY 1, 2",
        month_of_day(SqlDialect::from_connection(db), now.day()),
        unclosed(&condition, now.day())
    );
    rows(db, &sql, []).await
}
