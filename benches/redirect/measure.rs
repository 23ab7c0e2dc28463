//! One server, once.

use std::time::Duration;

use crate::Result;
use crate::load::Load;
use crate::options::Options;
use crate::processor::{self, Clock, Machine};
use crate::server::Server;
use crate::traffic::{Picks, Spread};

/// How long a server is loaded before it is measured.
const WARM_UP: Duration = Duration::from_millis(300);

/// What a table is about.
pub(crate) struct Cell {
    pub(crate) spread: Spread,
    pub(crate) links: u32,
    pub(crate) connections: u16,
}

/// What was measured of a server in a round.
pub(crate) struct Measured {
    /// Requests a second.
    pub(crate) rate: f64,
    /// Microseconds.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Seconds of processor time for 100,000 redirects, of the server and its database.
    pub(crate) processor: f64,
    /// The same of the load.
    pub(crate) load_processor: f64,
    /// Batches of clicks a second.
    pub(crate) batches: f64,
}

/// Warms a server up, measures it, and sees that it counted exactly.
pub(crate) fn one(
    cell: &Cell,
    servers: &mut [Server],
    which: usize,
    mut picks: Picks,
    options: &Options,
) -> Result<(Measured, Machine)> {
    let mut load = Load::connect(servers[which].address, cell.connections.into())?;
    let warm_up = load.drive(&mut picks, WARM_UP)?.latencies.len();
    let server = &servers[which];
    server.settle()?;

    let (clock, all) = (Clock::now()?, taken_by_all(servers)?);
    let (processor, batches) = (server.processor()?, server.batches()?);
    let own = processor::seconds_of_this_thread()?;
    let answers = load.drive(&mut picks, Duration::from_secs_f64(options.seconds))?;
    let own = processor::seconds_of_this_thread()? - own;
    let (clock_after, all_after) = (Clock::now()?, taken_by_all(servers)?);
    let batches = server.batches()? - batches;
    server.settle()?;
    let processor = server.processor()? - processor;

    let answered = answers.latencies.len();
    let name = server.name;
    if let Some(counting) = &mut servers[which].counting {
        let exact = counting.expect((warm_up + answered) as u64);
        exact.map_err(|error| format!("{name}: {error}"))?;
    }
    let per_100_000 = |seconds: f64| seconds * 100_000.0 / answered as f64;
    let percentile = |percent: usize| f64::from(answers.latencies[answered * percent / 100]);
    let measured = Measured {
        rate: answered as f64 / answers.elapsed.as_secs_f64(),
        p50: percentile(50),
        p99: percentile(99),
        processor: per_100_000(processor),
        load_processor: per_100_000(own),
        batches: batches as f64 / answers.elapsed.as_secs_f64(),
    };
    let total = clock_after.total - clock.total;
    let servers_took: Vec<f64> = all_after.iter().zip(&all).map(|(now, then)| now - then).collect();
    let by_servers: f64 = servers_took.iter().sum();
    let machine = Machine {
        idle_servers: (by_servers - servers_took[which]) / total,
        others: (clock_after.taken - clock.taken - by_servers - own) / total,
    };
    Ok((measured, machine))
}

fn taken_by_all(servers: &[Server]) -> Result<Vec<f64>> {
    servers.iter().map(Server::processor).collect()
}
