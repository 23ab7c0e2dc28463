//! What an import reports while it runs and at its end.

use std::io;

use super::reader::ImportProgress;
use super::rejects::Rejection;
use super::source::FileKind;
use super::write::RowResult;
use crate::store::import::ImportOutcome;

/// The rows of an import by their results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Rows whose results are known.
    pub rows: u64,
    /// Created links.
    pub imported: u64,
    /// Rows whose links existed.
    pub existing: u64,
    /// Rows that were not imported.
    pub rejected: u64,
    /// Created links without a campaign, because they had several tags.
    pub campaigns_dropped: u64,
    /// The import ended before the file did.
    pub is_interrupted: bool,
}

impl ImportCounts {
    pub(super) fn add(&mut self, row: &RowResult) {
        self.rows += 1;
        match row.outcome {
            Ok(ImportOutcome::Created) => {
                self.imported += 1;
                self.campaigns_dropped += u64::from(row.has_several_tags);
            }
            Ok(ImportOutcome::AlreadyExists) => self.existing += 1,
            Ok(ImportOutcome::CodeInUse | ImportOutcome::PlanLimitReached) | Err(_) => {
                self.rejected += 1;
            }
        }
    }
}

/// Receives what happens during an import. An error ends the import.
pub trait Report {
    /// Receives what the file is, before its first row.
    ///
    /// # Errors
    /// If the import cannot be reported.
    fn begin(&mut self, kind: &FileKind<'_>) -> io::Result<()>;
    /// Receives a rejected row, in file order.
    ///
    /// # Errors
    /// If the row cannot be reported.
    fn reject(&mut self, rejection: &Rejection<'_>) -> io::Result<()>;
    /// Receives how far the import is after each chunk of rows.
    fn progress(&mut self, progress: ImportProgress);
}
