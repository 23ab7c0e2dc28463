//! `terse domain`

use clap::Subcommand;
use serde_json::{Value, json};

use super::change::ChangeOptions;
use super::database::Context;
use super::error::Result;
use super::link::{NewValue, parse_destination, parse_fallback, rules};
use super::output::{Column, or_dash, warn};
use crate::domain::Error;
use crate::domain::changes::Changed;
use crate::domain::domains::{self, Domain, DomainEdit, NewDomain};
use crate::http::objects::domain as objects;
use crate::values::{ApiKey, Destination, DomainHost};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Give an owner a domain, whose links it serves; the first one is in the owner's short URLs
    #[command(after_help = "Example: terse domain add go.acme.example --owner acme")]
    Add {
        /// The host, with a port if only requests for that port are meant
        #[arg(value_parser = parse_host)]
        host: DomainHost,
        /// The name of the owner
        #[arg(long, value_name = "NAME")]
        owner: String,
        /// Where visitors of the start page go [default: they see a page]
        #[arg(long, value_name = "URL", value_parser = parse_destination)]
        home: Option<Destination>,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// List all domains
    #[command(after_help = "Example: terse domain list")]
    List,
    /// Change where visitors of a domain's start page go
    #[command(
        after_help = "Example: terse domain edit go.acme.example --home https://acme.example/"
    )]
    Edit {
        /// The host
        #[arg(value_parser = parse_host)]
        host: DomainHost,
        /// Where visitors of the start page go; none removes it, so that they see a page
        #[arg(long, value_name = "URL|none", value_parser = parse_fallback)]
        home: NewValue<Destination>,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Remove a domain; its links stay, and answer at the base URL and the owner's other domains
    #[command(after_help = "Example: terse domain remove go.acme.example")]
    Remove {
        /// The host
        #[arg(value_parser = parse_host)]
        host: DomainHost,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Put a domain into the short URLs and QR codes of its owner
    #[command(after_help = "Example: terse domain default go.acme.example")]
    Default {
        /// The host
        #[arg(value_parser = parse_host)]
        host: DomainHost,
        #[command(flatten)]
        change: ChangeOptions,
    },
}

/// Parses a host. An error does not repeat a text that may be an API key.
fn parse_host(text: &str) -> Result<DomainHost, String> {
    DomainHost::parse(text).map_err(|reason| {
        if ApiKey::is_in(text) {
            "the host must not contain an API key".to_owned()
        } else {
            format!("the host {reason}")
        }
    })
}

const COLUMNS: [Column<Domain>; 5] = [
    ("host", |domain| domain.host.clone()),
    ("owner", |domain| domain.owner.clone()),
    ("default", |domain| if domain.is_default { "yes" } else { "-" }.to_owned()),
    ("home", |domain| or_dash(domain.home_url.as_deref())),
    ("created", |domain| domain.created_at.to_string()),
];

pub(super) async fn run(command: Command, context: Context<'_>) -> Result {
    let Context { store, output, .. } = context;
    match command {
        Command::Add { host, owner, home, change } => {
            let new = NewDomain {
                host: &host,
                owner: owner.as_str().into(),
                home: home.as_ref(),
                accepts_destinations: false,
            };
            add(new, &change, context).await
        }
        Command::List => {
            Ok(output.table::<objects::Domain, _>(&COLUMNS, domains::list(store).await?)?)
        }
        Command::Edit { host, home: NewValue(home), change } => {
            let edit = DomainEdit { home: Some(home), is_default: None };
            let edited = edit_domain(&host, &edit, &change, context).await?;
            let done = format!("edited domain '{host}'");
            let already = format!("domain '{host}' has this home URL");
            change.report_either(output, [&done, &already], &edited, object(&edited.value))
        }
        Command::Remove { host, change } => {
            let removed = domains::remove(store, host.as_str(), &change.at(store.now())?).await?;
            let text = format!("removed domain '{host}' of owner '{}'", removed.value.owner);
            change.report(output, &text, &removed, object(&removed.value))
        }
        Command::Default { host, change } => {
            let edit = DomainEdit { home: None, is_default: Some(true) };
            let edited = edit_domain(&host, &edit, &change, context).await?;
            let owner = &edited.value.owner;
            let done = format!("put domain '{host}' into the short URLs of owner '{owner}'");
            let already = format!("domain '{host}' is in the short URLs of owner '{owner}'");
            change.report_either(output, [&done, &already], &edited, object(&edited.value))
        }
    }
}

async fn add(mut new: NewDomain<'_>, change: &ChangeOptions, context: Context<'_>) -> Result {
    let Context { settings, store, output } = context;
    let rules = rules(settings, store).await?;
    let mut destinations = 0;
    let mut added = domains::add(store, &new, None, &rules, &change.at(store.now())?).await;
    if let Err(error @ Error::DomainHasDestinations { count, .. }) = &added {
        destinations = *count;
        warn(&error.to_string());
        change.confirm_bulk(&format!("Add {} all the same?", new.host))?;
        new.accepts_destinations = true;
        added = domains::add(store, &new, None, &rules, &change.at(store.now())?).await;
    }
    let added = added?;
    let Domain { host, owner, is_default, .. } = &added.value;
    let mut text = format!("added domain '{host}' to owner '{owner}'");
    if *is_default {
        let scheme = rules.addresses.base_url().scheme();
        text.push_str(&format!(", whose short URLs begin with {scheme}://{host} now"));
    }
    let mut members = object(&added.value);
    members["destinations"] = destinations.into();
    change.report(output, &text, &added, members)
}

async fn edit_domain(
    host: &DomainHost,
    edit: &DomainEdit,
    change: &ChangeOptions,
    Context { settings, store, .. }: Context<'_>,
) -> Result<Changed<Domain>> {
    let rules = rules(settings, store).await?;
    Ok(domains::edit(store, host.as_str(), edit, &rules, &change.at(store.now())?).await?)
}

fn object(domain: &Domain) -> Value {
    json!(objects::Domain::from(domain.clone()))
}
