//! The cost of more links: `cargo bench --bench growth -- [options]`, `--help` lists them.
//!
//! It compares Terse with ten thousand, a million and ten million links, on SQLite and (up to a
//! million) on PostgreSQL, filled by Terse's import, with a poem handler (the baseline), all in
//! separate processes. They get the same loads one after another, in another order in each round.
//! The benchmark prints medians over the rounds, the ratio to the baseline of the same round, and
//! the ratio to the server with the fewest links in the same round. It fails if after a round the
//! links and clicks in the database differ from the responses.
//!
//! Before the loads it measures the start time of the servers, their memory, and the size of a link
//! in the database. With `--take-down`, it also measures commands that find, disable and enable
//! links by their host, and the latency of redirects at a constant rate meanwhile.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]
#![expect(clippy::print_stderr, reason = "a missing measurement is no result")]

mod fill;
mod idle;
mod loads;
mod matches;
mod options;
mod results;
mod servers;
mod take_down;

use std::time::Duration;

use clap::Parser as _;

use self::idle::Memory;
use self::loads::{List, Load, Statistics};
use self::options::Options;
use self::results::Results;
use self::servers::Servers;
use bench_common::creations::traffic::Creations;
use bench_common::measure::{self, Measured};
use bench_common::processor::Machine;
use bench_common::rounds::Rounds;
use bench_common::visits::baseline;
use bench_common::visits::traffic::Picks;
use bench_common::{Result, report, server, store};

/// Seconds of load for which the precomputed picks suffice.
const MAX_PASS_SECONDS: f64 = 10.0;

fn main() -> Result<()> {
    if let Some(arguments) = server::baseline_arguments() {
        return baseline::serve(&arguments);
    }
    let mut options = Options::parse();
    store::keep_available(&mut options.common.stores);
    let mut results = Results::new(options.csv.as_deref())?;
    let mut servers = Servers::start(&options)?;
    measure_idle(&mut servers, &options, &mut results)?;
    for &load in &options.loads {
        servers.load = load;
        compare(&mut servers, &options, &mut results)?;
    }
    measure_after_loads(&servers, &options, &mut results)?;
    if options.take_down {
        take_down::compare(&mut servers, &options, &mut results)?;
    }
    Ok(())
}

/// Measures the servers before the loads.
fn measure_idle(servers: &mut Servers, options: &Options, results: &mut Results) -> Result<()> {
    let is_shown = !options.common.check;
    if is_shown {
        println!(
            "\n  {:22}{:>12}{:>10}{:>18}{:>22}",
            "", "import/s", "start ms", "memory (own) MB", "bytes per link, text"
        );
    }
    for filled in servers.all.iter_mut().skip(1) {
        let starts: Result<Vec<f64>> = (0..options.starts)
            .map(|_| Ok(idle::start_again(&mut filled.server)?.as_secs_f64() * 1e3))
            .collect();
        let starts = starts?;
        let memory = Memory::measure(&filled.server)?;
        let Some(database) = &filled.server.database else { continue };
        let (bytes, text) = (
            idle::database_size(database)? as f64 / f64::from(filled.size),
            fill::link_text_bytes() as f64,
        );
        for (round, &start) in starts.iter().enumerate() {
            results.write_round(filled, "start", "ms", round, start, None)?;
        }
        if let Some(import) = filled.import {
            results.write(filled, "import", "links/s", import)?;
        }
        write_memory(results, filled, "after start", &memory)?;
        results.write(filled, "disk", "bytes/link", bytes)?;
        results.write(filled, "disk beyond text", "bytes/link", bytes - text)?;
        if is_shown {
            println!(
                "  {:22}{:>12.0}{:>10.1}{:>18}{:>22}",
                filled.name,
                filled.import.unwrap_or(0.0),
                report::median(&starts),
                in_megabytes(&memory),
                format!("{bytes:.0} = {text:.0} + {:.0}", bytes - text),
            );
        }
    }
    Ok(())
}

/// Measures all servers under a load. The first is the baseline.
fn compare(servers: &mut Servers, options: &Options, results: &mut Results) -> Result<()> {
    let load = servers.load;
    if load == Load::ZipfRedirects {
        warm_up(servers, options.warm_up)?;
    }
    let time = Duration::from_secs_f64(options.common.seconds);
    let rounds = Rounds::measure(servers, options.common.rounds, |servers, which, round| {
        one(servers, which, round, time)
    })?;
    let names: Vec<&str> = servers.all.iter().map(|filled| filled.name.as_str()).collect();
    let title = format!("{}, {}", load.title(), report::connections(load.connections()));
    report::print(&title, "per batch", &names, &rounds, options.common.check);
    for (which, filled) in servers.all.iter().enumerate().skip(1) {
        for (round, measured) in rounds.servers[which].iter().enumerate() {
            let baseline = &rounds.servers[0][round];
            let mut write = |what: &str, unit: &str, value: fn(&Measured) -> f64| {
                let (measure, baseline) =
                    (format!("{}{what}", load.title()), Some(value(baseline)));
                results.write_round(filled, &measure, unit, round + 1, value(measured), baseline)
            };
            write("", "1/s", |one| one.rate)?;
            write(", p50", "us", |one| one.p50)?;
            write(", p99", "us", |one| one.p99)?;
            write(", CPU", "s/100000", |one| one.cpu)?;
        }
        let first = servers.all.iter().position(|other| other.store == filled.store);
        let Some(first) = first.filter(|&first| first != which) else { continue };
        let ratios = report::ratios(&rounds.servers[which], &rounds.servers[first]);
        let (ratios, few) = (report::median_and_range(&ratios), &servers.all[first].name);
        println!("  {}: {ratios} of {few}", filled.name);
    }
    Ok(())
}

/// Visits the links of all servers, so that their caches contain those that are visited often.
fn warm_up(servers: &mut Servers, seconds_per_million: f64) -> Result<()> {
    for which in 1..servers.all.len() {
        let millions = f64::from(servers.all[which].size) / 1e6;
        let seconds = seconds_per_million * millions.max(1.0);
        let passes = (seconds / MAX_PASS_SECONDS).ceil().max(1.0);
        for pass in 0..passes as u32 {
            // No round has this number, which is the seed of the picks.
            one(servers, which, u32::MAX - pass, Duration::from_secs_f64(seconds / passes))?;
        }
    }
    Ok(())
}

/// Measures a server once.
fn one(
    servers: &mut Servers,
    which: usize,
    round: u32,
    time: Duration,
) -> Result<(Measured, Machine)> {
    let load = servers.load;
    let filled = &servers.all[which];
    filled.read_file()?;
    let (key, is_baseline) = (filled.key.clone(), filled.store.is_none());
    let picks = || Picks::new(load.spread(), filled.size, u64::from(round));
    let connections = load.connections();
    match load {
        // The baseline has redirects only.
        _ if is_baseline => measure::one(servers, which, connections, &mut picks(), time),
        Load::ZipfRedirects | Load::Redirects => {
            measure::one(servers, which, connections, &mut picks(), time)
        }
        Load::ZipfStatistics | Load::Statistics => {
            let mut statistics = Statistics { picks: picks(), key };
            measure::one(servers, which, connections, &mut statistics, time)
        }
        Load::List => measure::one(servers, which, connections, &mut List { key }, time),
        Load::Create => measure::one(servers, which, connections, &mut Creations::new(&key), time),
    }
}

/// Measures the servers after the loads.
fn measure_after_loads(servers: &Servers, options: &Options, results: &mut Results) -> Result<()> {
    if !options.common.check {
        println!("\nmemory after the loads, MB (own)");
    }
    for filled in servers.all.iter().skip(1) {
        let memory = Memory::measure(&filled.server)?;
        write_memory(results, filled, "after the loads", &memory)?;
        if !options.common.check {
            println!("  {:24}{:>16}", filled.name, in_megabytes(&memory));
        }
    }
    Ok(())
}

fn in_megabytes(Memory { resident, own }: &Memory) -> String {
    format!("{:.1} ({:.1})", *resident as f64 / 1e6, *own as f64 / 1e6)
}

fn write_memory(
    results: &mut Results,
    filled: &servers::Filled,
    when: &str,
    Memory { resident, own }: &Memory,
) -> Result<()> {
    results.write(filled, &format!("memory {when}"), "bytes", *resident as f64)?;
    results.write(filled, &format!("memory {when}, own"), "bytes", *own as f64)
}
