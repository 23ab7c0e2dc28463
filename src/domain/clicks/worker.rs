//! The worker that stores clicks.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::in_flight::{InFlightBatch, Numbering};
use super::outage_file::{Content, OutageFile};
use super::recorder_state::{RecorderState, STALL_INTERVAL};
use super::spool_file::BatchPlace;
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
            is_late |= batch.is_late();
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
                batch.note_failed_attempt();
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
        if !batch.is_attempted() && !file.exists() {
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
            batch.note_attempt();
            let is_first_attempt =
                if is_saved { store.append_once(part).await } else { store.append(part).await }?;
            if !is_first_attempt {
                batch.note_failed_attempt();
            }
            batch.note_stored_part();
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
