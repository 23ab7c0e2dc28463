//! Options of this benchmark.

use clap::Parser;
use clap::builder::ArgPredicate::IsPresent;

use bench_common::options::Common;

/// Links that Terse creates per second, and their ratio to a handler that stores nothing
#[derive(Debug, Parser)]
#[command(name = "create")]
pub(crate) struct Options {
    /// Numbers of connections
    #[arg(long, value_delimiter = ',', default_value = "1,16,64",
        default_value_if("quick", IsPresent, "16,64"),
        value_parser = clap::value_parser!(u16).range(1..=4_096))]
    pub(crate) connections: Vec<u16>,

    #[command(flatten)]
    pub(crate) common: Common,
}
