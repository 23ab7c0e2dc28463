//! `terse history` and `terse undo`

use std::io::{self, Write as _};
use std::pin::pin;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use futures_util::TryStreamExt as _;
use serde_json::json;
use strum::VariantNames as _;

use super::change::ChangeOptions;
use super::database::Context;
use super::error::Result;
use super::link::addresses;
use super::output::{
    Column, LIST_FORMAT_HELP, ListFormat, eprint_line, or_dash, pluralize, write_json_line,
};
use super::signals;
use super::when::When;
use crate::domain::Realm;
use crate::domain::changes::{self as domain, ActorType, Event, History, HistoryFilter, Skipped};
use crate::domain::page::PageRequest;
use crate::http::objects::change::UndoResult;
use crate::http::objects::event::{EventChange, operator as objects};

#[derive(Debug, Args)]
pub(super) struct HistoryArguments {
    /// Only events that changed this link
    #[arg(long, allow_hyphen_values = true, value_name = "CODE")]
    link: Option<String>,
    /// Only events about this owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Only events of actors of this type
    #[arg(long, value_name = "TYPE", value_parser = actor_types())]
    actor_type: Option<ActorType>,
    /// Only events of this case
    #[arg(long, value_name = "ID")]
    case: Option<String>,
    /// Only events since this time: a duration before now such as 7d, a UTC date, or an RFC 3339 time
    #[arg(long, value_name = "WHEN", value_parser = When::parse_past)]
    since: Option<When>,
    /// Maximum number of events
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Show what this event changed, before and after, instead of the list
    #[arg(long, value_name = "EVENT", value_parser = parse_event, conflicts_with_all = ["link", "owner", "actor_type", "case", "since", "limit"])]
    event: Option<i64>,
    #[arg(long, value_enum, default_value_t, help = LIST_FORMAT_HELP)]
    format: ListFormat,
}

#[derive(Debug, Args)]
pub(super) struct UndoArguments {
    /// The event's number, as `terse history` shows it
    #[arg(value_parser = parse_event)]
    event: i64,
    #[command(flatten)]
    options: ChangeOptions,
}

fn actor_types() -> impl TypedValueParser<Value = ActorType> {
    let names = PossibleValuesParser::new(ActorType::VARIANTS);
    names.map(|name| ActorType::from_stored(Some(&name)))
}

fn parse_event(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "an event is a number that `terse history` shows".to_owned())
}

/// Returns the type of the actor of an event.
fn actor_type(event: &Event) -> &'static str {
    ActorType::from_stored(event.actor_type.as_deref()).into_str()
}

const COLUMNS: [Column<Event>; 11] = [
    ("event", |row| row.id.to_string()),
    ("at", |row| row.at.to_string()),
    ("actor", |row| row.actor.clone()),
    ("type", |row| actor_type(row).to_owned()),
    ("action", |row| row.action.clone()),
    ("subject", |row| row.subject.clone()),
    ("owner", |row| or_dash(row.owner.as_deref())),
    ("reason", |row| row.reason.to_string()),
    ("case", |row| or_dash(row.case_id.as_deref())),
    ("changed", |row| row.changed.to_string()),
    ("note", |row| or_dash(row.note.as_deref())),
];

/// Number of changes per query.
const PAGE: u32 = 500;

const CHANGE_COLUMNS: [Column<EventChange>; 3] = [
    ("subject", |row| row.subject().to_owned()),
    ("before", |row| or_dash(row.before())),
    ("after", |row| or_dash(row.after())),
];

/// Prints the history as a table or as JSON Lines.
pub(super) async fn run(arguments: HistoryArguments, context: Context<'_>) -> Result {
    let Context { store, output, .. } = context;
    let HistoryArguments { link, owner, actor_type, case, since, limit, event, format } = arguments;
    let output = output.of_list(format);
    if let Some(event) = event {
        return changes(event, Context { output, ..context }).await;
    }
    let since = since.map(|since| since.at(store.now()));
    let owner = owner.map(Into::into);
    let filter = HistoryFilter {
        link,
        owner,
        actor_type,
        case,
        since,
        ..HistoryFilter::new(Realm::Everyone)
    };
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let mut rows = Vec::new();
    let history = History::new(store, filter).await?;
    let mut pages = pin!(history.pages(store, limit));
    while let Some(page) = pages.try_next().await? {
        for row in page {
            if output.json {
                write_json_line(&mut stdout, &objects::Event::from(row))?;
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
    Ok(output.text_table(&COLUMNS, &rows)?)
}

/// Prints what an event changed, as a table or as JSON Lines.
async fn changes(event: i64, Context { store, output, .. }: Context<'_>) -> Result {
    let event = domain::event(store, Realm::Everyone, event).await?;
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let mut rows = Vec::new();
    let mut request = PageRequest::first(PAGE);
    loop {
        let page = domain::changes(store, Realm::Everyone, &event, request).await?;
        for change in page.items.into_iter().map(EventChange::from) {
            if output.json {
                write_json_line(&mut stdout, &change)?;
            } else {
                rows.push(change);
            }
        }
        let Some(next) = page.next else { break };
        request.position = next;
    }
    stdout.flush()?;
    drop(stdout);
    if output.json {
        return Ok(());
    }
    output.text_table(&CHANGE_COLUMNS, &rows)?;
    if rows.is_empty() {
        eprint_line("the history has no values for events of this action");
    }
    Ok(())
}

/// Reverts an event, except for what has changed since.
pub(super) async fn undo(arguments: UndoArguments, context: Context<'_>) -> Result {
    let Context { settings, store, output } = context;
    let UndoArguments { event, options } = arguments;
    options.confirm_bulk(&format!("Revert everything that event {event} changed?"))?;
    let change = options.at(store.now())?;
    let stopped = signals::request_stop(&change.stop)?;
    let addresses = addresses(settings, store).await?;
    let undone = domain::undo(store, event, &addresses, &change).await;
    let (undone, skipped) = undone.map_err(|error| stopped.convert_error(error))?;
    for one in &skipped {
        eprint_line(&format!(
            "skipped {}: it has changed since, was deleted, or would lead to this service",
            name_of(one)
        ));
    }
    let skipped = skipped.len();
    let text = format!("reverted {} of event {event}", pluralize(undone.changed, "change"));
    let text = if skipped > 0 { format!("{text}, skipped {skipped}") } else { text };
    let mut members = json!(UndoResult::from(&undone));
    members["undone"] = event.into();
    options.report(output, &text, &undone, members)
}

/// Returns the name of what an undo skipped.
fn name_of(Skipped { kind, subject, fields }: &Skipped) -> String {
    match fields.as_slice() {
        [] => format!("{kind} '{subject}'"),
        fields => format!("{kind} '{subject}' ({})", fields.join(", ")),
    }
}
