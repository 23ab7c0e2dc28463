//! One measurement of one server.

use std::time::Duration;

use super::Result;
use super::load::{Load, Requests, Responses};
use super::processor::{self, Clock, Machine};
use super::server::Server;

/// Duration of the load before a measurement.
const WARM_UP: Duration = Duration::from_millis(300);

/// The measurement of a server in a round.
pub struct Measured {
    /// Requests per second.
    pub rate: f64,
    /// Median latency in microseconds.
    pub p50: f64,
    /// 99th percentile of the latency in microseconds.
    pub p99: f64,
    /// Seconds of CPU time per 100,000 requests, of the server and its database.
    pub cpu: f64,
    /// Seconds of CPU time per 100,000 requests, of the load.
    pub load_cpu: f64,
    /// Batches per second.
    pub batches: f64,
}

/// The servers of a benchmark.
pub trait Measuring {
    /// Returns all servers.
    fn servers(&self) -> Vec<&Server>;

    /// Waits until a server has completed its deferred work.
    fn settle(&self, which: usize) -> Result<()>;

    /// Returns the number of batches that a server has stored.
    fn batches(&self, which: usize) -> Result<u64>;

    /// Checks that a server has stored exactly the requests that received a response. `responses`
    /// is their number since the last check.
    fn check(&mut self, which: usize, responses: u64) -> Result<()>;
}

/// Warms a server up, measures it, and checks that it stored exactly the requests that received a
/// response.
pub fn one(
    all: &mut impl Measuring,
    which: usize,
    connections: u16,
    requests: &mut impl Requests,
    time: Duration,
) -> Result<(Measured, Machine)> {
    let server = all.servers()[which];
    let (name, addresses) = (server.name, server.addresses()?);
    let mut load = Load::connect(&addresses, connections.into(), requests)?;
    let warm_up = load.drive(requests, WARM_UP)?.latencies.len();
    all.settle(which)?;

    let (clock, before) = (Clock::now()?, cpu_of_servers(all)?);
    let (cpu, batches) = (all.servers()[which].cpu_seconds()?, all.batches(which)?);
    let own = processor::seconds_of_this_thread()?;
    let responses = load.drive(requests, time)?;
    let own = processor::seconds_of_this_thread()? - own;
    let (clock_after, after) = (Clock::now()?, cpu_of_servers(all)?);
    let batches = all.batches(which)? - batches;
    all.settle(which)?;
    let cpu = all.servers()[which].cpu_seconds()? - cpu;

    let exact = all.check(which, (warm_up + responses.latencies.len()) as u64);
    exact.map_err(|error| format!("{name}: {error}"))?;
    let total = clock_after.total - clock.total;
    let by_server: Vec<f64> = after.iter().zip(&before).map(|(now, then)| now - then).collect();
    let by_servers: f64 = by_server.iter().sum();
    let machine = Machine {
        idle_server_share: (by_servers - by_server[which]) / total,
        others: (clock_after.taken - clock.taken - by_servers - own) / total,
    };
    Ok((measured(&responses, cpu, own, batches), machine))
}

fn measured(responses: &Responses, cpu: f64, own: f64, batches: u64) -> Measured {
    let count = responses.latencies.len();
    let per_100_000 = |seconds: f64| seconds * 100_000.0 / count as f64;
    let percentile = |percent: usize| f64::from(responses.latencies[count * percent / 100]);
    Measured {
        rate: count as f64 / responses.elapsed.as_secs_f64(),
        p50: percentile(50),
        p99: percentile(99),
        cpu: per_100_000(cpu),
        load_cpu: per_100_000(own),
        batches: batches as f64 / responses.elapsed.as_secs_f64(),
    }
}

fn cpu_of_servers(all: &impl Measuring) -> Result<Vec<f64>> {
    all.servers().into_iter().map(Server::cpu_seconds).collect()
}
