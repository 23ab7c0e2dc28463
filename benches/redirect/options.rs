//! What to measure.

use clap::Parser;
use clap::builder::ArgPredicate::IsPresent;

use crate::common::options::Common;
use crate::visits::traffic::{MOST_LINKS, Spread};

/// Redirects a second of Terse, and their ratio to a bare handler that counts nothing.
#[derive(Debug, Parser)]
#[command(name = "redirect")]
pub(crate) struct Options {
    /// How many links there are
    #[arg(long, value_delimiter = ',', default_value = "10000,1000000",
        default_value_if("quick", IsPresent, "10000"),
        value_parser = clap::value_parser!(u32).range(1..=MOST_LINKS))]
    pub(crate) links: Vec<u32>,

    /// How links are picked; one hot link is measured with the first number of links only
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "uniform,zipf,hot",
        default_value_if("quick", IsPresent, "uniform,zipf")
    )]
    pub(crate) loads: Vec<Spread>,

    /// How many connections ask at once
    #[arg(long, value_delimiter = ',', default_value = "1,64,256",
        default_value_if("quick", IsPresent, "64"),
        value_parser = clap::value_parser!(u16).range(1..=4_096))]
    pub(crate) connections: Vec<u16>,

    /// Terse's cache in MiB, where it is not to be the default
    #[arg(long)]
    pub(crate) cache_size: Option<u32>,

    /// So many instances on a PostgreSQL of their own, beside one instance on another
    #[arg(long, value_parser = clap::value_parser!(u16).range(2..=16))]
    pub(crate) instances: Option<u16>,

    #[command(flatten)]
    pub(crate) common: Common,
}
