//! Terse, a self-hosted URL shortener with a JSON API and exact click counts.
//!
//! # Module overview
//! Read the modules in this order to follow a request. A module imports only modules below it.
//!
//! | module | content |
//! | --- | --- |
//! | [`cli`] | the command line: one file per command group |
//! | [`server`] | builds, runs and drains a server |
//! | [`http`] | routes, the interfaces with their operations and documents, redirects, images and pages |
//! | [`domain`] | the rules of Terse, without HTTP |
//! | [`store`] | the database; only this module distinguishes SQLite and PostgreSQL |
//! | [`values`] | validated value types |
//!
//! Two crates of the workspace stand below the layers: `migration` defines the schema, and `formats`
//! reads the files of imports without a database.
//!
//! Two modules belong to no layer: [`config`] defines all settings, and [`metrics`] all metrics.

#![expect(
    rustdoc::private_intra_doc_links,
    reason = "the overview is for people who read the source"
)]

mod cli;
mod config;
mod domain;
mod http;
mod metrics;
mod server;
mod store;
mod values;

pub use cli::main;
// For the benchmarks.
pub use values::{Destination, ShortCode};
