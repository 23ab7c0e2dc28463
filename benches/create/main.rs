//! Links created per second, compared with a poem-openapi handler that parses, validates and
//! returns the same JSON and stores nothing: `cargo bench --bench create -- [options]`, `--help`
//! lists them.
//!
//! The handler (the baseline), Terse on SQLite and Terse on PostgreSQL are separate processes. They
//! get the same load one after another, in another order in each round. The benchmark prints
//! medians over the rounds and the ratio to the baseline of the same round. It fails if after a
//! round the number of stored links differs from the number of responses. All links belong to one
//! owner.
//!
//! For each store it also measures the database alone: the same rows inserted into the same tables,
//! with as many rows per transaction as Terse had, without HTTP, keys and checks.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod baseline;
mod options;
mod rows;
mod servers;

use std::time::Duration;

use clap::Parser as _;

use self::options::Options;
use self::servers::Servers;
use bench_common::measure::{self, Measuring as _};
use bench_common::rounds::Rounds;
use bench_common::{Result, report, server, store};

fn main() -> Result<()> {
    if let Some(arguments) = server::baseline_arguments() {
        return baseline::serve(&arguments);
    }
    let mut options = Options::parse();
    store::keep_available(&mut options.common.stores);
    let mut servers = Servers::start(&options.common.stores)?;
    for &connections in &options.connections {
        compare(connections, &mut servers, &options)?;
    }
    Ok(())
}

/// Measures all servers with that number of connections.
fn compare(connections: u16, servers: &mut Servers, options: &Options) -> Result<()> {
    let count = servers.servers().len();
    let mut alone: Vec<Vec<f64>> = (0..count).map(|_| Vec::new()).collect();
    let time = Duration::from_secs_f64(options.common.seconds);
    let rounds = Rounds::measure(servers, options.common.rounds, |servers, which, _| {
        let mut creations = servers.creations(which);
        let (one, machine) = measure::one(servers, which, connections, &mut creations, time)?;
        if one.batches > 0.0 {
            let rows = (one.rate / one.batches).round();
            alone[which].push(servers.rate_without_terse(which, rows, time / 2)?);
        }
        Ok((one, machine))
    })?;
    let names: Vec<&str> = servers.servers().iter().map(|server| server.name).collect();
    let title = format!("one owner, {}", report::connections(connections));
    report::print(&title, "links per batch", &names, &rounds, options.common.check);
    for ((name, alone), measured) in names.iter().zip(&alone).zip(&rounds.servers) {
        if alone.is_empty() {
            continue;
        }
        let share: Vec<f64> =
            measured.iter().zip(alone).map(|(one, alone)| one.rate / alone).collect();
        let (alone, share) = (report::median(alone), report::median(&share));
        if options.common.check {
            println!("{title}, {name} to its store alone: {share:.2}");
        } else {
            println!(
                "  {name} alone, in batches of that size: {alone:.0} rows/s; Terse is {share:.2} of it"
            );
        }
    }
    Ok(())
}
