//! A connection without a thread of its own.
//!
//! The driver that everything else goes through runs each statement in another thread. To wake that
//! one and to be woken by it takes several times as long as to write a row to a file that the
//! operating system keeps in memory: so what is written often is written where it is asked for.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};
use tokio::sync::{Mutex, MutexGuard};

use super::KEPT_LOG;
use super::connection::{Opener, transaction};

/// How long to wait until another process may have finished writing.
pub(super) const BUSY_INTERVAL: Duration = Duration::from_millis(1);

/// The connection; made anew where it had to be given up. Whoever uses it has the turn to write.
#[derive(Debug, Clone)]
pub(super) struct Inline {
    opener: Opener,
    page_bytes: u64,
    kept: Arc<Mutex<Option<Connection>>>,
}

impl Inline {
    pub(super) fn open(opener: Opener, page_bytes: u64) -> rusqlite::Result<Self> {
        let kept = Arc::new(Mutex::new(Some(open(&opener, page_bytes)?)));
        Ok(Self { opener, page_bytes, kept })
    }

    /// Waits for those who read.
    pub(super) async fn take(&self) -> Taken<'_> {
        Taken { inline: self, place: self.kept.lock().await }
    }

    /// The same on a thread that may wait.
    pub(super) fn take_blocking(&self) -> Taken<'_> {
        Taken { inline: self, place: self.kept.blocking_lock() }
    }

    /// Reads, unless somebody else has or wants the connection. What it remembers of the file outlives
    /// what it writes itself, where other connections forget all that they have read with each batch.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Option<rusqlite::Result<T>> {
        let place = self.kept.try_lock().ok()?;
        place.as_ref().map(work)
    }
}

/// The connection for oneself.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    inline: &'a Inline,
    place: MutexGuard<'a, Option<Connection>>,
}

impl Taken<'_> {
    /// Does all of the work or nothing, to survive this process, and fails at once where another
    /// process is writing.
    pub(super) fn transaction<T>(
        mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let connection = match self.place.take() {
            Some(connection) => connection,
            None => open(&self.inline.opener, self.inline.page_bytes)?,
        };
        let committed = transaction(&connection, work);
        // One that could not even roll back is given up.
        if connection.is_autocommit() {
            *self.place = Some(connection);
        }
        committed
    }
}

fn open(opener: &Opener, page_bytes: u64) -> rusqlite::Result<Connection> {
    let connection = opener.open(Duration::ZERO)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Checkpoints happen elsewhere.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", KEPT_LOG, |_| Ok(()))?;
    // Negative: KiB, not pages.
    let kibibytes = i64::try_from(page_bytes >> 10).unwrap_or(i64::MAX);
    connection.pragma_update(None, "cache_size", -kibibytes)?;
    // What is sorted while counts are put away is small.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // In WAL mode nothing is flushed at a commit then: what was written is with the operating system,
    // which outlives the process. Who needs more flushes afterwards.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// Whether another process is writing.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}
