//! Redirects per second, compared with a poem handler that returns the same redirect from a map and
//! counts nothing: `cargo bench --bench redirect -- [options]`, `--help` lists them.
//!
//! The handler (the baseline), Terse on SQLite and Terse on PostgreSQL are separate processes. They
//! get the same load one after another, in another order in each round. The benchmark prints
//! medians over the rounds and the ratio to the baseline of the same round. It fails if after a
//! round the number of clicks in the database differs from the number of redirects.
//!
//! CPU time is that of the server and, with PostgreSQL, of all its processes, until no clicks are
//! pending. PostgreSQL is a cluster of the benchmark's own with the default durability. The load
//! has the distribution that it is named after; Zipf's exponent is 1.
//!
//! With `--standby`, a further server runs on a PostgreSQL that a standby follows, and one on that
//! standby. Both run throughout, and each gets its own load. CPU time lacks that of the standby.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]
#![expect(clippy::print_stderr, reason = "a missing measurement is no result")]

mod blocking;
mod options;
mod servers;
mod standby;

use std::time::Duration;

use clap::Parser as _;

use self::options::Options;
use self::servers::Servers;
use bench_common::measure::{self, Measuring as _};
use bench_common::rounds::Rounds;
use bench_common::visits::baseline;
use bench_common::visits::traffic::{Picks, Spread};
use bench_common::{Result, report, server, store};

fn main() -> Result<()> {
    if let Some(arguments) = server::baseline_arguments() {
        return baseline::serve(&arguments);
    }
    let mut options = Options::parse();
    store::keep_available(&mut options.common.stores);
    for (index, &links) in options.links.iter().enumerate() {
        // The number of other links makes no difference to one hot link.
        let is_worthwhile = |spread: &&Spread| index == 0 || **spread != Spread::Hot;
        let spreads: Vec<Spread> = options.loads.iter().filter(is_worthwhile).copied().collect();
        if !spreads.is_empty() {
            compare(links, &spreads, &options)?;
        }
    }
    Ok(())
}

/// The conditions of one table of results.
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

/// Measures all servers with that number of links.
fn compare(links: u32, spreads: &[Spread], options: &Options) -> Result<()> {
    if !options.common.check {
        eprintln!("starting the servers, with {links} links each");
    }
    let mut servers = Servers::start(links, options)?;
    for &spread in spreads {
        for &connections in &options.connections {
            let cell = Cell { spread, links, connections };
            let rounds = rounds(&cell, &mut servers, options)?;
            let names: Vec<&str> = servers.servers().iter().map(|server| server.name).collect();
            let (title, batches) = (cell.title(), "clicks per batch");
            report::print(&title, batches, &names, &rounds, options.common.check);
            blocking::print(&names, &rounds);
            standby::print(&names, &rounds);
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
