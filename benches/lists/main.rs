//! Filtered lists of `/api/manage/v1/links`: `cargo bench --bench lists -- [options]`, `--help` lists
//! them.
//!
//! One owner has all links. For each filter, the benchmark measures a request that reads as many rows
//! as a request may and finds nothing, next to the unfiltered pages of as many rows, and prints
//! medians over the rounds and the ratio within a round. Then it follows the pages of each filter to
//! the end. It fails if they are not exactly the links that the filter selects, newest first, or if
//! the memory of the server grows from the first time to the second.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod client;
mod model;

use std::io::BufWriter;
use std::process::Stdio;
use std::time::Instant;

use clap::Parser;
use clap::builder::ArgPredicate::IsPresent;
use harness::Store;

use self::client::{Client, MAX_LIMIT, Page};
use self::model::Filter;
use bench_common::options::Common;
use bench_common::server::Server;
use bench_common::visits::settle;
use bench_common::{Result, report, store};

/// Maximum number of rows that one request reads.
const MAX_ROWS: usize = 20_000;
/// Maximum growth of the server's memory in MiB from the first time that all pages are read to the
/// second.
const MAX_GROWTH: u64 = 32;
const OWNER: &str = "bench";

/// The time of filtered lists, and whether they are complete
#[derive(Debug, Parser)]
#[command(name = "lists")]
struct Options {
    /// Number of links
    #[arg(long, default_value = "1000000", default_value_if("quick", IsPresent, "50000"),
        value_parser = clap::value_parser!(u32).range(50_000..))]
    links: u32,

    #[command(flatten)]
    common: Common,
}

fn main() -> Result<()> {
    let mut options = Options::parse();
    store::keep_available(&mut options.common.stores);
    for &store in &options.common.stores {
        let mut key = String::new();
        let server = Server::terse(store, None, |location, database| {
            key = fill(location, options.links)?;
            settle(database)?;
            Ok(Vec::new())
        })?;
        let client = Client { address: server.address()?, key };
        compare(store, &client, &options)?;
        follow(&server, &client, &options)?;
    }
    Ok(())
}

/// Creates the owner with all links, and returns a key.
fn fill(location: &harness::Database, links: u32) -> Result<String> {
    location.owner(OWNER, "unlimited");
    let mut import = location
        .command()
        .args(["import", "-", "--owner", OWNER, "--format", "csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let mut rows = BufWriter::new(import.stdin.take().ok_or("the import has no input")?);
    model::write(&mut rows, links)?;
    drop(rows.into_inner()?);
    if !import.wait()?.success() {
        return Err("the import failed".into());
    }
    Ok(location.terse(&["key", "add", OWNER]).key())
}

/// Measures a request for each filter that reads as many rows as it may.
fn compare(store: Store, client: &Client, options: &Options) -> Result<()> {
    let mut unfiltered = Vec::new();
    let mut filtered: Vec<Vec<f64>> = model::EMPTY.map(|_| Vec::new()).into();
    // The first round fills caches and does not count.
    for round in 0..=options.common.rounds {
        let started = Instant::now();
        let mut next = Some(String::new());
        for _ in 0..MAX_ROWS / MAX_LIMIT {
            let query = next.ok_or("the list is too short")?;
            let page = client.page(&query)?;
            next = page.next;
        }
        let alone = started.elapsed().as_secs_f64();
        for (query, times) in model::EMPTY.iter().zip(&mut filtered) {
            let started = Instant::now();
            let Page { codes, next } = client.page(query)?;
            let time = started.elapsed().as_secs_f64();
            if !codes.is_empty() || next.is_none() {
                return Err(format!("{query} found {} links", codes.len()).into());
            }
            if round > 0 {
                times.push(time / alone);
            }
        }
        if round > 0 {
            unfiltered.push(alone * 1e3);
        }
    }
    if !options.common.check {
        println!("\n{store:?}, {} links of one owner", options.links);
        println!("  {MAX_ROWS} rows in unfiltered pages: {:.0} ms", report::median(&unfiltered));
        println!("  {:44}{:>20}", "a request that reads as many", "ratio (range)");
    }
    for (query, ratios) in model::EMPTY.iter().zip(&filtered) {
        println!("  {query:44}{:>20}", report::median_and_range(ratios));
    }
    Ok(())
}

/// Follows the pages of each filter to the end, twice.
fn follow(server: &Server, client: &Client, options: &Options) -> Result<()> {
    let mut memory = Vec::new();
    for _ in 0..2 {
        for filter in model::selective(options.links) {
            let pages = check(client, &filter, options.links)?;
            if memory.is_empty() && !options.common.check {
                println!("  complete in {pages} pages: {:?}", filter.query);
            }
        }
        memory.push(resident(server)?);
    }
    if !options.common.check {
        println!("  resident memory: {} MiB, then {} MiB", memory[0], memory[1]);
    }
    if memory[1] > memory[0] + MAX_GROWTH {
        return Err(format!("the memory grew from {} to {} MiB", memory[0], memory[1]).into());
    }
    Ok(())
}

/// Checks that the pages of a filter are exactly the links that it selects. Returns their number.
fn check(client: &Client, filter: &Filter, links: u32) -> Result<usize> {
    let mut expected = filter.codes(links);
    let (mut pages, mut next) = (0, Some(filter.query.clone()));
    while let Some(query) = next {
        let page = client.page(&query)?;
        for code in page.codes {
            let wanted = expected.next();
            if wanted.as_ref() != Some(&code) {
                return Err(format!("{query}: {code} instead of {wanted:?}").into());
            }
        }
        pages += 1;
        next = page.next;
    }
    match expected.next() {
        None => Ok(pages),
        Some(missing) => Err(format!("{}: {missing} is missing", filter.query).into()),
    }
}

/// Returns the resident memory of the server in MiB.
fn resident(server: &Server) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id()))?;
    let value = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: u64 = value.ok_or("no resident memory")?.trim().trim_end_matches(" kB").parse()?;
    Ok(kib / 1024)
}
