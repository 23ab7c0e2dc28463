//! Batches of clicks with their sequence numbers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::tally::{BatchCompletion, Tally};
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
    pub(super) clicks: u64,
    pub(super) completion: Arc<BatchCompletion>,
}

impl InFlightBatch {
    pub(super) fn new(tally: &Tally, numbering: &mut Numbering) -> Self {
        Self {
            parts: numbering.split(tally.rows()),
            stored: AtomicUsize::new(0),
            clicks: tally.clicks(),
            completion: tally.completion(),
        }
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
