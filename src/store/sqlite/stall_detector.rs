//! Detects a disk that hangs.
//!
//! The operating system can block a write for as long as the disk does not respond. No call fails
//! meanwhile, so the only sign is that the connection that writes stays in use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::store::error::{StallReason, StoreError};

/// Maximum time of a transaction on a disk that works. Redirects that wait for their clicks still
/// respond within a second.
pub(super) const TRANSACTION_TIMEOUT: Duration = Duration::from_millis(700);
/// Maximum time of a checkpoint, which flushes the whole database file.
pub(super) const CHECKPOINT_TIMEOUT: Duration = Duration::from_secs(5);

/// Detector of stalls, which has the deadline of the current use of the connection that writes.
/// Clones share their state.
#[derive(Debug, Clone)]
pub(super) struct StallDetector(Arc<WriterUse>);

#[derive(Debug)]
struct WriterUse {
    start: Instant,
    /// Deadline of the current use, in milliseconds after `start`. `u64::MAX` while the connection
    /// is not in use.
    deadline: AtomicU64,
}

impl Default for StallDetector {
    fn default() -> Self {
        Self(Arc::new(WriterUse { start: Instant::now(), deadline: AtomicU64::new(u64::MAX) }))
    }
}

impl StallDetector {
    /// Notes the beginning of a use of the connection. On a disk that works, it ends within
    /// `timeout`.
    pub(super) fn begin(&self, timeout: Duration) {
        self.0.deadline.store(Self::millis(self.0.start.elapsed() + timeout), Ordering::Relaxed);
    }

    /// Notes that the use ends.
    pub(super) fn end(&self) {
        self.0.deadline.store(u64::MAX, Ordering::Relaxed);
    }

    /// Checks that the current use has not exceeded its deadline.
    ///
    /// # Errors
    /// [`StoreError::CannotCommit`]
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let deadline = self.0.deadline.load(Ordering::Relaxed);
        if deadline != u64::MAX && Self::millis(self.0.start.elapsed()) > deadline {
            return Err(StoreError::CannotCommit(StallReason::Disk));
        }
        Ok(())
    }

    fn millis(duration: Duration) -> u64 {
        u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
    }
}
