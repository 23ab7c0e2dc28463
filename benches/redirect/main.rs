//! Redirects a second, beside a bare poem handler that answers the same redirect from a map and
//! counts nothing: `cargo bench --bench redirect -- [options]`, `--help` lists them.
//!
//! The bare handler (the floor), Terse on SQLite and Terse on PostgreSQL are processes of their own.
//! They get the same load in turn, round by round, each round in another order; what is printed are
//! medians over the rounds and the ratio to the floor of the same round. After each round the clicks
//! in the database must be the redirects that were answered, or the benchmark fails.
//!
//! Processor time is that of the server and, with PostgreSQL, of all its processes, until the clicks
//! are added up in their links. PostgreSQL is a cluster of the benchmark's own, as durable as it is
//! by default. The load has the distribution that it is named after; Zipf's exponent is 1.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it found")]
#![expect(clippy::print_stderr, reason = "what it could not measure is no result")]

mod database;
mod files;
mod floor;
mod load;
mod measure;
mod metrics;
mod options;
mod postgres;
mod processor;
mod report;
mod server;
mod supervised;
mod traffic;

use clap::Parser as _;

use self::files::Files;
use self::measure::{Cell, Measured};
use self::options::{Options, Store};
use self::postgres::Cluster;
use self::processor::Machine;
use self::server::Server;
use self::traffic::{Picks, Spread};

type Error = Box<dyn std::error::Error>;
type Result<T> = std::result::Result<T, Error>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((first, rest)) = arguments.split_first()
        && first == floor::COMMAND
    {
        return floor::serve(rest);
    }
    let mut options = Options::parse();
    if options.stores.contains(&Store::Postgres) && !Cluster::is_possible() {
        eprintln!(
            "PostgreSQL is not installed (no initdb in /usr/lib/postgresql or PATH): left out"
        );
        options.stores.retain(|store| *store != Store::Postgres);
    }
    let files = Files::new()?;
    for (place, &links) in options.links.iter().enumerate() {
        // One hot link is the same however many others there are.
        let is_worthwhile = |spread: &&Spread| place == 0 || **spread != Spread::Hot;
        let spreads: Vec<Spread> = options.loads.iter().filter(is_worthwhile).copied().collect();
        if !spreads.is_empty() {
            compare(links, &spreads, &files, &options)?;
        }
    }
    Ok(())
}

/// Measures all servers with that many links.
fn compare(links: u32, spreads: &[Spread], files: &Files, options: &Options) -> Result<()> {
    if !options.check {
        eprintln!("starting the servers, with {links} links each");
    }
    let mut servers = vec![Server::floor(files, links)?];
    for store in &options.stores {
        servers.push(match store {
            Store::Sqlite => Server::on_sqlite(files, links, options.cache_size)?,
            Store::Postgres => Server::on_postgres(files, links, options.cache_size)?,
        });
    }
    for &spread in spreads {
        for &connections in &options.connections {
            let cell = Cell { spread, links, connections };
            let (rounds, machine) = rounds(&cell, &mut servers, options)?;
            let names: Vec<&str> = servers.iter().map(|server| server.name).collect();
            report::print(&cell, &names, &rounds, &machine, options.check);
        }
    }
    Ok(())
}

/// What was measured, by server and round.
fn rounds(
    cell: &Cell,
    servers: &mut [Server],
    options: &Options,
) -> Result<(Vec<Vec<Measured>>, Vec<Machine>)> {
    let mut measured: Vec<Vec<Measured>> = servers.iter().map(|_| Vec::new()).collect();
    let mut machines = Vec::new();
    for round in 0..options.rounds {
        let picks = Picks::new(cell.spread, cell.links, u64::from(round));
        for turn in 0..servers.len() {
            // Nobody always comes after the same one.
            let which = (turn + round as usize) % servers.len();
            let (one, machine) = measure::one(cell, servers, which, picks.clone(), options)?;
            measured[which].push(one);
            machines.push(machine);
        }
    }
    Ok((measured, machines))
}
