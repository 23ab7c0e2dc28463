//! Reports of clicks by day: those of one link, and the sums of a month.

use std::collections::HashMap;

use serde::Serialize;

use super::Error;
pub use crate::store::click_sums::Grouping;
use crate::store::click_sums::{self, DayClicks, GroupClicks};
use crate::store::{Store, StoreError, link_changes, owners};
use crate::values::{Day, Month, ShortCode};

/// Number of links per query. The report holds no transaction between two queries, so that it
/// blocks no other client.
const PAGE_LINKS: u32 = 5_000;

/// Clicks of a link on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ClickDay {
    /// The day.
    pub day: Day,
    /// Number of clicks.
    pub clicks: i64,
}

/// Clicks of a group of links in a month. Members that do not define the group are absent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct MonthRow {
    /// Name of the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Campaign; the inner value is `None` for links without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campaign: Option<Option<String>>,
    /// Short code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_code: Option<String>,
    /// Number of clicks.
    pub clicks: i64,
}

/// Returns the clicks of a link on each of the last `days` days, oldest first, today included.
///
/// # Errors
/// [`Error::LinksNotFound`], [`Error::LinksDeleted`], or if the database fails.
pub async fn of_link(store: &Store, code: &str, days: u32) -> Result<Vec<ClickDay>, Error> {
    let unknown = || Error::LinksNotFound(vec![code.to_owned()]);
    let parsed = ShortCode::parse(code).map_err(|_| unknown())?;
    let db = store.reader();
    let link = link_changes::with_codes(db, &[parsed]).await?.pop().ok_or_else(unknown)?;
    if link.owner_id.is_none() {
        return Err(Error::LinksDeleted(vec![link.short_code]));
    }
    let today = store.now().day();
    let range = today + 1 - i64::from(days)..=today;
    let found = click_sums::of_link(db, link.id, range.clone(), today).await?;
    let found: HashMap<i64, i64> =
        found.into_iter().map(|DayClicks { day, clicks }| (day, clicks)).collect();
    let entry = |day: i64| ClickDay {
        day: Day::from_number(day),
        clicks: found.get(&day).copied().unwrap_or(0),
    };
    Ok(range.map(entry).collect())
}

/// Returns the clicks of a month, summed up by `grouping` and in the order of the groups. Today's
/// clicks are included. Groups without clicks, and deleted links, are missing.
///
/// # Errors
/// If the database fails.
pub async fn of_month(
    store: &Store,
    month: Month,
    grouping: Grouping,
) -> Result<Vec<MonthRow>, StoreError> {
    let db = store.reader();
    let today = store.now().day();
    let mut sums: HashMap<_, i64> = HashMap::new();
    let mut last = 0;
    loop {
        let ids = click_sums::next_links(db, None, last, PAGE_LINKS).await?;
        let Some(newest) = ids.last() else { break };
        last = *newest;
        for group in click_sums::of_groups(db, &ids, month.days(), today, grouping).await? {
            let GroupClicks { owner_id, campaign, short_code, clicks } = group;
            *sums.entry((owner_id, campaign, short_code)).or_default() += clicks;
        }
    }
    let owners = owners::list(db).await?.into_iter().map(|owner| (owner.id, owner.name));
    let owners: HashMap<i64, String> = owners.collect();
    let rows = sums.into_iter().map(|((owner_id, campaign, short_code), clicks)| MonthRow {
        // An owner who was deleted since has no name.
        owner: owner_id.map(|id| owners.get(&id).cloned().unwrap_or_default()),
        campaign: grouping.campaign.then_some(campaign),
        short_code,
        clicks,
    });
    let mut rows: Vec<MonthRow> = rows.collect();
    rows.sort_unstable();
    Ok(rows)
}
