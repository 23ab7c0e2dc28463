//! `terse usage`

use clap::{Args, Subcommand};
use serde::Serialize;

use super::change::ChangeOptions;
use super::database::Context;
use super::error::{CommandError, Result};
use super::output::{Column, Output, or_dash, warn};
use crate::config::argument;
use crate::domain::usage::month_close::{self, Reopened};
use crate::domain::usage::{self, MonthUsage, OwnerUsage};
use crate::values::Month;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The month, in UTC
    #[arg(long, value_name = "YYYY-MM", value_parser = argument::<Month>, required = true)]
    month: Option<Month>,
    /// Only this owner: the name in that month, or the present one
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Open a month and all later ones again, which a wrong clock closed before they were over
    #[command(after_help = "Example: terse usage reopen 2026-01 --case 4711")]
    Reopen {
        /// The first month to open, in UTC
        #[arg(value_name = "YYYY-MM", value_parser = argument::<Month>)]
        month: Month,
        #[command(flatten)]
        change: ChangeOptions,
    },
}

#[derive(Serialize)]
struct Row {
    /// The month, if the rows are those of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    month: Option<String>,
    #[serde(flatten)]
    usage: OwnerUsage,
    is_final: bool,
}

impl Row {
    /// Returns the rows of a month, which they name if there are those of several months.
    fn all(names_month: bool, usage: MonthUsage) -> Vec<Self> {
        let MonthUsage { month, is_final, owners } = usage;
        let month = names_month.then(|| month.to_string());
        let row = |usage| Self { month: month.clone(), usage, is_final };
        owners.into_iter().map(row).collect()
    }
}

pub(super) async fn run(
    Arguments { command, month, owner }: Arguments,
    context: Context<'_>,
) -> Result {
    let Context { store, output, .. } = context;
    if let Some(Command::Reopen { month, change }) = command {
        return reopen(month, &change, context).await;
    }
    let month = month.ok_or_else(|| CommandError::usage("give --month"))?;
    let usage = usage::of_month(store, month, owner.map(Into::into)).await?;
    let (is_final, rows) = (usage.is_final, Row::all(false, usage));
    if output.json {
        return Ok(output.show("", &rows)?);
    }
    table(&rows, output)?;
    if !is_final {
        warn(&format!("{month} is not closed; its usage may still change"));
    }
    Ok(())
}

fn table(rows: &[Row], output: Output) -> Result {
    let columns: [Column<Row>; 9] = [
        ("month", |row| or_dash(row.month.as_deref())),
        ("owner_id", |row| row.usage.owner_id.to_string()),
        ("owner", |row| row.usage.owner.clone()),
        ("plan", |row| or_dash(row.usage.plan_name.as_deref())),
        ("requests", |row| row.usage.requests.to_string()),
        ("links_created", |row| row.usage.links_created.to_string()),
        ("links", |row| row.usage.links.to_string()),
        ("clicks", |row| row.usage.clicks.to_string()),
        ("links_deleted", |row| or_dash(row.usage.links_deleted)),
    ];
    let has_month = rows.iter().any(|row| row.month.is_some());
    Ok(output.text_table(&columns[usize::from(!has_month)..], rows)?)
}

/// Opens months again, and shows the usage of each before, and of the first one after.
async fn reopen(month: Month, options: &ChangeOptions, context: Context<'_>) -> Result {
    let Context { store, output, .. } = context;
    options.confirm_bulk(&format!("open {month} and all later months again?"))?;
    let reopened = month_close::reopen(store, month, &options.at(store.now())?).await?;
    let Reopened { before, after } = reopened.value.clone();
    let months: Vec<String> = before.iter().map(|usage| usage.month.to_string()).collect();
    let rows = before.into_iter().flat_map(|usage| Row::all(true, usage));
    let (before, after): (Vec<Row>, _) = (rows.collect(), Row::all(true, after));
    let members = serde_json::json!({ "months": months, "before": before, "after": after });
    if !output.json {
        table(&before, output)?;
        table(&after, output)?;
    }
    options.report(output, &format!("opened {} again", months.join(", ")), &reopened, members)
}
