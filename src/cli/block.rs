//! `terse block`

use std::fmt::Display;
use std::fs::File;
use std::io;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::json;

use super::change::ChangeOptions;
use super::database::{Context, run_on};
use super::error::{CommandError, Result};
use super::output::{Column, Output, eprint_line, or_dash, pluralize, warn};
use super::when::When;
use crate::config::Settings;
use crate::domain::Error;
use crate::domain::blocks::{
    self, BLOCK_FILE_SOURCE, BlockAction, BlockDecision, BlockFile, BlockFilter, BlockRule,
    BlockSnapshot, Blocklist, DotlessHosts, ListedBlock, NewRule, PatternChange, PatternsChanged,
};
use crate::domain::changes::Changed;
use crate::domain::page::PageRequest;
use crate::http::objects::block as objects;
use crate::store::Store;
use crate::values::{ApiKey, BlockPattern, Name, ShortCode, Timestamp, parse_url_or_host};

/// Maximum number of invalid lines that the command shows one by one.
const MAX_SHOWN: usize = 20;

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

pub(super) async fn run(command: Command, settings: &Settings, output: Output) -> Result {
    // Checked before the database is opened, because invalid usage does not need it.
    if let Command::Import { file, source, options } = &command {
        check_import(file, source, options)?;
    }
    run_on(run_with, command, settings, output).await
}

async fn run_with(command: Command, context: Context<'_>) -> Result {
    let Context { settings, store, output } = context;
    let now = store.now();
    match command {
        Command::Add { patterns, until, options } => {
            let patterns = parse(&patterns)?;
            let until = until.map(|when| when.at(now));
            if until.is_some_and(|until| until <= now) {
                return Err(CommandError::usage("--until must be in the future"));
            }
            put(&patterns, BlockAction::Block, until, &options, context).await
        }
        Command::Allow { patterns, options } => {
            put(&parse(&patterns)?, BlockAction::Allow, None, &options, context).await
        }
        Command::Remove { source: Some(source), options, patterns: _ } => {
            remove_source(&source, &options, context).await
        }
        Command::Remove { patterns, options, source: None } => {
            remove(&parse(&patterns)?, &options, context).await
        }
        Command::List => list(&load(store, settings).await?.snapshot(), now, context).await,
        Command::Check { url } => {
            check(&url, &load(store, settings).await?.snapshot(), now, output)
        }
        Command::Import { file, source, options } => {
            import_source(&file, &source, &options, context).await
        }
    }
}

/// Parses patterns. An error does not repeat a text that may be an API key.
fn parse(texts: &[String]) -> Result<Vec<BlockPattern>> {
    let parse = |text: &String| {
        BlockPattern::parse(text).map_err(|reason| {
            let name = if ApiKey::is_in(text) { String::new() } else { format!(" '{text}'") };
            CommandError::Usage(format!("the pattern{name} {reason}"))
        })
    };
    texts.iter().map(parse).collect()
}

/// Blocks destinations that match the patterns, or exempts them from blocks.
async fn put(
    patterns: &[BlockPattern],
    action: BlockAction,
    until: Option<Timestamp>,
    options: &ChangeOptions,
    context: Context<'_>,
) -> Result {
    let Context { store, output, .. } = context;
    let change = options.at(store.now())?;
    let rule = NewRule { action, reason: change.reason, until };
    let changed = blocks::put(store, patterns, rule, &change).await?;
    let summary = |count: &str| format!("{} {count}{}", verb_of(action), until_text(until));
    report(options, output, &changed, summary)
}

/// Removes patterns that the operator has added. For a pattern that the operator has not added, it
/// warns of the lists that contain the pattern.
async fn remove(
    patterns: &[BlockPattern],
    options: &ChangeOptions,
    context: Context<'_>,
) -> Result {
    let Context { settings, store, output } = context;
    let removed = blocks::remove(store, patterns, &options.at(store.now())?).await;
    let unknown: Vec<&str> = match &removed {
        Ok(changed) => changed.value.unchanged.iter().map(|one| one.pattern.as_str()).collect(),
        Err(Error::PatternsNotFound(names)) => names.iter().map(String::as_str).collect(),
        Err(_) => Vec::new(),
    };
    if !unknown.is_empty() {
        warn_of_lists(store, settings, &unknown).await?;
    }
    report(options, output, &removed?, |count| format!("removed {count}"))
}

/// Warns of each pattern that an imported list or the block file contains.
async fn warn_of_lists(store: &Store, settings: &Settings, patterns: &[&str]) -> Result {
    let snapshot = load(store, settings).await?.snapshot();
    for pattern in patterns {
        for list in snapshot.lists().filter(|list| list.find(pattern).is_some()) {
            let Some(source) = list.source.as_deref() else { continue };
            let origin = if source == BLOCK_FILE_SOURCE {
                "the block file".to_owned()
            } else {
                format!("the source '{source}'")
            };
            warn(&format!(
                "{pattern} comes from {origin}; `terse block allow {pattern}` makes an exception"
            ));
        }
    }
    Ok(())
}

/// Confirms a change of patterns. `summary` receives a text such as `3 patterns`, and returns what
/// happened to them.
fn report(
    options: &ChangeOptions,
    output: Output,
    result: &Changed<PatternsChanged>,
    summary: impl FnOnce(&str) -> String,
) -> Result {
    let PatternsChanged { changed, unchanged } = &result.value;
    let text = match (changed.as_slice(), unchanged.as_slice()) {
        ([only], []) | ([], [only]) => describe(only),
        _ => {
            let replaced = changed.iter().filter(|one| one.before.is_some() && one.after.is_some());
            replaced.chain(unchanged).for_each(|one| eprint_line(&describe(one)));
            let count = changed.len() as u64;
            summary(&pluralize(count, "pattern"))
        }
    };
    let names: Vec<&str> = changed.iter().map(|one| one.pattern.as_str()).collect();
    options.report(output, &text, result, json!({ "patterns": names }))
}

/// Describes what a change did to one pattern.
fn describe(change: &PatternChange) -> String {
    let PatternChange { pattern, before, after } = change;
    match (before, after) {
        (None, None) => format!("{pattern} is not among your own patterns"),
        (Some(_), None) => format!("removed {pattern}"),
        (None, Some(after)) => {
            format!("{} {pattern}{}", verb_of(after.action), until_text(after.until))
        }
        (Some(before), Some(after)) if before == after => match after.action {
            BlockAction::Block => {
                format!("{pattern} is blocked already {}", reason_and_end(*after))
            }
            BlockAction::Allow => format!("{pattern} is an exception already"),
        },
        (Some(before), Some(after)) => {
            let was = match (before.action, after.action) {
                (BlockAction::Allow, BlockAction::Allow) => String::new(),
                (BlockAction::Allow, BlockAction::Block) => ", which was an exception".to_owned(),
                (BlockAction::Block, _) => {
                    format!(", which was blocked {}", reason_and_end(*before))
                }
            };
            let now = match (before.action, after.action) {
                (BlockAction::Block, BlockAction::Block) => format!(" {}", reason_and_end(*after)),
                _ => until_text(after.until),
            };
            format!("{} {pattern}{now}{was}", verb_of(after.action))
        }
    }
}

const fn verb_of(action: BlockAction) -> &'static str {
    match action {
        BlockAction::Block => "blocked",
        BlockAction::Allow => "allowed",
    }
}

fn until_text(until: Option<impl Display>) -> String {
    until.map_or_else(String::new, |until| format!(" until {until}"))
}

/// Returns the reason and the end of a block as text in parentheses.
fn reason_and_end(rule: BlockRule) -> String {
    let end = rule.until.map_or_else(|| "no end".to_owned(), |until| format!("until {until}"));
    format!("({}, {end})", rule.reason)
}

/// Loads the patterns from the database, and from the block file if there is one.
pub(super) async fn load(store: &Store, settings: &Settings) -> Result<Blocklist> {
    let blocklist = Blocklist::default();
    for source in blocks::load_into(store, &blocklist).await? {
        warn(&format!(
            "the list of the source '{source}' is left out, because parts of it are missing in the \
             database; import it again"
        ));
    }
    if let Some(path) = &settings.block_file {
        BlockFile::open(path, &blocklist).map_err(CommandError::other)?;
    }
    Ok(blocklist)
}

/// Lists the patterns that are in force at `now`, without expired ones.
async fn list(snapshot: &BlockSnapshot, now: Timestamp, context: Context<'_>) -> Result {
    let Context { store, output, .. } = context;
    let all = PageRequest::first(u32::MAX);
    let listed = blocks::page(store, snapshot, &BlockFilter::default(), all, now).await?;
    let mut listed = listed.map_or_else(Vec::new, |page| page.items);
    listed.sort_by(|a, b| (&a.source, &a.pattern).cmp(&(&b.source, &b.pattern)));
    let columns: [Column<ListedBlock>; 5] = [
        ("pattern", |row| row.pattern.clone()),
        ("action", |row| row.rule.action.into_str().to_owned()),
        ("source", |row| or_dash(row.source.as_deref())),
        ("reason", |row| row.rule.reason.to_string()),
        ("until", |row| or_dash(row.rule.until)),
    ];
    Ok(output.table::<objects::Block, _>(&columns, listed)?)
}

/// Shows whether a URL is blocked, and by which pattern.
fn check(text: &str, snapshot: &BlockSnapshot, now: Timestamp, output: Output) -> Result {
    if ApiKey::parse(text).is_ok() {
        return Err(CommandError::usage("the URL must not be an API key"));
    }
    let url = parse_url_or_host(text).map_err(|reason| {
        let hint = match ShortCode::parse(text) {
            Ok(code) if code.is_narrow() => format!("; `terse link show {code}` shows a link"),
            Ok(_) | Err(_) => String::new(),
        };
        CommandError::Usage(format!("the URL '{text}' {reason}{hint}"))
    })?;
    let decision = snapshot.decide(&url, now);
    let is_blocked = decision.as_ref().is_some_and(|one| one.rule.action == BlockAction::Block);
    let state = if is_blocked { "blocked" } else { "not blocked" };
    let cause = decision.as_ref().map_or_else(
        || "no pattern matches".to_owned(),
        |BlockDecision { pattern, source, rule: BlockRule { action, reason, until } }| {
            let action = action.into_str();
            let source =
                source.as_ref().map_or_else(String::new, |source| format!(" of '{source}'"));
            format!("the pattern {pattern}{source} says {action} ({reason}){}", until_text(*until))
        },
    );
    let mut value = json!(objects::BlockCheck::from(decision.clone()));
    value["url"] = ApiKey::redact(text).into();
    Ok(output.show(&ApiKey::redact(&format!("{state}: {cause}")), &value)?)
}

/// Rejects a source with a reserved name, and an import from stdin without `--yes` or `--dry-run`.
/// It runs before the command opens the file or the database.
fn check_import(file: &Path, source: &Name, options: &ChangeOptions) -> Result {
    if source.as_str() == BLOCK_FILE_SOURCE {
        return Err(CommandError::Usage(format!(
            "the source '{BLOCK_FILE_SOURCE}' stands for the file of --block-file; give another name"
        )));
    }
    if is_stdin(file) && !options.is_confirmed() {
        return Err(CommandError::Usage(
            "the patterns come from stdin, so it cannot confirm the import: add --yes, or \
             --dry-run to see what would change"
                .to_owned(),
        ));
    }
    Ok(())
}

fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Replaces all patterns of a source by the patterns of a file.
async fn import_source(
    file: &Path,
    source: &Name,
    options: &ChangeOptions,
    context: Context<'_>,
) -> Result {
    let Context { store, output, .. } = context;
    let (name, source) = (file.display(), source.as_str());
    let question = match blocks::count_source(store, source).await? {
        Some(before) => {
            let before = pluralize(before, "pattern");
            format!("Replace {before} of the source '{source}' by those of {name}?")
        }
        None => format!("Add the patterns of {name} as the source '{source}'?"),
    };
    options.confirm_bulk(&question)?;
    let cannot_read = |error| CommandError::Other(format!("{name} cannot be read: {error}"));
    let input: Box<dyn BufRead> = if is_stdin(file) {
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::new(File::open(file).map_err(cannot_read)?))
    };
    let mut faults = Vec::new();
    let patterns = blocks::read_patterns(input, DotlessHosts::Rejected, |line, reason| {
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
    if patterns.invalid > patterns.valid {
        return Err(CommandError::Other(format!(
            "{name} has {} and only {}, so it is hardly a list of patterns; nothing was changed",
            pluralize(patterns.invalid, "invalid line"),
            pluralize(patterns.valid, "valid pattern"),
        )));
    }
    // The time is read after the file, because the age of the import counts from this time.
    let change = options.at(store.now())?;
    let imported = blocks::import(store, source, &patterns, &change).await?;
    let before = imported.value.map_or_else(String::new, |before| format!(" (before: {before})"));
    let invalid = match patterns.invalid {
        0 => String::new(),
        invalid => format!(", {} skipped", pluralize(invalid, "invalid line")),
    };
    let count = pluralize(patterns.count, "pattern");
    let is_dry_run = imported.event.is_none() && imported.changed > 0;
    let text = if is_dry_run {
        format!("given the source '{source}' {count}{before}{invalid}")
    } else {
        format!("the source '{source}' has {count}{before}{invalid}")
    };
    let members =
        json!({ "source": source, "patterns": patterns.count, "invalid": patterns.invalid });
    options.report(output, &text, &imported, members)
}

/// Removes a source with all its patterns.
async fn remove_source(source: &str, options: &ChangeOptions, context: Context<'_>) -> Result {
    let Context { store, output, .. } = context;
    let Some(before) = blocks::count_source(store, source).await? else {
        return Err(Error::BlockSourceNotFound(source.to_owned()).into());
    };
    let patterns = pluralize(before, "pattern");
    options.confirm_bulk(&format!("Remove the source '{source}' with {patterns}?"))?;
    let removed = blocks::remove_source(store, source, &options.at(store.now())?).await?;
    let count = pluralize(removed.changed, "pattern");
    let text = format!("removed the source '{source}' with {count}");
    options.report(output, &text, &removed, json!({ "source": source }))
}
