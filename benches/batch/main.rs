//! Batches of links against single creations: `cargo bench --bench batch -- [options]`, `--help`
//! lists them.
//!
//! Each round measures three things on each store, all with one server: 16 connections that create
//! single links; one connection that creates batches of 1,000; and both at the same time, by two
//! owners. The benchmark prints medians over the rounds: the links per second of batches against those
//! of single creations, and the 99th percentile of single creations next to batches against that
//! without. It fails if the number of stored links differs from the number of responses.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod batches;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clap::Parser;
use harness::Store;

use self::batches::Batches;
use bench_common::creations::count;
use bench_common::creations::traffic::Creations;
use bench_common::load::{Load, Responses};
use bench_common::options::Common;
use bench_common::report::{median, median_and_range};
use bench_common::server::Server;
use bench_common::{Result, store};

/// Batches of 1,000 links from one connection, compared with single creations
#[derive(Debug, Parser)]
#[command(name = "batch")]
struct Options {
    /// Number of connections of single creations
    #[arg(long, default_value = "16", value_parser = clap::value_parser!(u16).range(1..=4_096))]
    connections: u16,

    #[command(flatten)]
    common: Common,
}

/// The results of one store, one value per round.
#[derive(Default)]
struct Results {
    single_rates: Vec<f64>,
    batch_rates: Vec<f64>,
    /// Milliseconds.
    alone: Vec<f64>,
    /// Milliseconds.
    together: Vec<f64>,
    other_rates: Vec<f64>,
}

fn main() -> Result<()> {
    let mut options = Options::parse();
    store::keep_available(&mut options.common.stores);
    for &store in &options.common.stores {
        let results = measure(store, &options)?;
        print(store, &results, options.common.check);
    }
    Ok(())
}

fn measure(store: Store, options: &Options) -> Result<Results> {
    let (mut keys, mut results) = (Vec::new(), Results::default());
    let server = Server::terse(store, None, |location, _| {
        for owner in ["single", "batch"] {
            let add = ["owner", "add", owner, "--plan", "unlimited"];
            keys.push(location.terse(&add).key());
        }
        Ok(Vec::new())
    })?;
    let (addresses, time) = (server.addresses()?, Duration::from_secs_f64(options.common.seconds));
    let (mut singles, mut batches) = (Creations::new(&keys[0]), Batches::new(&keys[1]));
    let mut stored = 0;
    for _ in 0..options.common.rounds {
        let connections = options.connections.into();
        let single = |singles: &mut Creations| {
            Load::connect(&addresses, connections, singles)?.drive(singles, time)
        };
        let alone = single(&mut singles)?;
        let running = AtomicBool::new(true);
        let (created, elapsed) = batches.send(addresses[0], || false, time)?;
        let (together, other) = thread::scope(|scope| {
            let sending = scope.spawn(|| {
                let is_over = || !running.load(Ordering::Relaxed);
                batches
                    .send(addresses[0], is_over, Duration::MAX)
                    .map_err(|error| error.to_string())
            });
            let together = single(&mut singles);
            running.store(false, Ordering::Relaxed);
            (together, sending.join())
        });
        let (together, other) = (together?, other.map_err(|_| "the batches failed")??);
        stored += (alone.latencies.len() + together.latencies.len()) as u64 + created + other.0;
        results.single_rates.push(rate(alone.latencies.len() as u64, alone.elapsed));
        results.batch_rates.push(rate(created, elapsed));
        results.other_rates.push(rate(other.0, other.1));
        results.alone.push(percentile(&alone));
        results.together.push(percentile(&together));
        if let Some(database) = &server.database {
            count::check(database, stored)?;
        }
    }
    Ok(results)
}

fn rate(links: u64, elapsed: Duration) -> f64 {
    links as f64 / elapsed.as_secs_f64()
}

/// Returns the 99th percentile of the latencies in milliseconds.
fn percentile(responses: &Responses) -> f64 {
    let index = responses.latencies.len().saturating_sub(1) * 99 / 100;
    responses.latencies.get(index).map_or(0.0, |micros| f64::from(*micros) / 1_000.0)
}

fn print(store: Store, results: &Results, ratios_only: bool) {
    let Results { single_rates, batch_rates, alone, together, other_rates } = results;
    let ratios = |values: &[f64], to: &[f64]| -> Vec<f64> {
        values.iter().zip(to).map(|(one, other)| one / other).collect()
    };
    let (rate, latency) = (ratios(batch_rates, single_rates), ratios(together, alone));
    if ratios_only {
        println!("{store:?}, batches to single creations: {:.2}", median(&rate));
        println!("{store:?}, p99 next to batches to alone: {:.2}", median(&latency));
        return;
    }
    println!("{store:?}");
    println!("  single creations: {} links/s", median_and_range(single_rates));
    println!("  batches: {} links/s, {:.2} times", median_and_range(batch_rates), median(&rate));
    println!("  single creations, p99: {} ms", median_and_range(alone));
    println!(
        "  next to batches, p99: {} ms, {:.2} times",
        median_and_range(together),
        median(&latency)
    );
    println!("  batches next to single creations: {} links/s", median_and_range(other_rates));
}
