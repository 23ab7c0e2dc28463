//! `terse link`

mod find;
mod properties;

use std::io::{self, IsTerminal as _};

use clap::{Args, Subcommand};
use rustix::termios::tcgetwinsize;
use serde_json::json;

use self::find::Selectors;
use self::properties::EditArguments;
pub(super) use self::properties::{
    NewValue, addresses, parse_destination, parse_fallback, parse_new_value, rules,
};
use super::change::ChangeOptions;
use super::database::{Context, purge_log};
use super::error::Result;
use super::output::{Column, LIST_FORMAT_HELP, ListFormat, pluralize};
use super::signals;
use crate::domain::click_report::{self, ClickDay};
use crate::domain::links::{self, BulkChange, MissingCodes};

/// Width of a terminal that does not report its own.
const DEFAULT_WIDTH: usize = 80;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Find links of any owner
    #[command(after_help = "Example: terse link find --host evil.example")]
    Find {
        #[command(flatten)]
        selectors: Selectors,
        /// Maximum number of links
        #[arg(long, value_name = "N", help_heading = None::<&'static str>)]
        limit: Option<u64>,
        #[arg(long, value_enum, default_value_t, help = LIST_FORMAT_HELP, help_heading = None::<&'static str>)]
        format: ListFormat,
    },
    /// Show a link of any owner
    #[command(after_help = "Example: terse link show spring")]
    Show {
        /// The short code; put -- before one that begins with -
        code: String,
    },
    /// Show the clicks of a link by day
    #[command(after_help = "Example: terse link clicks spring --days 90")]
    Clicks {
        /// The short code; put -- before one that begins with -
        code: String,
        /// Number of days, today included
        #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        days: u32,
    },
    /// Make links return 410 instead of redirecting, or 451 if the reason is legal
    #[command(
        after_help = "Example: terse link disable --host evil.example --reason phishing --yes"
    )]
    Disable(ChangeArguments),
    /// Make disabled links redirect again
    #[command(after_help = "Example: terse link enable spring")]
    Enable(ChangeArguments),
    /// Pause links, which return 410 until the pause ends; owners can pause links, too
    #[command(after_help = "Example: terse link pause spring")]
    Pause(ChangeArguments),
    /// Make paused links redirect again, unless they are also disabled
    #[command(after_help = "Example: terse link unpause --campaign spring --yes")]
    Unpause(ChangeArguments),
    #[command(
        after_help = "Example: terse link edit spring --destination https://example.org/sale"
    )]
    Edit(Box<EditArguments>),
    /// Delete links for good; their codes return 410 and are never used again
    #[command(after_help = "Example: terse link delete spring --reason owner-request")]
    Delete(ChangeArguments),
}

#[derive(Debug, Args)]
pub(super) struct ChangeArguments {
    #[command(flatten)]
    selectors: Selectors,
    #[command(flatten)]
    options: ChangeOptions,
}

pub(super) async fn run(command: Command, context: Context<'_>) -> Result {
    match command {
        Command::Find { selectors, limit, format } => {
            let output = context.output.of_list(format);
            find::find(selectors, limit, Context { output, ..context }).await
        }
        Command::Show { code } => properties::show(&code, context).await,
        Command::Clicks { code, days } => show_clicks(&code, days, context).await,
        Command::Disable(arguments) => change_all(arguments, BulkChange::Disable, context).await,
        Command::Enable(arguments) => change_all(arguments, BulkChange::Enable, context).await,
        Command::Pause(arguments) => change_all(arguments, BulkChange::Pause, context).await,
        Command::Unpause(arguments) => change_all(arguments, BulkChange::Unpause, context).await,
        Command::Delete(arguments) => change_all(arguments, BulkChange::Delete, context).await,
        Command::Edit(arguments) => properties::edit(*arguments, context).await,
    }
}

async fn change_all(arguments: ChangeArguments, bulk: BulkChange, context: Context<'_>) -> Result {
    let Context { settings, store, output } = context;
    let ChangeArguments { selectors, options } = arguments;
    let is_bulk = selectors.is_bulk();
    let must_ask = is_bulk && options.must_ask()?;
    let selector = selectors.read(store.now())?;
    let rules = rules(settings, store).await?;
    let is_deletion = matches!(bulk, BulkChange::Delete);
    let (verb, done, flag) = match &bulk {
        BulkChange::Disable => ("Disable", "disabled", Some(("is_active", false))),
        BulkChange::Enable => ("Enable", "enabled", Some(("is_active", true))),
        BulkChange::Pause => ("Pause", "paused", Some(("is_paused", true))),
        BulkChange::Unpause => ("Unpause", "unpaused", Some(("is_paused", false))),
        BulkChange::Delete => ("Delete", "deleted", None),
        BulkChange::Update(_) => ("Edit", "edited", None),
    };
    if must_ask {
        let links =
            pluralize(links::count(store, &selector, rules.blocklist.snapshot()).await?, "link");
        let for_good = if is_deletion { " for good" } else { "" };
        options.confirm_bulk(&format!("{verb} {links}{for_good}?"))?;
    }
    let change = options.at(store.now())?;
    let stopped = signals::request_stop(&change.stop)?;
    let switched =
        links::change_all(store, &selector, &bulk, MissingCodes::Fail, &rules, &change).await;
    let switched = switched.map_err(|error| stopped.convert_error(error))?;
    let code = selector.single_code().filter(|_| !is_bulk);
    let text = match code {
        Some(code) if switched.changed > 0 => format!("{done} link '{code}'"),
        Some(code) => format!("link '{code}' is {done}"),
        None => format!("{done} {}", pluralize(switched.changed, "link")),
    };
    let mut members = json!({});
    if let Some(code) = code {
        members["short_code"] = code.into();
        flag.into_iter().for_each(|(name, value)| members[name] = value.into());
    }
    options.report(output, &text, &switched, members)?;
    if is_deletion && switched.event.is_some() {
        purge_log(store).await;
    }
    Ok(())
}

/// Prints the clicks of a link by day: a chart on a terminal, otherwise a table.
async fn show_clicks(code: &str, days: u32, Context { store, output, .. }: Context<'_>) -> Result {
    let days = click_report::of_link(store, code, days).await?;
    if !output.json && io::stdout().is_terminal() {
        return Ok(output.show(&chart(&days, terminal_width()), &days)?);
    }
    let columns: [Column<ClickDay>; 2] =
        [("day", |day| day.day.to_string()), ("clicks", |day| day.clicks.to_string())];
    Ok(output.table::<ClickDay, _>(&columns, days)?)
}

fn terminal_width() -> usize {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 => size.ws_col.into(),
        Ok(_) | Err(_) => DEFAULT_WIDTH,
    }
}

/// Draws a bar for each day. The longest one ends at the edge of the terminal, and every day with
/// clicks has at least a block.
fn chart(days: &[ClickDay], width: usize) -> String {
    let max = days.iter().map(|day| day.clicks).max().unwrap_or(0).max(1);
    let digits = max.to_string().len();
    let space = width.saturating_sub("2026-01-31".len() + 2 + digits + 2).max(1);
    let lines = days.iter().map(|ClickDay { day, clicks }| {
        let length = i128::from(*clicks) * space as i128 / i128::from(max);
        let length = usize::try_from(length).unwrap_or(0).max(usize::from(*clicks > 0));
        let line = format!("{day}  {clicks:>digits$}  {}", "█".repeat(length));
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Day;

    #[test]
    fn bars_fit_the_width() {
        let day = |number, clicks| ClickDay { day: Day::from_number(number), clicks };
        let drawn = chart(&[day(0, 0), day(1, 1), day(2, 50), day(3, 100)], 27);
        let lines = [
            "1970-01-01    0",
            "1970-01-02    1  █",
            "1970-01-03   50  █████",
            "1970-01-04  100  ██████████",
        ];
        assert_eq!(drawn, lines.join("\n"));
        assert_eq!(chart(&[day(0, i64::MAX)], 3), format!("1970-01-01  {}  █", i64::MAX));
    }
}
