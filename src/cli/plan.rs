//! `terse plan`

use clap::{Args, Subcommand};
use serde::Serialize;

use super::change::ChangeOptions;
use super::error::CommandError;
use super::output::Output;
use crate::domain::events::ChangeResult;
use crate::domain::plans::{self, LinkLimit, Plan};
use crate::store::Store;
use crate::values::Name;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a plan
    #[command(after_help = "Example: terse plan add gold --max-links 500 --custom-codes true")]
    Add(PlanAddArguments),
    /// Change a plan; omitted options keep their values
    #[command(after_help = "Example: terse plan set pro --max-links 20000")]
    Set(PlanSetArguments),
    /// List all plans
    #[command(after_help = "Example: terse plan list")]
    List,
}

#[derive(Debug, Args)]
pub(super) struct PlanAddArguments {
    /// The plan's name
    name: Name,
    /// Maximum links of an owner: a number, or 'unlimited' [default: unlimited]
    #[arg(long, value_name = "N", value_parser = limit)]
    max_links: Option<LinkLimit>,
    /// Whether an owner may choose codes [default: false]
    #[arg(long, value_name = "true|false")]
    custom_codes: Option<bool>,
    #[command(flatten)]
    change: ChangeOptions,
}

#[derive(Debug, Args)]
pub(super) struct PlanSetArguments {
    /// The plan's name
    name: Name,
    /// Maximum links of an owner: a number, or 'unlimited'
    #[arg(long, value_name = "N", value_parser = limit)]
    max_links: Option<LinkLimit>,
    /// Whether an owner may choose codes
    #[arg(long, value_name = "true|false")]
    custom_codes: Option<bool>,
    #[command(flatten)]
    change: ChangeOptions,
}

fn limit(text: &str) -> Result<LinkLimit, String> {
    if text == "unlimited" {
        return Ok(LinkLimit::Unlimited);
    }
    text.parse()
        .map(LinkLimit::AtMost)
        .map_err(|_| "give a number from 0 to 4294967295, or 'unlimited'".to_owned())
}

#[derive(Serialize)]
struct Row {
    name: String,
    max_links: Option<i64>,
    custom_codes: bool,
}

impl From<Plan> for Row {
    fn from(Plan { name, max_links, custom_codes }: Plan) -> Self {
        Self { name, max_links, custom_codes }
    }
}

impl Row {
    fn limit(&self) -> String {
        self.max_links.map_or("unlimited".to_owned(), |limit| limit.to_string())
    }
}

pub(super) async fn run(
    command: Command,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    match command {
        Command::Add(PlanAddArguments { name, max_links, custom_codes, change }) => {
            let context = change.context(store.now());
            let added = plans::add(store, &name, max_links, custom_codes, &context).await?;
            confirm("created", added, &change, output)?;
        }
        Command::Set(PlanSetArguments { name, max_links, custom_codes, change }) => {
            let context = change.context(store.now());
            let set = plans::set(store, &name, max_links, custom_codes, &context).await?;
            confirm("changed", set, &change, output)?;
        }
        Command::List => {
            let rows: Vec<Row> = plans::list(store).await?.into_iter().map(Row::from).collect();
            output.table(["NAME", "MAX LINKS", "CUSTOM CODES"], &rows, |row| {
                [row.name.clone(), row.limit(), row.custom_codes.to_string()]
            })?;
        }
    }
    Ok(())
}

fn confirm(
    verb: &str,
    (result, plan): (ChangeResult, Plan),
    change: &ChangeOptions,
    output: Output,
) -> Result<(), CommandError> {
    let row = Row::from(plan);
    let (name, limit, custom_codes) = (&row.name, row.limit(), row.custom_codes);
    // Verb before the word "plan". It is missing if nothing changed.
    let verb = if result.changed == 0 { String::new() } else { format!("{verb} ") };
    let text = format!("{verb}plan '{name}': max links {limit}, custom codes {custom_codes}");
    change.report(output, &text, result, serde_json::json!(row))
}
