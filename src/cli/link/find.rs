//! `terse link find`, and the selectors of links, which other commands have too.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::pin::pin;

use clap::{Args, ValueEnum};
use futures_util::TryStreamExt as _;
use serde::Serialize;

use super::super::block;
use super::super::error::CommandError;
use super::super::output::{Column, Output, eprint_line, or_dash, pluralize, write_json_line};
use crate::config::Settings;
use crate::domain::Realm;
use crate::domain::links::{FoundLink, LinkSearch, LinkSelector, LinkState};
use crate::store::Store;
use crate::values::parse_host;

/// Options that choose links. A link must match all of them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selectors (a link must match all of them)")]
pub(in crate::cli) struct Selectors {
    /// Short codes; put -- before one that begins with -, or use --codes-from
    #[arg(value_name = "CODE", help_heading = None::<&'static str>)]
    codes: Vec<String>,
    /// File with one short code per line; - is stdin
    #[arg(long, value_name = "FILE")]
    codes_from: Option<PathBuf>,
    /// Links of this owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Links of this campaign
    #[arg(long, value_name = "TEXT")]
    campaign: Option<String>,
    /// Links whose destination has this host, or a subdomain of it
    #[arg(long, value_name = "HOST", value_parser = parse_host)]
    host: Option<String>,
    /// Links with exactly this destination
    #[arg(long, value_name = "URL")]
    destination: Option<String>,
}

impl Selectors {
    /// Returns whether a change of the chosen links is a bulk change. It is, unless a single code
    /// chooses them.
    pub(super) fn is_bulk(&self) -> bool {
        let Self { codes, codes_from, owner, campaign, host, destination } = self;
        let others = [owner, campaign, host, destination];
        codes.len() != 1 || codes_from.is_some() || others.iter().any(|other| other.is_some())
    }

    /// Reads the file of codes, if there is one, and returns the selector.
    pub(super) fn read(self) -> Result<LinkSelector, CommandError> {
        let Self { codes, codes_from, owner, campaign, host, destination } = self;
        let mut code_lists = Vec::new();
        if !codes.is_empty() {
            code_lists.push(codes);
        }
        if let Some(path) = codes_from {
            code_lists.push(codes_of(&path)?);
        }
        let others = [&owner, &campaign, &host, &destination];
        if code_lists.is_empty() && others.iter().all(|selector| selector.is_none()) {
            return Err(CommandError::Usage(
                "choose links: give codes, or --codes-from, --owner, --campaign, --host or \
                 --destination"
                    .into(),
            ));
        }
        let realm = Realm::Everyone;
        Ok(LinkSelector { realm, code_lists, owner, campaign, host, destination })
    }
}

/// Reads a file with one short code per line. It ignores empty lines.
fn codes_of(path: &Path) -> Result<Vec<String>, CommandError> {
    let cannot_read =
        |error: io::Error| CommandError::Other(format!("cannot read {}: {error}", path.display()));
    let reader: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(cannot_read)?)
    };
    let mut codes = Vec::new();
    for line in BufReader::new(reader).lines() {
        let line = line.map_err(cannot_read)?;
        // Some editors put a byte order mark in front of the first code.
        let code = if codes.is_empty() { line.trim_start_matches('\u{feff}') } else { &line };
        let code = code.trim();
        if !code.is_empty() {
            codes.push(code.to_owned());
        }
    }
    Ok(codes)
}

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
        self.to_possible_value().is_some_and(|name| name.get_name() == state.into_str())
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
        let properties = link.map(|link| &link.properties);
        Self {
            short_code: short_code.clone(),
            owner: owner.clone(),
            destination_url: properties.map(|link| link.destination_url.clone()),
            title: properties.and_then(|link| link.title.clone()),
            campaign: properties.and_then(|link| link.campaign.clone()),
            clicks: link.map(|link| link.clicks),
            state: state.into_str(),
            reason: state.reason().map(<&str>::from),
            created_at: created_at.to_string(),
            expires_at: properties.and_then(|link| link.expires_at).map(|time| time.to_string()),
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
    let columns: [Column<FoundRow>; 7] = [
        ("code", |row| row.short_code.clone()),
        ("owner", |row| or_dash(row.owner.as_deref())),
        ("state", |row| row.state.to_owned()),
        ("reason", |row| or_dash(row.reason)),
        ("clicks", |row| or_dash(row.clicks)),
        ("created", |row| row.created_at.clone()),
        ("destination", |row| or_dash(row.destination_url.as_deref())),
    ];
    output.table(&columns, &rows)?;
    eprint_line(&pluralize(rows.len() as i128, "link"));
    Ok(())
}
