//! Requests for links.

use std::net::SocketAddr;
use std::sync::Arc;

use clap::ValueEnum;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use crate::load::Requests;

/// User agent of a browser, because Terse does not count the requests of link previews.
const USER_AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const CODE_STARTS: usize = "GET /".len();

/// Number of characters of every code.
pub const CODE_LENGTH: usize = 7;
/// Factor that turns the number of a link into its code.
///
/// The code is the product modulo [`MODULUS`] in hexadecimal digits, so that codes and links have
/// different orders. The SQL that fills a database computes the same codes.
pub const MULTIPLIER: u64 = 165_580_141;
/// The largest prime with seven hexadecimal digits.
pub const MODULUS: u64 = 268_435_399;
/// Maximum number of links.
pub const MAX_LINKS: i64 = 100_000_000;

/// Number of precomputed picks. A load that needs more repeats them.
const PICKS: usize = 1 << 20;

/// Returns the code of the link with that number, counted from 0.
pub fn code(link: u32) -> String {
    let mut code = [0; CODE_LENGTH];
    write_code(link, &mut code);
    String::from_utf8_lossy(&code).into_owned()
}

/// Writes the code of that link.
pub fn write_code(link: u32, into: &mut [u8]) {
    let mut rest = u64::from(link) * MULTIPLIER % MODULUS;
    for digit in into.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(rest % 16) as usize];
        rest /= 16;
    }
}

/// Host of the destinations.
pub const HOST: &str = "example.org";

/// Returns the destination of the link with that code.
pub fn destination(code: &str) -> String {
    format!("https://{HOST}/articles/{code}?utm_source=newsletter&utm_medium=email")
}

/// Returns a request for a link, which [`write_link`] chooses.
pub fn template(address: SocketAddr) -> Vec<u8> {
    let code = "0".repeat(CODE_LENGTH);
    let request =
        format!("GET /{code} HTTP/1.1\r\nHost: {address}\r\nUser-Agent: {USER_AGENT}\r\n\r\n");
    request.into_bytes()
}

/// Turns the template into a request for that link.
pub fn write_link(link: u32, request: &mut [u8]) {
    write_code(link, &mut request[CODE_STARTS..CODE_STARTS + CODE_LENGTH]);
}

/// Distribution of clicks over links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Spread {
    /// All links are picked equally often
    Uniform,
    /// The link of rank r, in a shuffled order, is picked 1/r as often as the first
    Zipf,
    /// All picks are the same link
    Hot,
}

/// Precomputed picks, so that all distributions cost the load the same.
#[derive(Clone)]
pub struct Picks {
    links: Arc<[u32]>,
    position: usize,
}

impl Picks {
    pub fn new(spread: Spread, links: u32, seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let picked = match spread {
            Spread::Uniform => (0..PICKS).map(|_| random.random_range(0..links)).collect(),
            Spread::Zipf => zipf(links, &mut random),
            Spread::Hot => Arc::from([0]),
        };
        Self { links: picked, position: 0 }
    }

    /// Returns the next link.
    pub fn pick(&mut self) -> u32 {
        let link = self.links[self.position];
        self.position += 1;
        if self.position == self.links.len() {
            self.position = 0;
        }
        link
    }
}

impl Requests for Picks {
    const STATUS: &'static [u8] = b"HTTP/1.1 302 ";

    fn template(&self, address: SocketAddr) -> Vec<u8> {
        template(address)
    }

    fn write_next(&mut self, request: &mut [u8]) {
        write_link(self.pick(), request);
    }
}

fn zipf(links: u32, random: &mut StdRng) -> Arc<[u32]> {
    // The order is the same in every round, so that the same links stay hot.
    let mut order: Vec<u32> = (0..links).collect();
    order.shuffle(&mut StdRng::seed_from_u64(u64::from(links)));
    let mut total = 0.0;
    let sums: Vec<f64> = (1..=links)
        .map(|rank| {
            total += 1.0 / f64::from(rank);
            total
        })
        .collect();
    (0..PICKS)
        .map(|_| {
            let point = random.random::<f64>() * total;
            order[sums.partition_point(|&sum| sum <= point).min(order.len() - 1)]
        })
        .collect()
}
