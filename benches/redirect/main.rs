//! Redirects a second, beside a bare poem handler that counts nothing: `cargo bench --bench redirect`.
//!
//! Both servers are processes of their own and get the same load in turn, round by round; what is
//! printed are medians over the rounds and the ratio to the bare handler, the floor. After each
//! round of Terse the sum of all clicks must be the number of redirects that were answered.
//!
//! Options: `--links N` (10000), `--seconds N` a round (3), `--rounds N` (5), `--check` for the
//! ratios alone.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it found")]

mod floor;
mod load;
mod server;

use std::time::Duration;

use self::load::Measured;
use self::server::{Floor, Terse};

type Error = Box<dyn std::error::Error>;

struct Options {
    links: usize,
    seconds: u64,
    rounds: usize,
    check: bool,
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "floor") {
        return floor::serve(&arguments[1..]);
    }
    let number = |name: &str, default: usize| {
        arguments
            .iter()
            .position(|argument| argument == name)
            .and_then(|place| arguments.get(place + 1)?.parse().ok())
            .unwrap_or(default)
    };
    let options = Options {
        links: number("--links", 10_000),
        seconds: number("--seconds", 3) as u64,
        rounds: number("--rounds", 5),
        check: arguments.iter().any(|argument| argument == "--check"),
    };
    // One thread drives both servers: it takes as much from the one as from the other.
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run(&options))
}

async fn run(options: &Options) -> Result<(), Error> {
    let terse = Terse::start().await?;
    let codes = terse.create(options.links).await?;
    let floor = Floor::start(&codes).await?;
    for (name, codes) in [("uniform", &codes[..]), ("one hot link", &codes[..1])] {
        for connections in [1, 64, 256] {
            compare(name, connections, codes, &terse, &floor, options).await?;
        }
    }
    Ok(())
}

async fn compare(
    name: &str,
    connections: usize,
    codes: &[String],
    terse: &Terse,
    floor: &Floor,
    options: &Options,
) -> Result<(), Error> {
    let time = Duration::from_secs(options.seconds);
    let (mut of_floor, mut of_terse) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        of_floor.push(load::run(floor.address, codes, connections, time, floor.id()).await?);
        let before = terse.clicks().await?;
        let measured = load::run(terse.address, codes, connections, time, terse.id()).await?;
        let counted = terse.clicks().await? - before;
        if counted != measured.answered {
            let answered = measured.answered;
            return Err(format!("{answered} redirects were answered, {counted} counted").into());
        }
        of_terse.push(measured);
    }
    report(name, connections, &of_floor, &of_terse, options.check);
    Ok(())
}

fn report(name: &str, connections: usize, floor: &[Measured], terse: &[Measured], check: bool) {
    let ratio = median(floor.iter().zip(terse).map(|(floor, terse)| terse.rate() / floor.rate()));
    if check {
        println!("{name}, {connections} connections: {ratio:.2}");
        return;
    }
    println!("\n{name}, {connections} connections");
    for (server, measured) in [("bare poem", floor), ("terse", terse)] {
        println!(
            "  {server:<10} {:>9.0}/s   p50 {:>6.0} µs   p99 {:>6.0} µs   {:>5.2} s of processor per 100,000",
            median(measured.iter().map(Measured::rate)),
            median(measured.iter().map(|one| one.percentile(50))),
            median(measured.iter().map(|one| one.percentile(99))),
            median(measured.iter().map(Measured::processor_per_100_000)),
        );
    }
    println!("  ratio {ratio:.2}");
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
