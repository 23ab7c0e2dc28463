//! `terse link find` and `terse link show`

use std::io::{self, Write as _};

use clap::ValueEnum;
use serde::Serialize;

use super::super::block;
use super::super::error::CommandError;
use super::super::output::{Output, eprint_line, or_dash, pluralize, write_json_line};
use super::selectors::Selectors;
use crate::config::Settings;
use crate::domain::Realm;
use crate::domain::changes::{Event, History, HistoryFilter};
use crate::domain::links::{self, FoundLink, LinkSearch, LinkState};
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
struct FoundRow {
    short_code: String,
    owner: Option<String>,
    destination_url: Option<String>,
    title: Option<String>,
    campaign: Option<String>,
    clicks: Option<i64>,
    state: &'static str,
    reason: Option<&'static str>,
    created_at: String,
    expires_at: Option<String>,
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

/// A link as `terse link show` prints it.
#[derive(Serialize)]
struct LinkDetails {
    #[serde(flatten)]
    row: FoundRow,
    /// Reason for which an operator has disabled the link, even if it has another state.
    disabled: Option<&'static str>,
    is_active: i32,
    is_paused: i32,
    has_qr: i32,
    forward_query: i32,
    fallback_url: Option<String>,
    /// The event that changed the link last.
    last_event: Option<LastChange>,
}

/// An event as `terse link show` prints it.
#[derive(Serialize)]
struct LastChange {
    event: i64,
    at: String,
    actor: String,
    actor_type: &'static str,
    action: String,
}

impl From<Event> for LastChange {
    fn from(event: Event) -> Self {
        let Event { id, at, actor, actor_type, action, .. } = event;
        let (at, actor_type) = (at.to_string(), actor_type.as_str());
        Self { event: id, at, actor, actor_type, action }
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
    let mut search = LinkSearch::new(store, &selector, &blocks, store.now()).await?;
    while left > 0
        && let Some(page) = search.next_page(store).await?
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

/// Prints one link.
pub(super) async fn show(
    code: &str,
    settings: &Settings,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let blocks = block::load(store, settings).await?.snapshot();
    let link = links::find_by_code(store, code, &blocks, store.now()).await?;
    let stored = link.link.as_ref();
    let filter = HistoryFilter {
        link: Some(code.to_owned()),
        limit: Some(1),
        ..HistoryFilter::new(Realm::Everyone)
    };
    let last_event = History::new(store, filter).await?.next_page(store).await?.pop();
    let shown = LinkDetails {
        row: FoundRow::from(&link),
        disabled: stored.and_then(|link| link.disabled).map(Reason::as_str),
        is_active: i32::from(link.state == LinkState::Active),
        is_paused: stored.is_some_and(|link| link.is_paused).into(),
        has_qr: stored.is_some_and(|link| link.has_qr).into(),
        forward_query: stored.is_some_and(|link| link.forward_query).into(),
        fallback_url: stored.and_then(|link| link.fallback_url.clone()),
        last_event: last_event.map(LastChange::from),
    };
    Ok(output.show(&shown.text(), &shown)?)
}

impl LinkDetails {
    fn text(&self) -> String {
        let Self {
            row,
            disabled,
            is_active: _,
            is_paused,
            has_qr,
            forward_query,
            fallback_url,
            last_event,
        } = self;
        let last_event = last_event.as_ref().map(|last| {
            let LastChange { event, at, actor, actor_type, action } = last;
            format!("{action} by {actor} ({actor_type}) at {at} (event {event})")
        });
        [
            ("short code", row.short_code.clone()),
            ("owner", or_dash(row.owner.as_deref())),
            ("destination", or_dash(row.destination_url.as_deref())),
            ("title", or_dash(row.title.as_deref())),
            ("campaign", or_dash(row.campaign.as_deref())),
            ("clicks", row.clicks.map_or("-".to_owned(), |clicks| clicks.to_string())),
            ("state", row.state.to_owned()),
            ("reason", or_dash(row.reason)),
            ("disabled", or_dash(*disabled)),
            ("paused", is_paused.to_string()),
            ("QR code", has_qr.to_string()),
            ("created", row.created_at.clone()),
            ("expires", or_dash(row.expires_at.as_deref())),
            ("query", if *forward_query == 1 { "forwarded" } else { "ignored" }.to_owned()),
            ("fallback", or_dash(fallback_url.as_deref())),
            ("last event", or_dash(last_event.as_deref())),
        ]
        .map(|(name, value)| format!("{name:12} {value}"))
        .join("\n")
    }
}
