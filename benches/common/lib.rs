//! Servers, loads and measurements of all benchmarks.

#![expect(missing_docs, reason = "the benchmarks are its only users")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]
#![expect(clippy::print_stderr, reason = "a missing measurement is no result")]

pub mod creations;
pub mod database;
pub mod load;
pub mod measure;
pub mod metrics;
pub mod options;
pub mod processor;
pub mod report;
pub mod rounds;
pub mod server;
pub mod store;
pub mod visits;

pub type Error = Box<dyn std::error::Error>;
pub type Result<T> = std::result::Result<T, Error>;
