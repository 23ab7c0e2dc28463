//! The caches of an instance, and their invalidation by changes of any process.

use std::sync::Arc;
use std::time::Duration;

use super::addresses::Addresses;
use super::blocks::Blocklist;
use super::cache::VersionedCache;
use super::keys::KeyCache;
use super::links::{KnownKinds, LinkCache};
use super::periodic_task::PeriodicTask;
use crate::store::invalidations::{self, Invalidation, InvalidationPoll, Position};
use crate::store::{Store, StoreError, subscriptions};

/// Interval between two polls of the log of invalidations. A change must take effect on all instances
/// within a second.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// The caches of one instance. They do not cache that a code or key is unknown, because another
/// instance may create it at any time.
#[derive(Debug)]
pub struct Caches {
    /// Redirect targets by short code.
    pub links: LinkCache,
    /// The kinds of codes that exist.
    pub code_kinds: KnownKinds,
    /// API keys by hash.
    pub keys: KeyCache,
    /// Patterns of blocked destinations.
    pub blocks: Arc<Blocklist>,
    /// Addresses of the service, with the domains of owners.
    pub addresses: Arc<Addresses>,
}

impl Caches {
    /// Creates caches of about `capacity` bytes for links, and a sixteenth of that for API keys.
    pub fn new(capacity: u64, blocks: &Arc<Blocklist>, addresses: &Arc<Addresses>) -> Self {
        let (links, keys) = (VersionedCache::new(capacity), VersionedCache::new(capacity / 16));
        let (blocks, addresses) = (Arc::clone(blocks), Arc::clone(addresses));
        Self { links, code_kinds: KnownKinds::default(), keys, blocks, addresses }
    }

    /// Removes the entries that a change invalidates. If the kind of the change is unknown
    /// (`None`), it removes all entries.
    fn apply(&self, invalidation: Option<Invalidation>) {
        match invalidation {
            Some(Invalidation::Link(code)) => self.links.invalidate(&code),
            Some(Invalidation::Keys) => self.keys.clear(),
            Some(Invalidation::Owner(id)) => {
                self.keys.clear();
                self.links.invalidate_if(|target| target.owner_id == Some(id));
            }
            Some(Invalidation::Blocks) => self.blocks.announce_change(),
            // The poll has already read them again.
            Some(Invalidation::Codes | Invalidation::Domains | Invalidation::Webhooks) => {}
            None => self.clear(),
        }
    }

    fn clear(&self) {
        self.links.clear();
        self.keys.clear();
        self.blocks.announce_change();
    }
}

/// Polls the log of invalidations from `position` on and applies the changes to the caches. It runs until it
/// is dropped. If the server `has_webhooks`, it also reads them again.
pub async fn run(store: Store, caches: Arc<Caches>, mut position: Position, has_webhooks: bool) {
    let warning = "changes cannot be read; disabled links and revoked keys may stay in force";
    let mut task = PeriodicTask::new(POLL_INTERVAL, "cache-invalidation", warning);
    loop {
        task.tick().await;
        task.report(poll(&store, &caches, &mut position, has_webhooks).await);
    }
}

async fn poll(
    store: &Store,
    caches: &Caches,
    position: &mut Position,
    has_webhooks: bool,
) -> Result<(), StoreError> {
    let (poll, reached) = invalidations::since(store.reader(), position).await?;
    let any = |concerns: fn(&Invalidation) -> bool| match &poll {
        InvalidationPoll::New(all) => all.iter().any(|one| one.as_ref().is_none_or(concerns)),
        InvalidationPoll::HistoryLost => true,
    };
    if any(|one| matches!(one, Invalidation::Codes)) {
        caches.code_kinds.load(store).await?;
    }
    if has_webhooks && any(|one| matches!(one, Invalidation::Webhooks)) {
        store.set_subscriptions(subscriptions::read(store.reader()).await?);
    }
    // A domain knows whether its owner is suspended.
    if any(|one| matches!(one, Invalidation::Domains | Invalidation::Owner(_))) {
        caches.addresses.load(store).await?;
    }
    match poll {
        InvalidationPoll::New(all) => all.into_iter().for_each(|one| caches.apply(one)),
        InvalidationPoll::HistoryLost => caches.clear(),
    }
    *position = reached;
    Ok(())
}
