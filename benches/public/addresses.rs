//! Unknown codes from many addresses, which a trusted proxy names.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use harness::Store;

use crate::redirects::{Pairs, as_fast_as_possible, time};
use crate::{Options, memory, start};
use bench_common::Result;
use bench_common::load::{Load, Requests};

/// Number of unknown codes that an address may request at once, and per minute.
const LIMIT: usize = 60;
/// Number of addresses that each request more unknown codes than [`LIMIT`].
const EXHAUSTED: u32 = 200;
const CONNECTIONS: usize = 16;
const ADDRESS: &str = "010.000.000.000";

/// Requests for an unknown code, each from another address.
struct Unknown {
    next: u32,
    /// Number of bytes from the start of the address to the end of the request.
    from_end: usize,
}

fn request(address: SocketAddr, client: &str) -> Vec<u8> {
    format!("GET /unknown HTTP/1.1\r\nHost: {address}\r\nX-Forwarded-For: {client}\r\n\r\n")
        .into_bytes()
}

impl Requests for Unknown {
    const STATUS: &'static [u8] = b"HTTP/1.1 404 ";

    fn template(&self, address: SocketAddr) -> Vec<u8> {
        // The padding makes room for the longest address.
        request(address, &format!("{:<15}", "10.0.0.0"))
    }

    fn write_next(&mut self, request: &mut [u8]) {
        let client = format!("{:<15}", Ipv4Addr::from_bits(0x0a00_0000 + self.next));
        self.next += 1;
        let start = request.len() - self.from_end;
        request[start..start + ADDRESS.len()].copy_from_slice(client.as_bytes());
    }
}

pub(crate) fn measure(store: Store, options: &Options) -> Result<()> {
    let settings = [
        "--unknown-codes",
        "60/min",
        "--trusted-proxies",
        "127.0.0.1",
        "--client-header",
        "x-forwarded-for",
    ];
    let server = start(store, &settings)?;
    let address = server.address()?;
    println!("\n{}: unknown codes from {} addresses", server.name, options.addresses);
    let mut pairs = Pairs::new("redirects as fast as possible, before and after".to_owned());
    as_fast_as_possible(address, 0, time(options))?;
    let (before, _) = memory(&server)?;
    let mut unknown = Unknown { next: 0, from_end: ADDRESS.len() + 4 };
    let mut load = Load::connect(&[address], CONNECTIONS, &unknown)?;
    for round in 0..options.common.rounds {
        let alone = as_fast_as_possible(address, round, time(options))?;
        let target = options.addresses / options.common.rounds * (round + 1);
        while unknown.next < target {
            load.drive(&mut unknown, Duration::from_millis(100))?;
        }
        pairs.add(alone, as_fast_as_possible(address, round, time(options))?);
    }
    pairs.print();
    let (_, most) = memory(&server)?;
    println!(
        "    {} addresses; resident memory {before} MiB before, {most} MiB at most",
        unknown.next
    );
    let mut allowed = Vec::new();
    for number in 0..EXHAUSTED {
        // An address that has not sent a request yet.
        allowed.push(count_before_429(address, 0x0b00_0000 + number)?);
    }
    let exact = allowed.iter().filter(|&&count| count == LIMIT).count();
    let (min, max) = (allowed.iter().min(), allowed.iter().max());
    println!(
        "    {exact} of {EXHAUSTED} new addresses got exactly {LIMIT} responses 404; range {min:?} to {max:?}"
    );
    if min < Some(&LIMIT) || max > Some(&(LIMIT + 2)) {
        return Err("an address got another number than its limit".into());
    }
    Ok(())
}

/// Requests unknown codes from an address until it is throttled. Returns the number of responses
/// 404 before the first 429.
fn count_before_429(address: SocketAddr, client: u32) -> Result<usize> {
    let head = String::from_utf8(request(address, &Ipv4Addr::from_bits(client).to_string()))?;
    let request = head.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    for count in 0.. {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(request.as_bytes())?;
        let mut response = String::new();
        stream.read_to_string(&mut response)?;
        if response.starts_with("HTTP/1.1 429 ") {
            return Ok(count);
        }
        if !response.starts_with("HTTP/1.1 404 ") {
            return Err(response.into());
        }
    }
    Err("the limit has no end".into())
}
