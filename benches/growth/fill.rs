//! Fills databases with Terse's import.

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use crate::matches;
use bench_common::Result;
use bench_common::database::Database;
use bench_common::visits::settle;
use bench_common::visits::traffic::{HOST, code, destination};

const OWNER: &str = "bench";
const CAMPAIGN: &str = "letter";

fn title(code: &str) -> String {
    format!("Article {code}")
}

/// Returns the destination of a link in a database of `links` links.
fn destination_of(link: u32, links: u32) -> String {
    let destination = destination(&code(link));
    if matches::is_match(link, links) {
        return destination.replace(HOST, matches::HOST);
    }
    destination
}

/// Returns the number of clicks of an imported link. It is never 0, so that each link has a row for
/// its clicks.
fn clicks(link: u32) -> u64 {
    1 + u64::from(link % 1_000)
}

/// Returns the sum of the clicks of this number of links.
pub(crate) fn all_clicks(links: u32) -> u64 {
    (0..links).map(clicks).sum()
}

/// Returns the size of a link's texts in bytes.
pub(crate) fn link_text_bytes() -> usize {
    let code = code(0);
    code.len() + destination(&code).len() + title(&code).len() + CAMPAIGN.len()
}

/// Returns the path of the SQLite file that `--keep` stores for this number of links.
pub(crate) fn stored_file(directory: &Path, links: u32) -> PathBuf {
    directory.join(format!("{links}-links.db"))
}

/// Creates the owner and the links; returns the links per second, or `None` if they already exist.
pub(crate) fn fill(
    location: &harness::Database,
    database: &Database,
    links: u32,
) -> Result<Option<f64>> {
    if database.number("SELECT id FROM owners")?.is_some() {
        return Ok(None);
    }
    location.owner(OWNER, "unlimited");
    let started = Instant::now();
    let mut import = location
        .command()
        .args(["import", "-", "--owner", OWNER, "--format", "csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let mut rows = BufWriter::new(import.stdin.take().ok_or("the import has no input")?);
    writeln!(rows, "short_code,destination_url,title,campaign,clicks")?;
    for link in 0..links {
        let code = code(link);
        let (destination, title) = (destination_of(link, links), title(&code));
        let clicks = clicks(link);
        writeln!(rows, "{code},{destination},{title},{CAMPAIGN},{clicks}")?;
    }
    drop(rows.into_inner()?);
    if !import.wait()?.success() {
        return Err("the import failed".into());
    }
    let rate = f64::from(links) / started.elapsed().as_secs_f64();
    settle(database)?;
    Ok(Some(rate))
}

/// Adds a key of the owner.
pub(crate) fn add_key(location: &harness::Database) -> String {
    location.terse(&["key", "add", OWNER]).key()
}
