//! Follows what the command line and other instances change, and forgets it from the caches.

use std::sync::Arc;
use std::time::Duration;

use super::Caches;
use crate::store::changes::Change;
use crate::store::{Durability, Store, StoreError, changes};
use crate::values::Moment;

/// A change is to hold within a second everywhere.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How long changes are kept, and so how long an instance may have been away.
const KEPT: i64 = 60 * 60 * 1000;
/// How often old changes are deleted.
const SWEEP_INTERVAL: i64 = 10 * 60 * 1000;

/// Applies changes as they come, for as long as it is polled.
pub async fn follow(store: Store, caches: Arc<Caches>, mut last: i64) {
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut heard = Moment::now();
    let mut swept = heard;
    loop {
        ticks.tick().await;
        let now = Moment::now();
        match changes::since(store.reader(), last).await {
            Ok(news) => {
                if now.millis() - heard.millis() > KEPT / 2 {
                    // Changes may have been deleted before they were read.
                    caches.clear();
                }
                heard = now;
                for (number, change) in news {
                    apply(&caches, change);
                    last = number;
                }
            }
            Err(error) => tracing::debug!(%error, "changes not read"),
        }
        if now.millis() - swept.millis() > SWEEP_INTERVAL {
            swept = now;
            if let Err(error) = sweep(&store, now).await {
                tracing::debug!(%error, "old changes not deleted");
            }
        }
    }
}

fn apply(caches: &Caches, change: Option<Change>) {
    match change {
        Some(Change::Link(code)) => caches.links.forget(&code),
        Some(Change::Keys) => caches.keys.clear(),
        None => caches.clear(),
    }
}

async fn sweep(store: &Store, now: Moment) -> Result<(), StoreError> {
    let transaction = store.begin(Durability::ProcessDeath).await?;
    let horizon = Moment::from_millis(now.millis() - KEPT);
    changes::delete_before(&transaction.connection(), horizon).await?;
    transaction.commit().await
}
