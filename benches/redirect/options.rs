//! Options of this benchmark.

use clap::Parser;
use clap::builder::ArgPredicate::IsPresent;

use bench_common::options::Common;
use bench_common::visits::traffic::{MAX_LINKS, Spread};

/// Redirects per second of Terse, and their ratio to a handler that counts nothing
#[derive(Debug, Parser)]
#[command(name = "redirect")]
pub(crate) struct Options {
    /// Numbers of links
    #[arg(long, value_delimiter = ',', default_value = "10000,1000000",
        default_value_if("quick", IsPresent, "10000"),
        value_parser = clap::value_parser!(u32).range(1..=MAX_LINKS))]
    pub(crate) links: Vec<u32>,

    /// Distributions of clicks over links; `hot` runs only with the first of the `--links` numbers
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "uniform,zipf,hot",
        default_value_if("quick", IsPresent, "uniform,zipf")
    )]
    pub(crate) loads: Vec<Spread>,

    /// Numbers of connections
    #[arg(long, value_delimiter = ',', default_value = "1,64,256",
        default_value_if("quick", IsPresent, "64"),
        value_parser = clap::value_parser!(u16).range(1..=4_096))]
    pub(crate) connections: Vec<u16>,

    /// Size of Terse's cache in MiB, instead of the default
    #[arg(long)]
    pub(crate) cache_size: Option<u32>,

    /// Also measures this number of instances that share another PostgreSQL
    #[arg(long, value_parser = clap::value_parser!(u16).range(2..=16))]
    pub(crate) instances: Option<u16>,

    /// Also measures a server of another PostgreSQL, and one of its standby
    #[arg(long)]
    pub(crate) standby: bool,

    /// Also measures servers that have imported this number of patterns of blocked destinations
    #[arg(long, default_value_if("quick", IsPresent, "100000"),
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) block_patterns: Option<u32>,

    #[command(flatten)]
    pub(crate) common: Common,
}
