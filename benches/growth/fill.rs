//! How databases are filled: by Terse's own import.

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use crate::common::Result;
use crate::common::database::Database;
use crate::common::server::{run, terse};
use crate::visits::settle;
use crate::visits::traffic::{code, destination};

const OWNER: &str = "bench";
const CAMPAIGN: &str = "letter";

fn title(code: &str) -> String {
    format!("Article {code}")
}

/// How often it was clicked before: every link was, so that each has all the rows that it can have.
fn clicks(link: u32) -> u64 {
    1 + u64::from(link % 1_000)
}

/// The clicks of so many links together.
pub(crate) fn all_clicks(links: u32) -> u64 {
    (0..links).map(clicks).sum()
}

/// Bytes of a link's own texts.
pub(crate) fn text_bytes() -> usize {
    let code = code(0);
    code.len() + destination(&code).len() + title(&code).len() + CAMPAIGN.len()
}

/// An SQLite file that was filled before, or is to be.
pub(crate) fn kept(directory: &Path, links: u32) -> PathBuf {
    directory.join(format!("{links}-links.db"))
}

/// Makes the owner and the links; how many a second, or None where they were there.
pub(crate) fn fill(url: &str, database: &Database, links: u32) -> Result<Option<f64>> {
    if database.number("SELECT id FROM owners")?.is_some() {
        return Ok(None);
    }
    run(url, &["owner", "add", OWNER, "--plan", "unlimited"])?;
    let started = Instant::now();
    let mut import = terse(url)
        .args(["import", "-", "--owner", OWNER, "--format", "csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let mut rows = BufWriter::new(import.stdin.take().ok_or("the import has no input")?);
    writeln!(rows, "short_code,destination_url,title,campaign,clicks")?;
    for link in 0..links {
        let code = code(link);
        let (destination, title, clicks) = (destination(&code), title(&code), clicks(link));
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

/// A key of the owner's.
pub(crate) fn key(url: &str) -> Result<String> {
    Ok(run(url, &["key", "add", OWNER])?.trim().to_owned())
}
