//! Follows what the command line and other instances change, and forgets it from the caches.

use std::sync::Arc;
use std::time::Duration;

use super::Caches;
use super::routine::Routine;
use crate::store::changes::{Change, News, Position};
use crate::store::{Store, StoreError, changes};

/// A change is to hold within a second everywhere.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Applies changes as they come, for as long as it is polled.
pub async fn follow(store: Store, caches: Arc<Caches>, mut position: Position) {
    let warning = "changes cannot be read; disabled links and revoked keys may stay in force";
    let mut routine = Routine::every(POLL_INTERVAL, "follow", warning);
    loop {
        routine.due().await;
        routine.note(catch_up(&store, &caches, &mut position).await);
    }
}

async fn catch_up(
    store: &Store,
    caches: &Caches,
    position: &mut Position,
) -> Result<(), StoreError> {
    let (news, reached) = changes::since(store.reader(), position).await?;
    match news {
        News::Changes(changes) => changes.into_iter().for_each(|change| apply(caches, change)),
        News::Lost => caches.clear(),
    }
    *position = reached;
    Ok(())
}

fn apply(caches: &Caches, change: Option<Change>) {
    match change {
        Some(Change::Link(code)) => caches.links.forget(&code),
        Some(Change::Keys) => caches.keys.clear(),
        None => caches.clear(),
    }
}
