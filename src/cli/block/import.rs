//! `terse block import` and `terse block remove --source`

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde_json::json;

use super::super::change::ChangeOptions;
use super::super::error::CommandError;
use super::super::output::{Output, eprint_line, pluralize};
use crate::domain::Error;
use crate::domain::blocks::{self, BLOCK_FILE_SOURCE, DotlessHosts};
use crate::store::Store;
use crate::values::Name;

/// Maximum number of invalid lines that the command shows one by one.
const MAX_SHOWN: usize = 20;

/// Rejects a source with a reserved name, and an import from stdin without `--yes` or `--dry-run`.
/// It runs before the command opens the file or the database.
pub(super) fn check_arguments(
    file: &Path,
    source: &Name,
    options: &ChangeOptions,
) -> Result<(), CommandError> {
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
pub(super) async fn import(
    store: &Store,
    file: &Path,
    source: &Name,
    options: &ChangeOptions,
    output: Output,
) -> Result<(), CommandError> {
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
pub(super) async fn remove(
    store: &Store,
    source: &str,
    options: &ChangeOptions,
    output: Output,
) -> Result<(), CommandError> {
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
