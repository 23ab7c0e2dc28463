//! What benchmarks stand on: processes that end with them, a load, and how it is measured. The
//! directories beside this file are what some of them share.

pub(crate) mod database;
pub(crate) mod files;
pub(crate) mod load;
pub(crate) mod measure;
pub(crate) mod metrics;
pub(crate) mod options;
pub(crate) mod postgres;
pub(crate) mod processor;
pub(crate) mod report;
pub(crate) mod rounds;
pub(crate) mod server;
pub(crate) mod store;
pub(crate) mod supervised;

pub(crate) type Error = Box<dyn std::error::Error>;
pub(crate) type Result<T> = std::result::Result<T, Error>;
