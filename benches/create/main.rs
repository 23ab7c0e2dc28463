//! Links created a second, beside a bare poem-openapi handler that parses, validates and answers the
//! same JSON and stores nothing: `cargo bench --bench create -- [options]`, `--help` lists them.
//!
//! The bare handler (the floor), Terse on SQLite and Terse on PostgreSQL are processes of their own.
//! They get the same load in turn, round by round, each round in another order; what is printed are
//! medians over the rounds and the ratio to the floor of the same round. After each round there must
//! be as many links as were answered, or the benchmark fails. All links are one owner's.
//!
//! Beside each store stands what it does on its own: the same rows put into the same tables by one
//! statement and one commit for as many as Terse had a transaction, without HTTP, keys and checks.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it found")]
#![expect(clippy::print_stderr, reason = "what it could not measure is no result")]

#[path = "../common/mod.rs"]
mod common;
mod floor;
mod options;
mod rows;
mod servers;
#[path = "../common/wishes/mod.rs"]
mod wishes;

use std::time::Duration;

use clap::Parser as _;

use self::common::files::Files;
use self::common::measure::{self, Measuring as _};
use self::common::rounds::Rounds;
use self::common::store::Store;
use self::common::{Result, report, server};
use self::options::Options;
use self::servers::Servers;

fn main() -> Result<()> {
    if let Some(arguments) = server::arguments_of_floor() {
        return floor::serve(&arguments);
    }
    let mut options = Options::parse();
    Store::keep_possible(&mut options.common.stores);
    let files = Files::new()?;
    let mut servers = Servers::start(&files, &options.common.stores)?;
    for &connections in &options.connections {
        compare(connections, &mut servers, &options)?;
    }
    Ok(())
}

/// Measures all servers with that many connections.
fn compare(connections: u16, servers: &mut Servers, options: &Options) -> Result<()> {
    let count = servers.servers().len();
    let mut alone: Vec<Vec<f64>> = (0..count).map(|_| Vec::new()).collect();
    let time = Duration::from_secs_f64(options.common.seconds);
    let rounds = Rounds::measure(servers, options.common.rounds, |servers, which, _| {
        let mut wishes = servers.wishes(which);
        let (one, machine) = measure::one(servers, which, connections, &mut wishes, time)?;
        if one.batches > 0.0 {
            let rows = (one.rate / one.batches).round();
            alone[which].push(servers.alone(which, rows, time / 2)?);
        }
        Ok((one, machine))
    })?;
    let names: Vec<&str> = servers.servers().iter().map(|server| server.name).collect();
    let title = format!("one owner, {}", report::connections(connections));
    report::print(&title, "links a batch", &names, &rounds, options.common.check);
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
