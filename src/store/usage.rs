//! Usage of owners by month: what was created, clicked and requested.
//!
//! A month is closed after its last day. From then on, only [`reopen`] changes its rows of
//! `usage_months`: what arrives later counts in the next month.
//!
//! The number of an owner's links changes only together with the links created or deleted of a month that
//! is not closed. The links at the end of a month are thus the present ones without those created since,
//! and with those deleted since.

use sea_orm::{ConnectionTrait, FromQueryResult};
use serde::Serialize;

use super::books_clock;
use super::click_days::{self, DayClose};
use super::click_sums::{OwnerLinks, unclosed_of_month};
use super::clicks::lock_rollups;
use super::dialect::SqlDialect;
use super::entities::owner;
use super::error::StoreError;
use super::query::{execute, numbers, row, rows, scalars};
use crate::values::{Month, Timestamp};

/// What an owner used in a month.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult, Serialize)]
pub struct OwnerUsage {
    /// Identifier of the owner.
    pub owner_id: i64,
    /// Name of the owner: at the close of a closed month, at the deletion of a deleted owner.
    #[serde(rename = "owner_name")]
    pub owner: String,
    /// Requests with a valid key that were neither rejected by a limit nor failed.
    pub requests: i64,
    /// Links created, imported ones included.
    pub links_created: i64,
    /// Links at the end of the month, or now.
    pub links: i64,
    /// Clicks.
    pub clicks: i64,
    /// Links deleted. `None` if the month was closed by a version that did not count them.
    pub links_deleted: Option<i64>,
    /// Name of the plan at the end of the month, at the owner's deletion, or now. `None` if the month was
    /// closed by a version that did not keep it.
    pub plan_name: Option<String>,
}

/// Returns whether a month is closed.
pub fn is_closed(state: &DayClose, month: Month) -> bool {
    month.number() < state.open_month
}

/// Returns the time by which something counts that happens now: that of [`books_clock`], but no time in a
/// closed month, and the day that is not closed instead of a month that begins later than tomorrow. So a clock
/// that leaps moves nothing into another month.
pub fn time_now(state: &DayClose, now: Timestamp) -> Timestamp {
    let first = Timestamp::from_day(*Month::from_number(state.open_month).days().start());
    let time = books_clock::time(now);
    let is_ahead = Month::from(time) > last_month(state);
    let time = if is_ahead { Timestamp::from_day(state.closed_until + 1) } else { time };
    time.max(first)
}

/// Returns the month of tomorrow for the task that closes days.
fn last_month(state: &DayClose) -> Month {
    Month::from_day(state.closed_until + 2)
}

/// Returns the month to which something counts that happens now.
pub fn month_now(state: &DayClose, now: Timestamp) -> Month {
    Month::from(time_now(state, now))
}

/// Returns a condition for the owners that a month has: those created before its end, and those for whom
/// something counted in it although the clock showed a later month when they were created.
fn is_of_month(month: Month) -> String {
    let (number, end) = (month.number(), month.end().millis());
    format!(
        "(owners.created_at < {end} OR owners.created_month <= {number} AND owners.created_in_month > 0
         OR owners.id IN (SELECT owner_id FROM usage_months WHERE month = {number}
             UNION ALL SELECT owner_id FROM usage_requests WHERE month = {number}))"
    )
}

/// The links at the end of the month `number` of the owners that meet a condition on `owners`. `columns`
/// are further ones; the query can be continued by a clause.
fn links_at_end(number: i64, columns: &str, condition: &str) -> String {
    format!(
        "SELECT owners.id, {columns} owners.link_count
             - CASE WHEN owners.created_month > {number} THEN owners.created_in_month ELSE 0 END
             - COALESCE(later.links, 0) AS links
         FROM owners LEFT JOIN (
             SELECT owner_id,
                 CAST(SUM(links_created - COALESCE(links_deleted, 0)) AS bigint) AS links
             FROM usage_months WHERE month > {number} GROUP BY owner_id
         ) AS later ON later.owner_id = owners.id
         WHERE {condition}"
    )
}

/// Returns the usage of one owner or of all in a month, in the order of their names. `is_closed` says
/// whether the month is closed. Owners who did not exist in the month are missing.
pub async fn of_month(
    db: &impl ConnectionTrait,
    owner: Option<OwnerLinks>,
    month: Month,
    is_closed: bool,
    today: i64,
) -> Result<Vec<OwnerUsage>, StoreError> {
    let number = month.number();
    let only =
        |column: &str| owner.map_or("TRUE".to_owned(), |owner| format!("{column} = {}", owner.id));
    // Deleted owners have rows with names.
    let owners = format!(
        "SELECT owner_id FROM usage_months WHERE month = {number} AND owner IS NOT NULL AND {}",
        only("owner_id")
    );
    let (owners, unclosed, deleted) = if is_closed {
        let unclosed = "SELECT CAST(NULL AS bigint) AS owner_id, 0 AS count WHERE FALSE";
        (owners, unclosed.to_owned(), "used.links_deleted")
    } else {
        let existing =
            format!("SELECT id FROM owners WHERE {} AND {}", only("id"), is_of_month(month));
        let dialect = SqlDialect::from_connection(db);
        let unclosed = unclosed_of_month(dialect, owner, number, today);
        (format!("{owners} UNION {existing}"), unclosed, "COALESCE(used.links_deleted, 0)")
    };
    let present = if is_closed { "FALSE".to_owned() } else { only("owners.id") };
    let at_end = links_at_end(number, "", &present);
    let sql = format!(
        "SELECT listed.owner_id, COALESCE(used.owner, owners.name) AS owner,
             CASE WHEN used.owner IS NULL THEN owners.plan ELSE used.plan END AS plan_name,
             CAST(COALESCE(used.requests, 0) + COALESCE(requested.count, 0) AS bigint) AS requests,
             COALESCE(used.links_created, 0) + CASE owners.created_month WHEN {number}
                 THEN owners.created_in_month ELSE 0 END AS links_created,
             COALESCE(used.links, at_end.links, 0) AS links, {deleted} AS links_deleted,
             CAST(COALESCE(used.clicks, 0) + COALESCE(clicked.count, 0) AS bigint) AS clicks
         FROM ({owners}) AS listed
         LEFT JOIN usage_months AS used
             ON used.month = {number} AND used.owner_id = listed.owner_id
         LEFT JOIN owners ON owners.id = listed.owner_id
         LEFT JOIN ({at_end}) AS at_end ON at_end.id = listed.owner_id
         LEFT JOIN (
             SELECT owner_id, SUM(requests) AS count FROM usage_requests
             WHERE month = {number} AND {requested} GROUP BY owner_id
         ) AS requested ON requested.owner_id = listed.owner_id
         LEFT JOIN (
             SELECT owner_id, SUM(count) AS count FROM ({unclosed}) AS unclosed GROUP BY owner_id
         ) AS clicked ON clicked.owner_id = listed.owner_id
         ORDER BY 2, 1",
        requested = only("owner_id")
    );
    rows(db, &sql, []).await
}

/// Name of an owner in a month.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct OwnerName {
    /// Identifier of the owner.
    pub owner_id: i64,
    /// The name: at the close of a closed month, at the deletion of a deleted owner.
    pub owner: String,
}

/// Returns the names of owners in a month: those of all who exist, and of those who were deleted in the
/// month or after its close.
pub async fn names(db: &impl ConnectionTrait, month: Month) -> Result<Vec<OwnerName>, StoreError> {
    let sql = "SELECT id AS owner_id, name AS owner FROM owners
         WHERE NOT EXISTS (
             SELECT 1 FROM usage_months
             WHERE month = $1 AND owner_id = owners.id AND owner IS NOT NULL)
         UNION ALL
         SELECT owner_id, owner FROM usage_months WHERE month = $1 AND owner IS NOT NULL";
    rows(db, sql, [month.number().into()]).await
}

/// Returns the month to which a link counts that an owner creates, as an expression in SQL that follows
/// the rule of [`month_now`]. `month` and `next` are the month of [`books_clock`] and the one after it.
///
/// The owner's month may be the next one, because the clock may be a little behind.
pub(super) fn creation_month_sql(dialect: SqlDialect, month: &str, next: &str) -> String {
    let [_, greatest] = dialect.extremes();
    let [open, last] =
        ["closed_until + 1", "closed_until + 2"].map(|day| dialect.month_of_day(day));
    let newest = format!("{greatest}({month}, owners.created_month)");
    // The first case is the usual one, and reads no other row. The owner's month never goes back, unless a
    // clock moved it too far ahead, because a concurrent close may have closed the month before it.
    format!(
        "CASE WHEN owners.created_month BETWEEN {month} AND {next} THEN owners.created_month
         ELSE (SELECT {greatest}(open_month, CASE WHEN {newest} > {last} THEN {open} ELSE {newest} END)
             FROM day_close WHERE id = 1) END"
    )
}

/// The statements that count the links that an owner creates: the first keeps the number of those of an
/// earlier month.
pub(super) struct CountCreated {
    /// `$1` is the owner, `$2` the clock's month and `$3` the next one.
    pub(super) keep: String,
    /// `$1` is the number of links, `$2` the clock's month, `$3` the next one and `$4` the owner.
    pub(super) count: String,
}

impl CountCreated {
    pub(super) fn new(dialect: SqlDialect) -> Self {
        let month = creation_month_sql(dialect, "$2", "$3");
        let keep = format!(
            "INSERT INTO usage_months (month, owner_id, links_created)
             SELECT created_month, id, created_in_month FROM owners
             WHERE id = $1 AND created_in_month > 0 AND created_month <> {month}
             ON CONFLICT (month, owner_id)
                 DO UPDATE SET links_created = usage_months.links_created + excluded.links_created"
        );
        let count = format!(
            "UPDATE owners SET link_count = link_count + $1, created_month = {month},
                 created_in_month = CASE WHEN created_month = {month} THEN created_in_month ELSE 0 END + $1
             WHERE id = $4"
        );
        Self { keep, count }
    }
}

/// Counts links of an owner that are created and deleted now. The caller has locked the owner, and keeps
/// months from being closed.
pub async fn count_links(
    db: &impl ConnectionTrait,
    owner: &owner::Model,
    now: Timestamp,
    [created, deleted]: [i64; 2],
) -> Result<(), StoreError> {
    let state = click_days::state(db).await?;
    // No link is deleted in a month before that of its creation, although clocks differ.
    let (month, newest) = (month_now(&state, now), Month::from_number(owner.created_month));
    let month = if newest <= last_month(&state) { month.max(newest) } else { month };
    let sql = "INSERT INTO usage_months (month, owner_id, links_created, links_deleted)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (month, owner_id) DO UPDATE SET
             links_created = usage_months.links_created + excluded.links_created,
             links_deleted = COALESCE(usage_months.links_deleted, 0) + excluded.links_deleted";
    let values = [month.number().into(), owner.id.into(), created.into(), deleted.into()];
    execute(db, sql, values).await
}

/// Keeps the usage of owners in a month with their names and numbers of links, for at most
/// `max_owners` owners after the owner `after`. Returns the last of them, or `None` if none was left or the
/// month is not the open one.
pub async fn close_slice(
    db: &impl ConnectionTrait,
    month: Month,
    after: i64,
    max_owners: u32,
) -> Result<Option<i64>, StoreError> {
    // Deletions take the locks in the same order.
    lock_rollups(db).await?;
    if click_days::state(db).await?.open_month != month.number() {
        return Ok(None);
    }
    let lock = SqlDialect::from_connection(db).row_lock("FOR NO KEY UPDATE");
    let sql = format!(
        "SELECT id AS owner_id, name AS owner FROM owners
         WHERE id > $1 AND {} AND NOT EXISTS (
             SELECT 1 FROM usage_months
             WHERE month = $2 AND owner_id = owners.id AND owner IS NOT NULL)
         ORDER BY id LIMIT {max_owners} {lock}",
        is_of_month(month)
    );
    let (number, next) = (month.number(), month.next().number());
    let owners: Vec<OwnerName> = rows(db, &sql, [after.into(), number.into()]).await?;
    let Some(last) = owners.last() else { return Ok(None) };
    let ids = numbers(owners.iter().map(|owner| owner.owner_id));
    let at_end =
        links_at_end(number, "owners.name, owners.plan,", &format!("owners.id IN ({ids})"));
    db.execute_unprepared(&format!(
        "INSERT INTO usage_months (month, owner_id, links_created)
         SELECT created_month, id, created_in_month FROM owners
         WHERE id IN ({ids}) AND created_month <= {number} AND created_in_month > 0 ORDER BY id
         ON CONFLICT (month, owner_id)
             DO UPDATE SET links_created = usage_months.links_created + excluded.links_created;
         UPDATE owners SET created_month = {next}, created_in_month = 0
         WHERE id IN ({ids}) AND created_month <= {number};
         INSERT INTO usage_months (month, owner_id, owner, plan, links, links_deleted)
         SELECT {number}, id, name, plan, links, 0 FROM ({at_end}) AS at_end WHERE TRUE ORDER BY id
         ON CONFLICT (month, owner_id) DO UPDATE SET owner = excluded.owner, plan = excluded.plan,
             links = excluded.links,
             links_deleted = COALESCE(usage_months.links_deleted, 0)"
    ))
    .await?;
    Ok(Some(last.owner_id))
}

/// Closes a month after all owners' usage has been kept. Sums up the requests of earlier months, whose
/// instances have stored them for the last time.
pub async fn close(db: &impl ConnectionTrait, month: Month) -> Result<(), StoreError> {
    let sql = "UPDATE day_close SET open_month = $2 WHERE id = 1 AND open_month = $1";
    execute(db, sql, [month.number().into(), month.next().number().into()]).await?;
    let sum = "INSERT INTO usage_months (month, owner_id, requests)
         SELECT month, owner_id, SUM(requests) FROM usage_requests WHERE month < $1
         GROUP BY month, owner_id
         ON CONFLICT (month, owner_id)
             DO UPDATE SET requests = usage_months.requests + excluded.requests";
    execute(db, sum, [month.number().into()]).await?;
    let delete = "DELETE FROM usage_requests WHERE month < $1";
    execute(db, delete, [month.number().into()]).await
}

/// Opens months again from `month` on, which a clock that was ahead closed, and sets the close of days back
/// to `yesterday`. What was counted for later months counts for this one. The caller has locked rollups.
pub async fn reopen(
    db: &impl ConnectionTrait,
    month: Month,
    yesterday: i64,
) -> Result<(), StoreError> {
    let month = month.number();
    let dialect = SqlDialect::from_connection(db);
    let [least, _] = dialect.extremes();
    // Creations lock owners in the same order.
    let lock = dialect.row_lock("FOR NO KEY UPDATE");
    let lock = format!("SELECT id FROM owners WHERE created_month > {month} ORDER BY id {lock}");
    let _: Vec<i64> = scalars(db, &lock, []).await?;
    // Owners who were deleted meanwhile keep their names.
    db.execute_unprepared(&format!(
        "UPDATE owners SET created_month = {month} WHERE created_month > {month};
         UPDATE day_close SET open_month = {month}, position = 0,
             closed_day = {least}(closed_day, {yesterday}),
             closed_until = {least}(closed_until, {yesterday});
         UPDATE usage_months SET owner = NULL, plan = NULL, links = NULL
         WHERE month >= {month} AND owner_id IN (SELECT id FROM owners);
         INSERT INTO usage_months
             (month, owner_id, owner, plan, requests, links_created, links, clicks, links_deleted)
         SELECT {month}, owner_id, MAX(owner), MAX(plan), CAST(SUM(requests) AS bigint),
             CAST(SUM(links_created) AS bigint), MAX(links), CAST(SUM(clicks) AS bigint),
             CAST(SUM(COALESCE(links_deleted, 0)) AS bigint)
         FROM usage_months WHERE month > {month} GROUP BY owner_id
         ON CONFLICT (month, owner_id) DO UPDATE SET
             owner = COALESCE(usage_months.owner, excluded.owner),
             plan = COALESCE(usage_months.plan, excluded.plan),
             requests = usage_months.requests + excluded.requests,
             links_created = usage_months.links_created + excluded.links_created,
             links = COALESCE(excluded.links, usage_months.links),
             clicks = usage_months.clicks + excluded.clicks,
             links_deleted = COALESCE(usage_months.links_deleted, 0) + excluded.links_deleted;
         DELETE FROM usage_months WHERE month > {month};
         INSERT INTO click_months (month, owner_id, link_id, count)
         SELECT {month}, owner_id, link_id, CAST(SUM(count) AS bigint)
         FROM click_months WHERE month > {month} GROUP BY owner_id, link_id
         ON CONFLICT (month, owner_id, link_id)
             DO UPDATE SET count = click_months.count + excluded.count;
         DELETE FROM click_months WHERE month > {month};
         UPDATE usage_requests SET month = {month} WHERE month > {month}"
    ))
    .await?;
    Ok(())
}

/// Keeps the usage of an owner who is about to be deleted, in the current month and earlier ones that
/// are not closed. The owner has no links.
pub async fn keep_deleted(
    db: &impl ConnectionTrait,
    owner: &owner::Model,
    now: Timestamp,
) -> Result<(), StoreError> {
    let state = click_days::state(db).await?;
    let mut month = Month::from_number(state.open_month);
    let last = month_now(&state, now).max(Month::from_number(owner.created_month));
    while month <= last {
        let number = month.number();
        let created = if owner.created_month == number { owner.created_in_month } else { 0 };
        let condition = if month == last { "TRUE".to_owned() } else { is_of_month(month) };
        let condition = format!("owners.id = $1 AND {condition}");
        let at_end = links_at_end(number, "owners.name, owners.plan,", &condition);
        let sql = format!(
            "INSERT INTO usage_months
                 (month, owner_id, owner, plan, links, links_created, links_deleted)
             SELECT {number}, id, name, plan, links, {created}, 0 FROM ({at_end}) AS at_end WHERE TRUE
             ON CONFLICT (month, owner_id) DO UPDATE SET owner = excluded.owner,
                 plan = excluded.plan, links = excluded.links,
                 links_created = usage_months.links_created + excluded.links_created,
                 links_deleted = COALESCE(usage_months.links_deleted, 0)"
        );
        execute(db, &sql, [owner.id.into()]).await?;
        month = month.next();
    }
    Ok(())
}

/// Requests of an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct OwnerRequests {
    /// Identifier of the owner.
    pub owner_id: i64,
    /// Number of requests.
    pub requests: i64,
}

/// Returns the month to which requests that are stored now belong, and keeps it open until the
/// transaction ends.
pub async fn lock_month(db: &impl ConnectionTrait, now: Timestamp) -> Result<Month, StoreError> {
    let lock = SqlDialect::from_connection(db).row_lock("FOR SHARE");
    let sql = format!("SELECT * FROM day_close WHERE id = 1 {lock}");
    let state: Option<DayClose> = row(db, &sql, []).await?;
    Ok(state.map_or_else(|| Month::from(now), |state| month_now(&state, now)))
}

/// Returns the requests that an instance has stored in a month.
pub async fn stored_requests(
    db: &impl ConnectionTrait,
    month: Month,
    instance_id: i64,
) -> Result<Vec<OwnerRequests>, StoreError> {
    let sql = "SELECT owner_id, requests FROM usage_requests WHERE month = $1 AND instance_id = $2";
    rows(db, sql, [month.number().into(), instance_id.into()]).await
}

/// Stores the sums of the requests that an instance has counted in a month, instead of those that it
/// stored before.
pub async fn store_requests(
    db: &impl ConnectionTrait,
    month: Month,
    instance_id: i64,
    sums: &[OwnerRequests],
) -> Result<(), StoreError> {
    /// Maximum number of owners per statement.
    const MAX_OWNERS: usize = 1_000;
    for part in sums.chunks(MAX_OWNERS) {
        let row = |&OwnerRequests { owner_id, requests }: &OwnerRequests| {
            format!("({}, {owner_id}, {instance_id}, {requests})", month.number())
        };
        let values: Vec<String> = part.iter().map(row).collect();
        let sql = format!(
            "INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES {}
             ON CONFLICT (month, owner_id, instance_id) DO UPDATE SET requests = excluded.requests",
            values.join(", ")
        );
        execute(db, &sql, []).await?;
    }
    Ok(())
}
