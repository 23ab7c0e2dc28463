//! Retries of transactions that the database aborted because of concurrent ones.

use std::time::Duration;

use super::error::StoreError;

/// Maximum number of attempts per transaction.
const MAX_ATTEMPTS: u32 = 20;
/// Wait before the second attempt. Each further wait is longer by this time.
const BACKOFF_STEP: Duration = Duration::from_millis(2);

/// An error that may hold an error of the store.
pub trait AsStoreError {
    /// Returns the error of the store, or `None` if this error has another cause.
    fn store_error(&self) -> Option<&StoreError>;
}

impl AsStoreError for StoreError {
    fn store_error(&self) -> Option<&StoreError> {
        Some(self)
    }
}

/// Number of failed attempts to run one transaction, which decides whether to retry it.
///
/// The database aborts a transaction in a deadlock, or if it cannot serialise the transaction with
/// a concurrent one. An aborted transaction has changed nothing and can run again.
#[derive(Debug, Default)]
pub struct Attempts {
    failed: u32,
}

impl Attempts {
    /// Returns whether the caller should retry after an attempt failed with `error`. Waits before
    /// it returns true.
    pub async fn may_retry(&mut self, error: &impl AsStoreError) -> bool {
        let is_retryable = matches!(error.store_error(), Some(StoreError::Retryable(_)));
        self.failed += 1;
        if !is_retryable || self.failed >= MAX_ATTEMPTS {
            return false;
        }
        tokio::time::sleep(BACKOFF_STEP * self.failed).await;
        true
    }
}
