//! `terse plan`

use clap::{Args, Subcommand};

use super::change::ChangeOptions;
use super::database::Context;
use super::error::Result;
use super::output::{Column, Output};
use crate::config::argument;
use crate::domain::changes::Changed;
use crate::domain::plans::{self, LinkLimit, Plan, PlanSettings};
use crate::http::objects::plan as objects;
use crate::values::{Name, RequestCount, RequestLimit};

/// Text for a limit that a plan does not have.
const UNLIMITED: &str = "unlimited";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a plan; omitted limits are unlimited
    #[command(
        after_help = "Example: terse plan add gold --max-links 500 --custom-codes true --requests 20/s"
    )]
    Add(PlanArguments),
    /// Change a plan; omitted options keep their values
    #[command(after_help = "Example: terse plan set pro --max-links 20000 --links-per-day 1000")]
    Set(PlanArguments),
    /// Delete a plan that no owner has
    #[command(after_help = "Example: terse plan remove gold")]
    Remove {
        /// The plan's name
        name: String,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// List all plans
    #[command(after_help = "Example: terse plan list")]
    List,
}

#[derive(Debug, Args)]
pub(super) struct PlanArguments {
    /// The plan's name
    name: Name,
    /// Maximum links of an owner: a number, or 'unlimited'
    #[arg(long, value_name = "N", value_parser = link_limit)]
    max_links: Option<LinkLimit>,
    /// Whether an owner may choose codes [default for a new plan: false]
    #[arg(long, value_name = "true|false")]
    custom_codes: Option<bool>,
    /// Maximum API requests of an owner per s, min or h: a rate such as 20/s, or 'unlimited'
    #[arg(long, value_name = "RATE", value_parser = argument::<RequestLimit>)]
    requests: Option<RequestLimit>,
    /// How many of these requests may come at once [default: the number in RATE]
    #[arg(long, value_name = "N", value_parser = argument::<RequestCount>)]
    burst: Option<RequestCount>,
    /// Maximum links that an owner creates per day in UTC: a number, or 'unlimited'
    #[arg(long, value_name = "N", value_parser = link_limit)]
    links_per_day: Option<LinkLimit>,
    #[command(flatten)]
    change: ChangeOptions,
}

impl PlanArguments {
    fn settings(&self) -> PlanSettings {
        let Self { name: _, max_links, custom_codes, requests, burst, links_per_day, change: _ } =
            *self;
        PlanSettings { max_links, custom_codes, requests, burst: burst.map(Some), links_per_day }
    }
}

fn link_limit(text: &str) -> Result<LinkLimit, String> {
    if text == UNLIMITED {
        return Ok(LinkLimit::Unlimited);
    }
    text.parse()
        .map(LinkLimit::AtMost)
        .map_err(|_| "give a number from 0 to 4294967295, or 'unlimited'".to_owned())
}

const COLUMNS: [Column<Plan>; 5] = [
    ("name", |plan| plan.name.clone()),
    ("max links", |plan| limit(plan.max_links)),
    ("custom codes", |plan| plan.custom_codes.to_string()),
    ("requests", requests),
    ("links per day", |plan| limit(plan.links_per_day)),
];

fn limit(limit: Option<i64>) -> String {
    limit.map_or(UNLIMITED.to_owned(), |number| number.to_string())
}

fn requests(plan: &Plan) -> String {
    match (&plan.requests, plan.burst) {
        (None, _) => UNLIMITED.to_owned(),
        (Some(rate), None) => rate.clone(),
        (Some(rate), Some(burst)) => format!("{rate} (burst {burst})"),
    }
}

pub(super) async fn run(command: Command, Context { store, output, .. }: Context<'_>) -> Result {
    match command {
        Command::Add(arguments) => {
            let (settings, change) = (arguments.settings(), arguments.change);
            let creation = change.at(store.now())?;
            let added = plans::add(store, &arguments.name, &settings, None, &creation).await?;
            confirm("created", added, &change, output)?;
        }
        Command::Set(arguments) => {
            let (settings, change) = (arguments.settings(), arguments.change);
            let now = store.now();
            let set = plans::set(store, &arguments.name, &settings, &change.at(now)?).await?;
            confirm("changed", set, &change, output)?;
        }
        Command::Remove { name, change } => {
            let removed = plans::remove(store, &name, &change.at(store.now())?).await?;
            let text = format!("removed plan '{name}'");
            change.report(output, &text, &removed, serde_json::json!({ "name": name }))?;
        }
        Command::List => {
            output.table::<objects::Plan, _>(&COLUMNS, plans::list(store).await?)?;
        }
    }
    Ok(())
}

fn confirm(verb: &str, changed: Changed<Plan>, change: &ChangeOptions, output: Output) -> Result {
    let Plan { name, max_links, custom_codes, links_per_day, .. } = &changed.value;
    let links = limit(*max_links);
    let verb = if changed.changed == 0 { String::new() } else { format!("{verb} ") };
    let mut text = format!("{verb}plan '{name}': max links {links}, custom codes {custom_codes}");
    let requests = requests(&changed.value);
    for (limit, value) in [("requests", requests), ("links per day", limit(*links_per_day))] {
        if value != UNLIMITED {
            text.push_str(&format!(", {limit} {value}"));
        }
    }
    change.report(
        output,
        &text,
        &changed,
        serde_json::json!(objects::Plan::from(changed.value.clone())),
    )
}
