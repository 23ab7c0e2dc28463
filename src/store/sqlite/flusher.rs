//! How commits get to the disk while others are made.
//!
//! A connection that flushes at each commit keeps all other writers waiting meanwhile. So commits
//! leave what they write in the write-ahead log with the operating system, and whoever needs more
//! flushes the log's file afterwards. After a loss of power SQLite takes from the log what is whole;
//! before it moves anything into the database file it flushes the log itself.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::store::StoreError;

/// Flushes the write-ahead log.
#[derive(Debug, Clone)]
pub(super) struct Flusher {
    log: Arc<PathBuf>,
}

impl Flusher {
    /// Of the database file, which must be there.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        // The log stands beside the file itself, not beside a link to it.
        let mut log = path.canonicalize()?.into_os_string();
        log.push("-wal");
        Ok(Self { log: Arc::new(log.into()) })
    }

    /// Returns when all that was committed before is on the disk. The thread that waits for the disk
    /// is one of the runtime's, whose work others take over meanwhile, unless it is the only one.
    pub(super) async fn flush(&self) -> Result<(), StoreError> {
        let log = Arc::clone(&self.log);
        let flush = move || File::open(&*log)?.sync_data();
        let flushed = if Handle::current().metrics().num_workers() == 1 {
            // The runtime is ending, and nobody waits for an answer.
            spawn_blocking(flush).await.map_err(|_| StoreError::Away)?
        } else {
            flush()
        };
        flushed.map_err(StoreError::Flush)
    }
}
