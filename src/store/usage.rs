//! Usage of owners by month: what was created, clicked and requested.
//!
//! A month is closed after its last day. From then on, its rows of `usage_months` never change: what
//! arrives later counts in the next month.

use sea_orm::{ConnectionTrait, FromQueryResult};
use serde::Serialize;

use super::click_days::{self, DayClose};
use super::clicks::lock_rollups;
use super::dialect::SqlDialect;
use super::entities::owner;
use super::error::StoreError;
use super::month_sums::unclosed_of_month;
use super::query::{execute, numbers, rows, scalar};
use crate::values::{Month, Timestamp};

/// What an owner used in a month.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult, Serialize)]
pub struct OwnerUsage {
    /// Identifier of the owner.
    pub owner_id: i64,
    /// Name of the owner: at the close of a closed month, at the deletion of a deleted owner.
    pub owner: String,
    /// Requests with a valid key that were neither rejected by a limit nor failed.
    pub requests: i64,
    /// Links created, imported ones included.
    pub links_created: i64,
    /// Links at the close of the month, or now.
    pub links: i64,
    /// Clicks.
    pub clicks: i64,
}

/// Returns whether a month is closed.
#[must_use]
pub fn is_closed(state: &DayClose, month: Month) -> bool {
    month.number() < state.open_month
}

/// Returns the usage of all owners in a month, in the order of their names. `is_closed` says whether
/// the month is closed. Owners who did not exist in the month are missing.
pub async fn of_month(
    db: &impl ConnectionTrait,
    month: Month,
    is_closed: bool,
    today: i64,
) -> Result<Vec<OwnerUsage>, StoreError> {
    let (number, end) = (month.number(), month.end().millis());
    // Deleted owners have rows with names.
    let owners =
        format!("SELECT owner_id FROM usage_months WHERE month = {number} AND owner IS NOT NULL");
    let (owners, unclosed) = if is_closed {
        (owners, "SELECT CAST(NULL AS bigint) AS owner_id, 0 AS count WHERE FALSE".to_owned())
    } else {
        let existing = format!("SELECT id FROM owners WHERE created_at < {end}");
        let dialect = SqlDialect::from_connection(db);
        let unclosed = unclosed_of_month(dialect, None, number, today);
        (format!("{owners} UNION {existing}"), unclosed)
    };
    let sql = format!(
        "SELECT listed.owner_id, COALESCE(used.owner, owners.name) AS owner,
             CAST(COALESCE(used.requests, 0) + COALESCE(requested.count, 0) AS bigint) AS requests,
             COALESCE(used.links_created, 0) + CASE owners.created_month WHEN {number}
                 THEN owners.created_in_month ELSE 0 END AS links_created,
             COALESCE(used.links, owners.link_count) AS links,
             CAST(COALESCE(used.clicks, 0) + COALESCE(clicked.count, 0) AS bigint) AS clicks
         FROM ({owners}) AS listed
         LEFT JOIN usage_months AS used
             ON used.month = {number} AND used.owner_id = listed.owner_id
         LEFT JOIN owners ON owners.id = listed.owner_id
         LEFT JOIN (
             SELECT owner_id, SUM(requests) AS count FROM usage_requests
             WHERE month = {number} GROUP BY owner_id
         ) AS requested ON requested.owner_id = listed.owner_id
         LEFT JOIN (
             SELECT owner_id, SUM(count) AS count FROM ({unclosed}) AS unclosed GROUP BY owner_id
         ) AS clicked ON clicked.owner_id = listed.owner_id
         ORDER BY 2, 1"
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

/// Statement that keeps the number of links that an owner created in an earlier month, before
/// [`COUNT_CREATED`] replaces it. `$1` is the owner, `$2` the month and `$3` the next one.
///
/// The owner's month may be the next one, because a month can be closed while a clock is a little
/// behind. A month further in the future comes from a clock that was wrong.
pub(super) const KEEP_CREATED: &str = "
    INSERT INTO usage_months (month, owner_id, links_created)
    SELECT created_month, id, created_in_month FROM owners
    WHERE id = $1 AND created_month NOT BETWEEN $2 AND $3 AND created_in_month > 0
    ON CONFLICT (month, owner_id)
        DO UPDATE SET links_created = usage_months.links_created + excluded.links_created";

/// Statement that counts `$1` links that an owner creates in the month `$2`. `$3` is the next month
/// and `$4` the owner.
pub(super) const COUNT_CREATED: &str = "
    UPDATE owners SET link_count = link_count + $1,
        created_month = CASE WHEN created_month BETWEEN $2 AND $3 THEN created_month ELSE $2 END,
        created_in_month =
            CASE WHEN created_month BETWEEN $2 AND $3 THEN created_in_month ELSE 0 END + $1
    WHERE id = $4";

/// Keeps the usage of owners in a month with their names and numbers of links, for at most
/// `max_owners` owners after the owner `after`. Returns the last of them, or `None` if none was left.
pub async fn close_slice(
    db: &impl ConnectionTrait,
    month: Month,
    after: i64,
    max_owners: u32,
) -> Result<Option<i64>, StoreError> {
    // Deletions take the locks in the same order.
    lock_rollups(db).await?;
    let lock = SqlDialect::from_connection(db).row_lock("FOR NO KEY UPDATE");
    let sql = format!(
        "SELECT id AS owner_id, name AS owner FROM owners
         WHERE id > $1 AND created_at < $2 AND NOT EXISTS (
             SELECT 1 FROM usage_months
             WHERE month = $3 AND owner_id = owners.id AND owner IS NOT NULL)
         ORDER BY id LIMIT {max_owners} {lock}"
    );
    let (number, next) = (month.number(), month.next().number());
    let conditions = [after.into(), month.end().millis().into(), number.into()];
    let owners: Vec<OwnerName> = rows(db, &sql, conditions).await?;
    let Some(last) = owners.last() else { return Ok(None) };
    let ids = numbers(owners.iter().map(|owner| owner.owner_id));
    db.execute_unprepared(&format!(
        "INSERT INTO usage_months (month, owner_id, links_created)
         SELECT created_month, id, created_in_month FROM owners
         WHERE id IN ({ids}) AND created_month <= {number} AND created_in_month > 0 ORDER BY id
         ON CONFLICT (month, owner_id)
             DO UPDATE SET links_created = usage_months.links_created + excluded.links_created;
         UPDATE owners SET created_month = {next}, created_in_month = 0
         WHERE id IN ({ids}) AND created_month <= {number};
         INSERT INTO usage_months (month, owner_id, owner, links)
         SELECT {number}, id, name, link_count FROM owners WHERE id IN ({ids}) ORDER BY id
         ON CONFLICT (month, owner_id)
             DO UPDATE SET owner = excluded.owner, links = excluded.links"
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
    execute(db, delete, [month.number().into()]).await?;
    Ok(())
}

/// Opens months again from `month` on, which were closed by a clock that was ahead.
pub async fn reopen(db: &impl ConnectionTrait, month: Month) -> Result<(), StoreError> {
    lock_rollups(db).await?;
    let month = month.number();
    let sql = "UPDATE day_close SET open_month = $1 WHERE id = 1 AND open_month > $1";
    execute(db, sql, [month.into()]).await?;
    let sql = "UPDATE usage_months SET owner = NULL, links = NULL
         WHERE month >= $1 AND owner_id IN (SELECT id FROM owners)";
    execute(db, sql, [month.into()]).await?;
    Ok(())
}

/// Keeps the usage of an owner who is about to be deleted, in the current month and earlier ones that
/// are not closed. The owner has no links.
pub async fn keep_deleted(
    db: &impl ConnectionTrait,
    owner: &owner::Model,
    now: Timestamp,
) -> Result<(), StoreError> {
    let first = Month::from_number(click_days::state(db).await?.open_month);
    let last = Month::from(now).max(Month::from_number(owner.created_month)).max(first);
    let mut month = first;
    while month <= last {
        let number = month.number();
        let created = if owner.created_month == number { owner.created_in_month } else { 0 };
        let sql = "INSERT INTO usage_months (month, owner_id, owner, links, links_created)
             VALUES ($1, $2, $3, 0, $4)
             ON CONFLICT (month, owner_id) DO UPDATE SET owner = excluded.owner, links = 0,
                 links_created = usage_months.links_created + excluded.links_created";
        let values = [number.into(), owner.id.into(), owner.name.as_str().into(), created.into()];
        execute(db, sql, values).await?;
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
    let sql = format!("SELECT open_month FROM day_close WHERE id = 1 {lock}");
    let open: Option<i64> = scalar(db, &sql, []).await?;
    Ok(open.map_or(Month::from(now), Month::from_number).max(Month::from(now)))
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
