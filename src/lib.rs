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

pub mod cli;
pub mod config;
pub mod domain;
pub mod http;
pub mod metrics;
pub mod server;
pub mod store;
pub mod values;
