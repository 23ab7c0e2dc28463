//! What becomes of rows.

use super::codes::Codes;
use super::{Item, Place, RawRow};
use crate::store::StoreError;
use crate::store::import::{Fate, Wanted, Writer};

/// A row of which is known what became of it.
pub(super) struct Settled {
    pub(super) place: Place,
    pub(super) origin: Option<Place>,
    pub(super) source: RawRow,
    pub(super) has_several_tags: bool,
    pub(super) outcome: Result<Fate, String>,
}

/// Puts a chunk's rows into the database. A row without a code of its own whose code is somebody
/// else's tries the next one. Where the database fails on the way, those are given of which it is known
/// what became of them.
pub(super) async fn settle(
    writer: &mut Writer,
    items: Vec<Item>,
) -> (Vec<Settled>, Result<(), StoreError>) {
    let mut settled = Vec::with_capacity(items.len());
    let mut waiting: Vec<(usize, Option<Codes>)> = Vec::new();
    let mut wanted: Vec<Wanted> = Vec::new();
    for (number, Item { place, origin, source, row }) in items.into_iter().enumerate() {
        let has_several_tags = row.as_ref().is_ok_and(|row| row.has_several_tags);
        let (outcome, is_known) = match row {
            Ok(row) => {
                waiting.push((number, row.codes));
                wanted.push(row.wanted);
                // Until it is known better.
                (Ok(Fate::Taken), false)
            }
            Err(reason) => (Err(reason), true),
        };
        settled.push((Settled { place, origin, source, has_several_tags, outcome }, is_known));
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
            if let (Fate::Taken, Some(mut codes)) = (fate, codes) {
                row.code = codes.next();
                again.push((row, (number, Some(codes))));
            } else {
                let (row, is_known) = &mut settled[number];
                (row.outcome, *is_known) = (Ok(fate), true);
            }
        }
        for (row, codes) in again {
            wanted.push(row);
            waiting.push(codes);
        }
    };
    let settled = settled.into_iter().filter_map(|(row, is_known)| is_known.then_some(row));
    (settled.collect(), put)
}
