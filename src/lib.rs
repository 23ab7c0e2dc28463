//! Terse, a self-hosted URL shortener with a small JSON API.
//!
//! # Module overview
//! A reader who follows one request reads downwards; no module knows those above it.
//!
//! | module | content |
//! | --- | --- |
//! | [`cli`] | the command line: one file per command group |
//! | [`server`] | builds, runs and drains a server |
//! | [`http`] | routes, the five operations and their document, redirects, images and pages |
//! | [`domain`] | what Terse does, without HTTP |
//! | [`store`] | the database; the only module that knows which one it is |
//! | [`values`] | validated value types |
//!
//! Next to them: [`config`], every setting once, and [`metrics`].

pub mod cli;
pub mod config;
pub mod domain;
pub mod http;
pub mod metrics;
pub mod server;
pub mod store;
pub mod values;
