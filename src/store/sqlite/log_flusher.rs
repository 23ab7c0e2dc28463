//! Flushes commits to disk while other transactions write.
//!
//! A connection that flushed at each commit would block all other writers. A commit therefore
//! writes its pages of the write-ahead log only to the operating system. A writer whose commit must
//! survive a power loss then flushes the file of the log.
//!
//! After a power loss, SQLite recovers the intact part of the log. SQLite itself flushes the log
//! before a checkpoint.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::file::log_path;
use crate::store::error::StoreError;

/// Flusher of the write-ahead log of one database.
#[derive(Debug, Clone)]
pub(super) struct LogFlusher(Arc<Log>);

#[derive(Debug)]
struct Log {
    path: PathBuf,
    /// The file is opened once, because the operating system reports a failed write only to
    /// processes that had the file open. The log exists from the first commit until the last
    /// connection closes.
    file: OnceLock<File>,
    /// Whether a flush has failed. The log may then have a gap, at which a recovery would stop even
    /// if later flushes succeeded. A restart of the log removes the gap.
    has_gap: AtomicBool,
}

impl LogFlusher {
    /// Creates the flusher for the database file at `path`, which must exist.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        let path = log_path(path)?;
        let (file, has_gap) = (OnceLock::new(), AtomicBool::new(false));
        Ok(Self(Arc::new(Log { path, file, has_gap })))
    }

    /// Flushes all earlier commits to disk. It blocks the thread meanwhile.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.0.flush().map_err(StoreError::Flush)
    }

    /// Checks that a flush is still possible.
    ///
    /// # Errors
    /// If an earlier flush has failed, or the log cannot be opened.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.0.check().map(drop).map_err(StoreError::Flush)
    }

    /// Returns whether a flush has failed since the last restart of the log.
    pub(super) fn has_failed(&self) -> bool {
        self.0.has_gap.load(Ordering::Acquire)
    }

    /// Simulates a failed flush.
    #[cfg(test)]
    pub(super) fn fail(&self) {
        self.0.has_gap.store(true, Ordering::Release);
    }

    /// Allows flushes again after a restart of the log.
    pub(super) fn reset(&self) {
        self.0.has_gap.store(false, Ordering::Release);
    }
}

impl Log {
    /// Returns the file of the log, and opens it if necessary. Fails if an earlier flush failed.
    ///
    /// Callers check before they write, because the process may have no file descriptor left
    /// afterwards.
    fn check(&self) -> io::Result<&File> {
        if self.has_gap.load(Ordering::Acquire) {
            return Err(io::Error::other("an earlier flush failed"));
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
        // The log does not exist before the first write.
        assert!(LogFlusher::new(&path).unwrap().check().is_err());
        // The operating system cannot flush this file.
        std::os::unix::fs::symlink("/dev/null", directory.path().join("t.db-wal")).unwrap();
        let flusher = LogFlusher::new(&path).unwrap();
        let reason = || flusher.flush().unwrap_err().to_string();
        let first = reason();
        assert_eq!(reason(), "the database could not be flushed: an earlier flush failed");
        flusher.reset();
        assert_eq!(reason(), first);
    }
}
