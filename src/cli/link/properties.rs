//! `terse link show` and `terse link edit`

use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::super::block;
use super::super::change::ChangeOptions;
use super::super::database::Context;
use super::super::error::CommandError;
use super::super::output::or_dash;
use super::super::when::{WHEN_HELP, WhenOrNever};
use crate::config::{Settings, argument};
use crate::domain::changes::{ActorType, Event, History, HistoryFilter};
use crate::domain::links::{
    self, FoundLink, KeyNames, LinkEdit, LinkProperties, LinkRules, LinkTarget, LinkValues,
};
use crate::domain::page::PageRequest;
use crate::domain::qr::StyleChange;
use crate::domain::{Addresses, Realm};
use crate::http::objects::event::operator as objects;
use crate::http::objects::link::Link;
use crate::http::objects::owned::Owned;
use crate::store::Store;
use crate::values::{ApiKey, Campaign, Destination, ExternalId, Title, ValidationError};

/// Returns the object of a link: as the interfaces show it or, if it is deleted, what is left of it.
pub(super) fn object_of(addresses: &Addresses, keys: &KeyNames, found: &FoundLink) -> Value {
    let FoundLink { short_code, state, created_at, owner, link } = found;
    let Some((link, owner)) = link.clone().zip(owner.as_ref()) else {
        return json!({
            "short_code": short_code, "state": state.into_str(), "created_at": created_at.to_string()
        });
    };
    let owner_id = link.owner_id;
    json!(Owned::new(Link::read(addresses, keys, link, *state), owner_id, owner))
}

/// Prints one link.
pub(super) async fn show(code: &str, context: Context<'_>) -> Result<(), CommandError> {
    let Context { settings, store, output } = context;
    let blocks = block::load(store, settings).await?.snapshot();
    let found = links::find_by_code(store, code, &blocks, store.now()).await?;
    let filter = HistoryFilter::of_link(Realm::Everyone, code);
    let history = History::new(store, filter).await?;
    let last_event = history.page(store, PageRequest::first(1)).await?.items.pop();
    let addresses = addresses(settings, store).await?;
    let disabled = found.link.as_ref().and_then(|link| link.properties.disabled);
    let disabled = disabled.map(<&str>::from);
    let keys = KeyNames::find(store, &found.link).await?;
    let mut object = object_of(&addresses, &keys, &found);
    // The state may hide that an operator has disabled the link.
    object["disabled_reason"] = disabled.into();
    object["last_event"] = json!(last_event.clone().map(objects::Event::from));
    Ok(output.show(&text(&found, disabled, last_event.as_ref()), &object)?)
}

/// Describes a link for people.
fn text(found: &FoundLink, disabled: Option<&str>, last_event: Option<&Event>) -> String {
    let last_event = last_event.map(|last| {
        let Event { id, at, actor, action, .. } = last;
        let actor_type = ActorType::from_stored(last.actor_type.as_deref()).into_str();
        format!("{action} by {actor} ({actor_type}) at {at} (event {id})")
    });
    let link = found.link.as_ref();
    let properties = link.map(|link| &link.properties);
    let flag = |of: fn(&LinkProperties) -> bool| or_dash(properties.map(of));
    let forwards_query = properties.is_some_and(|link| link.forward_query);
    [
        ("short code", found.short_code.clone()),
        ("owner", or_dash(found.owner.as_deref())),
        ("destination", or_dash(properties.map(|link| &link.destination_url))),
        ("title", or_dash(properties.and_then(|link| link.title.as_deref()))),
        ("campaign", or_dash(properties.and_then(|link| link.campaign.as_deref()))),
        ("external ID", or_dash(properties.and_then(|link| link.external_id.as_deref()))),
        ("clicks", or_dash(link.map(|link| link.clicks))),
        ("state", found.state.into_str().to_owned()),
        ("reason", or_dash(found.state.reason())),
        ("disabled", or_dash(disabled)),
        ("paused", flag(|link| link.is_paused)),
        ("QR code", flag(|link| link.has_qr)),
        ("created", found.created_at.to_string()),
        ("expires", or_dash(properties.and_then(|link| link.expires_at))),
        ("query", if forwards_query { "forwarded" } else { "ignored" }.to_owned()),
        ("fallback", or_dash(properties.and_then(|link| link.fallback_url.as_deref()))),
        ("last event", or_dash(last_event)),
    ]
    .map(|(name, value)| format!("{name:12} {value}"))
    .join("\n")
}

/// Change the destination, title, campaign, external ID, expiry, fallback or forwarded query of a link
#[derive(Debug, Args)]
pub(in crate::cli) struct EditArguments {
    /// The short code; put -- before one that begins with -
    code: String,
    /// The new destination
    #[arg(long, value_name = "URL", value_parser = parse_destination)]
    destination: Option<Destination>,
    /// The new title; an empty text removes the title
    #[arg(long, value_name = "TEXT", value_parser = parse_new_value::<Title>)]
    title: Option<NewValue<Title>>,
    /// The new campaign; an empty text removes the campaign
    #[arg(long, value_name = "TEXT", value_parser = parse_new_value::<Campaign>)]
    campaign: Option<NewValue<Campaign>>,
    /// The owner's own identifier of the link; an empty text removes it
    #[arg(long, value_name = "TEXT", value_parser = parse_new_value::<ExternalId>)]
    external_id: Option<NewValue<ExternalId>>,
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

/// Parses a new value, or an empty text, which removes it.
pub(in crate::cli) fn parse_new_value<T>(text: &str) -> Result<NewValue<T>, String>
where
    T: FromStr<Err = ValidationError>,
{
    if text.is_empty() {
        return Ok(NewValue(None));
    }
    argument(without_key(text)?).map(|value| NewValue(Some(value)))
}

/// Changes the properties of one link.
pub(super) async fn edit(
    arguments: EditArguments,
    Context { settings, store, output }: Context<'_>,
) -> Result<(), CommandError> {
    let EditArguments {
        code,
        destination,
        title,
        campaign,
        external_id,
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
        external_id: external_id.map(|NewValue(id)| id),
        values: LinkValues {
            title: title.map(|NewValue(title)| title),
            campaign: campaign.map(|NewValue(campaign)| campaign),
            expires_at: expires.map(|expires| expires.at(now)),
            fallback: fallback.map(|NewValue(fallback)| fallback),
            forward_query,
            // `link pause` pauses links, and no command changes QR codes.
            is_paused: None,
            has_qr: None,
            style: StyleChange::default(),
        },
    };
    let rules = rules(settings, store).await?;
    let edited =
        links::edit(store, LinkTarget::of_code(&code), &edit, &rules, &options.at(now)?).await?;
    let text = if edited.changed > 0 {
        let expiry =
            edit.values.expires_at.map_or_else(String::new, |expires_at| match expires_at {
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
