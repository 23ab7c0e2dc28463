//! Options of this benchmark.

use std::path::PathBuf;

use clap::Parser;
use clap::builder::ArgPredicate::IsPresent;

use crate::loads::Load;
use bench_common::options::Common;
use bench_common::visits::traffic::MAX_LINKS;

/// The cost of more links: compares Terse with few and with many of them
#[derive(Debug, Parser)]
#[command(name = "growth")]
pub(crate) struct Options {
    /// Numbers of links; the others are compared with the first
    #[arg(long, value_delimiter = ',', default_value = "10000,1000000,10000000",
        default_value_if("quick", IsPresent, "10000,100000"),
        value_parser = clap::value_parser!(u32).range(1..=MAX_LINKS))]
    pub(crate) sizes: Vec<u32>,

    /// Maximum number of links on PostgreSQL, which is slow to fill
    #[arg(long, default_value = "1000000")]
    pub(crate) max_on_postgres: u32,

    /// Kinds of requests to measure
    #[arg(
        long,
        value_delimiter = ',',
        num_args = 0..,
        default_value = "zipf-redirects,redirects,zipf-statistics,statistics,list,create"
    )]
    pub(crate) loads: Vec<Load>,

    /// Also measures commands that find and disable links by their host, and redirects meanwhile
    #[arg(long, default_value_if("quick", IsPresent, "true"))]
    pub(crate) take_down: bool,

    /// Redirects per second while links are taken down
    #[arg(long, default_value = "5000", default_value_if("quick", IsPresent, "500"),
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) rate: u32,

    /// Number of instances on PostgreSQL while links are taken down
    #[arg(long, default_value = "3", value_parser = clap::value_parser!(u16).range(1..=16))]
    pub(crate) instances: u16,

    /// Seconds of Zipf's redirects that fill the caches first, per million links; fewer links take
    /// as long as a million
    #[arg(long, default_value = "20", default_value_if("quick", IsPresent, "1"))]
    pub(crate) warm_up: f64,

    /// Number of starts of each server
    #[arg(long, default_value = "11", default_value_if("quick", IsPresent, "3"),
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) starts: u32,

    /// Writes all measurements to this CSV file
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Stores filled SQLite files in this directory, and uses those that it contains
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) keep: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: Common,
}
