//! The recorder of clicks. Requests add clicks to an open batch, and one worker appends batches to
//! the database.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval};

use super::recorder_state::{RecorderState, STALL_INTERVAL};
use super::spool::Spool;
use super::worker::RecorderWorker;
use crate::domain::Error;
use crate::metrics::Metrics;
use crate::store::{DatabaseState, Store};

/// Maximum memory in bytes for the clicks of one link: a slot in a hash table that may just have
/// grown, and a row of the batch.
const LINK_BYTES: usize = 96;

/// Error of a click that the buffer cannot take, because it is full and does not contain the link
/// yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueFull;

/// Handle that accepts clicks. All clones feed the same [`RecorderWorker`].
#[derive(Debug, Clone)]
pub struct Recorder {
    shared: Arc<RecorderState>,
}

impl Recorder {
    /// Creates a recorder and its worker, which buffer at most `capacity` bytes of clicks.
    /// `producer_id` must be random, because no two recorders may use the same one.
    pub fn new(
        store: Store,
        spool: Arc<Spool>,
        metrics: Arc<Metrics>,
        producer_id: i64,
        capacity: usize,
    ) -> (Self, RecorderWorker) {
        let (state, wake) = (Mutex::default(), Notify::new());
        let max_links = capacity / LINK_BYTES;
        let shared = Arc::new(RecorderState { state, wake, metrics, store, spool, max_links });
        let worker = RecorderWorker::new(Arc::clone(&shared), producer_id);
        (Self { shared }, worker)
    }

    /// Counts a click, and returns when the click is committed, on a standby in the journal. During an
    /// outage, it returns at once and the click stays in memory.
    ///
    /// # Errors
    /// [`QueueFull`]: the click is not counted.
    pub async fn record(&self, link_id: i64) -> Result<(), QueueFull> {
        let completion = {
            let mut state = self.shared.lock();
            // After `close`, the worker may have exited.
            if state.is_closed || !state.tally.add(link_id, self.shared.max_links) {
                let is_first = state.note_full_buffer();
                drop(state);
                if is_first {
                    tracing::error!(
                        "click buffer is full; links not already in it return 503 until the database accepts writes"
                    );
                }
                return Err(QueueFull);
            }
            self.shared.metrics.clicks_pending.set(state.pending());
            if state.is_outage {
                return Ok(());
            }
            if state.tally.clicks() == 1 {
                self.shared.wake.notify_one();
            }
            state.tally.completion()
        };
        completion.wait().await;
        Ok(())
    }

    /// Checks that this instance buffers no clicks, because statistics would lack them. Those of a
    /// standby lack clicks anyway.
    ///
    /// # Errors
    /// [`Error::ClicksPending`]
    pub fn check_counted(&self) -> Result<(), Error> {
        let is_undelivered = self.undelivered() > 0 && !self.shared.store.is_standby();
        let state = self.shared.lock();
        if is_undelivered || state.is_outage || state.stored_since_outage.is_some() {
            Err(Error::ClicksPending)
        } else {
            Ok(())
        }
    }

    /// Returns whether clicks of this instance wait until a database takes them.
    pub fn has_waiting(&self) -> bool {
        self.undelivered() > 0 || self.check_counted().is_err()
    }

    /// Returns whether the last append succeeded.
    pub fn is_storing(&self) -> bool {
        !self.shared.lock().is_outage
    }

    /// Returns the number of clicks in the journal, which no database has.
    pub fn undelivered(&self) -> u64 {
        self.shared.spool.journal().undelivered()
    }

    /// Releases the requests whose clicks wait for a commit that neither succeeds nor fails, and logs
    /// when the database stops and resumes to commit. The clicks stay in memory. It runs until it is
    /// dropped.
    pub async fn release_stalled(self) {
        let mut ticks = interval(STALL_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut was_stalled, mut was_standby) = (false, false);
        loop {
            ticks.tick().await;
            let is_standby = self.shared.store.is_standby();
            if std::mem::replace(&mut was_standby, is_standby) != is_standby {
                log_standby(is_standby);
            }
            match self.shared.check_commits() {
                Err(error) => {
                    self.shared.lock().stalled();
                    if !std::mem::replace(&mut was_stalled, true) {
                        tracing::error!(
                            %error,
                            "nothing can be committed; redirects continue and clicks are buffered"
                        );
                    }
                }
                // The worker logs that the journal has the buffered clicks.
                Ok(()) if is_standby => was_stalled = false,
                Ok(()) if was_stalled && self.shared.store.state() == DatabaseState::Up => {
                    was_stalled = false;
                    tracing::info!("the database commits again");
                }
                Ok(()) => {}
            }
        }
    }

    /// Lets [`RecorderWorker::run`] end once all clicks are stored.
    pub fn close(&self) {
        self.shared.lock().is_closed = true;
        self.shared.wake.notify_one();
    }
}

fn log_standby(is_standby: bool) {
    if is_standby {
        tracing::info!(
            "the database is a standby; redirects continue, and clicks wait in the spool directory"
        );
    } else {
        tracing::info!("the database is no standby any more");
    }
}
