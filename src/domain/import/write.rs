//! Writes rows to the database.

use std::collections::HashMap;

use formats::{RawRow, RowLocation};

use super::reader::CheckedRow;
use crate::store::import::ImportOutcome;
use crate::store::{ImportWriter, StoreError};
use crate::values::ShortCode;

/// Result of a row: its outcome in the database, or all its errors.
pub(super) struct RowResult {
    pub(super) location: RowLocation,
    pub(super) origin: Option<RowLocation>,
    pub(super) source: RawRow,
    pub(super) has_several_tags: bool,
    pub(super) is_trimmed: bool,
    /// Code of a link that answers only to it, although the import ignores letter case.
    pub(super) code: Option<ShortCode>,
    pub(super) outcome: Result<ImportOutcome, String>,
}

/// Writes the rows of a chunk, and returns their results in order. If the generated code of a row
/// is in use, it tries further codes. If the database fails, it returns the results known so far.
pub(super) async fn write_rows(
    writer: &mut ImportWriter,
    rows: Vec<CheckedRow>,
) -> (Vec<RowResult>, Result<(), StoreError>) {
    let mut outcomes = Vec::with_capacity(rows.len());
    let (mut pending, mut links, mut sources) = (Vec::new(), Vec::new(), Vec::new());
    let mut without_case = HashMap::new();
    for (index, CheckedRow { location, origin, source, row }) in rows.into_iter().enumerate() {
        let has_several_tags = row.as_ref().is_ok_and(|row| row.has_several_tags);
        let is_trimmed = row.as_ref().is_ok_and(|row| row.is_trimmed);
        sources.push((location, origin, source, has_several_tags, is_trimmed));
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
                if outcome == ImportOutcome::CreatedWithoutCase {
                    without_case.insert(index, link.code);
                }
                outcomes[index] = Some(Ok(outcome));
            }
        }
        let (retried, codes): (Vec<_>, Vec<_>) = retries.into_iter().unzip();
        links.extend(retried);
        pending.extend(codes);
    };
    let results = sources.into_iter().zip(outcomes).enumerate();
    let results = results.filter_map(|(index, (row, outcome))| {
        let (location, origin, source, has_several_tags, is_trimmed) = row;
        let (code, outcome) = (without_case.remove(&index), outcome?);
        Some(RowResult { location, origin, source, has_several_tags, is_trimmed, code, outcome })
    });
    (results.collect(), written)
}
