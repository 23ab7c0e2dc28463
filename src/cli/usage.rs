//! `terse usage`

use clap::Args;
use serde::Serialize;

use super::error::CommandError;
use super::output::{Output, warn};
use super::report::parse_month;
use crate::domain::usage::{self, MonthUsage, OwnerUsage};
use crate::store::Store;
use crate::values::Month;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The month, in UTC
    #[arg(long, value_name = "YYYY-MM", value_parser = parse_month)]
    month: Month,
    /// Only this owner: the name in that month, or the present one
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
}

#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    usage: OwnerUsage,
    is_final: u8,
}

pub(super) async fn run(
    Arguments { month, owner }: Arguments,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let MonthUsage { is_final, owners } = usage::of_month(store, month, owner.as_deref()).await?;
    if output.json {
        let row = |usage| Row { usage, is_final: is_final.into() };
        let rows: Vec<Row> = owners.into_iter().map(row).collect();
        return Ok(output.show("", &rows)?);
    }
    let names = ["owner_id", "owner", "requests", "links_created", "links", "clicks"];
    let line = |usage: OwnerUsage| {
        let OwnerUsage { owner_id, owner, requests, links_created, links, clicks } = usage;
        let numbers = [requests, links_created, links, clicks].map(|number| number.to_string());
        [owner_id.to_string(), owner].into_iter().chain(numbers).collect()
    };
    let lines = owners.into_iter().map(line).collect();
    output.lines(names.map(str::to_uppercase).to_vec(), lines)?;
    if !is_final {
        warn(&format!("{month} is not closed; its usage may still change"));
    }
    Ok(())
}
