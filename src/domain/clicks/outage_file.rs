//! The spool file of a running server, which holds the clicks that the server buffers in an outage.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::spool::Spool;
use super::spool_file::BatchPlace;
use crate::store::clicks::Batch;

/// Time between two versions of the file.
const INTERVAL: Duration = Duration::from_secs(1);
/// Maximum part of the time that the server spends on writing the file, as a divisor.
const MAX_SHARE: u32 = 10;

/// Keeps the spool file of this server up to date during an outage.
///
/// The file contains batches with their sequence numbers, as the server appends them later. While
/// the file exists, the server therefore appends every batch with its sequence number, and only
/// batches that the file contains in the same form. A process that stores the file after a kill
/// then counts each click once.
#[derive(Debug)]
pub(super) struct OutageFile {
    spool: Arc<Spool>,
    content: Option<Content>,
    next_save: Instant,
    has_failed: bool,
}

/// Describes what the file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Content {
    /// First sequence number of the batch that the worker appends, if the file contains the batch.
    pub(super) in_flight: Option<i64>,
    /// Number of clicks in the open batch.
    pub(super) open: u64,
}

impl OutageFile {
    pub(super) fn new(spool: Arc<Spool>) -> Self {
        Self { spool, content: None, next_save: Instant::now(), has_failed: false }
    }

    /// Returns whether the file exists.
    pub(super) fn exists(&self) -> bool {
        self.content.is_some()
    }

    /// Waits until a new version is due.
    pub(super) async fn due(&self) {
        tokio::time::sleep_until(self.next_save.into()).await;
    }

    /// Sets the next version due after the interval.
    pub(super) fn postpone(&mut self) {
        self.next_save = Instant::now() + INTERVAL;
    }

    /// Writes a new version, unless the last one has the same content. Returns false if it cannot be
    /// written.
    pub(super) fn save(&mut self, content: Content, batches: impl FnOnce() -> Vec<Batch>) -> bool {
        let started = Instant::now();
        let mut is_saved = self.content == Some(content);
        if !is_saved {
            let saved = self.spool.save(&batches());
            is_saved = saved.is_ok();
            if is_saved {
                self.content = Some(content);
            }
            self.report(saved);
        }
        self.next_save = Instant::now() + INTERVAL.max(started.elapsed() * MAX_SHARE);
        is_saved
    }

    /// Prepares the append of the batch in flight: if the file exists, it must contain the batch, or
    /// it is deleted. Returns false if neither is possible. The batch must then wait, because the
    /// file contains its clicks in other batches.
    pub(super) fn freeze(
        &mut self,
        content: Content,
        batches: impl FnOnce() -> Vec<Batch>,
    ) -> bool {
        let is_frozen = self.content.is_none_or(|last| last.in_flight == content.in_flight);
        is_frozen || self.save(content, batches) || self.discard()
    }

    /// Notes that the batch in flight is stored. The file is deleted, unless it also contains clicks
    /// of the open batch.
    pub(super) fn note_stored(&mut self) {
        if self.content.is_some_and(|content| content.open == 0) {
            self.discard();
        }
    }

    /// Writes batches into the file, in place of its content, and leaves it to any server. From now on,
    /// this server has none.
    ///
    /// # Errors
    /// If the file cannot be written. Its content stays.
    pub(super) fn hand_over(&mut self, batches: &[Batch]) -> std::io::Result<()> {
        let file = self.spool.write(BatchPlace::Database, batches)?;
        self.content = None;
        let file = file.display();
        tracing::info!(%file, "clicks of the time before the standby are in a spool file");
        Ok(())
    }

    fn discard(&mut self) -> bool {
        let discarded = self.spool.discard();
        let is_gone = discarded.is_ok();
        if is_gone {
            self.content = None;
        }
        self.report(discarded);
        is_gone
    }

    /// Logs the first failure in a row.
    fn report(&mut self, result: std::io::Result<()>) {
        let Err(error) = result else {
            self.has_failed = false;
            return;
        };
        let directory = self.spool.directory().display();
        if std::mem::replace(&mut self.has_failed, true) {
            tracing::debug!(%directory, %error, "buffered clicks cannot be saved");
        } else {
            tracing::warn!(
                %directory,
                %error,
                "buffered clicks cannot be saved in the spool directory; a kill would lose them"
            );
        }
    }
}
