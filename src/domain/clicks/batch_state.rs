//! The state of the clicks that are not stored yet, which requests and the worker share.

use std::sync::Arc;

use super::tally::{BatchCompletion, Tally};

/// The open batch, the batch in flight, and whether an outage lasts.
#[derive(Debug, Default)]
pub(super) struct BatchState {
    /// The open batch.
    pub(super) tally: Tally,
    /// Number of clicks in the batch that the worker is appending.
    pub(super) in_flight: u64,
    /// Completion of that batch.
    pub(super) in_flight_completion: Arc<BatchCompletion>,
    /// Whether the last append failed, or the present one stands still. During an outage, requests
    /// do not wait until their clicks are stored.
    pub(super) is_outage: bool,
    /// Whether the log has reported a full buffer since the worker last took the open batch.
    pub(super) is_full_logged: bool,
    /// Number of buffered clicks stored since the end of the outage. `None` once all of them are
    /// stored.
    pub(super) stored_since_outage: Option<u64>,
    pub(super) is_closed: bool,
}

impl BatchState {
    /// Returns the number of clicks that are not stored yet.
    pub(super) fn pending(&self) -> u64 {
        self.tally.clicks() + self.in_flight
    }

    /// Applies the success of an append. If the batch was the last one with clicks buffered in an
    /// outage, it returns the number of clicks stored since the end of the outage.
    pub(super) fn stored(&mut self, clicks: u64) -> Option<u64> {
        let was_outage = std::mem::take(&mut self.is_outage);
        self.in_flight = 0;
        let stored = self.stored_since_outage.take().unwrap_or(0) + clicks;
        if !was_outage {
            return (stored > clicks).then_some(stored);
        }
        let is_all = self.tally.is_empty();
        // From now on, requests wait again until their batches are stored.
        self.tally.renew_completion();
        if !is_all {
            self.stored_since_outage = Some(stored);
        }
        is_all.then_some(stored)
    }

    /// Applies the failure of an append, and returns whether an outage begins with it.
    pub(super) fn record_failure(&mut self) -> bool {
        // Releases the requests that have joined the open batch during the append.
        self.tally.completion().complete();
        !std::mem::replace(&mut self.is_outage, true)
    }

    /// Begins an outage because the present append stalls, unless no append is in progress.
    pub(super) fn stalled(&mut self) {
        if self.in_flight > 0 && !self.is_outage {
            self.in_flight_completion.complete();
            self.record_failure();
        }
    }

    /// Handles a click that the buffer cannot take. Returns whether the caller must log it.
    pub(super) fn note_full_buffer(&mut self) -> bool {
        !self.is_closed && !std::mem::replace(&mut self.is_full_logged, true)
    }
}
