//! One server, once.

use std::time::Duration;

use super::Result;
use super::load::{Answers, Load, Requests};
use super::processor::{self, Clock, Machine};
use super::server::Server;

/// How long a server is loaded before it is measured.
const WARM_UP: Duration = Duration::from_millis(300);

/// What was measured of a server in a round.
pub(crate) struct Measured {
    /// Requests a second.
    pub(crate) rate: f64,
    /// Microseconds.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Seconds of processor time for 100,000 requests, of the server and its database.
    pub(crate) processor: f64,
    /// The same of the load.
    pub(crate) load_processor: f64,
    /// Batches a second.
    pub(crate) batches: f64,
}

/// What a benchmark knows of its servers.
pub(crate) trait Measuring {
    /// All servers.
    fn servers(&self) -> Vec<&Server>;

    /// Waits until a server has done what is left of its work.
    fn settle(&self, which: usize) -> Result<()>;

    /// How many batches a server has stored.
    fn batches(&self, which: usize) -> Result<u64>;

    /// Sees that a server has stored exactly what it has answered since the last time.
    fn check(&mut self, which: usize, answered: u64) -> Result<()>;
}

/// Warms a server up, measures it, and sees that it stored exactly what it answered.
pub(crate) fn one(
    all: &mut impl Measuring,
    which: usize,
    connections: u16,
    requests: &mut impl Requests,
    time: Duration,
) -> Result<(Measured, Machine)> {
    let server = all.servers()[which];
    let (name, addresses) = (server.name, server.addresses());
    let mut load = Load::connect(&addresses, connections.into(), requests)?;
    let warm_up = load.drive(requests, WARM_UP)?.latencies.len();
    all.settle(which)?;

    let (clock, before) = (Clock::now()?, taken(all)?);
    let (processor, batches) = (all.servers()[which].processor()?, all.batches(which)?);
    let own = processor::seconds_of_this_thread()?;
    let answers = load.drive(requests, time)?;
    let own = processor::seconds_of_this_thread()? - own;
    let (clock_after, after) = (Clock::now()?, taken(all)?);
    let batches = all.batches(which)? - batches;
    all.settle(which)?;
    let processor = all.servers()[which].processor()? - processor;

    let answered = answers.latencies.len();
    let exact = all.check(which, (warm_up + answered) as u64);
    exact.map_err(|error| format!("{name}: {error}"))?;
    let total = clock_after.total - clock.total;
    let servers_took: Vec<f64> = after.iter().zip(&before).map(|(now, then)| now - then).collect();
    let by_servers: f64 = servers_took.iter().sum();
    let machine = Machine {
        idle_servers: (by_servers - servers_took[which]) / total,
        others: (clock_after.taken - clock.taken - by_servers - own) / total,
    };
    Ok((measured(&answers, processor, own, batches), machine))
}

fn measured(answers: &Answers, processor: f64, own: f64, batches: u64) -> Measured {
    let answered = answers.latencies.len();
    let per_100_000 = |seconds: f64| seconds * 100_000.0 / answered as f64;
    let percentile = |percent: usize| f64::from(answers.latencies[answered * percent / 100]);
    Measured {
        rate: answered as f64 / answers.elapsed.as_secs_f64(),
        p50: percentile(50),
        p99: percentile(99),
        processor: per_100_000(processor),
        load_processor: per_100_000(own),
        batches: batches as f64 / answers.elapsed.as_secs_f64(),
    }
}

fn taken(all: &impl Measuring) -> Result<Vec<f64>> {
    all.servers().into_iter().map(Server::processor).collect()
}
