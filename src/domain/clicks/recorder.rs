use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::tally::{Settled, Tally};
use crate::domain::Error;
use crate::metrics::Metrics;
use crate::store::clicks::LinkClicks;
use crate::store::{Store, StoreError, clicks};

/// How long the recorder waits before it tries a database again that failed.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// How often others go first before a batch is taken that keeps the thread.
const YIELDS: u32 = 2;
/// Clicks a statement, so that what an outage has left takes many short ones, and a row of PostgreSQL
/// that holds them fits its page.
const MOST_ROWS: usize = 400;
/// Batches under one name. PostgreSQL keeps all versions of a writer's row while somebody reads an
/// old state of the database, and goes through them at each batch.
const BATCHES_A_WRITER: i64 = 1_000;

/// Bytes that a link's clicks take while they wait: its place in a table that may have grown a moment
/// ago, and what is made of it to be appended.
const LINK_BYTES: usize = 96;

/// Clicks of so many links wait that there is no memory for those of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

/// Takes clicks. Cloning it is cheap; all clones feed the same [`Recording`].
#[derive(Debug, Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// There is something in the open batch, or the end is near.
    wake: Notify,
    metrics: Arc<Metrics>,
    /// Of how many links clicks may wait.
    most_links: usize,
}

#[derive(Debug, Default)]
struct State {
    /// The open batch.
    tally: Tally,
    /// Clicks of the batch that is being appended, or will be again.
    in_flight: u64,
    /// The last append failed. Clicks then wait in memory, added up per link, while their redirects
    /// go on.
    outage: bool,
    /// Somebody was told that clicks of no more links can wait.
    is_full: bool,
    /// After an outage: how many of those that waited are stored, while others still are to be.
    caught_up: Option<u64>,
    /// No more clicks will come.
    is_closed: bool,
}

impl State {
    /// Clicks that are not stored yet.
    fn waiting(&self) -> u64 {
        self.tally.clicks() + self.in_flight
    }

    /// Notes that a batch of so many was stored. Gives how many are, with those before it that had
    /// waited, where an outage is over with it.
    fn stored(&mut self, clicks: u64) -> Option<u64> {
        let was_outage = std::mem::take(&mut self.outage);
        self.in_flight = 0;
        let stored = self.caught_up.take().unwrap_or(0) + clicks;
        if !was_outage {
            return (stored > clicks).then_some(stored);
        }
        let is_all = self.tally.is_empty();
        // Who comes from now on waits again.
        self.tally.renew();
        if !is_all {
            self.caught_up = Some(stored);
        }
        is_all.then_some(stored)
    }

    /// Notes that a batch could not be stored, and lets nobody wait. Whether an outage begins with it.
    fn failed(&mut self) -> bool {
        // Those who came since the batch was taken wait on the open one.
        self.tally.settled().settle();
        !std::mem::replace(&mut self.outage, true)
    }

    /// Notes that there is no room. Whether it is the first time, and to be told.
    fn refuse(&mut self) -> bool {
        !self.is_closed && !std::mem::replace(&mut self.is_full, true)
    }
}

impl Recorder {
    /// A recorder, and the work that must run for its clicks to be stored. No other recorder of the
    /// database may ever be the same `writer`. What waits takes no more than `capacity` bytes.
    #[must_use]
    pub fn new(
        store: Store,
        metrics: Arc<Metrics>,
        writer: i64,
        capacity: usize,
    ) -> (Self, Recording) {
        let (state, wake) = (Mutex::default(), Notify::new());
        let shared = Arc::new(Shared { state, wake, metrics, most_links: capacity / LINK_BYTES });
        let recording = Recording { shared: Arc::clone(&shared), store, writer, sequence: 0 };
        (Self { shared }, recording)
    }

    /// Counts a click; returns when it is in the database, to stay. Only while the database is away
    /// it returns at once, and the click waits in memory until it is back.
    ///
    /// # Errors
    /// [`Full`]; then it is not counted.
    pub async fn record(&self, link_id: i64) -> Result<(), Full> {
        let settled = {
            let mut state = self.shared.lock();
            // After the end nobody stores it.
            if state.is_closed || !state.tally.add(link_id, self.shared.most_links) {
                Err(state.refuse())
            } else {
                self.shared.metrics.clicks_waiting.set(state.waiting());
                if state.outage {
                    return Ok(());
                }
                if state.tally.clicks() == 1 {
                    self.shared.wake.notify_one();
                }
                Ok(state.tally.settled())
            }
        };
        match settled {
            Ok(settled) => {
                settled.wait().await;
                Ok(())
            }
            Err(is_first) => {
                if is_first {
                    tracing::error!(
                        "no memory left for waiting clicks; other links do not redirect until the database takes some"
                    );
                }
                Err(Full)
            }
        }
    }

    /// Refuses while statistics lack clicks that were answered here.
    ///
    /// # Errors
    /// [`Error::Uncounted`]
    pub(in crate::domain) fn check_counted(&self) -> Result<(), Error> {
        let state = self.shared.lock();
        if state.outage || state.caught_up.is_some() { Err(Error::Uncounted) } else { Ok(()) }
    }

    /// Whether the last batch was stored.
    #[must_use]
    pub fn is_storing(&self) -> bool {
        !self.shared.lock().outage
    }

    /// Lets [`Recording::run`] end when it has stored what there is.
    pub fn close(&self) {
        self.shared.lock().is_closed = true;
        self.shared.wake.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that panics runs under the lock, nor any that waits, such as for a reader of the log.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The one task that appends. While it waits for the database the next batch fills, so that batches
/// are as large as they need to be and nobody waits for a clock.
#[derive(Debug)]
pub struct Recording {
    shared: Arc<Shared>,
    store: Store,
    writer: i64,
    sequence: i64,
}

/// A batch on its way into the database.
#[derive(Debug)]
struct Pending {
    /// What is not there yet: one part, but after an outage.
    parts: VecDeque<clicks::Batch>,
    clicks: u64,
    settled: Arc<Settled>,
}

impl Recording {
    /// Stores clicks until the recorder is closed and all are stored. Returns those that could not be
    /// because the database was away at the end.
    pub async fn run(mut self) -> Vec<clicks::Batch> {
        while let Some(mut pending) = self.next().await {
            // Before any other: only a writer's last batch can be told to be there already.
            while !self.append(&mut pending).await {
                if self.shared.lock().is_closed {
                    return self.left_over(pending);
                }
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
        Vec::new()
    }

    /// The next batch; none when no more will come.
    async fn next(&mut self) -> Option<Pending> {
        loop {
            // Those whose requests are there already come along.
            self.store.let_others_run(YIELDS).await;
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

    fn number(&mut self, tally: &Tally) -> Pending {
        let rows = tally.rows();
        let parts = rows.chunks(MOST_ROWS).map(|rows| self.part(rows)).collect();
        Pending { parts, clicks: tally.clicks(), settled: tally.settled() }
    }

    fn part(&mut self, rows: &[LinkClicks]) -> clicks::Batch {
        self.sequence += 1;
        if self.sequence % BATCHES_A_WRITER == 0 {
            // Nobody else is near: writers are random.
            self.writer = self.writer.wrapping_add(1);
        }
        clicks::Batch { writer: self.writer, sequence: self.sequence, clicks: rows.to_vec() }
    }

    /// Appends a batch and wakes who waits on it; false where it must be tried again.
    async fn append(&self, pending: &mut Pending) -> bool {
        let started = Instant::now();
        let result = self.append_parts(&mut pending.parts).await;
        let metrics = &self.shared.metrics;
        let (caught_up, outage_begins) = {
            let mut state = self.shared.lock();
            let told = match &result {
                Ok(()) => (state.stored(pending.clicks), false),
                Err(_) => (None, state.failed()),
            };
            metrics.clicks_waiting.set(state.waiting());
            told
        };
        pending.settled.settle();
        match &result {
            Ok(()) => {
                metrics.click_commit_seconds.observe(started.elapsed().as_secs_f64());
                metrics.clicks_recorded.inc_by(pending.clicks);
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
            tracing::info!(clicks, "clicks that waited are stored");
        }
        result.is_ok()
    }

    async fn append_parts(&self, parts: &mut VecDeque<clicks::Batch>) -> Result<(), StoreError> {
        while let Some(part) = parts.front() {
            clicks::append(&self.store, part).await?;
            parts.pop_front();
        }
        Ok(())
    }

    /// What there is when nothing more can be stored.
    fn left_over(&mut self, pending: Pending) -> Vec<clicks::Batch> {
        let open = std::mem::take(&mut self.shared.lock().tally);
        let mut left = Vec::from(pending.parts);
        left.extend(self.number(&open).parts);
        left
    }
}
