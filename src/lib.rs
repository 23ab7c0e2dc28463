//! Terse, a link shortening service to build on.
//!
//! # The map of the house
//! Who follows one request reads downwards; nothing below knows what is above it.
//!
//! | module | what |
//! | --- | --- |
//! | [`cli`] | the command line: one file a group of commands |
//! | [`server`] | where a server is put together, run and drained |
//! | [`http`] | routes; [`http::api`] the five operations and their document, [`http::public`] redirects, images and pages |
//! | [`domain`] | what Terse does, knowing no HTTP |
//! | [`store`] | the database; the only place that knows which one it is |
//! | [`values`] | small values that cannot be wrong |
//!
//! Beside them: [`config`], every setting once, and [`metrics`].

pub mod cli;
pub mod config;
pub mod domain;
pub mod http;
pub mod metrics;
pub mod server;
pub mod store;
pub mod values;
