use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const NEVER: u64 = u64::MAX;

/// When something happened last.
#[derive(Debug)]
pub(super) struct LastTime {
    began: Instant,
    /// Milliseconds after that.
    last: AtomicU64,
}

/// Never so far.
impl Default for LastTime {
    fn default() -> Self {
        Self { began: Instant::now(), last: AtomicU64::new(NEVER) }
    }
}

impl LastTime {
    pub(super) fn note(&self) {
        self.last.store(self.now(), Ordering::Relaxed);
    }

    /// Whether that was so lately.
    pub(super) fn within(&self, time: Duration) -> bool {
        let last = self.last.load(Ordering::Relaxed);
        last != NEVER && u128::from(self.now().saturating_sub(last)) < time.as_millis()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(NEVER - 1)
    }
}
