//! Writes rows to the database.

use std::collections::HashMap;

use formats::{Losses, RawRow, RowLocation};

use super::reader::{CheckedRow, CodeLines, Holder};
use crate::store::import::ImportOutcome;
use crate::store::{ImportWriter, StoreError};
use crate::values::ShortCode;

/// Result of a row: its outcome in the database, or all its errors.
pub(super) struct RowResult {
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
    pub(super) outcome: Result<ImportOutcome, String>,
}

/// Writes the rows of a chunk, and returns their results in order. If the generated code of a row
/// is in use, it tries further codes. If the database fails, it returns the results known so far.
pub(super) async fn write_rows(
    writer: &mut ImportWriter,
    rows: Vec<CheckedRow>,
    lines: &mut CodeLines,
) -> (Vec<RowResult>, Result<(), StoreError>) {
    let mut outcomes = Vec::with_capacity(rows.len());
    let (mut pending, mut links, mut sources) = (Vec::new(), Vec::new(), Vec::new());
    let mut holders = HashMap::new();
    let mut final_codes: Vec<Option<ShortCode>> = vec![None; rows.len()];
    for (index, CheckedRow { location, origin, source, domain, row }) in
        rows.into_iter().enumerate()
    {
        let losses = row.as_ref().map_or_else(|_| Losses::default(), |row| row.losses);
        let is_trimmed = row.as_ref().is_ok_and(|row| row.is_trimmed);
        let is_code_cleaned = row.as_ref().is_ok_and(|row| row.is_code_cleaned);
        sources.push((location, origin, source, domain, losses, is_trimmed, is_code_cleaned));
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
                match outcome {
                    ImportOutcome::CodeInUse => {
                        holders.extend(lines.find(&link.code).map(|holder| (index, holder)));
                    }
                    ImportOutcome::ExternalIdInUse | ImportOutcome::PlanLimitReached => {}
                    ImportOutcome::Created
                    | ImportOutcome::AlreadyExists
                    | ImportOutcome::CaseAdded
                    | ImportOutcome::CreatedWithoutCase
                    | ImportOutcome::ExistsWithoutCase => lines.note(&link.code, sources[index].0),
                }
                final_codes[index] = Some(link.code);
                outcomes[index] = Some(Ok(outcome));
            }
        }
        let (retried, codes): (Vec<_>, Vec<_>) = retries.into_iter().unzip();
        links.extend(retried);
        pending.extend(codes);
    };
    let results = sources.into_iter().zip(outcomes).zip(final_codes).enumerate();
    let results = results.filter_map(|(index, ((row, outcome), code))| {
        let (location, origin, source, domain, losses, is_trimmed, is_code_cleaned) = row;
        let outcome = outcome?;
        let holder = holders.remove(&index);
        Some(RowResult {
            location,
            origin,
            source,
            domain,
            losses,
            is_trimmed,
            is_code_cleaned,
            code,
            holder,
            outcome,
        })
    });
    (results.collect(), written)
}
