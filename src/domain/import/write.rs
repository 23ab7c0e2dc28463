//! Writes rows to the database.

use formats::{Losses, RawRow, RowLocation};

use super::reader::{CheckedRow, CodeLines, Holder};
use crate::store::StoreError;
use crate::store::import::{ImportOutcome, ImportWriter};
use crate::values::ShortCode;

/// A row that was written or rejected.
pub(super) struct WrittenRow {
    pub(super) location: RowLocation,
    pub(super) origin: Option<RowLocation>,
    pub(super) source: RawRow,
    pub(super) domain: Option<String>,
    /// What differs from the file.
    pub(super) losses: Losses,
    pub(super) is_trimmed: bool,
    pub(super) is_code_cleaned: bool,
    /// Code of the link, if the row is valid.
    pub(super) code: Option<ShortCode>,
    /// The row of the same file that has the code, if it is in use.
    pub(super) holder: Option<Holder>,
}

/// Outcome of a row in the database, or all its errors.
pub(super) type RowOutcome = Result<ImportOutcome, String>;

/// Writes the rows of a chunk, and returns them with their outcomes, in order. If the generated code of a row
/// is in use, it tries further codes. If the database fails, it returns the rows whose outcomes are
/// known.
pub(super) async fn write_rows(
    writer: &mut dyn ImportWriter,
    rows: Vec<CheckedRow>,
    lines: &mut CodeLines,
) -> (Vec<(WrittenRow, RowOutcome)>, Result<(), StoreError>) {
    let (mut written_rows, mut outcomes) = (Vec::new(), Vec::with_capacity(rows.len()));
    let (mut pending, mut links) = (Vec::new(), Vec::new());
    for (index, CheckedRow { location, origin, source, domain, row }) in
        rows.into_iter().enumerate()
    {
        let valid = row.as_ref().ok();
        written_rows.push(WrittenRow {
            location,
            origin,
            source,
            domain,
            losses: valid.map_or_else(Losses::default, |row| row.losses),
            is_trimmed: valid.is_some_and(|row| row.is_trimmed),
            is_code_cleaned: valid.is_some_and(|row| row.is_code_cleaned),
            code: None,
            holder: None,
        });
        outcomes.push(match row {
            Ok(row) => {
                pending.push((index, row.codes));
                links.push(row.link);
                None
            }
            Err(reason) => Some(Err(reason)),
        });
    }
    let written = loop {
        if links.is_empty() {
            break Ok(());
        }
        let known = match writer.put(&links).await {
            Ok(known) => known,
            Err(error) => break Err(error),
        };
        let mut retries = Vec::new();
        let tried = links.drain(..known.len()).zip(pending.drain(..known.len()));
        for ((mut link, (index, codes)), outcome) in tried.zip(known) {
            if let (ImportOutcome::CodeInUse, Some(mut codes)) = (outcome, codes) {
                link.code = codes.next();
                retries.push((link, (index, Some(codes))));
            } else {
                let row = &mut written_rows[index];
                match outcome {
                    ImportOutcome::CodeInUse => row.holder = lines.find(&link.code),
                    ImportOutcome::ExternalIdInUse | ImportOutcome::PlanLimitReached => {}
                    ImportOutcome::Created
                    | ImportOutcome::AlreadyExists
                    | ImportOutcome::CaseAdded
                    | ImportOutcome::CreatedWithoutCase
                    | ImportOutcome::ExistsWithoutCase => lines.note(&link.code, row.location),
                }
                row.code = Some(link.code);
                outcomes[index] = Some(Ok(outcome));
            }
        }
        let (retried, codes): (Vec<_>, Vec<_>) = retries.into_iter().unzip();
        links.extend(retried);
        pending.extend(codes);
    };
    let known = written_rows.into_iter().zip(outcomes);
    (known.filter_map(|(row, outcome)| Some((row, outcome?))).collect(), written)
}
