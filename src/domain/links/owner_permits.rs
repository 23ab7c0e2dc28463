//! Permits for work that takes many resources, such as reading a page of a list or creating a batch of
//! links, so that no owner takes all of them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::store::StoreError;

/// Maximum number of batches of links, of all owners, that are parsed and created at the same time, or of
/// other large bodies that are parsed. Each takes up to 16 MiB of memory.
const MAX_BATCHES: usize = 8;
/// Maximum number of batches of one owner among them.
const MAX_BATCHES_PER_OWNER: usize = 2;
/// Maximum time that a batch waits for others to end.
const BATCH_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of tests of webhooks, of all owners, at the same time. Each owner has one among them.
const MAX_TESTS: usize = 8;
/// Maximum time that a test waits for others to end.
const TEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Number of bytes of a batch's body that need a permit.
const BODY_PART: usize = 64 << 10;
/// Maximum memory in bytes for the bodies of batches, of all owners, that arrive or wait to be parsed.
const MAX_BODIES: usize = 48 << 20;
/// Maximum memory in bytes for the bodies of one owner among them.
const MAX_BODIES_PER_OWNER: usize = 16 << 20;

/// Permits of all owners for one kind of work. Clones share them.
///
/// A request without a permit waits for other requests of its owner before it waits for those of
/// others.
#[derive(Debug, Clone)]
pub struct OwnerPermits {
    owners: Arc<Mutex<HashMap<i64, Arc<Semaphore>>>>,
    /// Maximum number of permits of one owner at the same time.
    per_owner: usize,
    /// Permits of all owners together.
    all: Arc<Semaphore>,
    timeout: Duration,
}

/// Permit, until it is dropped.
#[derive(Debug)]
pub struct OwnerPermit {
    permits: OwnerPermits,
    owner_id: i64,
    /// `None` while the request waits for the permit, and after a timeout.
    permit: Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)>,
}

impl OwnerPermits {
    /// Creates permits to read pages of lists, by which each owner may use half of `connections`, and
    /// at least one. A request waits at most `timeout` for a permit.
    pub fn for_lists(connections: u32, timeout: Duration) -> Self {
        Self::new((connections as usize / 2).max(1), usize::MAX, timeout)
    }

    /// Creates permits to parse and create batches of links.
    pub fn for_batches() -> Self {
        Self::new(MAX_BATCHES_PER_OWNER, MAX_BATCHES, BATCH_TIMEOUT)
    }

    /// Creates permits to test webhooks.
    pub fn for_tests() -> Self {
        Self::new(1, MAX_TESTS, TEST_TIMEOUT)
    }

    /// Creates permits to hold [`BODY_PART`] bytes of the body of a batch. A slow upload thus holds
    /// only what has arrived, and delays no other batch.
    pub fn for_bodies() -> Self {
        Self::new(MAX_BODIES_PER_OWNER / BODY_PART, MAX_BODIES / BODY_PART, Duration::ZERO)
    }

    /// Creates `per_owner` permits of each owner, of which all owners together may use `max`. A
    /// request waits at most `timeout` for a permit.
    fn new(per_owner: usize, max: usize, timeout: Duration) -> Self {
        let all = Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS)));
        Self { owners: Arc::default(), per_owner, all, timeout }
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if there is none before the timeout.
    pub async fn acquire(&self, owner_id: i64) -> Result<OwnerPermit, StoreError> {
        let (semaphore, mut permit) = self.begin(owner_id);
        let acquire = async {
            let own = semaphore.acquire_owned().await?;
            Ok::<_, AcquireError>((own, Arc::clone(&self.all).acquire_owned().await?))
        };
        let acquired = timeout(self.timeout, acquire).await;
        permit.permit = Some(acquired.ok().and_then(Result::ok).ok_or(StoreError::Busy)?);
        Ok(permit)
    }

    /// Returns a permit, or `None` if there is none without a wait.
    #[must_use]
    fn try_acquire(&self, owner_id: i64) -> Option<OwnerPermit> {
        let (semaphore, mut permit) = self.begin(owner_id);
        let own = semaphore.try_acquire_owned().ok()?;
        permit.permit = Some((own, Arc::clone(&self.all).try_acquire_owned().ok()?));
        Some(permit)
    }

    /// Takes as many permits to hold parts of a body as this many bytes of it need, besides those that `parts`
    /// has. Returns whether there were enough without a wait.
    pub fn hold_body(&self, parts: &mut Vec<OwnerPermit>, owner_id: i64, length: usize) -> bool {
        let missing = length.div_ceil(BODY_PART).saturating_sub(parts.len());
        parts.extend((0..missing).map_while(|_| self.try_acquire(owner_id)));
        parts.len() * BODY_PART >= length
    }

    /// Returns the semaphore of an owner, and the permit to complete. The permit exists before the
    /// wait, so that the owner is forgotten even if the request is cancelled.
    fn begin(&self, owner_id: i64) -> (Arc<Semaphore>, OwnerPermit) {
        let mut owners = self.owners.lock();
        let new = || Arc::new(Semaphore::new(self.per_owner));
        let semaphore = Arc::clone(owners.entry(owner_id).or_insert_with(new));
        (semaphore, OwnerPermit { permits: self.clone(), owner_id, permit: None })
    }
}

impl Drop for OwnerPermit {
    /// Forgets the owner if no other request has a permit or waits for one.
    fn drop(&mut self) {
        let mut owners = self.permits.owners.lock();
        self.permit = None;
        // Others clone the semaphore only under the lock.
        if owners.get(&self.owner_id).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            owners.remove(&self.owner_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;

    #[tokio::test]
    async fn owner_waits_only_for_its_own_requests() {
        let permits = OwnerPermits::new(2, 3, Duration::from_millis(20));
        let first = permits.acquire(1).await.unwrap();
        let second = permits.acquire(1).await.unwrap();
        assert!(matches!(permits.acquire(1).await, Err(StoreError::Busy)));
        let other = permits.acquire(2).await.unwrap();
        assert!(matches!(permits.acquire(3).await, Err(StoreError::Busy)), "all are in use");
        assert!(permits.try_acquire(1).is_none() && permits.try_acquire(3).is_none());
        drop(first);
        let third = permits.acquire(1).await.unwrap();

        let mut cancelled = Box::pin(permits.acquire(1));
        tokio::select! {
            biased;
            _ = &mut cancelled => panic!("both permits are in use"),
            () = ready(()) => {}
        }
        drop((second, third));
        drop(cancelled);
        assert_eq!(permits.owners.lock().len(), 1);
        drop(permits.try_acquire(1).unwrap());
        assert_eq!(permits.owners.lock().len(), 1);
        drop(other);
        assert!(permits.owners.lock().is_empty());
    }
}
