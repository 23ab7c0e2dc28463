//! Retries of transactions that the database gave up.

use std::time::Duration;

use super::error::StoreError;

/// How often a transaction is begun again that the database gave up for another's sake.
const ATTEMPTS: u32 = 20;
/// The wait before the second attempt; each further one waits so much longer.
const FIRST_WAIT: Duration = Duration::from_millis(2);

/// An error that may come from the store.
pub trait AsStoreError {
    /// The store's error, if it is one.
    fn store_error(&self) -> Option<&StoreError>;
}

impl AsStoreError for StoreError {
    fn store_error(&self) -> Option<&StoreError> {
        Some(self)
    }
}

/// Whether to run a whole transaction again: where the database gave it up for another's sake, in a
/// deadlock, or because the two cannot have happened one after the other. Nothing had changed then.
#[derive(Debug, Default)]
pub struct Attempts {
    failed: u32,
}

impl Attempts {
    /// Whether another attempt may succeed after one failed so; waits until it is due.
    pub async fn may_retry(&mut self, error: &impl AsStoreError) -> bool {
        let is_contention = matches!(error.store_error(), Some(StoreError::Retryable(_)));
        self.failed += 1;
        if !is_contention || self.failed >= ATTEMPTS {
            return false;
        }
        tokio::time::sleep(FIRST_WAIT * self.failed).await;
        true
    }
}
