//! `terse link show` and `terse link edit`

use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::super::block;
use super::super::change::ChangeOptions;
use super::super::error::CommandError;
use super::super::output::{Output, or_dash};
use super::super::when::{WHEN_HELP, WhenOrNever};
use super::find::FoundRow;
use crate::config::Settings;
use crate::domain::changes::{ActorType, Event, History, HistoryFilter};
use crate::domain::links::{self, FoundLink, LinkEdit, LinkProperties, LinkRules, LinkTarget};
use crate::domain::page::PageRequest;
use crate::domain::qr::StyleChange;
use crate::domain::{Addresses, Realm};
use crate::store::Store;
use crate::values::{ApiKey, Campaign, Destination, Title};

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
        let actor_type = ActorType::from_stored(actor_type.as_deref()).into_str();
        Self { event: id, at: at.to_string(), actor, actor_type, action }
    }
}

/// Prints one link.
pub(super) async fn show(
    code: &str,
    settings: &Settings,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let blocks = block::load(store, settings).await?.snapshot();
    let found = links::find_by_code(store, code, &blocks, store.now()).await?;
    let filter = HistoryFilter::of_link(Realm::Everyone, code);
    let history = History::new(store, filter).await?;
    let last_event = history.page(store, PageRequest::first(1)).await?.items.pop();
    let shown = LinkDetails::new(&found, last_event);
    Ok(output.show(&shown.text(), &shown)?)
}

impl LinkDetails {
    fn new(found: &FoundLink, last_event: Option<Event>) -> Self {
        let mut shown = Self {
            row: FoundRow::from(found),
            disabled: None,
            is_active: found.state.is_active().into(),
            is_paused: 0,
            has_qr: 0,
            forward_query: 0,
            fallback_url: None,
            last_event: last_event.map(LastChange::from),
        };
        if let Some(link) = &found.link {
            // In the row, or not shown of the QR code.
            let LinkProperties {
                destination_url: _,
                title: _,
                campaign: _,
                created_at: _,
                expires_at: _,
                qr: _,
                disabled,
                is_paused,
                has_qr,
                forward_query,
                fallback_url,
            } = &link.properties;
            shown.disabled = disabled.map(<&str>::from);
            shown.is_paused = (*is_paused).into();
            shown.has_qr = (*has_qr).into();
            shown.forward_query = (*forward_query).into();
            shown.fallback_url.clone_from(fallback_url);
        }
        shown
    }

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

/// Change the destination, title, campaign, expiry, fallback or forwarded query of a link
#[derive(Debug, Args)]
pub(in crate::cli) struct EditArguments {
    /// The short code; put -- before one that begins with -
    code: String,
    /// The new destination
    #[arg(long, value_name = "URL", value_parser = parse_destination)]
    destination: Option<Destination>,
    /// The new title; an empty text removes the title
    #[arg(long, value_name = "TEXT", value_parser = parse_title)]
    title: Option<NewValue<Title>>,
    /// The new campaign; an empty text removes the campaign
    #[arg(long, value_name = "TEXT", value_parser = parse_campaign)]
    campaign: Option<NewValue<Campaign>>,
    #[arg(long, value_name = "WHEN", value_parser = WhenOrNever::parse, help = format!("When the link expires: {WHEN_HELP}"))]
    expires: Option<WhenOrNever>,
    /// Where visitors of the expired link go instead of a page that returns 410; none removes it
    #[arg(long, value_name = "URL|none", value_parser = parse_fallback)]
    fallback: Option<NewValue<Destination>>,
    /// Whether the redirect appends the query of the request to that of the destination
    #[arg(long, value_name = "true|false")]
    forward_query: Option<bool>,
    #[command(flatten)]
    options: ChangeOptions,
}

/// A new value, or none. It is a type of its own, because clap takes `Option` for an argument that
/// may be absent.
#[derive(Debug, Clone)]
pub(in crate::cli) struct NewValue<T>(pub(in crate::cli) Option<T>);

/// Returns the text, or an error if it contains an API key, which lists and exports would show.
fn without_key(text: &str) -> Result<&str, String> {
    if ApiKey::is_in(text) { Err("it must not contain an API key".to_owned()) } else { Ok(text) }
}

pub(in crate::cli) fn parse_destination(text: &str) -> Result<Destination, String> {
    Destination::parse(without_key(text)?).map_err(|error| format!("it {error}"))
}

pub(in crate::cli) fn parse_fallback(text: &str) -> Result<NewValue<Destination>, String> {
    if text == "none" {
        return Ok(NewValue(None));
    }
    parse_destination(text).map(|destination| NewValue(Some(destination)))
}

fn parse_title(text: &str) -> Result<NewValue<Title>, String> {
    if text.is_empty() {
        return Ok(NewValue(None));
    }
    Title::parse(without_key(text)?)
        .map(|title| NewValue(Some(title)))
        .map_err(|error| format!("it {error}"))
}

fn parse_campaign(text: &str) -> Result<NewValue<Campaign>, String> {
    if text.is_empty() {
        return Ok(NewValue(None));
    }
    Campaign::parse(without_key(text)?)
        .map(|campaign| NewValue(Some(campaign)))
        .map_err(|error| format!("it {error}"))
}

/// Changes the properties of one link.
pub(super) async fn edit(
    arguments: EditArguments,
    settings: &Settings,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let EditArguments {
        code,
        destination,
        title,
        campaign,
        expires,
        fallback,
        forward_query,
        options,
    } = arguments;
    let now = store.now();
    if let Some(Some(time)) = expires.map(|expires| expires.at(now))
        && time <= now
    {
        return Err(CommandError::Usage(format!(
            "--expires: {time} is not in the future; `terse link disable` disables a link"
        )));
    }
    let edit = LinkEdit {
        destination,
        title: title.map(|NewValue(title)| title),
        campaign: campaign.map(|NewValue(campaign)| campaign),
        expires_at: expires.map(|expires| expires.at(now)),
        fallback: fallback.map(|NewValue(fallback)| fallback),
        forward_query,
        // `link pause` pauses links, and no command changes QR codes.
        is_paused: None,
        has_qr: None,
        style: StyleChange::default(),
    };
    let rules = rules(settings, store).await?;
    let edited =
        links::edit(store, LinkTarget::of_code(&code), &edit, &rules, &options.at(now)?).await?;
    let text = if edited.changed > 0 {
        let expiry = edit.expires_at.map_or_else(String::new, |expires_at| match expires_at {
            Some(time) => format!(", which expires at {time}"),
            None => ", which never expires".to_owned(),
        });
        format!("edited link '{code}'{expiry}")
    } else {
        format!("link '{code}' has these values")
    };
    options.report(output, &text, &edited, json!({ "short_code": code }))
}

/// Returns the rules for the properties of links.
pub(in crate::cli) async fn rules(
    settings: &Settings,
    store: &Store,
) -> Result<LinkRules, CommandError> {
    let addresses = Arc::new(addresses(settings, store).await?);
    let blocklist = Arc::new(block::load(store, settings).await?);
    Ok(LinkRules { addresses, blocklist, contact: None })
}

/// Returns the public addresses of the service and the domains in the database.
pub(in crate::cli) async fn addresses(
    settings: &Settings,
    store: &Store,
) -> Result<Addresses, CommandError> {
    let service = settings
        .service_urls()
        .map_err(|error| CommandError::Usage(format!("the base URL {error}")))?;
    Ok(Addresses::open(store, service).await?)
}
