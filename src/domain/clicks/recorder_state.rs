//! What requests and the worker of the recorder share: the clicks that are not stored yet.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use super::spool::Spool;
use crate::metrics::Metrics;
use crate::store::clicks::LinkClicks;
use crate::store::{StallReason, Store, StoreError};

/// Time between two checks of whether the database completes commits.
pub(super) const STALL_INTERVAL: Duration = Duration::from_millis(100);

/// The shared state.
#[derive(Debug)]
pub(super) struct RecorderState {
    pub(super) state: Mutex<BatchState>,
    /// Wakes the worker when a batch gets its first click, or when the recorder is closed.
    pub(super) wake: Notify,
    pub(super) metrics: Arc<Metrics>,
    pub(super) store: Store,
    pub(super) spool: Arc<Spool>,
    /// Maximum number of links in the open batch.
    pub(super) max_links: usize,
}

impl RecorderState {
    /// Checks that a commit of clicks would not stall, on a standby that of the journal.
    pub(super) fn check_commits(&self) -> Result<(), StoreError> {
        match self.store.check_commits() {
            Err(StoreError::CannotCommit(StallReason::Recovery)) => {
                self.spool.journal().check_disk()
            }
            result => result,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, BatchState> {
        // No code under the lock writes to the log, which may block.
        self.state.lock()
    }
}

/// The open batch, the batch in flight, and whether an outage lasts.
#[derive(Debug, Default)]
pub(super) struct BatchState {
    /// The open batch.
    pub(super) tally: Tally,
    /// Number of clicks in the batch that the worker is appending.
    pub(super) in_flight: u64,
    /// Completion of that batch.
    pub(super) in_flight_completion: Arc<BatchCompletion>,
    /// Whether the last append failed, or the present one stands still. During an outage, requests
    /// do not wait until their clicks are stored.
    pub(super) is_outage: bool,
    /// Whether the log has reported a full buffer since the worker last took the open batch.
    pub(super) is_full_logged: bool,
    /// Number of buffered clicks stored since the end of the outage. `None` once all of them are
    /// stored.
    pub(super) stored_since_outage: Option<u64>,
    pub(super) is_closed: bool,
}

impl BatchState {
    /// Returns the number of clicks that are not stored yet.
    pub(super) fn pending(&self) -> u64 {
        self.tally.clicks() + self.in_flight
    }

    /// Applies the success of an append. If the batch was the last one with clicks buffered in an
    /// outage, it returns the number of clicks stored since the end of the outage.
    pub(super) fn stored(&mut self, clicks: u64) -> Option<u64> {
        let was_outage = std::mem::take(&mut self.is_outage);
        self.in_flight = 0;
        let stored = self.stored_since_outage.take().unwrap_or(0) + clicks;
        if !was_outage {
            return (stored > clicks).then_some(stored);
        }
        let is_all = self.tally.is_empty();
        // From now on, requests wait again until their batches are stored.
        self.tally.renew_completion();
        if !is_all {
            self.stored_since_outage = Some(stored);
        }
        is_all.then_some(stored)
    }

    /// Applies the failure of an append, and returns whether an outage begins with it.
    pub(super) fn record_failure(&mut self) -> bool {
        // Releases the requests that have joined the open batch during the append.
        self.tally.completion().complete();
        !std::mem::replace(&mut self.is_outage, true)
    }

    /// Begins an outage because the present append stalls, unless no append is in progress.
    pub(super) fn stalled(&mut self) {
        if self.in_flight > 0 && !self.is_outage {
            self.in_flight_completion.complete();
            self.record_failure();
        }
    }

    /// Handles a click that the buffer cannot take. Returns whether the caller must log it.
    pub(super) fn note_full_buffer(&mut self) -> bool {
        !self.is_closed && !std::mem::replace(&mut self.is_full_logged, true)
    }
}

/// The clicks of one batch, counted per link. Its memory depends on the number of links, not on the
/// number of clicks.
#[derive(Debug, Default)]
pub(super) struct Tally {
    counts: HashMap<i64, i64>,
    clicks: u64,
    completion: Arc<BatchCompletion>,
}

/// Maximum number of links for which a new tally allocates memory in advance.
const MAX_INITIAL_CAPACITY: usize = 1_024;

impl Tally {
    /// Returns this tally, and leaves an empty one in its place, with capacity for as many links.
    pub(super) fn take(&mut self) -> Self {
        let capacity = self.counts.len().min(MAX_INITIAL_CAPACITY);
        let next = Self { counts: HashMap::with_capacity(capacity), ..Self::default() };
        std::mem::replace(self, next)
    }

    /// Adds a click. Returns false if the tally already has `max_links` links, and `link_id` is not
    /// among them.
    pub(super) fn add(&mut self, link_id: i64, max_links: usize) -> bool {
        let is_full = self.counts.len() >= max_links;
        match self.counts.entry(link_id) {
            Entry::Vacant(_) if is_full => return false,
            Entry::Vacant(entry) => {
                entry.insert(1);
            }
            Entry::Occupied(mut entry) => *entry.get_mut() += 1,
        }
        self.clicks += 1;
        true
    }

    /// Returns the total number of clicks.
    pub(super) fn clicks(&self) -> u64 {
        self.clicks
    }

    pub(super) fn is_empty(&self) -> bool {
        self.clicks == 0
    }

    /// Returns the clicks per link in any order.
    pub(super) fn rows(&self) -> Vec<LinkClicks> {
        self.counts.iter().map(|(&link_id, &count)| LinkClicks { link_id, count }).collect()
    }

    /// Replaces the completion by an incomplete one, so that requests with further clicks wait
    /// again.
    pub(super) fn renew_completion(&mut self) {
        self.completion = Arc::default();
    }

    /// Returns the completion of this batch.
    pub(super) fn completion(&self) -> Arc<BatchCompletion> {
        Arc::clone(&self.completion)
    }
}

/// A signal that releases all requests that wait for a batch.
#[derive(Debug, Default)]
pub(super) struct BatchCompletion {
    is_complete: AtomicBool,
    notify: Notify,
}

impl BatchCompletion {
    /// Releases all present and future waiters.
    pub(super) fn complete(&self) {
        self.is_complete.store(true, Ordering::Release);
        self.notify.notify_waiters();
    }

    /// Waits until [`Self::complete`] is called. Returns at once if it was called before.
    pub(super) async fn wait(&self) {
        // The waiter registers before it reads the flag, so that it does not miss a notification in
        // between.
        let notified = self.notify.notified();
        if !self.is_complete.load(Ordering::Acquire) {
            notified.await;
        }
    }
}
