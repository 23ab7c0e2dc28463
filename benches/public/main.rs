//! Redirects while other clients misbehave: `cargo bench --bench public -- [options]`, `--help`
//! lists them.
//!
//! Each subject alternates redirects alone and redirects with the disturbance, on one server, and
//! prints medians over the rounds and the ratio within a round. The disturbances come from this
//! process, on the same CPUs. The benchmark fails if the server does not limit what it is set to
//! limit.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod addresses;
mod connections;
mod flood;
mod redirects;

use clap::builder::ArgPredicate::IsPresent;
use clap::{Parser, ValueEnum};
use harness::Store;

use bench_common::options::Common;
use bench_common::server::{Program, Server, baseline_arguments};
use bench_common::visits::{baseline, fill, settle};
use bench_common::{Result, store};

/// Number of links that the load visits.
const LINKS: u32 = 10_000;

/// Redirects while other clients flood the server, leave connections open or ask for unknown codes
#[derive(Debug, Parser)]
#[command(name = "public")]
struct Options {
    /// Disturbances to measure
    #[arg(long, value_delimiter = ',', default_value = "flood,connections,addresses")]
    subjects: Vec<Subject>,

    /// Redirects per second of the load at a constant rate
    #[arg(long, default_value = "5000")]
    rate: u32,

    /// Number of addresses that ask for unknown codes
    #[arg(long, default_value = "1000000", default_value_if("quick", IsPresent, "10000"))]
    addresses: u32,

    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Subject {
    /// An owner who sends requests without pause, and whose plan allows 50 per second
    Flood,
    /// 10,000 connections that send nothing, or nothing after a request, and 2,000 that send a byte
    /// per second
    Connections,
    /// Unknown codes from many addresses
    Addresses,
}

fn main() -> Result<()> {
    if let Some(arguments) = baseline_arguments() {
        return baseline::serve(&arguments);
    }
    let mut options = Options::parse();
    store::keep_available(&mut options.common.stores);
    for &store in &options.common.stores {
        for subject in &options.subjects {
            match subject {
                Subject::Flood => flood::measure(store, &options)?,
                Subject::Connections => connections::measure(store, &options)?,
                Subject::Addresses => addresses::measure(store, &options)?,
            }
        }
    }
    Ok(())
}

/// Starts a server with these settings on a database with links to visit.
fn start(store: Store, settings: &[&str]) -> Result<Server> {
    Server::terse(store, None, |location, database| {
        location.owner("bench", "unlimited");
        fill::fill(database, LINKS)?;
        settle(database)?;
        Ok(settings.iter().map(ToString::to_string).collect())
    })
}

fn terse(server: &Server) -> Result<&harness::Server> {
    match &server.program {
        Program::Terse(terse) => Ok(terse),
        Program::Baseline { .. } => Err("the baseline has no limits".into()),
    }
}

/// Returns the current and the peak resident memory in MiB.
fn memory(server: &Server) -> Result<(u64, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id()))?;
    let kib = |name: &str| -> Result<u64> {
        let value = status.lines().find_map(|line| line.strip_prefix(name));
        let value = value.ok_or("no resident memory")?;
        Ok(value.trim().trim_end_matches(" kB").parse()?)
    };
    Ok((kib("VmRSS:")? / 1024, kib("VmHWM:")? / 1024))
}
