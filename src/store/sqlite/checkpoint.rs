//! Moves the write-ahead log into the database file.

use rusqlite::Connection;

use super::readers::Readers;
use super::writer::WriterConnection;
use crate::store::error::StoreError;

/// Pages of the log (4 KiB each) above which writers pause for a checkpoint: 64 MiB.
const MAX_LOG_PAGES: i32 = 16_384;

/// Moves the log as far as readers allow, so that the next writer starts it again from its beginning.
/// A passive checkpoint blocks nothing. After writers that never pause have made the log long, they wait
/// for one.
pub(super) async fn checkpoint(
    readers: &Readers,
    writer: &WriterConnection,
) -> Result<(), StoreError> {
    if writer.flusher().has_failed() {
        return restart_log(writer).await;
    }
    let log = readers.read_blocking(|connection| run(connection, "PASSIVE")).await?;
    if log.pages > MAX_LOG_PAGES {
        writer.run_blocking(|connection| run(connection, "PASSIVE")).await?;
    }
    Ok(())
}

/// After a failed flush: moves all of the log, and lets the next writer of any process start it again.
/// Until then no transaction begins here that must survive a power loss.
async fn restart_log(writer: &WriterConnection) -> Result<(), StoreError> {
    if !writer.run_blocking(|connection| run(connection, "RESTART")).await?.is_blocked {
        writer.flusher().reset();
    }
    Ok(())
}

/// The result of a checkpoint.
#[derive(Debug)]
struct Checkpoint {
    /// A reader or writer kept the checkpoint from completing what its mode asks for.
    is_blocked: bool,
    /// Pages in the log.
    pages: i32,
}

/// Runs a checkpoint of that mode (<https://www.sqlite.org/pragma.html#pragma_wal_checkpoint>).
fn run(connection: &Connection, mode: &str) -> rusqlite::Result<Checkpoint> {
    connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| {
        Ok(Checkpoint { is_blocked: row.get::<_, i32>(0)? != 0, pages: row.get(1)? })
    })
}
