//! How commits get to the disk while others are made.
//!
//! A connection that flushes at each commit keeps all other writers waiting meanwhile. So commits
//! leave what they write in the write-ahead log with the operating system, and whoever needs more
//! flushes the log's file afterwards. After a loss of power SQLite takes from the log what is whole;
//! before it moves anything into the database file it flushes the log itself.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::file::log_of;
use crate::store::StoreError;

/// Flushes the write-ahead log.
#[derive(Debug, Clone)]
pub(super) struct Flusher(Arc<Log>);

#[derive(Debug)]
struct Log {
    path: PathBuf,
    /// Opened once: a failure to write that the system has seen is told to who had the file open then.
    /// There is a log once something is committed, and as long as somebody has the database open.
    file: OnceLock<File>,
    /// A flush failed: what comes after it in the log is worth nothing, flushed or not, until the log
    /// begins anew.
    has_gap: AtomicBool,
}

impl Flusher {
    /// Of the database file, which must be there.
    pub(super) fn new(path: &Path) -> Result<Self, StoreError> {
        let path = log_of(path).map_err(StoreError::Flush)?;
        let (file, has_gap) = (OnceLock::new(), AtomicBool::new(false));
        Ok(Self(Arc::new(Log { path, file, has_gap })))
    }

    /// Returns when all that was committed before is on the disk; the thread waits for it.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.0.flush().map_err(StoreError::Flush)
    }

    /// Whether a flush can still tell that something is on the disk.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.0.check().map(drop).map_err(StoreError::Flush)
    }

    /// Whether one has failed since the log was last moved.
    pub(super) fn has_failed(&self) -> bool {
        self.0.has_gap.load(Ordering::Acquire)
    }

    /// As if the disk had failed.
    #[cfg(test)]
    pub(super) fn fail(&self) {
        self.0.has_gap.store(true, Ordering::Release);
    }

    /// All of the log is in the database file, and the next writer begins a new one.
    pub(super) fn forget(&self) {
        self.0.has_gap.store(false, Ordering::Release);
    }
}

impl Log {
    /// The file, to be flushed. It is opened before anything is written that is to be flushed: there may
    /// be no room for one more open file.
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
    fn after_a_flush_that_failed_there_is_none_until_the_log_is_moved() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        File::create(&path).unwrap();
        // Before anything is written: there is no log, as where no more files can be opened.
        assert!(Flusher::new(&path).unwrap().check().is_err());
        // What cannot be flushed, by the system's own word.
        std::os::unix::fs::symlink("/dev/null", directory.path().join("t.db-wal")).unwrap();
        let flusher = Flusher::new(&path).unwrap();
        let why = || flusher.flush().unwrap_err().to_string();
        let first = why();
        assert_eq!(why(), "the database's log could not be flushed: it failed before");
        flusher.forget();
        assert_eq!(why(), first);
    }
}
