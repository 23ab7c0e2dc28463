//! What to measure.

use clap::Parser;
use clap::builder::ArgPredicate::IsPresent;

use crate::common::store::Store;

/// Links that Terse creates a second, and their ratio to a bare handler that stores nothing.
#[derive(Debug, Parser)]
#[command(name = "create")]
pub(crate) struct Options {
    /// How many connections ask at once
    #[arg(long, value_delimiter = ',', default_value = "1,16,64",
        default_value_if("quick", IsPresent, "16,64"),
        value_parser = clap::value_parser!(u16).range(1..=4_096))]
    pub(crate) connections: Vec<u16>,

    /// Which databases
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    pub(crate) stores: Vec<Store>,

    /// How often each is measured
    #[arg(long, default_value = "5", default_value_if("quick", IsPresent, "3"),
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,

    /// Seconds of load each time
    #[arg(long, default_value = "2", default_value_if("quick", IsPresent, "1"))]
    pub(crate) seconds: f64,

    /// Print the ratios and nothing else
    #[arg(long)]
    pub(crate) check: bool,

    /// Less of everything that is not chosen: done in a minute
    #[arg(long)]
    pub(crate) quick: bool,

    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}
