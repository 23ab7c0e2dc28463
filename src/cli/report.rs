//! `terse report`

use std::io::{self, BufWriter, Write as _};

use clap::{Args, ValueEnum};
use formats::csv;

use super::database::open;
use super::error::{CommandError, Result};
use super::output::{Output, or_dash};
use crate::config::{Settings, argument};
use crate::domain::click_report::{self, Grouping, MonthRow};
use crate::values::Month;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The month, in UTC
    #[arg(long, value_name = "YYYY-MM", value_parser = argument::<Month>)]
    month: Month,
    /// Only the links of this owner: the name in that month, or the present one
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// What to group by, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "owner")]
    by: Vec<Dimension>,
    /// Print CSV
    #[arg(long)]
    csv: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dimension {
    Owner,
    Campaign,
    Link,
}

pub(super) async fn run(
    Arguments { month, owner, by, csv }: Arguments,
    settings: &Settings,
    output: Output,
) -> Result {
    if csv && output.json {
        return Err(CommandError::usage("--json cannot be combined with --csv"));
    }
    let grouping = Grouping {
        owner: by.contains(&Dimension::Owner),
        campaign: by.contains(&Dimension::Campaign),
        link: by.contains(&Dimension::Link),
    };
    let store = open(settings).await?;
    let rows = click_report::of_any_month(&store, owner.map(Into::into), month, grouping).await?;
    if output.json {
        return Ok(output.show("", &rows)?);
    }
    let names = [("owner", grouping.owner), ("campaign", grouping.campaign)];
    let names = names.into_iter().chain([("short_code", grouping.link), ("clicks", true)]);
    let names = names.filter(|(_, is_shown)| *is_shown).map(|(name, _)| name);
    if csv {
        let mut stdout = BufWriter::new(io::stdout().lock());
        csv::write(&mut stdout, names.map(Some))?;
        for row in rows {
            let fields = fields(row).into_iter().map(|field| field.map(without_formula));
            let fields: Vec<_> = fields.collect();
            csv::write(&mut stdout, fields.iter().map(Option::as_deref))?;
        }
        return Ok(stdout.flush()?);
    }
    let headline: Vec<String> =
        names.map(|name| name.replace("short_code", "code").to_uppercase()).collect();
    let lines = rows
        .into_iter()
        .map(|row| fields(row).iter().map(|field| or_dash(field.as_deref())).collect());
    Ok(output.lines(headline, lines.collect())?)
}

/// Returns the fields of the columns that the report has.
fn fields(
    MonthRow { owner, owner_id: _, campaign, short_code, clicks }: MonthRow,
) -> Vec<Option<String>> {
    let columns = [owner.map(Some), campaign, short_code, Some(Some(clicks.to_string()))];
    columns.into_iter().flatten().collect()
}

/// Returns a field that spreadsheets show as text: with an apostrophe before what they would take
/// for the beginning of a formula.
fn without_formula(field: String) -> String {
    if field.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{field}") } else { field }
}
