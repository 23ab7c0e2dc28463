//! `terse block`

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use super::change::ChangeOptions;
use super::database;
use super::error::CommandError;
use super::output::{Output, eprint_line, or_dash, pluralize, warn};
use super::when::When;
use crate::config::Settings;
use crate::domain::blocks::{
    self, BlockAction, BlockDecision, BlockFile, BlockRule, BlockSnapshot, Blocklist,
    PatternsChanged,
};
use crate::store::Store;
use crate::values::{ApiKey, BlockPattern, Destination, Name, Timestamp};

/// Invalid lines that are shown one by one.
const MAX_SHOWN: usize = 20;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Block destinations: links to them return 410, and clients cannot create new ones
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
    /// Remove patterns that `block add` or `block allow` added
    #[command(after_help = "Example: terse block remove evil.example")]
    Remove {
        /// The patterns to remove
        #[arg(required = true, value_name = "PATTERN")]
        patterns: Vec<String>,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// List all patterns
    #[command(after_help = "Example: terse block list")]
    List,
    /// Show whether a URL is blocked, and by which pattern
    #[command(after_help = "Example: terse block check https://evil.example/login")]
    Check {
        /// The URL to check
        url: String,
    },
    /// Replace all patterns of a source with those of a file: one pattern per line, or a hosts file
    #[command(after_help = "Example: terse block import list.txt --source urlhaus --yes")]
    Import {
        /// The file; - is stdin
        file: PathBuf,
        /// The name of the source
        #[arg(long, value_name = "NAME")]
        source: Name,
        #[command(flatten)]
        options: ChangeOptions,
    },
}

/// A pattern in a list.
#[derive(Serialize)]
struct Row<'a> {
    pattern: &'a str,
    action: &'static str,
    source: Option<&'a str>,
    reason: &'static str,
    until: Option<String>,
}

impl<'a> Row<'a> {
    fn new(pattern: &'a str, source: Option<&'a str>, rule: BlockRule) -> Self {
        let BlockRule { action, reason, until } = rule;
        let until = until.map(|until| until.to_string());
        Self { pattern, action: action.as_str(), source, reason: reason.as_str(), until }
    }
}

pub(super) async fn run(
    command: Command,
    settings: &Settings,
    output: Output,
) -> Result<(), CommandError> {
    let store = database::open(settings).await?;
    let now = store.now();
    match command {
        Command::Add { patterns, until, options } => {
            let patterns = parse(&patterns)?;
            let until = until.map(|when| when.at(now));
            if until.is_some_and(|until| until <= now) {
                return Err(CommandError::Usage("--until must be in the future".to_owned()));
            }
            let changed = blocks::block(&store, &patterns, until, &options.context(now)).await?;
            report(&options, output, "blocked", changed)
        }
        Command::Allow { patterns, options } => {
            let patterns = parse(&patterns)?;
            let changed = blocks::allow(&store, &patterns, &options.context(now)).await?;
            report(&options, output, "allowed", changed)
        }
        Command::Remove { patterns, options } => {
            let patterns = parse(&patterns)?;
            let changed = blocks::remove(&store, &patterns, &options.context(now)).await?;
            for pattern in &changed.unchanged {
                warn(&format!("'{pattern}' is not among your own patterns"));
            }
            report(&options, output, "removed", changed)
        }
        Command::List => list(&load(&store, settings).await?.snapshot(), output),
        Command::Check { url } => {
            check(&url, &load(&store, settings).await?.snapshot(), now, output)
        }
        Command::Import { file, source, options } => {
            import(&store, &file, &source, &options, output).await
        }
    }
}

/// Loads the patterns of the database, and those of the block file if there is one.
pub(super) async fn load(store: &Store, settings: &Settings) -> Result<Blocklist, CommandError> {
    let blocklist = blocks::load(store).await?;
    if let Some(path) = &settings.block_file {
        BlockFile::open(path, &blocklist)
            .map_err(|error| CommandError::Other(error.to_string()))?;
    }
    Ok(blocklist)
}

/// Parses patterns. The error does not repeat a text that may be a key.
fn parse(texts: &[String]) -> Result<Vec<BlockPattern>, CommandError> {
    let parse = |text: &String| {
        BlockPattern::parse(text).map_err(|reason| {
            let name = if is_key(text) { String::new() } else { format!(" '{text}'") };
            CommandError::Usage(format!("the pattern{name} {reason}"))
        })
    };
    texts.iter().map(parse).collect()
}

fn is_key(text: &str) -> bool {
    ApiKey::parse(text).is_ok()
}

fn report(
    options: &ChangeOptions,
    output: Output,
    verb: &str,
    changed: PatternsChanged,
) -> Result<(), CommandError> {
    let PatternsChanged { result, changed, unchanged } = changed;
    let count = i128::try_from(changed.len()).unwrap_or(0);
    let text = match changed.as_slice() {
        [only] => format!("{verb} {only}"),
        [] if unchanged.len() == 1 => format!("{} was not {verb}", unchanged.join(", ")),
        _ => format!("{verb} {}", pluralize(count, "pattern")),
    };
    options.report(output, &text, result, json!({ "patterns": changed }))
}

fn list(snapshot: &BlockSnapshot, output: Output) -> Result<(), CommandError> {
    let rows: Vec<Row<'_>> = snapshot
        .lists()
        .flat_map(|list| {
            let source = list.source.as_deref();
            list.patterns().map(move |(pattern, rule)| Row::new(pattern, source, rule))
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

fn check(
    text: &str,
    snapshot: &BlockSnapshot,
    now: Timestamp,
    output: Output,
) -> Result<(), CommandError> {
    if is_key(text) {
        return Err(CommandError::Usage("the URL must not be an API key".to_owned()));
    }
    let url = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    Destination::parse(&url).map_err(|reason| CommandError::Usage(format!("the URL {reason}")))?;
    let decision = snapshot.decide(&url, now);
    let is_blocked = decision.as_ref().is_some_and(|one| one.rule.action == BlockAction::Block);
    let row = decision
        .as_ref()
        .map(|BlockDecision { pattern, source, rule }| Row::new(pattern, source.as_deref(), *rule));
    let state = if is_blocked { "blocked" } else { "not blocked" };
    let cause = row.as_ref().map_or_else(
        || "no pattern matches".to_owned(),
        |Row { pattern, action, source, reason, until }| {
            let source = source.map_or_else(String::new, |source| format!(" of '{source}'"));
            let until = until.as_ref().map_or_else(String::new, |until| format!(" until {until}"));
            format!("the pattern {pattern}{source} says {action} ({reason}){until}")
        },
    );
    let value = json!({
        "url": text,
        "blocked": is_blocked,
        "pattern": row.as_ref().map(|row| row.pattern),
        "source": row.as_ref().and_then(|row| row.source),
        "action": row.as_ref().map(|row| row.action),
        "reason": row.as_ref().map(|row| row.reason),
        "until": row.as_ref().and_then(|row| row.until.as_ref()),
    });
    Ok(output.show(&format!("{state}: {cause}"), &value)?)
}

async fn import(
    store: &Store,
    file: &Path,
    source: &Name,
    options: &ChangeOptions,
    output: Output,
) -> Result<(), CommandError> {
    let (name, source) = (file.display(), source.as_str());
    options.confirm_bulk(&format!("Replace all patterns of the source '{source}'?"))?;
    let cannot_read = |error| CommandError::Other(format!("{name} cannot be read: {error}"));
    let input: Box<dyn BufRead> = if file.as_os_str() == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::new(File::open(file).map_err(cannot_read)?))
    };
    let mut faults = Vec::new();
    let patterns = blocks::read_patterns(input, |line, reason| {
        if faults.len() < MAX_SHOWN {
            faults.push(format!("line {line}: {reason}"));
        }
    })
    .map_err(cannot_read)?;
    if patterns.count == 0 {
        let first = faults.first().map_or_else(String::new, |fault| format!(" ({fault})"));
        let text = format!("{name} has no valid pattern{first}; nothing was changed");
        return Err(CommandError::Other(text));
    }
    faults.iter().for_each(|fault| eprint_line(fault));
    if let Some(more) = patterns.invalid.checked_sub(MAX_SHOWN as u64).filter(|more| *more > 0) {
        eprint_line(&format!("and {more} more"));
    }
    // After the start of the import, so that its age is counted from here.
    let context = options.context(store.now());
    let result = blocks::import(store, source, &patterns, &context).await?;
    let invalid = match patterns.invalid {
        0 => String::new(),
        invalid => format!(", {} skipped", pluralize(invalid, "invalid line")),
    };
    let count = pluralize(patterns.count, "pattern");
    let text = format!("the source '{source}' has {count}{invalid}");
    let members =
        json!({ "source": source, "patterns": patterns.count, "invalid": patterns.invalid });
    options.report(output, &text, result, members)
}
