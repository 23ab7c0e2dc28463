//! Selectors of links on the command line.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::Args;

use super::super::error::CommandError;
use crate::domain::Realm;
use crate::domain::links::LinkSelector;
use crate::values::parse_host;

/// Options that choose links. A link must match all of them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selectors (a link must match all of them)")]
pub(in crate::cli) struct Selectors {
    /// Short codes; put -- before one that begins with -, or use --codes-from
    #[arg(value_name = "CODE", help_heading = None::<&'static str>)]
    codes: Vec<String>,
    /// File with one short code per line; - is stdin
    #[arg(long, value_name = "FILE")]
    codes_from: Option<PathBuf>,
    /// Links of this owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Links of this campaign
    #[arg(long, value_name = "TEXT")]
    campaign: Option<String>,
    /// Links whose destination has this host, or a subdomain of it
    #[arg(long, value_name = "HOST", value_parser = parse_host)]
    host: Option<String>,
    /// Links with exactly this destination
    #[arg(long, value_name = "URL")]
    destination: Option<String>,
}

impl Selectors {
    /// Returns whether a change of the chosen links is a bulk change. It is, unless a single code
    /// chooses them.
    pub(super) fn is_bulk(&self) -> bool {
        let Self { codes, codes_from, owner, campaign, host, destination } = self;
        let others = [owner, campaign, host, destination];
        codes.len() != 1 || codes_from.is_some() || others.iter().any(|other| other.is_some())
    }

    /// Reads the file of codes, if there is one, and returns the selector.
    pub(super) fn read(self) -> Result<LinkSelector, CommandError> {
        let Self { codes, codes_from, owner, campaign, host, destination } = self;
        let mut code_lists = Vec::new();
        if !codes.is_empty() {
            code_lists.push(codes);
        }
        if let Some(path) = codes_from {
            code_lists.push(codes_of(&path)?);
        }
        let others = [&owner, &campaign, &host, &destination];
        if code_lists.is_empty() && others.iter().all(|selector| selector.is_none()) {
            return Err(CommandError::Usage(
                "choose links: give codes, or --codes-from, --owner, --campaign, --host or \
                 --destination"
                    .into(),
            ));
        }
        let realm = Realm::Everyone;
        Ok(LinkSelector { realm, code_lists, owner, campaign, host, destination })
    }
}

/// Reads a file with one short code per line. It ignores empty lines.
fn codes_of(path: &Path) -> Result<Vec<String>, CommandError> {
    let cannot_read =
        |error: io::Error| CommandError::Other(format!("cannot read {}: {error}", path.display()));
    let reader: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(cannot_read)?)
    };
    let mut codes = Vec::new();
    for line in BufReader::new(reader).lines() {
        let line = line.map_err(cannot_read)?;
        // Some editors put a byte order mark in front of the first code.
        let code = if codes.is_empty() { line.trim_start_matches('\u{feff}') } else { &line };
        let code = code.trim();
        if !code.is_empty() {
            codes.push(code.to_owned());
        }
    }
    Ok(codes)
}
