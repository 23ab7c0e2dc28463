//! Stores batches from the disk of a server, which the database may have stored already.

use std::path::Path;

use crate::store::clicks::{Batch, LinkClicks};
use crate::store::{Store, StoreError, links};

/// Numbers of the clicks of a batch.
pub(super) struct Stored {
    /// Clicks that the database has.
    pub(super) clicks: i64,
    /// Clicks of links that the database lacks.
    pub(super) orphans: i64,
}

/// Stores a batch that may be stored already.
pub(super) async fn append_once(store: &Store, mut batch: Batch) -> Result<Stored, StoreError> {
    let orphans = remove_orphans(store, &mut batch).await?;
    store.append_once(&batch).await?;
    Ok(Stored { clicks: sum(&batch.clicks), orphans })
}

/// Logs that clicks of this file were dropped.
pub(super) fn warn_of_orphans(path: &Path, clicks: i64) {
    if clicks > 0 {
        let file = path.display();
        tracing::warn!(
            %file,
            clicks,
            "clicks of missing links are dropped; the database may be an older copy"
        );
    }
}

/// Removes the clicks of links that do not exist, and returns their number. In a database restored
/// from a backup, new links will get the identifiers of these links.
async fn remove_orphans(store: &Store, batch: &mut Batch) -> Result<i64, StoreError> {
    let ids: Vec<i64> = batch.clicks.iter().map(|clicks| clicks.link_id).collect();
    let existing = links::existing(store.reader(), &ids).await?;
    let before = sum(&batch.clicks);
    batch.clicks.retain(|clicks| existing.contains(&clicks.link_id));
    Ok(before - sum(&batch.clicks))
}

pub(super) fn sum(clicks: &[LinkClicks]) -> i64 {
    clicks.iter().map(|clicks| clicks.count).sum()
}
