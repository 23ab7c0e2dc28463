//! What becomes of rows.

use super::codes::Codes;
use super::{Item, Place, RawRow};
use crate::store::import::{ImportLink, ImportOutcome};
use crate::store::{ImportWriter, StoreError};

/// A row of which is known what became of it.
pub(super) struct Settled {
    pub(super) place: Place,
    pub(super) origin: Option<Place>,
    pub(super) source: RawRow,
    pub(super) has_several_tags: bool,
    pub(super) outcome: Result<ImportOutcome, String>,
}

/// Puts a chunk's rows into the database. A row without a code of its own whose code is somebody
/// else's tries the next one. Where the database fails on the way, those are given of which it is known
/// what became of them.
pub(super) async fn settle(
    writer: &mut ImportWriter,
    items: Vec<Item>,
) -> (Vec<Settled>, Result<(), StoreError>) {
    let (mut rows, mut outcomes) = (Vec::with_capacity(items.len()), Vec::new());
    let mut waiting: Vec<(usize, Option<Codes>)> = Vec::new();
    let mut wanted: Vec<ImportLink> = Vec::new();
    for (number, Item { place, origin, source, row }) in items.into_iter().enumerate() {
        let has_several_tags = row.as_ref().is_ok_and(|row| row.has_several_tags);
        let outcome = match row {
            Ok(row) => {
                waiting.push((number, row.codes));
                wanted.push(row.wanted);
                None
            }
            Err(reason) => Some(Err(reason)),
        };
        outcomes.push(outcome);
        rows.push((place, origin, source, has_several_tags));
    }
    let put = loop {
        if wanted.is_empty() {
            break Ok(());
        }
        let fates = match writer.put(&wanted).await {
            Ok(fates) => fates,
            Err(error) => break Err(error),
        };
        let mut again = Vec::new();
        let tried = wanted.drain(..fates.len()).zip(waiting.drain(..fates.len()));
        for ((mut row, (number, codes)), fate) in tried.zip(fates) {
            if let (ImportOutcome::CodeInUse, Some(mut codes)) = (fate, codes) {
                row.code = codes.next();
                again.push((row, (number, Some(codes))));
            } else {
                outcomes[number] = Some(Ok(fate));
            }
        }
        let (retried, codes): (Vec<_>, Vec<_>) = again.into_iter().unzip();
        wanted.extend(retried);
        waiting.extend(codes);
    };
    let settled = rows.into_iter().zip(outcomes).filter_map(|(row, outcome)| {
        let (place, origin, source, has_several_tags) = row;
        Some(Settled { place, origin, source, has_several_tags, outcome: outcome? })
    });
    (settled.collect(), put)
}
