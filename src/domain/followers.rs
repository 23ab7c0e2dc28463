//! Follows what the command line and other instances change, and forgets it from the caches.

use std::sync::Arc;
use std::time::Duration;

use super::Caches;
use crate::store::changes::{Change, News, Position};
use crate::store::{Store, StoreError, changes};

/// A change is to hold within a second everywhere.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Applies changes as they come, for as long as it is polled.
pub async fn follow(store: Store, caches: Arc<Caches>, mut position: Position) {
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut has_failed = false;
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
            // Whoever records clicks says that the database is away.
            Err(error) if has_failed || matches!(error, StoreError::Away) => {
                tracing::debug!(%error, "changes not read");
                continue;
            }
            Err(error) => {
                tracing::warn!(
                    %error,
                    "changes cannot be read; disabled links and revoked keys may stay in force"
                );
                has_failed = true;
                continue;
            }
        }
        has_failed = false;
    }
}

fn apply(caches: &Caches, change: Option<Change>) {
    match change {
        Some(Change::Link(code)) => caches.links.forget(&code),
        Some(Change::Keys) => caches.keys.clear(),
        None => caches.clear(),
    }
}
