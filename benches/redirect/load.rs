//! The load: connections that each send a request, wait for its answer and send the next.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::Error;

/// What a load found.
pub(crate) struct Measured {
    pub(crate) answered: u64,
    elapsed: Duration,
    /// Seconds of processor time that the server took.
    processor: f64,
    /// Microseconds, sorted.
    latencies: Vec<u32>,
}

impl Measured {
    pub(crate) fn rate(&self) -> f64 {
        self.answered as f64 / self.elapsed.as_secs_f64()
    }

    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let place = (self.latencies.len() * percent / 100).min(self.latencies.len() - 1);
        f64::from(self.latencies[place])
    }

    pub(crate) fn processor_per_100_000(&self) -> f64 {
        self.processor * 100_000.0 / self.answered as f64
    }
}

/// Loads the server for `time`, and lets every request that was sent be answered.
pub(crate) async fn run(
    address: SocketAddr,
    codes: &[String],
    connections: usize,
    time: Duration,
    process: u32,
) -> Result<Measured, Error> {
    let requests: std::sync::Arc<[Vec<u8>]> = codes
        .iter()
        .map(|code| format!("GET /{code} HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes())
        .collect();
    let before = processor_seconds(process)?;
    let started = Instant::now();
    let tasks: Vec<_> = (0..connections)
        .map(|seed| {
            let requests = std::sync::Arc::clone(&requests);
            tokio::spawn(async move {
                connection(address, &requests, started + time, seed as u64).await
            })
        })
        .collect();
    let mut latencies = Vec::new();
    for task in tasks {
        let of_connection = task.await?.map_err(|error| error.to_string())?;
        latencies.extend(of_connection);
    }
    let elapsed = started.elapsed();
    latencies.sort_unstable();
    Ok(Measured {
        answered: latencies.len() as u64,
        elapsed,
        processor: processor_seconds(process)? - before,
        latencies,
    })
}

async fn connection(
    address: SocketAddr,
    requests: &[Vec<u8>],
    end: Instant,
    seed: u64,
) -> std::io::Result<Vec<u32>> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let mut latencies = Vec::new();
    let mut buffer = [0_u8; 4096];
    while Instant::now() < end {
        let sent = Instant::now();
        stream.write_all(&requests[random.random_range(0..requests.len())]).await?;
        let mut filled = 0;
        // A redirect has no body: its answer ends with its head.
        while !buffer[..filled].ends_with(b"\r\n\r\n") {
            match stream.read(&mut buffer[filled..]).await? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                read => filled += read,
            }
        }
        if !buffer.starts_with(b"HTTP/1.1 302") {
            let answer = String::from_utf8_lossy(&buffer[..filled]).into_owned();
            return Err(std::io::Error::other(answer));
        }
        latencies.push(u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
    Ok(latencies)
}

/// User and system time of a process, from `/proc/PID/stat` (proc(5)).
fn processor_seconds(process: u32) -> Result<f64, Error> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name in the second field may hold blanks; what follows its parenthesis does not.
    let rest = stat.rsplit_once(')').ok_or("no stat")?.1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    // Linux reports hundredths of a second on all common machines.
    Ok(ticks as f64 / 100.0)
}
