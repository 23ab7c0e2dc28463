//! Links as a file that [`import`](super::import) takes back.

use std::io::{self, Write};

use serde::Serialize;

use super::links::Link;
use super::owners::named;
use super::{AdminError, csv};
use crate::store::link_pages::{LinkPage, LinkRange, count};
use crate::store::{Store, StoreError};

/// Links that are read at once. Between two pages nothing is held: whoever reads the export slowly
/// hinders nobody.
const PAGE: u32 = 1_000;

/// The names of the fields, in their order.
const COLUMNS: [&str; 8] = [
    "short_code",
    "destination_url",
    "title",
    "campaign",
    "clicks",
    "is_active",
    "has_qr",
    "created_at",
];

/// How links are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A line of names, then a line a link. No value is an empty field, an empty text is `""`.
    Csv,
    /// A JSON object a line.
    JsonLines,
}

/// Why an export broke off.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is no such owner.
    #[error(transparent)]
    Admin(#[from] AdminError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

#[derive(Serialize)]
struct Line<'a> {
    short_code: &'a str,
    destination_url: &'a str,
    title: Option<&'a str>,
    campaign: Option<&'a str>,
    clicks: i64,
    is_active: i32,
    has_qr: i32,
    created_at: &'a str,
}

/// Writes all links of the owner, or everybody's, oldest first, so that an import makes them in the
/// order in which they were made. Each is shown once, as it is when it is read; those that are made
/// meanwhile may be among them. `progress` is told how many are written, and how many there were.
///
/// # Errors
/// [`ExportError`]
pub async fn run(
    store: &Store,
    owner: Option<&str>,
    form: Form,
    to: &mut impl Write,
    mut progress: impl FnMut(u64, u64),
) -> Result<u64, ExportError> {
    let owner_id = match owner {
        None => None,
        Some(name) => Some(named(store.reader(), name).await?.id),
    };
    let total = u64::try_from(count(store.reader(), owner_id).await?).unwrap_or(0);
    if form == Form::Csv {
        csv::write(to, COLUMNS.map(Some))?;
    }
    let (mut written, mut last) = (0, 0);
    loop {
        let range = LinkRange::After { owner_id, id: last };
        let links = store.page(LinkPage { range, limit: PAGE, with_clicks: true }).await?;
        let Some(newest) = links.last() else { break };
        last = newest.id;
        written += links.len() as u64;
        for link in links {
            write(form, &link, to)?;
        }
        progress(written, total);
    }
    to.flush()?;
    Ok(written)
}

fn write(form: Form, link: &Link, to: &mut impl Write) -> io::Result<()> {
    let Link {
        id: _,
        owner_id: _,
        short_code,
        destination_url,
        title,
        campaign,
        is_active,
        has_qr,
        created_at,
        clicks,
    } = link;
    let (is_active, has_qr) = (i32::from(*is_active), i32::from(*has_qr));
    let created_at = created_at.to_millis_text();
    match form {
        Form::Csv => {
            let numbers = [is_active, has_qr].map(|flag| flag.to_string());
            let clicks = clicks.to_string();
            let fields = [
                Some(short_code.as_str()),
                Some(destination_url),
                title.as_deref(),
                campaign.as_deref(),
                Some(&clicks),
                Some(&numbers[0]),
                Some(&numbers[1]),
                Some(&created_at),
            ];
            csv::write(to, fields)
        }
        Form::JsonLines => {
            let line = Line {
                short_code,
                destination_url,
                title: title.as_deref(),
                campaign: campaign.as_deref(),
                clicks: *clicks,
                is_active,
                has_qr,
                created_at: &created_at,
            };
            serde_json::to_writer(&mut *to, &line)?;
            to.write_all(b"\n")
        }
    }
}
