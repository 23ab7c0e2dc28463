//! Reports of clicks by day: those of one link, and the sums of a month.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

use serde::Serialize;

use super::Error;
use super::clicks::Recorder;
use super::owner_lookup::OwnerRef;
use super::usage::owner_ids;
pub use crate::store::click_sums::Grouping;
use crate::store::click_sums::{self, DayClicks, DayRecord, GroupClicks, OwnerLinks};
use crate::store::entities::link;
pub use crate::store::range_sums::GroupBy;
use crate::store::range_sums::{self, RangeFilter, RangeSum};
use crate::store::usage::{self, OwnerName};
use crate::store::{Store, click_days, events, link_changes, links, owners};
use crate::values::{Day, Month, ShortCode};

/// Maximum number of groups of a report.
const MAX_GROUPS: usize = 10_000;

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
    #[serde(skip_serializing_if = "Option::is_none", rename = "owner_name")]
    pub owner: Option<String>,
    /// Identifier of the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<i64>,
    /// Campaign; the inner value is `None` for links without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campaign: Option<Option<String>>,
    /// Short code; the inner value is `None` for deleted links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_code: Option<Option<String>>,
    /// Number of clicks.
    pub clicks: i64,
}

/// Returns the clicks of a link on each of the last `days` days, oldest first, today included.
///
/// # Errors
/// [`Error::LinksNotFound`] or [`Error::LinksDeleted`].
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
    Ok(complete(range, found))
}

/// Returns an entry for each day of a range, oldest first.
fn complete(range: RangeInclusive<i64>, found: Vec<DayClicks>) -> Vec<ClickDay> {
    let found: HashMap<i64, i64> =
        found.into_iter().map(|DayClicks { day, clicks }| (day, clicks)).collect();
    let entry = |day: i64| ClickDay {
        day: Day::from_number(day),
        clicks: found.get(&day).copied().unwrap_or(0),
    };
    range.map(entry).collect()
}

/// Clicks of a link in a range of days, which add up to its count with those before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClickDays {
    /// The days of the range, oldest first.
    pub days: Vec<ClickDay>,
    /// Number of clicks before the range, those included that belong to no day.
    pub before: i64,
    /// Number of clicks after the range.
    pub after: i64,
    /// First day of the range.
    pub first: Day,
    /// Last day of the range.
    pub last: Day,
}

/// Returns the clicks of a link of the owner on the days of a range.
///
/// # Errors
/// [`Error::LinkNotFound`] or [`Error::ClicksPending`].
pub async fn of_own_link(
    store: &Store,
    recorder: &Recorder,
    owner_id: i64,
    code: &ShortCode,
    range: RangeInclusive<i64>,
) -> Result<ClickDays, Error> {
    recorder.check_counted()?;
    let db = store.reader();
    let link = links::find_owned(db, owner_id, code).await?.ok_or(Error::LinkNotFound)?;
    // One query reads all days, so that they belong together.
    let all = click_sums::all_days(db, &[link.id], Some(owner_id), store.now().day()).await?;
    let (mut before, mut after, mut within) = (0, 0, Vec::new());
    for DayRecord { day, clicks, short_code: _ } in all {
        match day {
            Some(day) if range.contains(&day) => within.push(DayClicks { day, clicks }),
            Some(day) if day > *range.end() => after += clicks,
            Some(_) | None => before += clicks,
        }
    }
    let [first, last] = [*range.start(), *range.end()].map(Day::from_number);
    Ok(ClickDays { days: complete(range, within), before, after, first, last })
}

/// Clicks of a range of days, summed up by group.
#[derive(Debug, Clone)]
pub struct RangeReport {
    /// By day, all days of the range, oldest first; otherwise the groups with the most clicks first.
    pub rows: Vec<RangeRow>,
    /// First day of the range.
    pub first: Day,
    /// Last day of the range.
    pub last: Day,
    /// Whether all days are closed, so that nothing changes any more.
    pub is_final: bool,
    /// Whether further groups have no row.
    pub is_truncated: bool,
}

/// Clicks of a group. Members that do not define the group are absent.
#[derive(Debug, Clone, Default)]
pub struct RangeRow {
    /// The day.
    pub day: Option<Day>,
    /// Campaign; the inner value is `None` for links without one, and for deleted ones.
    pub campaign: Option<Option<String>>,
    /// The link; the inner value is `None` for deleted links.
    pub link: Option<Option<link::Model>>,
    /// Identifier and name of the owner. A deleted one has the last name.
    pub owner: Option<(i64, String)>,
    /// Number of clicks.
    pub clicks: i64,
}

/// Returns the clicks of a range of days, summed up by group. `owner_id` is the only owner whose links
/// count, who may be deleted.
///
/// # Errors
/// If the database fails.
pub async fn of_range(
    store: &Store,
    owner_id: Option<i64>,
    campaign: Option<String>,
    days: RangeInclusive<i64>,
    by: GroupBy,
) -> Result<RangeReport, Error> {
    let (db, today) = (store.reader(), store.now().day());
    let owner = match owner_id {
        Some(id) => {
            let links = owners::get(db, id).await?.map_or(0, |owner| owner.link_count);
            Some(OwnerLinks { id, links })
        }
        None => None,
    };
    let filter = RangeFilter { owner, campaign, days: days.clone() };
    let mut sums = range_sums::of_range(db, &filter, by, today, MAX_GROUPS + 1).await?;
    let is_truncated = sums.len() > MAX_GROUPS;
    sums.truncate(MAX_GROUPS);
    let rows = match by {
        GroupBy::Day => {
            let found = sums
                .into_iter()
                .filter_map(|sum| Some(DayClicks { day: sum.day?, clicks: sum.clicks }));
            let days = complete(days.clone(), found.collect()).into_iter();
            let row = |ClickDay { day, clicks }| RangeRow {
                day: Some(day),
                clicks,
                ..RangeRow::default()
            };
            days.map(row).collect()
        }
        GroupBy::Campaign => {
            let row = |sum: RangeSum| RangeRow {
                campaign: Some(sum.campaign),
                clicks: sum.clicks,
                ..RangeRow::default()
            };
            sums.into_iter().map(row).collect()
        }
        GroupBy::Link => {
            let ids: Vec<i64> = sums.iter().filter_map(|sum| sum.link_id).collect();
            let mut links = HashMap::new();
            for ids in ids.chunks(1_000) {
                let found = link_changes::with_ids(db, ids).await?.into_iter();
                links.extend(found.map(|link| (link.id, link)));
            }
            let row = |sum: RangeSum| RangeRow {
                link: Some(sum.link_id.and_then(|id| links.remove(&id))),
                clicks: sum.clicks,
                ..RangeRow::default()
            };
            sums.into_iter().map(row).collect()
        }
        GroupBy::Owner => {
            let names = owners::list(db).await?.into_iter().map(|owner| (owner.id, owner.name));
            let mut names: HashMap<i64, String> = names.collect();
            let mut rows = Vec::new();
            for RangeSum { owner_id, clicks, .. } in sums {
                let id = owner_id.unwrap_or_default();
                let name = match names.remove(&id) {
                    Some(name) => name,
                    None => events::last_name_of_owner(db, id).await?.unwrap_or_default(),
                };
                let owner = Some((id, name));
                rows.push(RangeRow { owner, clicks, ..RangeRow::default() });
            }
            rows
        }
    };
    let is_final = click_days::state(db).await?.closed_until >= *days.end();
    let [first, last] = [*days.start(), *days.end()].map(Day::from_number);
    Ok(RangeReport { rows, first, last, is_final, is_truncated })
}

/// Returns the clicks of a month of all owners' links, or of one owner, summed up by `grouping` and in the
/// order of the groups. A name is that in the [usage](usage::of_month) of the month, so that several owners
/// may have it. Today's clicks are included. Groups without clicks are missing. The clicks of deleted links,
/// and those of links in months that ended before the days that are kept, have neither a campaign nor a code.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn of_any_month(
    store: &Store,
    owner: Option<OwnerRef<'_>>,
    month: Month,
    grouping: Grouping,
) -> Result<Vec<MonthRow>, Error> {
    let (db, today) = (store.reader(), store.now().day());
    let mut found = Vec::new();
    match owner {
        Some(owner) => {
            for id in owner_ids(store, month, owner).await? {
                let links = owners::get(db, id).await?.map_or(0, |owner| owner.link_count);
                let owner = Some(OwnerLinks { id, links });
                found.extend(click_sums::of_month(db, owner, month, today, grouping).await?);
            }
        }
        None => found = click_sums::of_month(db, None, month, today, grouping).await?,
    }
    let names = if grouping.owner { usage::names(db, month).await? } else { Vec::new() };
    let names: HashMap<i64, String> =
        names.into_iter().map(|OwnerName { owner_id, owner }| (owner_id, owner)).collect();
    let mut sums: BTreeMap<_, i64> = BTreeMap::new();
    for GroupClicks { owner_id, campaign, short_code, clicks } in found {
        // An owner who is deleted at this moment has no name.
        let owner = grouping.owner.then(|| names.get(&owner_id).cloned().unwrap_or_default());
        let owner_id = grouping.owner.then_some(owner_id);
        *sums.entry((owner, owner_id, campaign, short_code)).or_default() += clicks;
    }
    let row = |((owner, owner_id, campaign, short_code), clicks)| MonthRow {
        owner,
        owner_id,
        campaign: grouping.campaign.then_some(campaign),
        short_code: grouping.link.then_some(short_code),
        clicks,
    };
    Ok(sums.into_iter().map(row).collect())
}
