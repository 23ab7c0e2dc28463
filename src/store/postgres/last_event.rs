//! The time at which an event of one kind last happened. Tasks share it without a lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const NEVER: u64 = u64::MAX;

/// The time at which an event last happened, if it ever did.
#[derive(Debug)]
pub(super) struct LastEvent {
    started_at: Instant,
    /// Time of the event in milliseconds after `started_at`, or [`NEVER`].
    last: AtomicU64,
}

impl Default for LastEvent {
    fn default() -> Self {
        Self { started_at: Instant::now(), last: AtomicU64::new(NEVER) }
    }
}

impl LastEvent {
    /// Records that the event happens now.
    pub(super) fn record(&self) {
        self.last.store(self.now(), Ordering::Relaxed);
    }

    /// Returns whether the event happened within the last `duration`.
    pub(super) fn happened_within(&self, duration: Duration) -> bool {
        let last = self.last.load(Ordering::Relaxed);
        last != NEVER && u128::from(self.now().saturating_sub(last)) < duration.as_millis()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started_at.elapsed().as_millis()).unwrap_or(NEVER - 1)
    }
}
