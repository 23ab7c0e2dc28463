//! `terse block add`, `allow` and `remove`

use serde_json::json;

use super::super::change::ChangeOptions;
use super::super::error::CommandError;
use super::super::output::{Output, eprint_line, pluralize, warn};
use super::load::load;
use crate::config::Settings;
use crate::domain::Error;
use crate::domain::blocks::{
    self, BLOCK_FILE_SOURCE, BlockAction, BlockRule, PatternChange, PatternsChanged,
};
use crate::domain::changes::Changed;
use crate::store::Store;
use crate::values::{BlockPattern, Timestamp};

/// Blocks destinations that match the patterns, or exempts them from blocks.
pub(super) async fn put(
    store: &Store,
    patterns: &[BlockPattern],
    action: BlockAction,
    until: Option<Timestamp>,
    options: &ChangeOptions,
    output: Output,
) -> Result<(), CommandError> {
    let changed = blocks::put(store, patterns, action, until, &options.at(store.now())?).await?;
    let verb = match action {
        BlockAction::Block => "blocked",
        BlockAction::Allow => "allowed",
    };
    let end = until.map_or_else(String::new, |until| format!(" until {until}"));
    report(options, output, &changed, |count| format!("{verb} {count}{end}"))
}

/// Removes patterns that the operator has added. For a pattern that the operator has not added, it
/// warns of the lists that contain the pattern.
pub(super) async fn remove(
    store: &Store,
    settings: &Settings,
    patterns: &[BlockPattern],
    options: &ChangeOptions,
    output: Output,
) -> Result<(), CommandError> {
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
async fn warn_of_lists(
    store: &Store,
    settings: &Settings,
    patterns: &[&str],
) -> Result<(), CommandError> {
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
) -> Result<(), CommandError> {
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
        (None, Some(after)) => format!("{} {pattern}{}", verb(*after), end(*after)),
        (Some(before), Some(after)) if before == after => match after.action {
            BlockAction::Block => format!("{pattern} is blocked already {}", rule(*after)),
            BlockAction::Allow => format!("{pattern} is an exception already"),
        },
        (Some(before), Some(after)) => {
            let was = match (before.action, after.action) {
                (BlockAction::Allow, BlockAction::Allow) => String::new(),
                (BlockAction::Allow, BlockAction::Block) => ", which was an exception".to_owned(),
                (BlockAction::Block, _) => format!(", which was blocked {}", rule(*before)),
            };
            let now = match (before.action, after.action) {
                (BlockAction::Block, BlockAction::Block) => format!(" {}", rule(*after)),
                _ => end(*after),
            };
            format!("{} {pattern}{now}{was}", verb(*after))
        }
    }
}

const fn verb(rule: BlockRule) -> &'static str {
    match rule.action {
        BlockAction::Block => "blocked",
        BlockAction::Allow => "allowed",
    }
}

fn end(rule: BlockRule) -> String {
    rule.until.map_or_else(String::new, |until| format!(" until {until}"))
}

/// Returns the reason and the end of a block as text in parentheses.
fn rule(rule: BlockRule) -> String {
    let end = rule.until.map_or_else(|| "no end".to_owned(), |until| format!("until {until}"));
    format!("({}, {end})", rule.reason)
}
