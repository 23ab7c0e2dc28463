//! Redirects alone and with a disturbance.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::{LINKS, Options};
use bench_common::load::Load;
use bench_common::report::median_and_range;
use bench_common::visits::constant_rate::visit;
use bench_common::visits::traffic::{Picks, Spread};
use bench_common::{Result, report};

/// Connections of visitors who each wait for a response before the next request.
const CONNECTIONS: usize = 64;

/// Redirects of a period.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    /// Redirects per second.
    rate: f64,
    /// 99th percentile of the latency in milliseconds.
    p99: f64,
}

/// Visits links as fast as the server responds.
pub(crate) fn as_fast_as_possible(
    address: SocketAddr,
    round: u32,
    time: Duration,
) -> Result<Sample> {
    let mut picks = Picks::new(Spread::Zipf, LINKS, round.into());
    let mut load = Load::connect(&[address], CONNECTIONS, &picks)?;
    let responses = load.drive(&mut picks, time)?;
    let count = responses.latencies.len();
    Ok(Sample {
        rate: count as f64 / responses.elapsed.as_secs_f64(),
        p99: f64::from(responses.latencies[count * 99 / 100]) / 1000.0,
    })
}

/// Visits links at a constant rate. Latencies begin when a request is due.
pub(crate) fn at_constant_rate(
    address: SocketAddr,
    rate: u32,
    round: u32,
    time: Duration,
) -> Result<Sample> {
    let mut picks = Picks::new(Spread::Zipf, LINKS, round.into());
    let stop = AtomicBool::new(false);
    let visits = std::thread::scope(|scope| {
        let links = std::iter::from_fn(|| Some(picks.pick()));
        let visitors = scope.spawn(|| visit(&[address], rate, links, &stop));
        std::thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
        visitors.join()
    });
    let visits = visits.map_err(|_| "the load panicked")??;
    let mut latencies: Vec<Duration> = visits.iter().map(|visit| visit.latency()).collect();
    latencies.sort_unstable();
    let (first, last) = (visits.iter().map(|visit| visit.sent).min(), visits.last());
    let (first, last) = (first.ok_or("no visits")?, last.ok_or("no visits")?.completed);
    Ok(Sample {
        rate: visits.len() as f64 / (last - first).as_secs_f64(),
        p99: latencies[latencies.len() * 99 / 100].as_secs_f64() * 1000.0,
    })
}

/// Pairs of samples, alone and with the disturbance.
pub(crate) struct Pairs {
    title: String,
    pairs: Vec<(Sample, Sample)>,
}

impl Pairs {
    pub(crate) fn new(title: String) -> Self {
        Self { title, pairs: Vec::new() }
    }

    /// Adds the samples of a round.
    pub(crate) fn add(&mut self, alone: Sample, disturbed: Sample) {
        self.pairs.push((alone, disturbed));
    }

    pub(crate) fn print(&self) {
        let values = |value: fn(&(Sample, Sample)) -> f64| -> Vec<f64> {
            self.pairs.iter().map(value).collect()
        };
        println!("  {}", self.title);
        println!(
            "    redirects/s {:.0} alone, {:.0} disturbed; p99 {:.2} ms alone, {:.2} ms disturbed",
            report::median(&values(|(alone, _)| alone.rate)),
            report::median(&values(|(_, disturbed)| disturbed.rate)),
            report::median(&values(|(alone, _)| alone.p99)),
            report::median(&values(|(_, disturbed)| disturbed.p99)),
        );
        println!(
            "    ratio of the rates {}, of p99 {}",
            median_and_range(&values(|(alone, disturbed)| disturbed.rate / alone.rate)),
            median_and_range(&values(|(alone, disturbed)| disturbed.p99 / alone.p99)),
        );
    }
}

/// Returns the duration of a sample.
pub(crate) fn time(options: &Options) -> Duration {
    Duration::from_secs_f64(options.common.seconds)
}
