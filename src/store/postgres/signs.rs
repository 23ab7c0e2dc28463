use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// When the database last answered anything at all.
#[derive(Debug)]
pub(super) struct SignsOfLife {
    began: Instant,
    /// Milliseconds after that.
    last: AtomicU64,
}

impl Default for SignsOfLife {
    fn default() -> Self {
        Self { began: Instant::now(), last: AtomicU64::new(0) }
    }
}

impl SignsOfLife {
    pub(super) fn note(&self) {
        self.last.store(self.now(), Ordering::Relaxed);
    }

    /// Whether there was one so lately.
    pub(super) fn within(&self, time: Duration) -> bool {
        let silence = self.now().saturating_sub(self.last.load(Ordering::Relaxed));
        u128::from(silence) < time.as_millis()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
