use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::batch::Batch;
use crate::metrics::Metrics;
use crate::store::{Store, clicks};

/// How long the recorder waits before it tries a database again that failed.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// Takes clicks. Cloning it is cheap; all clones feed the same [`Recording`].
#[derive(Debug, Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    open: Mutex<Open>,
    /// There is something in the open batch, or the end is near.
    wake: Notify,
    metrics: Arc<Metrics>,
}

#[derive(Debug, Default)]
struct Open {
    batch: Batch,
    /// Clicks of the batch that is being appended.
    in_flight: u64,
    /// The last append failed. Clicks then wait in memory, added up per link, while their redirects
    /// go on.
    outage: bool,
    /// No more clicks will come.
    closed: bool,
}

impl Open {
    /// Clicks that are not stored yet.
    fn waiting(&self) -> u64 {
        self.batch.clicks() + self.in_flight
    }
}

impl Recorder {
    /// A recorder, and the work that must run for its clicks to be stored.
    #[must_use]
    pub fn new(store: Store, metrics: Arc<Metrics>) -> (Self, Recording) {
        let shared = Arc::new(Shared { open: Mutex::default(), wake: Notify::new(), metrics });
        (Self { shared: Arc::clone(&shared) }, Recording { shared, store })
    }

    /// Counts a click; returns when it is in the database, to stay. Only while the database is away
    /// it returns at once, and the click waits in memory until it is back.
    pub async fn record(&self, link_id: i64) {
        let settled = {
            let mut open = self.shared.open();
            open.batch.add(link_id);
            self.shared.metrics.clicks_waiting.set(open.waiting());
            if open.outage {
                return;
            }
            if open.batch.clicks() == 1 {
                self.shared.wake.notify_one();
            }
            open.batch.settled()
        };
        settled.wait().await;
    }

    /// Lets [`Recording::run`] end when it has stored what there is.
    pub fn close(&self) {
        self.shared.open().closed = true;
        self.shared.wake.notify_one();
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, Open> {
        // No code that panics runs under the lock.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The one task that appends. While it waits for the database the next batch fills, so that batches
/// are as large as they need to be and nobody waits for a clock.
#[derive(Debug)]
pub struct Recording {
    shared: Arc<Shared>,
    store: Store,
}

impl Recording {
    /// Stores clicks until the recorder is closed and all are stored. Returns how many could not be
    /// stored because the database was away at the end.
    pub async fn run(self) -> u64 {
        loop {
            let (batch, closed) = {
                let mut open = self.shared.open();
                open.in_flight = open.batch.clicks();
                (std::mem::take(&mut open.batch), open.closed)
            };
            if batch.is_empty() {
                if closed {
                    return 0;
                }
                self.shared.wake.notified().await;
                continue;
            }
            if !self.append(batch).await {
                if closed {
                    return self.shared.open().batch.clicks();
                }
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
    }

    /// Appends a batch and wakes who waits on it; puts it back where that fails.
    async fn append(&self, batch: Batch) -> bool {
        let started = Instant::now();
        let result = clicks::append(&self.store, &batch.rows()).await;
        let metrics = &self.shared.metrics;
        {
            let mut open = self.shared.open();
            let was_outage = open.outage;
            open.outage = result.is_err();
            open.in_flight = 0;
            match &result {
                Ok(()) => {
                    metrics.click_commit_seconds.observe(started.elapsed().as_secs_f64());
                    metrics.clicks_recorded.inc_by(batch.clicks());
                    metrics.click_batches.inc();
                    if was_outage {
                        tracing::info!(clicks = batch.clicks(), "clicks that waited are stored");
                    }
                }
                Err(error) => {
                    open.batch.absorb(&batch);
                    metrics.click_commit_failures.inc();
                    if !was_outage {
                        tracing::error!(
                            %error,
                            "clicks cannot be stored; redirects go on and clicks wait in memory"
                        );
                    }
                    // Those who came since the batch was taken wait on the open one.
                    open.batch.settled().settle();
                }
            }
            metrics.clicks_waiting.set(open.waiting());
        }
        batch.settled().settle();
        result.is_ok()
    }
}
