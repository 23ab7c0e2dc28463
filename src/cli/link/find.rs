//! `terse link find`, and the selectors of links, which other commands have too.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::pin::pin;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use futures_util::TryStreamExt as _;
use strum::VariantNames as _;

use super::super::block;
use super::super::database::Context;
use super::super::error::{CommandError, Result};
use super::super::output::{Column, eprint_line, or_dash, pluralize, write_json_line};
use super::super::when::When;
use super::properties::{addresses, object_of};
use crate::domain::Realm;
use crate::domain::links::{
    FoundLink, KeyNames, LinkConditions, LinkSearch, LinkSelector, LinkState,
};
use crate::values::{Timestamp, parse_host};

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
    /// Links with this external identifier
    #[arg(long, value_name = "TEXT")]
    external_id: Option<String>,
    /// Links in this state
    #[arg(long, value_parser = state_parser())]
    state: Option<&'static str>,
    /// Links whose code, external identifier, title or destination contains this text
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Links created then or later: a duration that counts back such as 7d, a UTC date, or an RFC 3339 time
    #[arg(long, value_name = "WHEN", value_parser = When::parse_past)]
    created_after: Option<When>,
    /// Links created before that time
    #[arg(long, value_name = "WHEN", value_parser = When::parse_past)]
    created_before: Option<When>,
    /// Links created or changed then or later
    #[arg(long, value_name = "WHEN", value_parser = When::parse_past)]
    updated_after: Option<When>,
    /// Links that the API key with this ID created
    #[arg(long, value_name = "ID")]
    created_by_key: Option<i64>,
}

impl Selectors {
    /// Returns whether a change of the chosen links is a bulk change. It is, unless a single code
    /// chooses them.
    pub(super) fn is_bulk(&self) -> bool {
        self.codes.len() != 1
            || self.codes_from.is_some()
            || self.owner.is_some()
            || !self.conditions(Timestamp::from_millis(0)).are_none()
    }

    /// Returns the conditions besides codes and owner. Times may be relative to `now`.
    fn conditions(&self, now: Timestamp) -> LinkConditions {
        let time = |when: &Option<When>| when.map(|when| when.at(now));
        LinkConditions {
            owner_id: None,
            external_id: self.external_id.clone(),
            campaign: self.campaign.clone(),
            state: self.state,
            host: self.host.clone(),
            destination: self.destination.clone(),
            text: self.text.as_ref().map(|text| text.to_ascii_lowercase()),
            created_after: time(&self.created_after),
            created_before: time(&self.created_before),
            updated_after: time(&self.updated_after),
            created_by: self.created_by_key,
        }
    }

    /// Reads the file of codes, if there is one, and returns the selector.
    pub(super) fn read(self, now: Timestamp) -> Result<LinkSelector> {
        let conditions = self.conditions(now);
        let mut code_lists = Vec::new();
        if !self.codes.is_empty() {
            code_lists.push(self.codes);
        }
        if let Some(path) = self.codes_from {
            code_lists.push(codes_of(&path)?);
        }
        let (realm, owner) = (Realm::Everyone, self.owner.map(Into::into));
        let selector = LinkSelector { realm, code_lists, owner, conditions };
        if selector.is_empty() {
            return Err(CommandError::Usage(
                "choose links: give codes, or --codes-from, --owner, --campaign, --host, --destination \
                 or another selector"
                    .into(),
            ));
        }
        Ok(selector)
    }
}

/// Reads a file with one short code per line. It ignores empty lines.
fn codes_of(path: &Path) -> Result<Vec<String>> {
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

fn state_parser() -> impl TypedValueParser<Value = &'static str> {
    PossibleValuesParser::new(LinkState::VARIANTS).map(|name| {
        LinkState::VARIANTS.iter().copied().find(|state| *state == name).unwrap_or_default()
    })
}

/// Prints the links that the selectors choose, as a table or as JSON Lines.
pub(super) async fn find(selectors: Selectors, limit: Option<u64>, context: Context<'_>) -> Result {
    let Context { settings, store, output } = context;
    let selector = selectors.read(store.now())?;
    let state = selector.conditions.state;
    let mut left = limit.unwrap_or(u64::MAX);
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let mut rows = Vec::new();
    let (blocks, addresses) =
        (block::load(store, settings).await?.snapshot(), addresses(settings, store).await?);
    let search = LinkSearch::new(store, &selector, &blocks, store.now()).await?;
    let mut pages = pin!(search.pages(store));
    while left > 0
        && let Some(page) = pages.try_next().await?
    {
        let keys = KeyNames::find(store, page.iter().filter_map(|row| row.link.as_ref())).await?;
        let wanted =
            page.into_iter().filter(|link| state.is_none_or(|name| link.state.into_str() == name));
        for row in wanted.take(usize::try_from(left).unwrap_or(usize::MAX)) {
            left -= 1;
            if output.json {
                write_json_line(&mut stdout, &object_of(&addresses, &keys, &row))?;
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
    let columns: [Column<FoundLink>; 7] = [
        ("code", |row| row.short_code.clone()),
        ("owner", |row| or_dash(row.owner.as_deref())),
        ("state", |row| row.state.into_str().to_owned()),
        ("reason", |row| or_dash(row.state.reason())),
        ("clicks", |row| or_dash(row.link.as_ref().map(|link| link.clicks))),
        ("created", |row| row.created_at.to_string()),
        ("destination", |row| {
            or_dash(row.link.as_ref().map(|link| &link.properties.destination_url))
        }),
    ];
    output.text_table(&columns, &rows)?;
    eprint_line(&pluralize(rows.len() as i128, "link"));
    Ok(())
}
