//! Servers, loads and measurements of all benchmarks. The directories next to this file are those
//! that some benchmarks share.

pub(crate) mod database;
pub(crate) mod load;
pub(crate) mod measure;
pub(crate) mod metrics;
pub(crate) mod options;
pub(crate) mod processor;
pub(crate) mod report;
pub(crate) mod rounds;
pub(crate) mod server;
pub(crate) mod store;

pub(crate) type Error = Box<dyn std::error::Error>;
pub(crate) type Result<T> = std::result::Result<T, Error>;
