//! The open batch of clicks, and the signal of its completion.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use crate::store::clicks::LinkClicks;

/// Clicks that the recorder appends together. They are counted per link, which bounds the memory by
/// the number of links, however often these are clicked.
#[derive(Debug, Default)]
pub(super) struct Tally {
    counts: HashMap<i64, i64>,
    clicks: u64,
    completion: Arc<BatchCompletion>,
}

/// Links for which a new tally has room from the start.
const MAX_INITIAL_CAPACITY: usize = 1_024;

impl Tally {
    /// Takes the clicks, and leaves an empty tally that expects as many links.
    pub(super) fn take(&mut self) -> Self {
        let capacity = self.counts.len().min(MAX_INITIAL_CAPACITY);
        let next = Self { counts: HashMap::with_capacity(capacity), ..Self::default() };
        std::mem::replace(self, next)
    }

    /// Adds a click; returns false if that takes another link than the `max_links` in it.
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

    /// Returns the number of clicks.
    pub(super) fn clicks(&self) -> u64 {
        self.clicks
    }

    pub(super) fn is_empty(&self) -> bool {
        self.clicks == 0
    }

    /// Returns the clicks per link, sorted so that the rollup visits a link's pages in order.
    pub(super) fn rows(&self) -> Vec<LinkClicks> {
        let mut rows: Vec<_> =
            self.counts.iter().map(|(&link_id, &count)| LinkClicks { link_id, count }).collect();
        rows.sort_unstable_by_key(|row| row.link_id);
        rows
    }

    /// Replaces a completed completion, so that the requests of further clicks wait again.
    pub(super) fn renew(&mut self) {
        self.completion = Arc::default();
    }

    /// Returns the completion of this batch.
    pub(super) fn completion(&self) -> Arc<BatchCompletion> {
        Arc::clone(&self.completion)
    }
}

/// A signal that releases all requests of a batch at once.
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

    /// Waits until the batch is complete.
    pub(super) async fn wait(&self) {
        // Registered before the flag is read, so that no wake-up in between is lost.
        let notified = self.notify.notified();
        if !self.is_complete.load(Ordering::Acquire) {
            notified.await;
        }
    }
}
