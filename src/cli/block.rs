//! `terse block`

mod change;
mod check;
mod import;
mod load;
mod row;

use std::path::PathBuf;

use clap::Subcommand;

pub(super) use self::load::load;
use self::row::Row;
use super::change::ChangeOptions;
use super::database;
use super::error::CommandError;
use super::output::{Output, or_dash};
use super::when::When;
use crate::config::Settings;
use crate::domain::blocks::{BlockAction, BlockSnapshot};
use crate::store::Store;
use crate::values::{ApiKey, BlockPattern, Name, Timestamp};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Block destinations: links to them return 410, or 451 if the reason is legal, and clients cannot create new ones
    #[command(after_help = "Example: terse block add evil.example --reason phishing")]
    Add {
        /// A host, which includes its subdomains, or a URL, which includes all paths below it
        #[arg(required = true, value_name = "PATTERN")]
        patterns: Vec<String>,
        /// When the block ends: a duration such as 90d, a UTC date, or an RFC 3339 time [default: never]
        #[arg(long, value_name = "WHEN", value_parser = When::parse)]
        until: Option<When>,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// Make exceptions to blocked destinations
    #[command(after_help = "Example: terse block allow good.evil.example")]
    Allow {
        /// A host, which includes its subdomains, or a URL, which includes all paths below it
        #[arg(required = true, value_name = "PATTERN")]
        patterns: Vec<String>,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// Remove patterns that `block add` or `block allow` added, or an imported source
    #[command(after_help = "Example: terse block remove evil.example")]
    Remove {
        /// The patterns to remove; if there are several, all of them must exist
        #[arg(
            required_unless_present = "source",
            conflicts_with = "source",
            value_name = "PATTERN"
        )]
        patterns: Vec<String>,
        /// Remove this imported source with all its patterns
        #[arg(long, value_name = "NAME")]
        source: Option<String>,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// List all patterns that are in force
    #[command(after_help = "Example: terse block list")]
    List,
    /// Show whether a URL or host is blocked, and by which pattern
    #[command(after_help = "Example: terse block check https://evil.example/login")]
    Check {
        /// The URL or host to check
        url: String,
    },
    /// Replace all patterns of a source with those of a file: one pattern per line, or a hosts file
    #[command(after_help = "Example: terse block import list.txt --source urlhaus --yes")]
    Import {
        /// The file; - is stdin, which requires --yes
        file: PathBuf,
        /// The name of the source
        #[arg(long, value_name = "NAME")]
        source: Name,
        #[command(flatten)]
        options: ChangeOptions,
    },
}

pub(super) async fn run(
    command: Command,
    settings: &Settings,
    output: Output,
) -> Result<(), CommandError> {
    // Checked before the database is opened, because invalid usage does not need it.
    if let Command::Import { file, source, options } = &command {
        import::check_arguments(file, source, options)?;
    }
    database::run_on(settings, async |store| run_with(command, settings, store, output).await).await
}

async fn run_with(
    command: Command,
    settings: &Settings,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let now = store.now();
    match command {
        Command::Add { patterns, until, options } => {
            let patterns = parse(&patterns)?;
            let until = until.map(|when| when.at(now));
            if until.is_some_and(|until| until <= now) {
                return Err(CommandError::Usage("--until must be in the future".to_owned()));
            }
            change::put(store, &patterns, BlockAction::Block, until, &options, output).await
        }
        Command::Allow { patterns, options } => {
            let patterns = parse(&patterns)?;
            change::put(store, &patterns, BlockAction::Allow, None, &options, output).await
        }
        Command::Remove { source: Some(source), options, patterns: _ } => {
            import::remove(store, &source, &options, output).await
        }
        Command::Remove { patterns, options, source: None } => {
            change::remove(store, settings, &parse(&patterns)?, &options, output).await
        }
        Command::List => list(&load(store, settings).await?.snapshot(), now, output),
        Command::Check { url } => {
            check::check(&url, &load(store, settings).await?.snapshot(), now, output)
        }
        Command::Import { file, source, options } => {
            import::import(store, &file, &source, &options, output).await
        }
    }
}

/// Parses patterns. An error does not repeat a text that may be an API key.
fn parse(texts: &[String]) -> Result<Vec<BlockPattern>, CommandError> {
    let parse = |text: &String| {
        BlockPattern::parse(text).map_err(|reason| {
            let name = if ApiKey::is_in(text) { String::new() } else { format!(" '{text}'") };
            CommandError::Usage(format!("the pattern{name} {reason}"))
        })
    };
    texts.iter().map(parse).collect()
}

/// Lists the patterns that are in force at `now`, without expired ones.
fn list(snapshot: &BlockSnapshot, now: Timestamp, output: Output) -> Result<(), CommandError> {
    let rows: Vec<Row<'_>> = snapshot
        .lists()
        .flat_map(|list| {
            let source = list.source.as_deref();
            let in_force = list.patterns().filter(|(_, rule)| rule.is_in_force(now));
            in_force.map(move |(pattern, rule)| Row::new(pattern, source, rule))
        })
        .collect();
    let headline = ["PATTERN", "ACTION", "SOURCE", "REASON", "UNTIL"];
    Ok(output.table(headline, &rows, |row| {
        [
            row.pattern.to_owned(),
            row.action.to_owned(),
            or_dash(row.source),
            row.reason.to_owned(),
            or_dash(row.until.as_deref()),
        ]
    })?)
}
