//! `terse link find`

use std::io::{self, Write as _};
use std::pin::pin;

use clap::ValueEnum;
use futures_util::TryStreamExt as _;
use serde::Serialize;

use super::super::block;
use super::super::error::CommandError;
use super::super::output::{Output, eprint_line, or_dash, pluralize, write_json_line};
use super::selectors::Selectors;
use crate::config::Settings;
use crate::domain::links::{FoundLink, LinkSearch, LinkState};
use crate::store::Store;
use crate::values::Reason;

/// The name of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum StateName {
    Deleted,
    OwnerSuspended,
    Blocked,
    Disabled,
    Paused,
    Expired,
    Active,
}

impl StateName {
    fn is_of(self, state: LinkState) -> bool {
        self.to_possible_value().is_some_and(|name| name.get_name() == state.name())
    }
}

/// A link as `terse link find` prints it.
#[derive(Serialize)]
pub(super) struct FoundRow {
    pub(super) short_code: String,
    pub(super) owner: Option<String>,
    pub(super) destination_url: Option<String>,
    pub(super) title: Option<String>,
    pub(super) campaign: Option<String>,
    pub(super) clicks: Option<i64>,
    pub(super) state: &'static str,
    pub(super) reason: Option<&'static str>,
    pub(super) created_at: String,
    pub(super) expires_at: Option<String>,
}

impl From<&FoundLink> for FoundRow {
    fn from(found: &FoundLink) -> Self {
        let FoundLink { short_code, state, created_at, owner, link } = found;
        let link = link.as_ref();
        Self {
            short_code: short_code.clone(),
            owner: owner.clone(),
            destination_url: link.map(|link| link.destination_url.clone()),
            title: link.and_then(|link| link.title.clone()),
            campaign: link.and_then(|link| link.campaign.clone()),
            clicks: link.map(|link| link.clicks),
            state: state.name(),
            reason: state.reason().map(Reason::as_str),
            created_at: created_at.to_string(),
            expires_at: link.and_then(|link| link.expires_at).map(|time| time.to_string()),
        }
    }
}

/// Prints the links that the selectors choose, as a table or as JSON Lines.
pub(super) async fn find(
    selectors: Selectors,
    state: Option<StateName>,
    limit: Option<u64>,
    settings: &Settings,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let selector = selectors.read()?;
    let mut left = limit.unwrap_or(u64::MAX);
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let mut rows = Vec::new();
    let blocks = block::load(store, settings).await?.snapshot();
    let search = LinkSearch::new(store, &selector, &blocks, store.now()).await?;
    let mut pages = pin!(search.pages(store));
    while left > 0
        && let Some(page) = pages.try_next().await?
    {
        let wanted =
            page.into_iter().filter(|link| state.is_none_or(|name| name.is_of(link.state)));
        for row in wanted
            .map(|link| FoundRow::from(&link))
            .take(usize::try_from(left).unwrap_or(usize::MAX))
        {
            left -= 1;
            if output.json {
                write_json_line(&mut stdout, &row)?;
            } else {
                rows.push(row);
            }
        }
    }
    stdout.flush()?;
    drop(stdout);
    if output.json {
        return Ok(());
    }
    let headline = ["CODE", "OWNER", "STATE", "REASON", "CLICKS", "CREATED", "DESTINATION"];
    output.table(headline, &rows, |row| {
        [
            row.short_code.clone(),
            or_dash(row.owner.as_deref()),
            row.state.to_owned(),
            or_dash(row.reason),
            row.clicks.map_or("-".to_owned(), |clicks| clicks.to_string()),
            row.created_at.clone(),
            or_dash(row.destination_url.as_deref()),
        ]
    })?;
    eprint_line(&pluralize(rows.len() as i128, "link"));
    Ok(())
}
