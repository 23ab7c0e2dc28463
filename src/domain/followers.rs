//! Follows what the command line and other instances change, and forgets it from the caches.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Caches;
use crate::store::changes::{Change, News, Position};
use crate::store::{Durability, Store, StoreError, changes, clicks};
use crate::values::Moment;

/// A change is to hold within a second everywhere.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How often what nobody needs any more is deleted.
const SWEEP_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// How long changes are kept, in milliseconds. An instance that was away for longer forgets
/// everything.
const CHANGES_KEPT: i64 = 60 * 60 * 1000;
/// How long writers of clicks are known that write no more, in milliseconds: longer than anybody
/// goes on trying to append a batch that may be there already.
const WRITERS_KEPT: i64 = 7 * 24 * 60 * 60 * 1000;

/// Applies changes as they come, for as long as it is polled.
pub async fn follow(store: Store, caches: Arc<Caches>, mut position: Position) {
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut swept = Instant::now();
    loop {
        ticks.tick().await;
        match changes::since(store.reader(), &position).await {
            Ok((News::Changes(news), reached)) => {
                for change in news {
                    apply(&caches, change);
                }
                position = reached;
            }
            Ok((News::Lost, reached)) => {
                caches.clear();
                position = reached;
            }
            Err(error) => tracing::debug!(%error, "changes not read"),
        }
        if swept.elapsed() > SWEEP_INTERVAL {
            swept = Instant::now();
            match sweep(&store).await {
                // Whoever records clicks says that the database is away.
                Ok(()) | Err(StoreError::Away) => {}
                Err(error) => {
                    tracing::warn!(%error, "what nobody needs any more was not deleted");
                }
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

async fn sweep(store: &Store) -> Result<(), StoreError> {
    let now = store.now().await?;
    let before = |kept| Moment::from_millis(now.millis() - kept);
    let transaction = store.begin(Durability::ProcessDeath).await?;
    changes::delete_before(&transaction, before(CHANGES_KEPT)).await?;
    clicks::forget_writers(&transaction, before(WRITERS_KEPT)).await?;
    transaction.commit().await
}
