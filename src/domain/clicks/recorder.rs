//! The recorder of clicks: requests add to the open batch, one worker appends batches.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::tally::{BatchCompletion, Tally};
use crate::domain::Error;
use crate::metrics::Metrics;
use crate::store::clicks::LinkClicks;
use crate::store::{Store, StoreError, clicks};

/// Time between two attempts to append a batch.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// How often the worker yields to requests before it takes a batch that then blocks its thread.
const YIELDS: u32 = 2;
/// Links per statement. It splits the batch that an outage leaves, and lets PostgreSQL store a batch
/// as a row within one page.
const MAX_STATEMENT_LINKS: usize = 400;
/// Batches per writer. Under a long snapshot PostgreSQL retains all versions of a writer's row, and
/// each batch has to scan them.
const BATCHES_PER_PRODUCER: i64 = 1_000;
/// Bytes that the clicks of one link take: a place in a table that may just have grown, and its row
/// of the batch.
const LINK_BYTES: usize = 96;

/// The error of a click whose link is not in a full buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueFull;

/// The handle that takes clicks. All clones feed the same [`RecorderWorker`].
#[derive(Debug, Clone)]
pub struct Recorder {
    shared: Arc<RecorderState>,
}

#[derive(Debug)]
struct RecorderState {
    state: Mutex<BatchState>,
    /// Wakes the worker for the first click of a batch, and for the end.
    wake: Notify,
    metrics: Arc<Metrics>,
    /// Links in the open batch at most.
    max_links: usize,
}

#[derive(Debug, Default)]
struct BatchState {
    /// The open batch.
    tally: Tally,
    /// Clicks of the batch that the worker is appending.
    in_flight: u64,
    /// Whether the last append failed. Redirects then go on, and their clicks stay in the open batch.
    is_outage: bool,
    /// Whether the worker logged a full buffer since it last took the open batch.
    is_full: bool,
    /// After an outage, while buffered clicks are left: the number of those already stored.
    caught_up: Option<u64>,
    is_closed: bool,
}

impl BatchState {
    /// Returns the number of clicks that are not stored yet.
    fn pending(&self) -> u64 {
        self.tally.clicks() + self.in_flight
    }

    /// Ends the batch in flight as stored. If an outage is over with it, returns how many buffered
    /// clicks have been stored since.
    fn stored(&mut self, clicks: u64) -> Option<u64> {
        let was_outage = std::mem::take(&mut self.is_outage);
        self.in_flight = 0;
        let stored = self.caught_up.take().unwrap_or(0) + clicks;
        if !was_outage {
            return (stored > clicks).then_some(stored);
        }
        let is_all = self.tally.is_empty();
        // From now on requests wait for their batch again.
        self.tally.renew();
        if !is_all {
            self.caught_up = Some(stored);
        }
        is_all.then_some(stored)
    }

    /// Notes that an append failed, and returns whether an outage begins with it.
    fn failed(&mut self) -> bool {
        // Releases the requests that joined the open batch in the meantime.
        self.tally.completion().complete();
        !std::mem::replace(&mut self.is_outage, true)
    }

    /// Notes that a click was rejected, and returns whether that has to be logged.
    fn reject(&mut self) -> bool {
        !self.is_closed && !std::mem::replace(&mut self.is_full, true)
    }
}

impl Recorder {
    /// Creates a recorder and the worker that stores its clicks, for at most `capacity` bytes of
    /// pending clicks. No other recorder of the database may ever use the same `writer`.
    #[must_use]
    pub fn new(
        store: Store,
        metrics: Arc<Metrics>,
        producer_id: i64,
        capacity: usize,
    ) -> (Self, RecorderWorker) {
        let (state, wake) = (Mutex::default(), Notify::new());
        let shared =
            Arc::new(RecorderState { state, wake, metrics, max_links: capacity / LINK_BYTES });
        let worker =
            RecorderWorker { shared: Arc::clone(&shared), store, producer_id, sequence: 0 };
        (Self { shared }, worker)
    }

    /// Counts a click and returns when it is committed. During an outage it returns at once, and the
    /// click stays in memory.
    ///
    /// # Errors
    /// [`QueueFull`]; the click is not counted.
    pub async fn record(&self, link_id: i64) -> Result<(), QueueFull> {
        let added = {
            let mut state = self.shared.lock();
            // After the end no worker stores it.
            if state.is_closed || !state.tally.add(link_id, self.shared.max_links) {
                Err(state.reject())
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

    /// AsStoreError while statistics lack clicks that this instance has buffered.
    ///
    /// # Errors
    /// [`Error::ClicksPending`]
    pub(in crate::domain) fn check_counted(&self) -> Result<(), Error> {
        let state = self.shared.lock();
        if state.is_outage || state.caught_up.is_some() {
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

    /// Lets [`RecorderWorker::run`] end when all clicks are stored.
    pub fn close(&self) {
        self.shared.lock().is_closed = true;
        self.shared.wake.notify_one();
    }
}

impl RecorderState {
    fn lock(&self) -> MutexGuard<'_, BatchState> {
        // No code under the lock panics, or blocks on a reader of the log.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The one task that appends clicks. While it waits for the database the next batch fills, so that
/// batches grow with the load and no request waits for a timer.
#[derive(Debug)]
pub struct RecorderWorker {
    shared: Arc<RecorderState>,
    store: Store,
    producer_id: i64,
    sequence: i64,
}

/// A batch on its way into the database.
#[derive(Debug)]
struct InFlight {
    /// The parts that are not stored yet: several only after an outage.
    parts: VecDeque<clicks::Batch>,
    clicks: u64,
    completion: Arc<BatchCompletion>,
}

impl RecorderWorker {
    /// Stores clicks until the recorder is closed. Returns the batches that an outage at the end left
    /// over.
    pub async fn run(mut self) -> Vec<clicks::Batch> {
        while let Some(mut batch) = self.next().await {
            // Retried before any other: the database recognises only a writer's last batch.
            while !self.append(&mut batch).await {
                if self.shared.lock().is_closed {
                    return self.left_over(batch);
                }
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
        Vec::new()
    }

    /// Returns the next batch; none when the recorder is closed and empty.
    async fn next(&mut self) -> Option<InFlight> {
        loop {
            // Lets requests that have already arrived join the batch.
            self.store.yield_to_others(YIELDS).await;
            {
                let mut state = self.shared.lock();
                if !state.tally.is_empty() {
                    let tally = state.tally.take();
                    state.is_full = false;
                    state.in_flight = tally.clicks();
                    drop(state);
                    return Some(self.number(&tally));
                }
                if state.is_closed {
                    return None;
                }
            }
            self.shared.wake.notified().await;
        }
    }

    fn number(&mut self, tally: &Tally) -> InFlight {
        let rows = tally.rows();
        let parts = rows.chunks(MAX_STATEMENT_LINKS).map(|rows| self.part(rows)).collect();
        InFlight { parts, clicks: tally.clicks(), completion: tally.completion() }
    }

    fn part(&mut self, rows: &[LinkClicks]) -> clicks::Batch {
        self.sequence += 1;
        if self.sequence % BATCHES_PER_PRODUCER == 0 {
            // Writers start at random numbers, far from each other.
            self.producer_id = self.producer_id.wrapping_add(1);
        }
        clicks::Batch {
            producer_id: self.producer_id,
            sequence: self.sequence,
            clicks: rows.to_vec(),
        }
    }

    /// Appends a batch and releases its requests; returns false if it has to be retried.
    async fn append(&self, batch: &mut InFlight) -> bool {
        let started = Instant::now();
        let result = self.append_parts(&mut batch.parts).await;
        let metrics = &self.shared.metrics;
        let (caught_up, outage_begins) = {
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
                        "clicks cannot be stored; redirects continue and clicks wait in memory"
                    );
                }
            }
        }
        if let Some(clicks) = caught_up {
            tracing::info!(clicks, "buffered clicks stored");
        }
        result.is_ok()
    }

    async fn append_parts(&self, parts: &mut VecDeque<clicks::Batch>) -> Result<(), StoreError> {
        while let Some(part) = parts.front() {
            self.store.append(part).await?;
            parts.pop_front();
        }
        Ok(())
    }

    /// Returns what is left of `batch`, and the open batch.
    fn left_over(&mut self, batch: InFlight) -> Vec<clicks::Batch> {
        let open = std::mem::take(&mut self.shared.lock().tally);
        let mut left_over = Vec::from(batch.parts);
        left_over.extend(self.number(&open).parts);
        left_over
    }
}
