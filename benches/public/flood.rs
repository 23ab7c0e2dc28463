//! An owner who sends requests without pause, far more than the plan allows.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harness::Store;

use crate::redirects::{Pairs, Sample, as_fast_as_possible, at_constant_rate, time};
use crate::{Options, start, terse};
use bench_common::load::{Load, Requests};
use bench_common::{Result, metrics};

/// Connections of the flooding owner.
const CONNECTIONS: usize = 64;
/// Requests per second that the plan allows.
const RATE: f64 = 50.0;
/// Requests that the plan allows at once.
const BURST: f64 = 100.0;
/// Interval at which the flood checks whether to stop.
const SLICE: Duration = Duration::from_millis(100);

/// Requests that create a link. Any response is accepted.
struct Creations(String);

impl Requests for Creations {
    const STATUS: &'static [u8] = b"HTTP/1.1 ";

    fn template(&self, address: SocketAddr) -> Vec<u8> {
        let body = r#"{"url":"https://example.org/flood"}"#;
        let (key, length) = (&self.0, body.len());
        let head = format!("POST /api/v1/shorten HTTP/1.1\r\nHost: {address}\r\nX-API-Key: {key}");
        format!(
            "{head}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .into_bytes()
    }

    fn write_next(&mut self, _request: &mut [u8]) {}
}

/// Floods until `stop` is set. Returns the time from the first to the last request.
fn flood(address: SocketAddr, key: &str, stop: &AtomicBool) -> std::io::Result<Duration> {
    let mut creations = Creations(key.to_owned());
    let mut load = Load::connect(&[address], CONNECTIONS, &creations)?;
    let started = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        load.drive(&mut creations, SLICE)?;
    }
    Ok(started.elapsed())
}

pub(crate) fn measure(store: Store, options: &Options) -> Result<()> {
    let server = start(store, &[])?;
    let database = terse(&server)?.database();
    let limit = ["--requests", "50/s", "--burst", "100"];
    database
        .terse(&[&["plan", "add", "limited", "--max-links", "unlimited"], &limit[..]].concat())
        .done();
    let key = database.owner("flooding", "limited");
    let address = server.address()?;
    let fast = |round| as_fast_as_possible(address, round, time(options));
    let constant = |round| at_constant_rate(address, options.rate, round, time(options));
    println!("\n{}: an owner floods with {CONNECTIONS} connections", server.name);
    let title = "redirects as fast as possible".to_owned();
    alternate(&server, &key, options, Pairs::new(title), fast)?;
    let title = format!("{} redirects per second", options.rate);
    alternate(&server, &key, options, Pairs::new(title), constant)
}

/// Alternates redirects alone and during the flood.
fn alternate(
    server: &crate::Server,
    key: &str,
    options: &Options,
    mut pairs: Pairs,
    redirects: impl Fn(u32) -> Result<Sample>,
) -> Result<()> {
    let address = server.address()?;
    let (mut created, mut rejected, mut lasted) = (0, 0, 0.0);
    redirects(0)?;
    for round in 0..options.common.rounds {
        let during = || -> Result<(Sample, Duration)> {
            let stop = AtomicBool::new(false);
            std::thread::scope(|scope| {
                let flooding = scope.spawn(|| flood(address, key, &stop));
                std::thread::sleep(SLICE);
                let sample = redirects(round);
                stop.store(true, Ordering::Relaxed);
                let lasted = flooding.join().map_err(|_| "the flood panicked")??;
                Ok((sample?, lasted))
            })
        };
        let before = counts(server)?;
        let (alone, (disturbed, time)) = if round % 2 == 0 {
            (redirects(round)?, during()?)
        } else {
            let disturbed = during()?;
            (redirects(round)?, disturbed)
        };
        let after = counts(server)?;
        let (links, most) = ((after.0 - before.0) as f64, RATE * time.as_secs_f64() + BURST);
        if links > most + 1.0 || links < 0.9 * RATE * time.as_secs_f64() {
            return Err(format!("{links} links were created, the plan allows {most}").into());
        }
        created += after.0 - before.0;
        rejected += after.1 - before.1;
        lasted += time.as_secs_f64();
        pairs.add(alone, disturbed);
    }
    pairs.print();
    println!("    in {lasted:.1} s of flood, {created} creations and {rejected} responses 429");
    Ok(())
}

/// Returns the numbers of created links and of rejected requests.
fn counts(server: &crate::Server) -> Result<(u64, u64)> {
    let database = server.database.as_ref().ok_or("no database")?;
    let links = database.number("SELECT COUNT(*) FROM links")?.ok_or("no count")?;
    let rejected = r#"terse_throttled_total{limit="requests"}"#;
    Ok((u64::try_from(links)?, metrics::count(server.address()?, rejected)?))
}
