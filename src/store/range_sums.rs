//! Sums of clicks in a range of days, unclosed clicks included.

use std::ops::RangeInclusive;

use sea_orm::{ConnectionTrait, FromQueryResult};

use super::click_sums::{MAX_LINKS, OwnerLinks, open_counts, unclosed, unclosed_with};
use super::dialect::SqlDialect;
use super::error::StoreError;
use super::query::{execute, numbers, rows};
use crate::values::Month;

/// By what clicks are summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupBy {
    /// By day.
    Day,
    /// By campaign.
    Campaign,
    /// By link.
    Link,
    /// By owner.
    Owner,
}

/// Whose clicks are summed up, and when.
#[derive(Debug, Clone)]
pub struct RangeFilter {
    /// Only the links of this owner.
    pub owner: Option<OwnerLinks>,
    /// Only links of this campaign.
    pub campaign: Option<String>,
    /// The days.
    pub days: RangeInclusive<i64>,
}

/// Sum of the clicks of a group. Properties that do not define the group are `None`, and so are those of
/// deleted links.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct RangeSum {
    /// Day in UTC, as a number since the Unix epoch.
    pub day: Option<i64>,
    /// Campaign, which is `None` also for links without one.
    pub campaign: Option<String>,
    /// Identifier of the link.
    pub link_id: Option<i64>,
    /// Identifier of the owner.
    pub owner_id: Option<i64>,
    /// Number of clicks.
    pub clicks: i64,
}

/// Returns the sums of the groups that have clicks: days in their order, other groups with the most clicks
/// first. The clicks of links that are deleted are one group of their own, except by day and by owner.
pub async fn of_range(
    db: &impl ConnectionTrait,
    filter: &RangeFilter,
    by: GroupBy,
    today: i64,
    limit: usize,
) -> Result<Vec<RangeSum>, StoreError> {
    let RangeFilter { owner, campaign, days } = filter;
    let (first, last) = (*days.start(), *days.end());
    let counts = open_counts(SqlDialect::from_connection(db), *owner);
    let unclosed = unclosed_with(&counts, "TRUE", today);
    let null = |kind: &str| format!("CAST(NULL AS {kind})");
    let columns = [
        (GroupBy::Day, "day", "bigint"),
        (GroupBy::Campaign, "campaign", "text"),
        (GroupBy::Link, "link_id", "bigint"),
        (GroupBy::Owner, "owner_id", "bigint"),
    ];
    let [day, group_campaign, link, group_owner] =
        columns.map(|(group, name, kind)| if group == by { name.to_owned() } else { null(kind) });
    let (of_campaign, values) = match campaign {
        Some(campaign) => ("AND campaign = $1", vec![campaign.as_str().into()]),
        None => ("", Vec::new()),
    };
    // The links are joined last: PostgreSQL underestimates the number of a small owner's links, and would
    // read all clicks once for each of them.
    let of_owner = owner.map_or("<> 0".to_owned(), |owner| format!("= {}", owner.id));
    let with_links = |clicks: &str| {
        format!(
            "SELECT day, campaign, link_id, owner_id, count FROM (
                 SELECT {day} AS day, link_id, SUM(count) AS count FROM ({clicks}) AS clicks
                 WHERE day BETWEEN {first} AND {last} GROUP BY 1, 2
             ) AS days LEFT JOIN links ON links.id = link_id
             WHERE COALESCE(owner_id, 0) {of_owner} {of_campaign}"
        )
    };
    let (closed, unclosed) = (closed(*owner, days), with_links(&unclosed));
    let closed = if by == GroupBy::Day && campaign.is_none() {
        format!(
            "SELECT day, {}, {}, {}, SUM(count) AS count FROM ({closed}) AS closed GROUP BY day",
            null("text"),
            null("bigint"),
            null("bigint")
        )
    } else {
        with_links(&closed)
    };
    // Deleted links have lost their campaigns.
    let deleted = match campaign {
        Some(_) => String::new(),
        None => format!(
            "UNION ALL
             SELECT day, CAST(NULL AS text), CAST(NULL AS bigint), owner_id, clicks FROM deleted_click_days
             WHERE day BETWEEN {first} AND {last} AND owner_id {of_owner}"
        ),
    };
    let order = if by == GroupBy::Day { "1" } else { "clicks DESC, 2, 3, 4" };
    let sql = format!(
        "SELECT {day} AS day, {group_campaign} AS campaign, {link} AS link_id, {group_owner} AS owner_id,
             CAST(SUM(count) AS bigint) AS clicks
         FROM ({unclosed} UNION ALL {closed} {deleted}) AS counted
         GROUP BY 1, 2, 3, 4 HAVING SUM(count) > 0 ORDER BY {order} LIMIT {limit}"
    );
    rows(db, &sql, values).await
}

/// Returns the query for link, day and count of the clicks of closed days, of all links or of those of an
/// owner that are not deleted.
fn closed(owner: Option<OwnerLinks>, days: &RangeInclusive<i64>) -> String {
    let in_days = format!("day BETWEEN {} AND {}", days.start(), days.end());
    let Some(owner) = owner else {
        return format!("SELECT link_id, day, count FROM click_days WHERE {in_days}");
    };
    // The links that an owner's visitors clicked in these months are few.
    let clicked = format!(
        "SELECT DISTINCT link_id FROM click_months WHERE owner_id = {} AND month IN ({})",
        owner.id,
        numbers(months(days).map(Month::number))
    );
    if owner.links > MAX_LINKS {
        return format!(
            "SELECT link_id, day, count FROM click_days WHERE {in_days} AND link_id IN ({clicked})"
        );
    }
    // SQLite finds the days of few links by the links, instead of reading all days.
    format!(
        "SELECT click_days.link_id, click_days.day, click_days.count
         FROM ({clicked}) AS clicked CROSS JOIN click_days
         WHERE click_days.link_id = clicked.link_id AND click_days.day IN ({})",
        numbers(days.clone())
    )
}

/// Returns the months to which the clicks of days may count: those of the days, and the one after, to which a
/// late close counts them.
fn months(days: &RangeInclusive<i64>) -> impl Iterator<Item = Month> {
    let last = Month::from_day(*days.end()).next().number();
    let first = Month::from_day(*days.start());
    std::iter::successors(Some(first), |month| Some(month.next()))
        .take_while(move |month| month.number() <= last)
}

/// Keeps the sums per owner and day of links that are being deleted. The caller keeps rollups from running,
/// and deletes the days of the links.
pub(super) async fn keep_deleted(
    db: &impl ConnectionTrait,
    link_ids: &[i64],
    today: i64,
) -> Result<(), StoreError> {
    let ids = numbers(link_ids);
    let condition = format!("link_id IN ({ids})");
    let sql = format!(
        "INSERT INTO deleted_click_days (day, owner_id, clicks)
         SELECT day, owner_id, SUM(count) FROM (
             SELECT link_id, day, count FROM click_days WHERE {condition} AND {}
             UNION ALL {}
         ) AS days CROSS JOIN links
         WHERE links.id = link_id AND owner_id IS NOT NULL
         GROUP BY day, owner_id ORDER BY day, owner_id
         ON CONFLICT (day, owner_id) DO UPDATE SET clicks = deleted_click_days.clicks + excluded.clicks",
        super::click_days::any_day(db),
        unclosed(&condition, today)
    );
    execute(db, &sql, []).await
}
