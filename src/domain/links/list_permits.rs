//! Permits to read pages of lists, so that no owner's lists occupy all connections to the database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::store::StoreError;

/// Permits of all owners to read pages of lists. Clones share them.
///
/// A request without a permit waits only for other requests of its owner. It does not queue for a
/// connection among the requests of all owners.
#[derive(Debug, Clone)]
pub struct ListPermits {
    owners: Arc<Mutex<HashMap<i64, Arc<Semaphore>>>>,
    /// Maximum number of pages of one owner that are read at the same time.
    per_owner: usize,
    timeout: Duration,
}

/// Permit to read a page, until it is dropped.
#[derive(Debug)]
pub(super) struct ListPermit {
    permits: ListPermits,
    owner_id: i64,
    /// `None` while the request waits for the permit, and after a timeout.
    permit: Option<OwnedSemaphorePermit>,
}

impl ListPermits {
    /// Creates permits by which each owner may use half of `connections`, and at least one. A
    /// request waits at most `timeout` for a permit.
    #[must_use]
    pub fn new(connections: u32, timeout: Duration) -> Self {
        let per_owner = (connections as usize / 2).max(1);
        Self { owners: Arc::default(), per_owner, timeout }
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if there is none before the timeout.
    pub(super) async fn acquire(&self, owner_id: i64) -> Result<ListPermit, StoreError> {
        let semaphore = {
            let mut owners = self.lock();
            let new = || Arc::new(Semaphore::new(self.per_owner));
            Arc::clone(owners.entry(owner_id).or_insert_with(new))
        };
        // Created before the wait, so that the owner is forgotten even if the request is cancelled.
        let mut permit = ListPermit { permits: self.clone(), owner_id, permit: None };
        let acquired = timeout(self.timeout, semaphore.acquire_owned()).await;
        permit.permit = Some(acquired.ok().and_then(Result::ok).ok_or(StoreError::Busy)?);
        Ok(permit)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Arc<Semaphore>>> {
        // No code under the lock panics.
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ListPermit {
    /// Forgets the owner if no other request has a permit or waits for one.
    fn drop(&mut self) {
        let mut owners = self.permits.lock();
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
    async fn owner_waits_only_for_its_own_lists() {
        let permits = ListPermits::new(4, Duration::from_millis(20));
        let first = permits.acquire(1).await.unwrap();
        let second = permits.acquire(1).await.unwrap();
        assert!(matches!(permits.acquire(1).await, Err(StoreError::Busy)));
        let other = permits.acquire(2).await.unwrap();
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
        assert_eq!(permits.lock().len(), 1);
        drop(other);
        assert!(permits.lock().is_empty());
    }
}
