//! Moves the ledger into the links' counts, so that statistics need not add it up.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::routine::Routine;
use crate::metrics::Metrics;
use crate::store::{Store, StoreError, clicks};

/// Slices between two looks at the log that SQLite writes ahead, which must not grow for ever.
const SLICES: u32 = 50;
/// The same where recent counts are put away: each of the 2,000 of a slice may change a page (4 KiB) of
/// its own, and the log is to have 64 MiB.
const SLICES_PUT_AWAY: u32 = 8;
/// How long writers go first between two slices.
const PAUSE: Duration = Duration::from_millis(2);

/// Folds for as long as it is polled.
pub async fn run(store: Store, metrics: Arc<Metrics>) {
    let warning = "clicks are stored but cannot be added up; the more there are, the longer \
                   statistics take";
    let mut routine = Routine::every(clicks::fold_interval(&store), "fold", warning);
    loop {
        routine.due().await;
        routine.note(add_up(&store, &metrics).await);
        checkpoint(&store).await;
    }
}

async fn checkpoint(store: &Store) {
    if let Err(error) = store.checkpoint().await {
        tracing::debug!(%error, "the write-ahead log was not moved into the database file");
    }
}

async fn add_up(store: &Store, metrics: &Metrics) -> Result<(), StoreError> {
    let mut rows = 0;
    let folded = fold_up_to(store, SLICES, &mut rows).await;
    // What was done stays done.
    metrics.clicks_folded_rows.inc_by(rows);
    folded?;
    // They grow by what is folded and by nothing else: a server that is idle does not count them.
    if rows > 0 && clicks::has_many_recent(store).await? {
        let mut slices = 0;
        while !clicks::put_away(store).await?.is_all {
            slices += 1;
            if slices % SLICES_PUT_AWAY == 0 {
                checkpoint(store).await;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok(())
}

/// Folds what there is.
///
/// # Errors
/// When the database fails; what has been folded until then stays folded.
pub async fn fold_all(store: &Store) -> Result<(), StoreError> {
    fold_up_to(store, u32::MAX, &mut 0).await
}

async fn fold_up_to(store: &Store, slices: u32, rows: &mut u64) -> Result<(), StoreError> {
    for _ in 0..slices {
        if !clicks::any(store).await? {
            break;
        }
        let folded = clicks::fold(store).await?;
        *rows += folded.rows;
        if folded.is_all {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}
