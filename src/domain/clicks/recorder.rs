//! The recorder of clicks. Requests add clicks to an open batch, and one worker appends batches to
//! the database.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::batch_state::BatchState;
use super::in_flight::{InFlightBatch, Numbering};
use super::outage_file::{Content, OutageFile};
use super::spool::Spool;
use crate::domain::Error;
use crate::metrics::Metrics;
use crate::store::{DatabaseState, Durability, Store, StoreError, clicks};

/// Time between two attempts to append a batch.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// Time between two checks of whether the database completes commits.
const STALL_INTERVAL: Duration = Duration::from_millis(100);
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

#[derive(Debug)]
struct RecorderState {
    state: Mutex<BatchState>,
    /// Wakes the worker when a batch gets its first click, or when the recorder is closed.
    wake: Notify,
    metrics: Arc<Metrics>,
    store: Store,
    /// Maximum number of links in the open batch.
    max_links: usize,
}

impl Recorder {
    /// Creates a recorder and its worker, which buffer at most `capacity` bytes of clicks.
    /// `producer_id` must be random, because no two recorders may use the same one.
    #[must_use]
    pub fn new(
        store: Store,
        metrics: Arc<Metrics>,
        producer_id: i64,
        capacity: usize,
    ) -> (Self, RecorderWorker) {
        let (state, wake) = (Mutex::default(), Notify::new());
        let max_links = capacity / LINK_BYTES;
        let shared = Arc::new(RecorderState { state, wake, metrics, store, max_links });
        let numbering = Numbering::new(producer_id);
        let worker = RecorderWorker { shared: Arc::clone(&shared), numbering };
        (Self { shared }, worker)
    }

    /// Counts a click, and returns when the click is committed. During an outage, it returns at
    /// once and the click stays in memory.
    ///
    /// # Errors
    /// [`QueueFull`]: the click is not counted.
    pub async fn record(&self, link_id: i64) -> Result<(), QueueFull> {
        let added = {
            let mut state = self.shared.lock();
            // After `close`, the worker may have exited.
            if state.is_closed || !state.tally.add(link_id, self.shared.max_links) {
                Err(state.note_full_buffer())
            } else {
                self.shared.metrics.clicks_pending.set(state.pending());
                if state.is_outage {
                    return Ok(());
                }
                if state.tally.clicks() == 1 {
                    self.shared.wake.notify_one();
                }
                Ok(state.tally.completion())
            }
        };
        match added {
            Ok(completion) => {
                completion.wait().await;
                Ok(())
            }
            Err(is_first) => {
                if is_first {
                    tracing::error!(
                        "click buffer is full; links not already in it return 503 until the database accepts writes"
                    );
                }
                Err(QueueFull)
            }
        }
    }

    /// Checks that this instance buffers no clicks, because statistics would lack them.
    ///
    /// # Errors
    /// [`Error::ClicksPending`]
    pub(in crate::domain) fn check_counted(&self) -> Result<(), Error> {
        let state = self.shared.lock();
        if state.is_outage || state.stored_since_outage.is_some() {
            Err(Error::ClicksPending)
        } else {
            Ok(())
        }
    }

    /// Returns whether the last append succeeded.
    #[must_use]
    pub fn is_storing(&self) -> bool {
        !self.shared.lock().is_outage
    }

    /// Releases the requests whose clicks wait for a commit that neither succeeds nor fails, and logs
    /// when the database stops and resumes to commit. The clicks stay in memory. It runs until it is
    /// dropped.
    pub async fn release_stalled(self) {
        let mut ticks = interval(STALL_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut was_stalled = false;
        loop {
            ticks.tick().await;
            match self.shared.store.check_commits() {
                Err(error) => {
                    self.shared.lock().stalled();
                    if !std::mem::replace(&mut was_stalled, true) {
                        tracing::error!(
                            %error,
                            "nothing can be committed; redirects continue and clicks are buffered"
                        );
                    }
                }
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

impl RecorderState {
    fn lock(&self) -> MutexGuard<'_, BatchState> {
        // No code under the lock panics or writes to the log, which may block.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The only task that appends clicks. While the worker waits for the database, the next batch
/// fills. The size of batches thus grows with the load, and no request waits for a timer.
#[derive(Debug)]
pub struct RecorderWorker {
    shared: Arc<RecorderState>,
    numbering: Numbering,
}

impl RecorderWorker {
    /// Stores clicks until the recorder is closed. During an outage, it saves the buffered clicks in
    /// the spool file of this server. Returns the batches that it could not store because of an
    /// outage.
    pub async fn run(mut self, spool: Arc<Spool>) -> Vec<clicks::Batch> {
        let mut file = OutageFile::new(spool);
        while let Some(batch) = self.next().await {
            // The batch is retried before any other, because the database recognises only the last
            // batch of a producer.
            while !self.append(&batch, &mut file).await {
                if self.shared.lock().is_closed {
                    return self.left_over(&batch);
                }
                self.keep_saved(Some(&batch), &mut file, sleep(RETRY_INTERVAL)).await;
            }
            file.note_stored();
            // The database must recognise the batches of the file.
            if !file.exists()
                && let Some(last) = self.numbering.last_producer_id.take()
            {
                self.forget(last).await;
            }
        }
        if self.numbering.sequence > 0 && !file.exists() {
            self.forget(self.numbering.producer_id).await;
        }
        Vec::new()
    }

    /// Waits for clicks and returns the next batch, or `None` once the recorder is closed and
    /// empty.
    async fn next(&mut self) -> Option<InFlightBatch> {
        loop {
            {
                let mut state = self.shared.lock();
                if !state.tally.is_empty() {
                    let tally = state.tally.take();
                    state.is_full_logged = false;
                    state.in_flight = tally.clicks();
                    state.in_flight_completion = tally.completion();
                    drop(state);
                    return Some(InFlightBatch::new(&tally, &mut self.numbering));
                }
                if state.is_closed {
                    return None;
                }
            }
            self.shared.wake.notified().await;
        }
    }

    /// Deletes the row of a producer, all of whose batches are stored.
    async fn forget(&self, producer_id: i64) {
        let delete = async {
            let transaction = self.shared.store.begin(Durability::ProcessDeath).await?;
            clicks::delete_producer(&transaction, producer_id).await?;
            transaction.commit().await
        };
        if let Err(error) = delete.await {
            tracing::debug!(%error, "the row of a producer stays");
        }
    }

    /// Appends a batch and releases the requests that wait for it. Returns false if the caller must
    /// retry the batch.
    async fn append(&self, batch: &InFlightBatch, file: &mut OutageFile) -> bool {
        let started = Instant::now();
        let result = if !file.exists()
            || file.freeze(self.content(Some(batch)), || self.unstored(Some(batch)))
        {
            let is_saved = file.exists();
            let append = self.append_parts(batch, is_saved);
            let append = self.keep_saved(is_saved.then_some(batch), file, append);
            tokio::select! {
                biased;
                result = append => result,
                error = self.stalled_at_shutdown() => Err(error),
            }
        } else {
            Err(StoreError::Busy)
        };
        let metrics = &self.shared.metrics;
        let (stored_since_outage, outage_begins) = {
            let mut state = self.shared.lock();
            let changes = match &result {
                Ok(()) => (state.stored(batch.clicks), false),
                Err(_) => (None, state.failed()),
            };
            metrics.clicks_pending.set(state.pending());
            changes
        };
        batch.completion.complete();
        match &result {
            Ok(()) => {
                metrics.click_commit_seconds.observe(started.elapsed().as_secs_f64());
                metrics.clicks_recorded.inc_by(batch.clicks);
                metrics.click_batches.inc();
            }
            Err(error) => {
                metrics.click_commit_failures.inc();
                if outage_begins {
                    tracing::error!(
                        %error,
                        "clicks cannot be stored; redirects continue and clicks are buffered"
                    );
                }
            }
        }
        if let Some(clicks) = stored_since_outage {
            tracing::info!(clicks, "buffered clicks stored");
        }
        result.is_ok()
    }

    /// Waits until the recorder is closed while the database cannot commit. The append in progress is
    /// then abandoned, and the spool file has its clicks.
    async fn stalled_at_shutdown(&self) -> StoreError {
        loop {
            sleep(STALL_INTERVAL).await;
            if self.shared.lock().is_closed
                && let Err(error) = self.shared.store.check_commits()
            {
                return error;
            }
        }
    }

    /// Appends the remaining parts of a batch. If they are in the spool file, another process may
    /// append them after a kill, so the database must recognise them.
    async fn append_parts(&self, batch: &InFlightBatch, is_saved: bool) -> Result<(), StoreError> {
        let store = &self.shared.store;
        while let Some(part) = batch.remaining().first() {
            if is_saved {
                store.append_once(part).await?;
            } else {
                store.append(part).await?;
            }
            batch.note_stored_part();
        }
        Ok(())
    }

    /// Runs `work` and, during an outage, saves the open batch and `in_flight` meanwhile.
    async fn keep_saved<T>(
        &self,
        in_flight: Option<&InFlightBatch>,
        file: &mut OutageFile,
        work: impl Future<Output = T>,
    ) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                // A timer would cost more than most appends.
                biased;
                result = &mut work => return result,
                () = file.due() => {}
            }
            if self.shared.lock().is_outage {
                file.save(self.content(in_flight), || self.unstored(in_flight));
            } else {
                file.postpone();
            }
        }
    }

    fn content(&self, in_flight: Option<&InFlightBatch>) -> Content {
        let first = in_flight.and_then(|batch| batch.parts.first());
        Content {
            in_flight: first.map(|part| part.sequence),
            open: self.shared.lock().tally.clicks(),
        }
    }

    /// Returns the parts of `in_flight` and of the open batch, as they will be appended.
    fn unstored(&self, in_flight: Option<&InFlightBatch>) -> Vec<clicks::Batch> {
        let mut batches = in_flight.map_or_else(Vec::new, |batch| batch.parts.clone());
        let open = self.shared.lock().tally.rows();
        batches.extend(self.numbering.clone().split(open));
        batches
    }

    /// Returns the parts of `batch` that are not stored, and the open batch.
    fn left_over(&mut self, batch: &InFlightBatch) -> Vec<clicks::Batch> {
        let open = std::mem::take(&mut self.shared.lock().tally);
        let mut left_over = batch.remaining().to_vec();
        left_over.extend(self.numbering.split(open.rows()));
        left_over
    }
}
