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

#[path = "../common/mod.rs"]
mod common;
mod database;
mod options;
mod servers;
#[path = "../common/visits/mod.rs"]
mod visits;

use std::time::Duration;

use clap::Parser as _;

use self::common::files::Files;
use self::common::measure::{self, Measuring as _};
use self::common::rounds::Rounds;
use self::common::store::Store;
use self::common::{Result, report, server};
use self::options::Options;
use self::servers::Servers;
use self::visits::floor;
use self::visits::traffic::{Picks, Spread};

fn main() -> Result<()> {
    if let Some(arguments) = server::arguments_of_floor() {
        return floor::serve(&arguments);
    }
    let mut options = Options::parse();
    Store::keep_possible(&mut options.common.stores);
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

/// What a table is about.
struct Cell {
    spread: Spread,
    links: u32,
    connections: u16,
}

impl Cell {
    fn title(&self) -> String {
        let Self { spread, links, connections } = self;
        let spread = match spread {
            Spread::Uniform => format!("uniform over {links} links"),
            Spread::Zipf => format!("Zipf over {links} links"),
            Spread::Hot => "one hot link".to_owned(),
        };
        format!("{spread}, {}", report::connections(*connections))
    }
}

/// Measures all servers with that many links.
fn compare(links: u32, spreads: &[Spread], files: &Files, options: &Options) -> Result<()> {
    if !options.common.check {
        eprintln!("starting the servers, with {links} links each");
    }
    let mut servers = Servers::start(links, files, options)?;
    for &spread in spreads {
        for &connections in &options.connections {
            let cell = Cell { spread, links, connections };
            let rounds = rounds(&cell, &mut servers, options)?;
            let names: Vec<&str> = servers.servers().iter().map(|server| server.name).collect();
            let (title, batches) = (cell.title(), "clicks a batch");
            report::print(&title, batches, &names, &rounds, options.common.check);
        }
    }
    Ok(())
}

fn rounds(cell: &Cell, servers: &mut Servers, options: &Options) -> Result<Rounds> {
    let time = Duration::from_secs_f64(options.common.seconds);
    Rounds::measure(servers, options.common.rounds, |servers, which, round| {
        let mut picks = Picks::new(cell.spread, cell.links, u64::from(round));
        measure::one(servers, which, cell.connections, &mut picks, time)
    })
}
