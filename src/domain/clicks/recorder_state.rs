//! What requests and the worker of the recorder share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::batch_state::BatchState;
use super::spool::Spool;
use crate::metrics::Metrics;
use crate::store::{StallReason, Store, StoreError};

/// Time between two checks of whether the database completes commits.
pub(super) const STALL_INTERVAL: Duration = Duration::from_millis(100);

/// The shared state.
#[derive(Debug)]
pub(super) struct RecorderState {
    pub(super) state: Mutex<BatchState>,
    /// Wakes the worker when a batch gets its first click, or when the recorder is closed.
    pub(super) wake: Notify,
    pub(super) metrics: Arc<Metrics>,
    pub(super) store: Store,
    pub(super) spool: Arc<Spool>,
    /// Maximum number of links in the open batch.
    pub(super) max_links: usize,
}

impl RecorderState {
    /// Checks that a commit of clicks would not stall, on a standby that of the journal.
    pub(super) fn check_commits(&self) -> Result<(), StoreError> {
        match self.store.check_commits() {
            Err(StoreError::CannotCommit(StallReason::Recovery)) => {
                self.spool.journal().check_disk()
            }
            result => result,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, BatchState> {
        // No code under the lock panics or writes to the log, which may block.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
