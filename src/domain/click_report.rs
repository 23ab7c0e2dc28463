//! Reports of clicks by day: those of one link, and the sums of a month.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

use serde::Serialize;

use super::Error;
use super::clicks::Recorder;
use super::usage::ids_of_name;
use crate::store::click_sums::{self, DayClicks, DayRecord};
pub use crate::store::month_sums::Grouping;
use crate::store::month_sums::{self, GroupClicks, OwnerLinks};
use crate::store::usage::{self, OwnerName};
use crate::store::{Store, StoreError, link_changes, links, owners};
use crate::values::{Day, Month, ShortCode};

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
    Ok(ClickDays { days: complete(range, within), before, after })
}

/// Returns the clicks of a month of one owner's links, summed up by group.
///
/// # Errors
/// [`Error::ClicksPending`].
pub async fn of_own_month(
    store: &Store,
    recorder: &Recorder,
    owner_id: i64,
    month: Month,
    grouping: Grouping,
) -> Result<Vec<MonthRow>, Error> {
    recorder.check_counted()?;
    Ok(of_month(store, Some(&[owner_id]), month, grouping).await?)
}

/// Returns the clicks of a month of all owners' links, or of the owners with a name, summed up by
/// group. The name is that in the [usage](usage::of_month) of the month.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn of_named_month(
    store: &Store,
    owner: Option<&str>,
    month: Month,
    grouping: Grouping,
) -> Result<Vec<MonthRow>, Error> {
    let owner_ids = match owner {
        Some(name) => Some(ids_of_name(store, month, name).await?),
        None => None,
    };
    Ok(of_month(store, owner_ids.as_deref(), month, grouping).await?)
}

/// Returns the clicks of a month, of some owners' links or of all, summed up by `grouping` and in the
/// order of the groups. Today's clicks are included. Groups without clicks are missing. The clicks of
/// deleted links, and those of links in months that ended before the days that are kept, have neither
/// a campaign nor a code.
async fn of_month(
    store: &Store,
    owner_ids: Option<&[i64]>,
    month: Month,
    grouping: Grouping,
) -> Result<Vec<MonthRow>, StoreError> {
    let (db, today) = (store.reader(), store.now().day());
    let mut found = Vec::new();
    match owner_ids {
        Some(ids) => {
            for &id in ids {
                let links = owners::get(db, id).await?.map_or(0, |owner| owner.link_count);
                let owner = Some(OwnerLinks { id, links });
                found.extend(month_sums::of_month(db, owner, month, today, grouping).await?);
            }
        }
        None => found = month_sums::of_month(db, None, month, today, grouping).await?,
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
    let row = |((owner, _, campaign, short_code), clicks)| MonthRow {
        owner,
        campaign: grouping.campaign.then_some(campaign),
        short_code: grouping.link.then_some(short_code),
        clicks,
    };
    Ok(sums.into_iter().map(row).collect())
}
