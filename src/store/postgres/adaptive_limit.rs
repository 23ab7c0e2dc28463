//! A limit on the work of one statement, which falls after timeouts and rises again after
//! successes.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::store::error::StoreError;

/// Maximum number by which [`AdaptiveLimit`] divides a limit.
const MAX_DIVISOR: i64 = 1_000;

/// Divisor of a limit, which grows after timeouts and slowly shrinks after successes.
#[derive(Debug)]
pub(super) struct AdaptiveLimit {
    divisor: AtomicI64,
}

impl Default for AdaptiveLimit {
    fn default() -> Self {
        Self { divisor: AtomicI64::new(1) }
    }
}

impl AdaptiveLimit {
    /// Returns `limit` divided by the current divisor, at least 1.
    pub(super) fn apply(&self, limit: i64) -> i64 {
        (limit / self.divisor.load(Ordering::Relaxed)).max(1)
    }

    /// Adapts the divisor to the result of a statement.
    pub(super) fn record<T>(&self, result: &Result<T, StoreError>) {
        let divisor = self.divisor.load(Ordering::Relaxed);
        let next = match result {
            // The divisor shrinks slowly, because the next statement would otherwise time out
            // again.
            Ok(_) => (divisor - (divisor / 8).max(1)).max(1),
            Err(StoreError::Busy) => (divisor * 10).min(MAX_DIVISOR),
            Err(_) => return,
        };
        self.divisor.store(next, Ordering::Relaxed);
    }
}
