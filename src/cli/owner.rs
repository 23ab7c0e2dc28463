//! `terse owner`

use clap::Subcommand;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde::Serialize;

use super::error::CommandError;
use super::output::{Output, eprint_line, or_dash};
use crate::domain::owners::{self, Owner};
use crate::domain::plans;
use crate::store::Store;
use crate::values::{Name, Reason};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an owner and print the owner's API key, once
    #[command(after_help = "Example: terse owner add acme --plan pro")]
    Add {
        /// The owner's name
        name: Name,
        /// The owner's plan
        #[arg(long, default_value = plans::DEFAULT)]
        plan: String,
    },
    /// List all owners
    #[command(after_help = "Example: terse owner list")]
    List,
    /// Assign another plan to an owner
    #[command(after_help = "Example: terse owner plan acme unlimited")]
    Plan {
        /// The owner's name
        name: String,
        /// The plan's name
        plan: String,
    },
}

#[derive(Serialize)]
struct Row {
    name: String,
    plan: String,
    links: i64,
    suspended: Option<&'static str>,
    created_at: String,
}

impl From<Owner> for Row {
    fn from(Owner { name, plan, links, suspended, created_at }: Owner) -> Self {
        Self {
            name,
            plan,
            links,
            suspended: suspended.map(Reason::as_str),
            created_at: created_at.to_string(),
        }
    }
}

pub(super) async fn run(
    command: Command,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    match command {
        Command::Add { name, plan } => {
            let key = owners::add(store, &name, &plan, store.now(), &mut UnwrapErr(SysRng)).await?;
            let value = serde_json::json!({
                "name": name.as_str(), "plan": plan, "key": key.reveal(),
            });
            output.show_key(key.reveal(), &value)?;
            eprint_line(&format!("created owner '{}' on plan '{plan}'", name.as_str()));
        }
        Command::List => {
            let rows: Vec<Row> = owners::list(store).await?.into_iter().map(Row::from).collect();
            output.table(["NAME", "PLAN", "LINKS", "SUSPENDED", "CREATED"], &rows, |row| {
                [
                    row.name.clone(),
                    row.plan.clone(),
                    row.links.to_string(),
                    or_dash(row.suspended),
                    row.created_at.clone(),
                ]
            })?;
        }
        Command::Plan { name, plan } => {
            owners::set_plan(store, &name, &plan).await?;
            let value = serde_json::json!({ "name": name, "plan": plan });
            output.confirm(&format!("owner '{name}' is on plan '{plan}'"), &value)?;
        }
    }
    Ok(())
}
