//! `terse plan`

use clap::Subcommand;
use serde::Serialize;

use super::Failure;
use super::output::Output;
use crate::domain::plans::{self, LinkLimit, Plan};
use crate::store::Store;
use crate::values::Name;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create or change a plan; options not given keep their values; on a new plan they mean no limit and no custom codes
    Set {
        /// The plan's name
        name: Name,
        /// How many links an owner may have: a number, or 'unlimited'
        #[arg(long, value_name = "N", value_parser = limit)]
        max_links: Option<LinkLimit>,
        /// Whether an owner may choose codes
        #[arg(long, value_name = "true|false")]
        custom_codes: Option<bool>,
    },
    /// List all plans
    List,
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

pub(super) async fn run(command: Command, store: &Store, output: Output) -> Result<(), Failure> {
    match command {
        Command::Set { name, max_links, custom_codes } => {
            let plan = plans::set(store, &name, max_links, custom_codes).await?;
            output.confirm(&Row::from(plan))?;
        }
        Command::List => {
            let rows: Vec<Row> = plans::list(store).await?.into_iter().map(Row::from).collect();
            output.table(["NAME", "MAX LINKS", "CUSTOM CODES"], &rows, |row| {
                let limit = row.max_links.map_or("unlimited".to_owned(), |limit| limit.to_string());
                [row.name.clone(), limit, row.custom_codes.to_string()]
            })?;
        }
    }
    Ok(())
}
