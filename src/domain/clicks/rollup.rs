//! The rollup of pending clicks into the links' counts, so that statistics need not sum them up.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::periodic_task::PeriodicTask;
use crate::metrics::Metrics;
use crate::store::{Store, StoreError, clicks};

/// Transactions of a rollup between two checkpoints, without which SQLite's write-ahead log grows.
const MAX_TRANSACTIONS: u32 = 50;
/// The same for the merge of recent counts: each of its 2,000 counts may change a page (4 KiB) of its
/// own, and the log should stay within 64 MiB.
const MAX_MERGES: u32 = 8;
/// Time for other writers between two transactions.
const PAUSE: Duration = Duration::from_millis(2);

/// Rolls pending clicks up at an interval, until it is dropped.
pub async fn run(store: Store, metrics: Arc<Metrics>) {
    let interval = store.rollup_interval();
    let mut rollup = PeriodicTask::new(
        interval,
        "click-rollup",
        "clicks are stored but cannot be rolled up; the more there are, the longer statistics take",
    );
    let mut checkpoint = PeriodicTask::new(
        interval,
        "checkpoint",
        "the write-ahead log cannot be moved into the database file and grows",
    );
    loop {
        rollup.tick().await;
        rollup.report(roll_up(&store, &metrics, &mut checkpoint).await);
        checkpoint.report(store.checkpoint().await);
    }
}

async fn roll_up(
    store: &Store,
    metrics: &Metrics,
    checkpoint: &mut PeriodicTask,
) -> Result<(), StoreError> {
    let mut rows = 0;
    let result = roll_up_pending(store, MAX_TRANSACTIONS, &mut rows).await;
    // Committed transactions count, also before a failure.
    metrics.click_rollup_rows.inc_by(rows);
    result?;
    // Only the rollup adds recent counts: an idle server need not look for them.
    if rows > 0 && store.is_merge_due().await? {
        let mut merges = 0;
        while !store.merge_recent_counts().await?.is_all {
            merges += 1;
            if merges % MAX_MERGES == 0 {
                checkpoint.report(store.checkpoint().await);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok(())
}

/// Rolls all pending clicks up.
///
/// # Errors
/// If the database fails; transactions before the failure stay committed.
pub async fn roll_up_all(store: &Store) -> Result<(), StoreError> {
    roll_up_pending(store, u32::MAX, &mut 0).await
}

async fn roll_up_pending(
    store: &Store,
    max_transactions: u32,
    rows: &mut u64,
) -> Result<(), StoreError> {
    for _ in 0..max_transactions {
        if !clicks::any_pending(store.reader()).await? {
            break;
        }
        let moved = store.roll_up().await?;
        *rows += moved.rows;
        if moved.is_all {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}
