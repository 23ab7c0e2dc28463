//! Batches of clicks with their sequence numbers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::recorder_state::{BatchCompletion, Tally};
use crate::store::clicks::{Batch, LinkClicks};

/// Maximum number of links per statement, so that PostgreSQL stores each part of a batch as one row
/// within one page. A batch with more links, for example after an outage, needs several statements.
const MAX_STATEMENT_LINKS: usize = 400;
/// Number of batches after which a recorder takes a new producer identifier. During a long
/// snapshot, PostgreSQL retains all versions of a producer's row, and each append has to scan them.
const BATCHES_PER_PRODUCER: i64 = 1_000;

/// The identity of the next batch.
#[derive(Debug, Clone)]
pub(super) struct Numbering {
    pub(super) producer_id: i64,
    /// The identifier before, until the database has forgotten it.
    pub(super) last_producer_id: Option<i64>,
    pub(super) sequence: i64,
}

/// A batch that the worker is appending.
#[derive(Debug)]
pub(super) struct InFlightBatch {
    /// Only a batch with more than [`MAX_STATEMENT_LINKS`] links has more than one part.
    pub(super) parts: Vec<Batch>,
    /// Number of parts that are stored.
    stored: AtomicUsize,
    /// Whether the database may have stored a part of which it did not confirm that.
    is_attempted: AtomicBool,
    /// Whether the database may still execute an attempt to store a part, even minutes later.
    is_late: AtomicBool,
    /// Whether the journal may have the batch although it has not confirmed that.
    pub(super) may_be_in_journal: bool,
    pub(super) clicks: u64,
    completions: Vec<Arc<BatchCompletion>>,
}

impl InFlightBatch {
    pub(super) fn new(tally: &Tally, numbering: &mut Numbering) -> Self {
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
    pub(super) fn absorb(&mut self, tally: &Tally, numbering: &mut Numbering) {
        self.parts.extend(numbering.split(tally.rows()));
        self.clicks += tally.clicks();
        self.completions.push(tally.completion());
    }

    /// Releases the requests that wait for the batch.
    pub(super) fn complete(&self) {
        self.completions.iter().for_each(|completion| completion.complete());
    }

    /// Notes that the database may store a part without a confirmation.
    pub(super) fn note_attempt(&self) {
        self.is_attempted.store(true, Ordering::Relaxed);
    }

    /// Returns whether the database may have stored a part without a confirmation.
    pub(super) fn is_attempted(&self) -> bool {
        self.is_attempted.load(Ordering::Relaxed)
    }

    /// Notes that an attempt failed, and that the database may still execute it.
    pub(super) fn note_failed_attempt(&self) {
        self.is_late.store(true, Ordering::Relaxed);
    }

    /// Returns whether the database may still execute an attempt that failed.
    pub(super) fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    /// Notes that the first of the remaining parts is stored.
    pub(super) fn note_stored_part(&self) {
        self.stored.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the parts that are not stored yet.
    pub(super) fn remaining(&self) -> &[Batch] {
        &self.parts[self.stored.load(Ordering::Relaxed)..]
    }
}

impl Numbering {
    pub(super) fn new(producer_id: i64) -> Self {
        Self { producer_id, last_producer_id: None, sequence: 0 }
    }

    /// Splits clicks into batches with the next sequence numbers, in the order of link identifiers, so
    /// that the rollup visits the pages of counts in order.
    pub(super) fn split(&mut self, mut rows: Vec<LinkClicks>) -> Vec<Batch> {
        rows.sort_unstable_by_key(|row| row.link_id);
        rows.chunks(MAX_STATEMENT_LINKS).map(|rows| self.next_part(rows)).collect()
    }

    /// Takes a new producer identifier, so that the database stores the next batches before or after
    /// those with the earlier ones. The database does not forget the earlier ones, of which it may
    /// receive repetitions.
    pub(super) fn renew_producer(&mut self) {
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
