//! `terse openapi`

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;

use super::Failure;
use crate::config::DEFAULT_BASE_URL;
use crate::http::api::document;
use crate::values::BaseUrl;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Compare with FILE instead of printing; exit status 1 if it differs
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

pub(super) fn run(arguments: Arguments) -> Result<(), Failure> {
    let base_url =
        BaseUrl::parse(DEFAULT_BASE_URL).map_err(|error| Failure::Other(error.to_string()))?;
    let document = document::render(&base_url);
    let Some(file) = arguments.check else {
        let mut stdout = io::stdout().lock();
        stdout.write_all(document.as_bytes())?;
        return Ok(stdout.flush()?);
    };
    let shown = file.display();
    let published = std::fs::read_to_string(&file)
        .map_err(|error| Failure::Other(format!("cannot read {shown}: {error}")))?;
    match first_difference(&published, &document) {
        None => Ok(()),
        Some(line) => Err(Failure::Other(format!(
            "{shown} differs from the document at line {line}; `terse openapi > {shown}` regenerates it"
        ))),
    }
}

/// The first line, counted from 1, in which two texts differ.
fn first_difference(a: &str, b: &str) -> Option<usize> {
    if a == b {
        return None;
    }
    let same = a.split('\n').zip(b.split('\n')).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}
