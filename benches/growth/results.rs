//! What is kept of what was measured.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use crate::common::Result;
use crate::common::store::Store;
use crate::servers::Filled;

/// A file of lines, or nothing.
pub(crate) struct Results(Option<BufWriter<File>>);

impl Results {
    pub(crate) fn to(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self(None)) };
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "store,links,measure,unit,round,value,floor")?;
        Ok(Self(Some(file)))
    }

    /// What one server was found to do or to have.
    pub(crate) fn write(
        &mut self,
        filled: &Filled,
        measure: &str,
        unit: &str,
        value: f64,
    ) -> Result<()> {
        self.line(filled, measure, unit, 0, value, None)
    }

    /// The same of one round, beside the floor in that round.
    pub(crate) fn line(
        &mut self,
        filled: &Filled,
        measure: &str,
        unit: &str,
        round: usize,
        value: f64,
        floor: Option<f64>,
    ) -> Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        let store = match filled.store {
            Some(Store::Sqlite) => "sqlite",
            Some(Store::Postgres) => "postgres",
            None => "floor",
        };
        let floor = floor.map_or_else(String::new, |floor| format!("{floor:.4}"));
        let size = filled.size;
        writeln!(file, "{store},{size},\"{measure}\",{unit},{round},{value:.4},{floor}")?;
        Ok(())
    }
}
