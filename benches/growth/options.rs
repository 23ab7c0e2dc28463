//! What to measure.

use std::path::PathBuf;

use clap::Parser;
use clap::builder::ArgPredicate::IsPresent;

use crate::common::options::Common;
use crate::loads::Load;
use crate::visits::traffic::MOST_LINKS;

/// What more links cost: Terse with a few and with many of them, side by side.
#[derive(Debug, Parser)]
#[command(name = "growth")]
pub(crate) struct Options {
    /// How many links there are; the first is what the others are compared with
    #[arg(long, value_delimiter = ',', default_value = "10000,1000000,10000000",
        default_value_if("quick", IsPresent, "10000,100000"),
        value_parser = clap::value_parser!(u32).range(1..=MOST_LINKS))]
    pub(crate) sizes: Vec<u32>,

    /// The most links on PostgreSQL, which takes its time to fill
    #[arg(long, default_value = "1000000")]
    pub(crate) most_on_postgres: u32,

    /// What is asked for
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "zipf-redirects,redirects,zipf-statistics,statistics,list,create"
    )]
    pub(crate) loads: Vec<Load>,

    /// Seconds of Zipf's redirects before they are measured, for each million links and at least as for
    /// one, so that what is often visited is in the cache
    #[arg(long, default_value = "20", default_value_if("quick", IsPresent, "1"))]
    pub(crate) warm_up: f64,

    /// How often each server is started
    #[arg(long, default_value = "11", default_value_if("quick", IsPresent, "3"),
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) starts: u32,

    /// Writes all that was measured there, a line each
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Keeps filled SQLite files in this directory, and takes those that are there
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) keep: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: Common,
}
