use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use crate::store::clicks::LinkClicks;

/// Clicks that will be appended together, added up per link, so that its size is bounded by the
/// links there are and not by how often they are clicked.
#[derive(Debug, Default)]
pub(super) struct Tally {
    counts: HashMap<i64, i64>,
    clicks: u64,
    settled: Arc<Settled>,
}

/// Links of the last batch that the next one has room for from the start.
const MOST_ROOM: usize = 1_024;

impl Tally {
    /// Takes it, and leaves an empty one that is about to be as large.
    pub(super) fn take(&mut self) -> Self {
        let room = self.counts.len().min(MOST_ROOM);
        let next = Self { counts: HashMap::with_capacity(room), ..Self::default() };
        std::mem::replace(self, next)
    }

    /// Adds a click; false where it is of another link than those that there are and they are as
    /// many as there may be.
    pub(super) fn add(&mut self, link_id: i64, most_links: usize) -> bool {
        let is_full = self.counts.len() >= most_links;
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

    /// How many clicks there are.
    pub(super) fn clicks(&self) -> u64 {
        self.clicks
    }

    pub(super) fn is_empty(&self) -> bool {
        self.clicks == 0
    }

    /// What the ledger keeps. Sorted, so that a link's pages are visited in order when it is folded.
    pub(super) fn rows(&self) -> Vec<LinkClicks> {
        let mut rows: Vec<_> =
            self.counts.iter().map(|(&link_id, &count)| LinkClicks { link_id, count }).collect();
        rows.sort_unstable_by_key(|row| row.link_id);
        rows
    }

    /// Lets those who come from now on wait, where those before had not to.
    pub(super) fn renew(&mut self) {
        self.settled = Arc::default();
    }

    /// What those who wait for this batch wait on.
    pub(super) fn settled(&self) -> Arc<Settled> {
        Arc::clone(&self.settled)
    }
}

/// Tells everyone who waits on a batch at once that it is decided.
#[derive(Debug, Default)]
pub(super) struct Settled {
    done: AtomicBool,
    notify: Notify,
}

impl Settled {
    pub(super) fn settle(&self) {
        self.done.store(true, Ordering::Release);
        self.notify.notify_waiters();
    }

    pub(super) async fn wait(&self) {
        // Made before the flag is read: a wake-up in between reaches it.
        let notified = self.notify.notified();
        if !self.done.load(Ordering::Acquire) {
            notified.await;
        }
    }
}
