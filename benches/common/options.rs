//! What all benchmarks can be told.

use clap::Args;
use clap::builder::ArgPredicate::IsPresent;

use super::store::Store;

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Which databases
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    pub(crate) stores: Vec<Store>,

    /// How often each is measured
    #[arg(long, default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
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
