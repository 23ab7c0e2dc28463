//! Documents that Terse generates, and that the repository contains as files.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;

use super::error::CommandError;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Compare the document with FILE instead of printing it; exit with 1 if they differ
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

/// Prints a document that `command` generates, or compares the document with a file.
pub(super) fn print_or_check(
    command: &str,
    document: &str,
    arguments: Arguments,
) -> Result<(), CommandError> {
    let Some(file) = arguments.check else {
        let mut stdout = io::stdout().lock();
        stdout.write_all(document.as_bytes())?;
        return Ok(stdout.flush()?);
    };
    let name = file.display();
    let published = std::fs::read_to_string(&file)
        .map_err(|error| CommandError::Other(format!("cannot read {name}: {error}")))?;
    match first_difference(&published, document) {
        None => Ok(()),
        Some(line) => Err(CommandError::Other(format!(
            "{name} differs from the document at line {line}; `{command} > {name}` regenerates it"
        ))),
    }
}

/// Returns the number of the first line in which two texts differ, counted from 1, or `None` if
/// they are equal.
fn first_difference(a: &str, b: &str) -> Option<usize> {
    if a == b {
        return None;
    }
    let same = a.split('\n').zip(b.split('\n')).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}
