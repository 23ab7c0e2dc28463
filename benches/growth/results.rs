//! The CSV file of all measurements.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use harness::Store;

use crate::servers::Filled;
use bench_common::Result;

/// The CSV file to which measurements are written; `None` discards them.
pub(crate) struct Results(Option<BufWriter<File>>);

impl Results {
    pub(crate) fn new(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self(None)) };
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "store,links,measure,unit,round,value,baseline")?;
        Ok(Self(Some(file)))
    }

    /// Writes a measurement without a round.
    pub(crate) fn write(
        &mut self,
        filled: &Filled,
        measure: &str,
        unit: &str,
        value: f64,
    ) -> Result<()> {
        self.write_round(filled, measure, unit, 0, value, None)
    }

    /// Writes a measurement of one round, with the baseline of that round.
    pub(crate) fn write_round(
        &mut self,
        filled: &Filled,
        measure: &str,
        unit: &str,
        round: usize,
        value: f64,
        baseline: Option<f64>,
    ) -> Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        let store = match filled.store {
            Some(Store::Sqlite) => "sqlite",
            Some(Store::Postgres) => "postgres",
            None => "baseline",
        };
        let baseline = baseline.map_or_else(String::new, |baseline| format!("{baseline:.4}"));
        let size = filled.size;
        writeln!(file, "{store},{size},\"{measure}\",{unit},{round},{value:.4},{baseline}")?;
        Ok(())
    }
}
