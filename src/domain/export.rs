//! Exports links as a file that [`import`](super::import) reads.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serializer as _;

pub use super::file_format::Encoding;
use super::file_format::{FileColumn, FileValue};
use super::links::Link;
use super::owners::find_by_name;
use super::{AdminError, csv};
use crate::store::link_pages::{LinkPage, LinkRange, count};
use crate::store::{Store, StoreError};

/// Number of links per query. The export holds no transaction between two queries, so that a slow
/// reader of its output blocks no other client.
const PAGE_LINKS: u32 = 1_000;

/// Error that stops an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The owner does not exist.
    #[error(transparent)]
    Admin(#[from] AdminError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
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
    let owner_id = match owner {
        None => None,
        Some(name) => Some(find_by_name(store.reader(), name).await?.id),
    };
    let total = u64::try_from(count(store.reader(), owner_id).await?).unwrap_or(0);
    if encoding == Encoding::Csv {
        csv::write(to, FileColumn::NAMES.map(Some))?;
    }
    let (mut written, mut last) = (0, 0);
    loop {
        let range = LinkRange::After { owner_id, id: last };
        let links = store.page(LinkPage { range, limit: PAGE_LINKS, with_clicks: true }).await?;
        let Some(newest) = links.last() else { break };
        last = newest.id;
        written += links.len() as u64;
        for link in links {
            write(encoding, &link, to)?;
        }
        progress(written, total);
    }
    to.flush()?;
    Ok(written)
}

fn write(encoding: Encoding, link: &Link, to: &mut impl Write) -> io::Result<()> {
    match encoding {
        Encoding::Csv => {
            let values = FileColumn::ALL.map(|column| column.value(link).map(FileValue::into_text));
            csv::write(to, values.iter().map(Option::<Cow<'_, str>>::as_deref))
        }
        Encoding::Json => {
            let members = FileColumn::ALL.map(|column| (column.name(), column.value(link)));
            serde_json::Serializer::new(&mut *to).collect_map(members)?;
            to.write_all(b"\n")
        }
    }
}
