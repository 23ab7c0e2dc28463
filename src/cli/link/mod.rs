//! `terse link`

mod clicks;
mod find;
mod selectors;

use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::json;

use self::find::StateName;
use self::selectors::Selectors;
use super::block;
use super::change::ChangeOptions;
use super::database::purge_log;
use super::error::CommandError;
use super::output::{LIST_FORMAT_HELP, ListFormat, Output, pluralize};
use super::signals;
use super::when::{WHEN_HELP, WhenOrNever};
use crate::config::Settings;
use crate::domain::Addresses;
use crate::domain::links::{self, LinkEdit, LinkRules, LinkSwitch, LinkTarget};
use crate::store::Store;
use crate::values::{ApiKey, Campaign, Destination, Title};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Find links of any owner
    #[command(after_help = "Example: terse link find --host evil.example")]
    Find {
        #[command(flatten)]
        selectors: Selectors,
        /// Only links in this state
        #[arg(long, value_enum, help_heading = None::<&'static str>)]
        state: Option<StateName>,
        /// Maximum number of links
        #[arg(long, value_name = "N", help_heading = None::<&'static str>)]
        limit: Option<u64>,
        #[arg(long, value_enum, default_value_t, help = LIST_FORMAT_HELP, help_heading = None::<&'static str>)]
        format: ListFormat,
    },
    /// Show a link of any owner
    #[command(after_help = "Example: terse link show spring")]
    Show {
        /// The short code; put -- before one that begins with -
        code: String,
    },
    /// Show the clicks of a link by day
    #[command(after_help = "Example: terse link clicks spring --days 90")]
    Clicks {
        /// The short code; put -- before one that begins with -
        code: String,
        /// Number of days, today included
        #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        days: u32,
    },
    /// Make links return 410 instead of redirecting, or 451 if the reason is legal
    #[command(
        after_help = "Example: terse link disable --host evil.example --reason phishing --yes"
    )]
    Disable(ChangeArguments),
    /// Make disabled links redirect again
    #[command(after_help = "Example: terse link enable spring")]
    Enable(ChangeArguments),
    /// Pause links, which return 410 until the pause ends; owners can pause links, too
    #[command(after_help = "Example: terse link pause spring")]
    Pause(ChangeArguments),
    /// Make paused links redirect again, unless they are also disabled
    #[command(after_help = "Example: terse link unpause --campaign spring --yes")]
    Unpause(ChangeArguments),
    /// Change the destination, title, campaign, expiry, fallback or forwarded query of a link
    #[command(
        after_help = "Example: terse link edit spring --destination https://example.org/sale"
    )]
    Edit(Box<EditArguments>),
    /// Delete links for good; their codes return 410 and are never used again
    #[command(after_help = "Example: terse link delete spring --reason owner-request")]
    Delete(ChangeArguments),
}

#[derive(Debug, Args)]
pub(super) struct ChangeArguments {
    #[command(flatten)]
    selectors: Selectors,
    #[command(flatten)]
    options: ChangeOptions,
}

#[derive(Debug, Args)]
pub(super) struct EditArguments {
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
pub(super) struct NewValue<T>(pub(super) Option<T>);

/// Returns the text, or an error if it contains an API key, which lists and exports would show.
fn without_key(text: &str) -> Result<&str, String> {
    if ApiKey::is_in(text) { Err("it must not contain an API key".to_owned()) } else { Ok(text) }
}

pub(super) fn parse_destination(text: &str) -> Result<Destination, String> {
    Destination::parse(without_key(text)?).map_err(|error| format!("it {error}"))
}

pub(super) fn parse_fallback(text: &str) -> Result<NewValue<Destination>, String> {
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

pub(super) async fn run(
    command: Command,
    settings: &Settings,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    match command {
        Command::Find { selectors, state, limit, format } => {
            find::find(selectors, state, limit, settings, store, output.of_list(format)).await
        }
        Command::Show { code } => find::show(&code, settings, store, output).await,
        Command::Clicks { code, days } => clicks::clicks(&code, days, store, output).await,
        Command::Disable(arguments) => switch(arguments, LinkSwitch::Disable, store, output).await,
        Command::Enable(arguments) => switch(arguments, LinkSwitch::Enable, store, output).await,
        Command::Pause(arguments) => switch(arguments, LinkSwitch::Pause, store, output).await,
        Command::Unpause(arguments) => switch(arguments, LinkSwitch::Unpause, store, output).await,
        Command::Delete(arguments) => switch(arguments, LinkSwitch::Delete, store, output).await,
        Command::Edit(arguments) => edit(*arguments, settings, store, output).await,
    }
}

async fn switch(
    arguments: ChangeArguments,
    switch: LinkSwitch,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let ChangeArguments { selectors, options } = arguments;
    let is_bulk = selectors.is_bulk();
    let must_ask = is_bulk && options.must_ask()?;
    let selector = selectors.read()?;
    let (verb, done) = match switch {
        LinkSwitch::Disable => ("Disable", "disabled"),
        LinkSwitch::Enable => ("Enable", "enabled"),
        LinkSwitch::Pause => ("Pause", "paused"),
        LinkSwitch::Unpause => ("Unpause", "unpaused"),
        LinkSwitch::Delete => ("Delete", "deleted"),
    };
    if must_ask {
        let links = pluralize(links::count(store, &selector).await?, "link");
        let for_good = if switch == LinkSwitch::Delete { " for good" } else { "" };
        options.confirm_bulk(&format!("{verb} {links}{for_good}?"))?;
    }
    let change = options.at(store.now())?;
    let stopped = signals::request_stop(&change.stop)?;
    let switched = links::switch(store, &selector, switch, &change).await;
    let switched = switched.map_err(|error| stopped.convert_error(error))?;
    let code = selector.single_code().filter(|_| !is_bulk);
    let text = match code {
        Some(code) if switched.changed > 0 => format!("{done} link '{code}'"),
        Some(code) => format!("link '{code}' is {done}"),
        None => format!("{done} {}", pluralize(switched.changed, "link")),
    };
    let members = match (code, switch) {
        (Some(code), LinkSwitch::Disable | LinkSwitch::Enable) => {
            json!({ "short_code": code, "is_active": i32::from(switch == LinkSwitch::Enable) })
        }
        (Some(code), LinkSwitch::Pause | LinkSwitch::Unpause) => {
            json!({ "short_code": code, "is_paused": i32::from(switch == LinkSwitch::Pause) })
        }
        (Some(code), LinkSwitch::Delete) => json!({ "short_code": code }),
        (None, _) => json!({}),
    };
    options.report(output, &text, &switched, members)?;
    if switch == LinkSwitch::Delete && switched.event.is_some() {
        purge_log(store).await;
    }
    Ok(())
}

async fn edit(
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
        ..LinkEdit::default()
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
pub(super) async fn rules(settings: &Settings, store: &Store) -> Result<LinkRules, CommandError> {
    let service = settings
        .service_urls()
        .map_err(|error| CommandError::Usage(format!("the base URL {error}")))?;
    let blocklist = Arc::new(block::load(store, settings).await?);
    let addresses = Arc::new(Addresses::open(store, service).await?);
    Ok(LinkRules { addresses, blocklist, contact: None })
}
