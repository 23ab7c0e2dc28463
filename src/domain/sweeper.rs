//! Deletes what is kept for a time only, when that is over.

use std::time::Duration;

use super::routine::Routine;
use crate::store::{Durability, Store, StoreError, changes, clicks, idempotency};
use crate::values::Moment;

const INTERVAL: Duration = Duration::from_secs(60);
/// How long changes are kept, in milliseconds. An instance that was away for longer forgets
/// everything.
const CHANGES_KEPT: i64 = 60 * 60 * 1000;
/// How long writers of clicks are known that write no more, in milliseconds: for so long it can be told
/// whether a batch, on its way again or in a spool file, is there already.
const WRITERS_KEPT: i64 = 7 * 24 * 60 * 60 * 1000;
/// Answers deleted at once, for which others wait.
const SLICE: u32 = 200;
/// How long others go first between two slices.
const PAUSE: Duration = Duration::from_millis(20);

/// Sweeps for as long as it is polled.
pub async fn run(store: Store) {
    let mut routine = Routine::every(INTERVAL, "sweep", "what is out of date was not deleted");
    loop {
        routine.due().await;
        routine.note(sweep(&store).await);
    }
}

async fn sweep(store: &Store) -> Result<(), StoreError> {
    let now = store.now();
    let answers = forget_answers(store, now).await;
    forget_changes_and_writers(store, now).await.and(answers)
}

async fn forget_answers(store: &Store, now: Moment) -> Result<(), StoreError> {
    while idempotency::any_old(store.reader(), now).await? {
        idempotency::sweep(store, now, SLICE).await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

async fn forget_changes_and_writers(store: &Store, now: Moment) -> Result<(), StoreError> {
    let before = |kept| Moment::from_millis(now.millis() - kept);
    let transaction = store.begin(Durability::ProcessDeath).await?;
    changes::delete_before(&transaction, before(CHANGES_KEPT)).await?;
    clicks::forget_writers(&transaction, before(WRITERS_KEPT)).await?;
    transaction.commit().await
}
