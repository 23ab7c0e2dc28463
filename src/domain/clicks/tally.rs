//! The clicks of one batch, counted per link, and the signal that the batch is complete.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use crate::store::clicks::LinkClicks;

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
