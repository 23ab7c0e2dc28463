//! Exports links as a file that [`import`](super::import) reads.

use std::borrow::Cow;
use std::io::{self, Write};

pub use formats::Encoding;
use formats::{FileColumn, csv};
use serde::Serializer as _;
use strum::VariantArray as _;

use super::Error;
use super::import::{FileValue, column_value};
use super::owners::OwnerRef;
use crate::store::click_sums::{self, DayRecord};
use crate::store::link_pages::{LinkPage, LinkRange, count};
use crate::store::{Store, StoreError};
use crate::values::Day;

/// Number of links per query. The export holds no transaction between two queries, so that a slow
/// reader of its output blocks no other client.
const PAGE_LINKS: u32 = 1_000;
/// Number of records of clicks by day that one query returns if each link has clicks on each day.
const PAGE_DAYS: i64 = 50_000;
/// Columns of the clicks by day.
const DAY_COLUMNS: [&str; 3] = ["short_code", "day", "clicks"];

/// Error that stops an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The owner does not exist, or the database failed.
    #[error(transparent)]
    Domain(#[from] Error),
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

impl From<StoreError> for ExportError {
    fn from(error: StoreError) -> Self {
        Self::Domain(error.into())
    }
}

/// Writes all links, or the links of one owner. The order is oldest first, so that an import
/// creates the links in the same order. Returns the number of written links.
///
/// Each link appears once, as it is when the export reads it. Links that are created meanwhile may
/// appear. After each query, it calls `progress` with the number of links written so far and the
/// number of links at the beginning.
///
/// # Errors
/// [`ExportError`]
pub async fn run(
    store: &Store,
    owner: Option<&str>,
    encoding: Encoding,
    to: &mut impl Write,
    mut progress: impl FnMut(u64, u64),
) -> Result<u64, ExportError> {
    let (owner_id, total) = selected(store, owner).await?;
    if encoding == Encoding::Csv {
        csv::write(to, FileColumn::VARIANTS.iter().map(|column| Some(column.name())))?;
    }
    let (mut written, mut last) = (0, 0);
    loop {
        let range = LinkRange::After { owner_id, id: last };
        let links = store.page(LinkPage { range, limit: PAGE_LINKS, with_clicks: true }).await?;
        let Some(newest) = links.last() else { break };
        last = newest.id;
        written += links.len() as u64;
        for link in links {
            let columns = FileColumn::VARIANTS.iter();
            let members = columns.map(|column| (column.name(), column_value(*column, &link)));
            write(encoding, members, to)?;
        }
        progress(written, total);
    }
    to.flush()?;
    Ok(written)
}

/// Returns the identifier of the owner, if there is one, and the number of links.
async fn selected(store: &Store, owner: Option<&str>) -> Result<(Option<i64>, u64), ExportError> {
    let owner_id = match owner {
        None => None,
        Some(name) => Some(OwnerRef::from(name).find(store.reader()).await?.id),
    };
    let total = u64::try_from(count(store.reader(), owner_id).await?).unwrap_or(0);
    Ok((owner_id, total))
}

/// Writes the clicks by day of all links, or of the links of one owner: one record per link and day
/// with clicks, in the order of links and days. The opening balance of a link has no day. The
/// records of a link add up to its clicks when the export reads them.
///
/// After each query, it calls `progress` with the number of links so far and the number of links at
/// the beginning.
///
/// # Errors
/// [`ExportError`]
pub async fn run_days(
    store: &Store,
    owner: Option<&str>,
    encoding: Encoding,
    to: &mut impl Write,
    mut progress: impl FnMut(u64, u64),
) -> Result<(), ExportError> {
    let (owner_id, total) = selected(store, owner).await?;
    let (db, today) = (store.reader(), store.now().day());
    // Besides the days, a link may have an opening balance and clicks of today.
    let limit = PAGE_DAYS / (click_sums::max_days(db).await? + 2);
    let limit = u32::try_from(limit).unwrap_or(0).clamp(1, PAGE_LINKS);
    if encoding == Encoding::Csv {
        csv::write(to, DAY_COLUMNS.map(Some))?;
    }
    let (mut done, mut last) = (0, 0);
    loop {
        let ids = click_sums::next_links(db, owner_id, last, limit).await?;
        let Some(newest) = ids.last() else { break };
        last = *newest;
        for record in click_sums::all_days(db, &ids, owner_id, today).await? {
            write(encoding, DAY_COLUMNS.into_iter().zip(day_values(&record)), to)?;
        }
        done += ids.len() as u64;
        progress(done, total);
    }
    Ok(to.flush()?)
}

fn day_values(record: &DayRecord) -> [Option<FileValue<'_>>; 3] {
    let DayRecord { short_code, day, clicks } = record;
    let day = day.map(|day| FileValue::Text(Day::from_number(day).to_string().into()));
    [Some(FileValue::Text(short_code.into())), day, Some(FileValue::Number(*clicks))]
}

/// Writes a record with these columns and values.
fn write<'a>(
    encoding: Encoding,
    members: impl Iterator<Item = (&'static str, Option<FileValue<'a>>)>,
    to: &mut impl Write,
) -> io::Result<()> {
    match encoding {
        Encoding::Csv => {
            let values: Vec<_> =
                members.map(|(_, value)| value.map(FileValue::into_text)).collect();
            csv::write(to, values.iter().map(Option::<Cow<'_, str>>::as_deref))
        }
        Encoding::Json => {
            serde_json::Serializer::new(&mut *to).collect_map(members)?;
            to.write_all(b"\n")
        }
    }
}
