//! Options of all benchmarks.

use clap::Args;
use clap::builder::ArgPredicate::IsPresent;
use harness::Store;

#[derive(Debug, Args)]
pub struct Common {
    /// Which databases
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    pub stores: Vec<Store>,

    /// Number of rounds
    #[arg(long, default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,

    /// Seconds of load per round
    #[arg(long, default_value = "2", default_value_if("quick", IsPresent, "1"))]
    pub seconds: f64,

    /// Print the ratios and nothing else
    #[arg(long)]
    pub check: bool,

    /// Smaller defaults, which take about a minute
    #[arg(long)]
    pub quick: bool,

    /// An argument that cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}
