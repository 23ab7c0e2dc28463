//! Checkpoints, which move the write-ahead log into the database file.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::time::sleep;

use super::Sqlite;
use super::readers::Readers;
use super::writer::WriterConnection;
use crate::store::error::StoreError;

/// Length of the write-ahead log above which writers wait for a checkpoint: 64 MiB, in pages of 4
/// KiB.
const MAX_LOG_PAGES: i32 = 16_384;

/// Maximum time that a truncation of the log waits for readers, and the time between two attempts.
const TRUNCATE_TIMEOUT: Duration = Duration::from_secs(3);
const TRUNCATE_INTERVAL: Duration = Duration::from_millis(20);

/// Moves the log into the database file as far as readers allow. After a complete checkpoint, the
/// next writer starts the log from its beginning.
///
/// The first checkpoint is passive and blocks no writer. If the log is long because writers never
/// pause, a second checkpoint follows, for which writers wait. SQLite flushes the database file only
/// in the checkpoint that moves the end of the log, which is the second one. A flush before it
/// therefore shortens the wait. If the log is long because of a reader, as during a backup, the
/// second checkpoint would achieve nothing, but sort the pages of the whole log.
pub(super) async fn checkpoint(
    readers: &Readers,
    writer: &WriterConnection,
) -> Result<(), StoreError> {
    writer.check_file()?;
    if writer.flusher().has_failed() {
        return restart_log(writer).await;
    }
    let log = readers.read_blocking(|connection| run(connection, "PASSIVE")).await?;
    if log.pages > MAX_LOG_PAGES && log.pages - log.moved_pages <= MAX_LOG_PAGES {
        writer.flush_file().await?;
        writer.checkpoint(|connection| run(connection, "PASSIVE")).await?;
    }
    Ok(())
}

/// Moves the whole log after a failed flush, so that the next writer of any process starts the log
/// from its beginning. Until this succeeds, this process begins no transaction that must survive a
/// power loss. While Litestream runs, its open transaction prevents it.
async fn restart_log(writer: &WriterConnection) -> Result<(), StoreError> {
    if !writer.checkpoint(|connection| run(connection, "RESTART")).await?.is_blocked {
        writer.flusher().reset();
    }
    Ok(())
}

impl Sqlite {
    pub(in crate::store) async fn checkpoint(&self) -> Result<(), StoreError> {
        checkpoint(&self.readers, self.writer()).await
    }

    /// Moves the whole log into the database file and truncates it, so that the log contains no erased
    /// texts. Returns false if readers of this or another process need the log for longer than a few
    /// seconds.
    pub(in crate::store) async fn truncate_log(&self) -> Result<bool, StoreError> {
        let (writer, started) = (self.writer(), Instant::now());
        loop {
            writer.check_file()?;
            if !writer.checkpoint(|connection| run(connection, "TRUNCATE")).await?.is_blocked {
                return Ok(true);
            }
            if started.elapsed() > TRUNCATE_TIMEOUT {
                return Ok(false);
            }
            sleep(TRUNCATE_INTERVAL).await;
        }
    }
}

/// The result of a checkpoint.
#[derive(Debug)]
struct Checkpoint {
    /// Whether a reader or writer prevented a complete checkpoint.
    is_blocked: bool,
    /// Length of the log in pages.
    pages: i32,
    /// Number of these pages that are in the database file now. Readers prevent moving the others.
    moved_pages: i32,
}

/// Runs a checkpoint in `mode` (<https://www.sqlite.org/pragma.html#pragma_wal_checkpoint>).
fn run(connection: &Connection, mode: &str) -> rusqlite::Result<Checkpoint> {
    connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| {
        Ok(Checkpoint {
            is_blocked: row.get::<_, i32>(0)? != 0,
            pages: row.get(1)?,
            moved_pages: row.get(2)?,
        })
    })
}
