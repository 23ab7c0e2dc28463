//! What becomes of rows.

use super::codes::Codes;
use super::{ImportError, Item, Place, RawRow};
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
/// else's tries the next one.
pub(super) async fn settle(
    writer: &mut Writer,
    items: Vec<Item>,
) -> Result<Vec<Settled>, ImportError> {
    let mut settled = Vec::with_capacity(items.len());
    let mut waiting: Vec<(usize, Option<Codes>)> = Vec::new();
    let mut wanted: Vec<Wanted> = Vec::new();
    for (number, Item { place, origin, source, row }) in items.into_iter().enumerate() {
        let has_several_tags = row.as_ref().is_ok_and(|row| row.has_several_tags);
        // Until it is known better.
        let outcome = row.map(|row| {
            waiting.push((number, row.codes));
            wanted.push(row.wanted);
            Fate::Taken
        });
        settled.push(Settled { place, origin, source, has_several_tags, outcome });
    }
    while !wanted.is_empty() {
        let fates = writer.put(&wanted).await?;
        let (rows, tried) = (std::mem::take(&mut wanted), std::mem::take(&mut waiting));
        for ((mut row, (number, codes)), fate) in rows.into_iter().zip(tried).zip(fates) {
            settled[number].outcome = Ok(fate);
            if let (Fate::Taken, Some(mut codes)) = (fate, codes) {
                row.code = codes.next();
                wanted.push(row);
                waiting.push((number, Some(codes)));
            }
        }
    }
    Ok(settled)
}
