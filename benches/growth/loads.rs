//! The loads: kinds of requests, and how many connections send them.

use std::net::SocketAddr;

use clap::ValueEnum;

use bench_common::load::Requests;
use bench_common::visits::traffic::{CODE_LENGTH, Picks, Spread, write_code};

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Load {
    /// Redirects; the link of rank r is visited 1/r as often as the first
    ZipfRedirects,
    /// Redirects; all links are visited equally often
    Redirects,
    /// Statistics of one link, distributed as Zipf's redirects
    ZipfStatistics,
    /// Statistics of one link, all equally often
    Statistics,
    /// The newest 100 links
    List,
    /// New links
    Create,
}

impl Load {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ZipfRedirects => "redirects, Zipf",
            Self::Redirects => "redirects, uniform",
            Self::ZipfStatistics => "statistics, Zipf",
            Self::Statistics => "statistics, uniform",
            Self::List => "first 100 of a list",
            Self::Create => "creation, one owner",
        }
    }

    pub(crate) fn connections(self) -> u16 {
        match self {
            Self::List | Self::Create => 16,
            Self::ZipfRedirects | Self::Redirects | Self::ZipfStatistics | Self::Statistics => 64,
        }
    }

    pub(crate) fn spread(self) -> Spread {
        match self {
            Self::ZipfRedirects | Self::ZipfStatistics => Spread::Zipf,
            Self::Redirects | Self::Statistics | Self::List | Self::Create => Spread::Uniform,
        }
    }

    /// Returns the name of the metric that counts the batches of this load.
    pub(crate) fn batches(self) -> Option<&'static str> {
        match self {
            Self::ZipfRedirects | Self::Redirects => Some("terse_click_batches_total"),
            Self::Create => Some("terse_link_batches_total"),
            Self::ZipfStatistics | Self::Statistics | Self::List => None,
        }
    }
}

const STATISTICS: &str = "/api/v1/stats/";
const CODE_STARTS: usize = "GET ".len() + STATISTICS.len();

/// Requests for the statistics of picked links.
pub(crate) struct Statistics {
    pub(crate) picks: Picks,
    pub(crate) key: String,
}

impl Requests for Statistics {
    const STATUS: &'static [u8] = b"HTTP/1.1 200 ";

    fn template(&self, address: SocketAddr) -> Vec<u8> {
        get(&format!("{STATISTICS}{}", "0".repeat(CODE_LENGTH)), address, &self.key)
    }

    fn write_next(&mut self, request: &mut [u8]) {
        write_code(self.picks.pick(), &mut request[CODE_STARTS..CODE_STARTS + CODE_LENGTH]);
    }
}

/// Requests for the first page of the owner's list.
pub(crate) struct List {
    pub(crate) key: String,
}

impl Requests for List {
    const STATUS: &'static [u8] = b"HTTP/1.1 200 ";

    fn template(&self, address: SocketAddr) -> Vec<u8> {
        get("/api/v1/links?limit=100", address, &self.key)
    }

    fn write_next(&mut self, _: &mut [u8]) {}
}

fn get(path: &str, address: SocketAddr, key: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nX-API-Key: {key}\r\n\r\n").into_bytes()
}
