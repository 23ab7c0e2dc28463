//! How commits get to the disk while others are made.
//!
//! A connection that is told to flush at each commit keeps all other writers waiting meanwhile. So
//! commits leave what they write in the write-ahead log with the operating system, and whoever needs
//! more flushes the log's file: SQLite reads the log when it starts after a loss of power, and flushes
//! it itself before anything is taken from it into the database file.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use crate::store::StoreError;

/// Flushes for as many as wait, one flush at a time.
#[derive(Debug, Clone)]
pub(super) struct Flusher {
    log: Arc<PathBuf>,
    /// How often it was asked.
    asked: Arc<AtomicU64>,
    /// Up to whom the last flush was for.
    flushed: Arc<Mutex<u64>>,
}

impl Flusher {
    /// Of the database file, which must be there.
    pub(super) fn new(path: &Path) -> Result<Self, StoreError> {
        // The log stands beside the file itself, not beside a link to it.
        let mut log = path.canonicalize().map_err(StoreError::Flush)?.into_os_string();
        log.push("-wal");
        Ok(Self { log: Arc::new(log.into()), asked: Arc::default(), flushed: Arc::default() })
    }

    /// Returns when all that was committed before is on the disk.
    pub(super) async fn flush(&self) -> Result<(), StoreError> {
        let place = self.asked.fetch_add(1, Ordering::AcqRel) + 1;
        let mut flushed = self.flushed.lock().await;
        // One that began after the commit has done it.
        if *flushed >= place {
            return Ok(());
        }
        let last = self.asked.load(Ordering::Acquire);
        let log = Arc::clone(&self.log);
        let flushing = move || File::open(&*log)?.sync_data();
        // The runtime is ending, and nobody waits for an answer.
        spawn_blocking(flushing).await.map_err(|_| StoreError::Away)?.map_err(StoreError::Flush)?;
        *flushed = last;
        Ok(())
    }
}
