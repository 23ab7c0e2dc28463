//! The worker that stores clicks, and the batch that it is storing.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::outage_file::{Content, OutageFile};
use super::recorder_state::{BatchCompletion, RecorderState, STALL_INTERVAL, Tally};
use super::spool_file::BatchPlace;
use crate::store::clicks::{Batch, LinkClicks};
use crate::store::{Durability, StoreError, clicks};

/// Time between two attempts to append a batch.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// The batches that a worker could not store.
#[derive(Debug, Default)]
pub struct LeftOver {
    /// Where they may be nevertheless.
    pub place: BatchPlace,
    /// The batches, none after a worker has stored everything.
    pub batches: Vec<clicks::Batch>,
}

/// The only task that appends clicks. While the worker waits for the database, the next batch
/// fills. The size of batches thus grows with the load, and no request waits for a timer.
#[derive(Debug)]
pub struct RecorderWorker {
    shared: Arc<RecorderState>,
    numbering: Numbering,
}

impl RecorderWorker {
    pub(super) fn new(shared: Arc<RecorderState>, producer_id: i64) -> Self {
        Self { shared, numbering: Numbering::new(producer_id) }
    }

    /// Stores clicks until the recorder is closed. During an outage, it saves the buffered clicks in
    /// the spool file of this server. Returns the batches that it could not store because of an
    /// outage.
    pub async fn run(mut self) -> LeftOver {
        let mut file = OutageFile::new(Arc::clone(&self.shared.spool));
        let mut is_late = false;
        while let Some(mut batch) = self.next().await {
            // The batch is retried before any other, because the database recognises only the last
            // batch of a producer.
            while !self.append(&mut batch, &mut file).await {
                if self.shared.lock().is_closed {
                    return self.left_over(&batch);
                }
                self.keep_saved(Some(&batch), &mut file, sleep(RETRY_INTERVAL)).await;
            }
            file.note_stored();
            is_late |= batch.is_late.load(Ordering::Relaxed);
            // The database must recognise the batches of the file.
            if file.exists() {
                continue;
            }
            if std::mem::take(&mut is_late) {
                self.numbering.renew_producer();
            } else if let Some(last) = self.numbering.last_producer_id.take() {
                self.forget(last).await;
            }
        }
        if self.numbering.sequence > 0 && !file.exists() {
            self.forget(self.numbering.producer_id).await;
        }
        LeftOver::default()
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
    async fn append(&mut self, batch: &mut InFlightBatch, file: &mut OutageFile) -> bool {
        let started = Instant::now();
        let mut is_kept_here = self.is_kept_here(Some(batch));
        let mut result = Err(StoreError::Busy);
        if !is_kept_here {
            result = self.append_to_database(batch, file).await;
            if result.is_err() {
                batch.is_late.store(true, Ordering::Relaxed);
            }
            // The database may have become a standby meanwhile.
            is_kept_here = result.is_err() && self.is_kept_here(Some(batch));
        }
        if is_kept_here {
            result = self.keep_here(batch, file);
        }
        let metrics = &self.shared.metrics;
        let (stored_since_outage, outage_begins) = {
            let mut state = self.shared.lock();
            let changes = match &result {
                Ok(()) => (state.stored(batch.clicks), false),
                Err(_) => (None, state.record_failure()),
            };
            metrics.clicks_pending.set(state.pending());
            changes
        };
        batch.complete();
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
            if is_kept_here {
                tracing::info!(clicks, "buffered clicks are in the spool directory");
            } else {
                tracing::info!(clicks, "buffered clicks stored");
            }
        }
        result.is_ok()
    }

    async fn append_to_database(
        &self,
        batch: &InFlightBatch,
        file: &mut OutageFile,
    ) -> Result<(), StoreError> {
        if file.exists() && !file.freeze(self.content(Some(batch)), || self.unstored(Some(batch))) {
            return Err(StoreError::Busy);
        }
        let is_saved = file.exists();
        let append = self.append_parts(batch, is_saved);
        let append = self.keep_saved(is_saved.then_some(batch), file, append);
        tokio::select! {
            biased;
            result = append => result,
            error = self.stalled_at_shutdown() => Err(error),
        }
    }

    /// Returns whether a batch goes to the disk of this server: the database is a standby, or was one
    /// when the journal took the batch without a confirmation.
    fn is_kept_here(&self, batch: Option<&InFlightBatch>) -> bool {
        self.shared.store.is_standby() || batch.is_some_and(|batch| batch.may_be_in_journal)
    }

    /// Stores a batch on the disk of this server.
    ///
    /// The journal sums up batches. If the database or the spool file may have the batch, it must keep
    /// its sequence number instead, and goes into a spool file, with the clicks that followed it.
    fn keep_here(
        &mut self,
        batch: &mut InFlightBatch,
        file: &mut OutageFile,
    ) -> Result<(), StoreError> {
        if !batch.is_attempted.load(Ordering::Relaxed) && !file.exists() {
            let clicks = batch.parts.iter().flat_map(|part| &part.clicks);
            // The sequence number of the last part.
            let added = self.shared.spool.journal().add(self.numbering.sequence, clicks);
            if let Err(StoreError::Journal { may_be_stored: true, .. }) = added {
                batch.may_be_in_journal = true;
            }
            return added;
        }
        let open = {
            let mut state = self.shared.lock();
            let open = state.tally.take();
            state.in_flight += open.clicks();
            open
        };
        batch.absorb(&open, &mut self.numbering);
        file.hand_over(batch.remaining()).map_err(StoreError::Spool)?;
        self.numbering.renew_producer();
        Ok(())
    }

    /// Waits until the recorder is closed while the database cannot commit. The append in progress is
    /// then abandoned, and the spool file has its clicks.
    async fn stalled_at_shutdown(&self) -> StoreError {
        loop {
            sleep(STALL_INTERVAL).await;
            if self.shared.lock().is_closed
                && let Err(error) = self.shared.check_commits()
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
            batch.is_attempted.store(true, Ordering::Relaxed);
            let is_first_attempt =
                if is_saved { store.append_once(part).await } else { store.append(part).await }?;
            if !is_first_attempt {
                batch.is_late.store(true, Ordering::Relaxed);
            }
            batch.stored.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Runs `work` and, during an outage, saves the open batch and `in_flight` meanwhile. No file is
    /// begun for clicks that go to the disk of this server.
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
            // The journal may have the clicks of an addition that failed, so a spool file must not have
            // them, too.
            let is_kept_here = self.is_kept_here(in_flight) && !file.exists();
            if self.shared.lock().is_outage && !is_kept_here {
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
    fn left_over(&mut self, batch: &InFlightBatch) -> LeftOver {
        let open = std::mem::take(&mut self.shared.lock().tally);
        let mut batches = batch.remaining().to_vec();
        batches.extend(self.numbering.split(open.rows()));
        if !batch.may_be_in_journal {
            return LeftOver { place: BatchPlace::Database, batches };
        }
        let writer_id = self.shared.spool.journal().writer_id();
        batches.iter_mut().for_each(|batch| batch.producer_id = writer_id);
        LeftOver { place: BatchPlace::Journal, batches }
    }
}

/// Maximum number of links per statement, so that PostgreSQL stores each part of a batch as one row
/// within one page. A batch with more links, for example after an outage, needs several statements.
const MAX_STATEMENT_LINKS: usize = 400;
/// Number of batches after which a recorder takes a new producer identifier. During a long
/// snapshot, PostgreSQL retains all versions of a producer's row, and each append has to scan them.
const BATCHES_PER_PRODUCER: i64 = 1_000;

/// The identity of the next batch.
#[derive(Debug, Clone)]
struct Numbering {
    producer_id: i64,
    /// The identifier before, until the database has forgotten it.
    last_producer_id: Option<i64>,
    sequence: i64,
}

/// A batch that the worker is appending.
#[derive(Debug)]
struct InFlightBatch {
    /// Only a batch with more than [`MAX_STATEMENT_LINKS`] links has more than one part.
    parts: Vec<Batch>,
    /// Number of parts that are stored.
    stored: AtomicUsize,
    /// Whether the database may have stored a part of which it did not confirm that.
    is_attempted: AtomicBool,
    /// Whether the database may still execute an attempt that failed, even minutes later.
    is_late: AtomicBool,
    /// Whether the journal may have the batch although it has not confirmed that.
    may_be_in_journal: bool,
    clicks: u64,
    completions: Vec<Arc<BatchCompletion>>,
}

impl InFlightBatch {
    fn new(tally: &Tally, numbering: &mut Numbering) -> Self {
        Self {
            parts: numbering.split(tally.rows()),
            stored: AtomicUsize::new(0),
            is_attempted: AtomicBool::new(false),
            is_late: AtomicBool::new(false),
            may_be_in_journal: false,
            clicks: tally.clicks(),
            completions: vec![tally.completion()],
        }
    }

    /// Adds the clicks of the batch that follows.
    fn absorb(&mut self, tally: &Tally, numbering: &mut Numbering) {
        self.parts.extend(numbering.split(tally.rows()));
        self.clicks += tally.clicks();
        self.completions.push(tally.completion());
    }

    /// Releases the requests that wait for the batch.
    fn complete(&self) {
        self.completions.iter().for_each(|completion| completion.complete());
    }

    /// Returns the parts that are not stored yet.
    fn remaining(&self) -> &[Batch] {
        &self.parts[self.stored.load(Ordering::Relaxed)..]
    }
}

impl Numbering {
    fn new(producer_id: i64) -> Self {
        Self { producer_id, last_producer_id: None, sequence: 0 }
    }

    /// Splits clicks into batches with the next sequence numbers, in the order of link identifiers, so
    /// that the rollup visits the pages of counts in order.
    fn split(&mut self, mut rows: Vec<LinkClicks>) -> Vec<Batch> {
        rows.sort_unstable_by_key(|row| row.link_id);
        rows.chunks(MAX_STATEMENT_LINKS).map(|rows| self.next_part(rows)).collect()
    }

    /// Takes a new producer identifier, so that the database stores the next batches before or after
    /// those with the earlier ones. The database does not forget the earlier ones, of which it may
    /// receive repetitions.
    fn renew_producer(&mut self) {
        self.producer_id = self.producer_id.wrapping_add(1);
        self.last_producer_id = None;
    }

    fn next_part(&mut self, rows: &[LinkClicks]) -> Batch {
        self.sequence += 1;
        if self.sequence % BATCHES_PER_PRODUCER == 0 {
            // Producer identifiers begin at random numbers, far from those of other recorders.
            let next = self.producer_id.wrapping_add(1);
            self.last_producer_id = Some(std::mem::replace(&mut self.producer_id, next));
        }
        Batch { producer_id: self.producer_id, sequence: self.sequence, clicks: rows.to_vec() }
    }
}
