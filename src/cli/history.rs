//! `terse history` and `terse undo`

use std::io::{self, Write as _};
use std::pin::pin;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use futures_util::TryStreamExt as _;
use serde::Serialize;
use serde_json::{Value, json};
use strum::VariantNames as _;

use super::change::ChangeOptions;
use super::error::CommandError;
use super::link::addresses;
use super::output::{
    Column, LIST_FORMAT_HELP, ListFormat, Output, eprint_line, or_dash, pluralize, write_json_line,
};
use super::signals;
use super::when::Since;
use crate::config::Settings;
use crate::domain::Realm;
use crate::domain::changes::{
    self as domain, ActorType, Event, History, HistoryFilter, ShownChange, Skipped,
};
use crate::store::Store;

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
    #[arg(long, value_name = "WHEN", value_parser = Since::parse)]
    since: Option<Since>,
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

#[derive(Serialize)]
struct HistoryRow {
    event: i64,
    at: String,
    actor: String,
    actor_type: &'static str,
    action: String,
    subject: String,
    owner: Option<String>,
    reason: &'static str,
    note: Option<String>,
    case: Option<String>,
    changed: i64,
}

impl From<Event> for HistoryRow {
    fn from(event: Event) -> Self {
        let Event {
            id: event,
            at,
            actor,
            actor_type,
            actor_id: _,
            action,
            subject,
            owner_id: _,
            owner,
            reason,
            note,
            case_id: case,
            changed,
            status: _,
            finished_at: _,
            instance_id: _,
            skipped: _,
            skipped_count: _,
        } = event;
        let (at, reason) = (at.to_string(), reason.into_str());
        let actor_type = ActorType::from_stored(actor_type.as_deref()).into_str();
        Self { event, at, actor, actor_type, action, subject, owner, reason, note, case, changed }
    }
}

const COLUMNS: [Column<HistoryRow>; 11] = [
    ("event", |row| row.event.to_string()),
    ("at", |row| row.at.clone()),
    ("actor", |row| row.actor.clone()),
    ("type", |row| row.actor_type.to_owned()),
    ("action", |row| row.action.clone()),
    ("subject", |row| row.subject.clone()),
    ("owner", |row| or_dash(row.owner.as_deref())),
    ("reason", |row| row.reason.to_owned()),
    ("case", |row| or_dash(row.case.as_deref())),
    ("changed", |row| row.changed.to_string()),
    ("note", |row| or_dash(row.note.as_deref())),
];

/// Prints the history as a table or as JSON Lines.
pub(super) async fn run(
    arguments: HistoryArguments,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let HistoryArguments { link, owner, actor_type, case, since, limit, event, format } = arguments;
    let output = output.of_list(format);
    if let Some(event) = event {
        return changes(event, store, output).await;
    }
    let since = since.map(|since| since.at(store.now()));
    let filter =
        HistoryFilter { link, link_realm: Realm::Everyone, owner, actor_type, case, since };
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let mut rows = Vec::new();
    let history = History::new(store, filter).await?;
    let mut pages = pin!(history.pages(store, limit));
    while let Some(page) = pages.try_next().await? {
        for row in page.into_iter().map(HistoryRow::from) {
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
    Ok(output.table(&COLUMNS, &rows)?)
}

#[derive(Serialize)]
struct ChangedValues {
    event: i64,
    kind: String,
    subject: String,
    before: Option<Value>,
    after: Option<Value>,
}

/// Prints what an event changed, as a table or as JSON Lines.
async fn changes(event: i64, store: &Store, output: Output) -> Result<(), CommandError> {
    let rows = domain::changes(store, event).await?.into_iter().map(|change| {
        let ShownChange { kind, subject, before, after } = change;
        ChangedValues { event, kind, subject, before, after }
    });
    let rows: Vec<ChangedValues> = rows.collect();
    if output.json {
        let mut stdout = io::BufWriter::new(io::stdout().lock());
        for row in &rows {
            write_json_line(&mut stdout, row)?;
        }
        stdout.flush()?;
        return Ok(());
    }
    let columns: [Column<ChangedValues>; 4] = [
        ("kind", |row| row.kind.clone()),
        ("subject", |row| row.subject.clone()),
        ("before", |row| or_dash(row.before.as_ref())),
        ("after", |row| or_dash(row.after.as_ref())),
    ];
    output.table(&columns, &rows)?;
    if rows.is_empty() {
        eprint_line("the history has no values for events of this action");
    }
    Ok(())
}

/// Reverts an event, except for what has changed since.
pub(super) async fn undo(
    arguments: UndoArguments,
    settings: &Settings,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let UndoArguments { event, options } = arguments;
    options.confirm_bulk(&format!("Revert everything that event {event} changed?"))?;
    let change = options.at(store.now())?;
    let stopped = signals::request_stop(&change.stop)?;
    let addresses = addresses(settings, store).await?;
    let undone = domain::undo(store, event, &addresses, &change).await;
    let undone = undone.map_err(|error| stopped.convert_error(error))?;
    let skipped_names: Vec<String> = undone.value.iter().map(name_of).collect();
    for name in &skipped_names {
        eprint_line(&format!(
            "skipped {name}: it has changed since, was deleted, or would lead to this service"
        ));
    }
    let skipped = undone.value.len();
    let text = format!("reverted {} of event {event}", pluralize(undone.changed, "change"));
    let text = if skipped > 0 { format!("{text}, skipped {skipped}") } else { text };
    let members = json!({ "undone": event, "skipped": skipped_names });
    options.report(output, &text, &undone, members)
}

/// Returns the name of what an undo skipped.
fn name_of(Skipped { kind, subject, fields }: &Skipped) -> String {
    match fields.as_slice() {
        [] => format!("{kind} '{subject}'"),
        fields => format!("{kind} '{subject}' ({})", fields.join(", ")),
    }
}
