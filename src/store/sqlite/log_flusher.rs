//! Flushes commits to the disk while others are written.
//!
//! A connection that flushes at each commit keeps all other writers waiting. Commits therefore leave
//! their pages of the write-ahead log with the operating system, and a writer that needs more flushes
//! the log's file afterwards. After a power loss SQLite takes from the log what is whole; it flushes the
//! log itself before it moves anything into the database file.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::file::log_path;
use crate::store::error::StoreError;

/// Flushes the write-ahead log of one database.
#[derive(Debug, Clone)]
pub(super) struct LogFlusher(Arc<Log>);

#[derive(Debug)]
struct Log {
    path: PathBuf,
    /// Opened once: the system reports a failed write only to those who had the file open. The log
    /// exists from the first commit on, as long as a connection is open.
    file: OnceLock<File>,
    /// A flush failed: recovery stops at the gap in the log, whatever was flushed after it, until the
    /// log starts again.
    has_gap: AtomicBool,
}

impl LogFlusher {
    /// Flushes the log of the database file at `path`, which must exist.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        let path = log_path(path)?;
        let (file, has_gap) = (OnceLock::new(), AtomicBool::new(false));
        Ok(Self(Arc::new(Log { path, file, has_gap })))
    }

    /// Returns when all earlier commits are on the disk; the thread waits for it.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.0.flush().map_err(StoreError::Flush)
    }

    /// AsStoreError if a flush could not succeed.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.0.check().map(drop).map_err(StoreError::Flush)
    }

    /// Whether a flush has failed since the log last started.
    pub(super) fn has_failed(&self) -> bool {
        self.0.has_gap.load(Ordering::Acquire)
    }

    /// Behaves as if the disk had failed.
    #[cfg(test)]
    pub(super) fn fail(&self) {
        self.0.has_gap.store(true, Ordering::Release);
    }

    /// Flushes again: the next writer starts the log again.
    pub(super) fn reset(&self) {
        self.0.has_gap.store(false, Ordering::Release);
    }
}

impl Log {
    /// Returns the file. Callers open it before they write: the process may run out of file descriptors.
    fn check(&self) -> io::Result<&File> {
        if self.has_gap.load(Ordering::Acquire) {
            return Err(io::Error::other("it failed before"));
        }
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let file = File::open(&self.path)?;
        Ok(self.file.get_or_init(|| file))
    }

    fn flush(&self) -> io::Result<()> {
        let file = self.check()?;
        file.sync_data().inspect_err(|_| self.has_gap.store(true, Ordering::Release))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flush_fails_after_a_failed_flush_until_reset() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        File::create(&path).unwrap();
        // Nothing is written yet: there is no log.
        assert!(LogFlusher::new(&path).unwrap().check().is_err());
        // The system refuses to flush this one.
        std::os::unix::fs::symlink("/dev/null", directory.path().join("t.db-wal")).unwrap();
        let flusher = LogFlusher::new(&path).unwrap();
        let reason = || flusher.flush().unwrap_err().to_string();
        let first = reason();
        assert_eq!(reason(), "the database's log could not be flushed: it failed before");
        flusher.reset();
        assert_eq!(reason(), first);
    }
}
