//! Reports of an import's progress and results.

use std::io;

use formats::{FileKind, FileNotices, Rejection, RowLocation};

use super::reader::ImportProgress;
use super::write::RowResult;
use crate::store::import::ImportOutcome;
use crate::values::ShortCode;

/// Numbers of rows of an import, by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Rows whose results are known.
    pub rows: u64,
    /// Rows whose links were created.
    pub imported: u64,
    /// Rows whose links already existed.
    pub existing: u64,
    /// Rows that were rejected.
    pub rejected: u64,
    /// Links that were created without a campaign, because their rows had several tags.
    pub campaigns_dropped: u64,
    /// Links that were created with a title that was shortened or flattened.
    pub titles_shortened: u64,
    /// Links that were created without the blanks or invisible characters around the destination.
    pub destinations_trimmed: u64,
    /// Links that were created without the blanks or invisible characters of their codes.
    pub codes_cleaned: u64,
    /// Links that were created with the forwarding of queries by another service.
    pub queries_forwarded: u64,
    /// Links that answer only to their exact codes, although the import ignores letter case.
    pub without_case: u64,
    /// Links that existed, and that this import lets answer in any letter case.
    pub case_added: u64,
    /// Links that were created without their rules for some visitors.
    pub rules_dropped: u64,
    /// Whether the import ended before the end of the file.
    pub is_interrupted: bool,
}

impl ImportCounts {
    pub(super) fn add(&mut self, row: &RowResult) {
        self.rows += 1;
        match row.outcome {
            Ok(outcome @ (ImportOutcome::Created | ImportOutcome::CreatedWithoutCase)) => {
                self.imported += 1;
                self.campaigns_dropped += u64::from(row.losses.drops_campaign);
                self.titles_shortened += u64::from(row.losses.shortens_title);
                self.destinations_trimmed += u64::from(row.is_trimmed);
                self.codes_cleaned += u64::from(row.is_code_cleaned);
                self.queries_forwarded += u64::from(row.losses.changes_forwarding);
                self.without_case += u64::from(outcome == ImportOutcome::CreatedWithoutCase);
                self.rules_dropped += u64::from(row.losses.drops_rules);
            }
            Ok(
                outcome @ (ImportOutcome::AlreadyExists
                | ImportOutcome::CaseAdded
                | ImportOutcome::ExistsWithoutCase),
            ) => {
                self.existing += 1;
                self.case_added += u64::from(outcome == ImportOutcome::CaseAdded);
                self.without_case += u64::from(outcome == ImportOutcome::ExistsWithoutCase);
            }
            Ok(
                ImportOutcome::CodeInUse
                | ImportOutcome::ExternalIdInUse
                | ImportOutcome::PlanLimitReached,
            )
            | Err(_) => self.rejected += 1,
        }
    }
}

/// Receiver of the progress and results of an import. An error stops the import. It receives rejected
/// rows one at a time, because all rows of a file may be rejected, and memory must not grow with them.
pub trait Report {
    /// Receives the kind of the file, before its first row.
    ///
    /// # Errors
    /// If the import cannot be reported.
    fn begin(&mut self, kind: &FileKind<'_>) -> io::Result<()>;
    /// Receives a rejected row, in file order.
    ///
    /// # Errors
    /// If the row cannot be reported.
    fn reject(&mut self, rejection: &Rejection<'_>) -> io::Result<()>;
    /// Receives the code of a link that was created, but answers only to its exact code.
    ///
    /// # Errors
    /// If the row cannot be reported.
    fn without_case(&mut self, location: RowLocation, code: &ShortCode) -> io::Result<()>;
    /// Receives what the file has beyond links, at its end.
    fn notices(&mut self, notices: &FileNotices);
    /// Receives the progress after each chunk of rows.
    fn progress(&mut self, progress: ImportProgress);
}
