//! The rollup, which moves pending clicks into the counts of links, so that statistics sum few
//! rows.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::periodic_task::PeriodicTask;
use crate::metrics::Metrics;
use crate::store::{Store, StoreError, clicks};

/// Maximum number of rollup transactions between two checkpoints. Checkpoints keep SQLite's
/// write-ahead log short.
const MAX_TRANSACTIONS: u32 = 50;
/// Maximum number of merges between two checkpoints. Each of the 2,000 counts of a merge may change
/// another page of 4 KiB, and the write-ahead log should stay within 64 MiB.
const MAX_MERGES: u32 = 8;
/// Pause between two transactions, during which other writers can proceed.
const PAUSE: Duration = Duration::from_millis(2);

/// Rolls up pending clicks at regular intervals. It runs until it is dropped.
pub async fn run(store: Store, metrics: Arc<Metrics>) {
    let interval = store.rollup_interval();
    let mut rollup = PeriodicTask::new(
        interval,
        "click-rollup",
        "clicks are stored but cannot be rolled up; the more there are, the longer statistics take",
    );
    let mut checkpoint = checkpoint_task(interval);
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
    // The metric also counts transactions that committed before a failure.
    metrics.click_rollup_rows.inc_by(rows);
    result?;
    // Only rollups add recent counts, so an idle server does not have to check for a merge.
    if rows > 0 && store.is_merge_due().await? {
        merge_all(store, checkpoint).await
    } else {
        Ok(())
    }
}

/// Merges all recent counts of SQLite. It gives up if another process is writing.
pub(super) async fn merge_all(
    store: &Store,
    checkpoint: &mut PeriodicTask,
) -> Result<(), StoreError> {
    let mut merges = 0;
    while !store.merge_recent_counts().await?.is_complete {
        merges += 1;
        if merges % MAX_MERGES == 0 {
            checkpoint.report(store.checkpoint().await);
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Creates the task of checkpoints, which logs when they begin to fail.
pub(super) fn checkpoint_task(interval: Duration) -> PeriodicTask {
    PeriodicTask::new(
        interval,
        "checkpoint",
        "the write-ahead log cannot be moved into the database file and grows",
    )
}

/// Rolls up all pending clicks.
///
/// # Errors
/// If the database fails. Transactions before the failure stay committed.
pub async fn roll_up_all(store: &Store) -> Result<(), StoreError> {
    roll_up_pending(store, u32::MAX, &mut 0).await
}

/// Rolls up pending clicks in at most `max_transactions` transactions, and adds the number of moved
/// rows to `rows`.
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
        if moved.is_complete {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}
