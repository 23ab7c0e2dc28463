//! How clicks get into the ledger: on a connection without a thread of its own.
//!
//! The driver that everything else goes through runs each statement in another thread. To wake that
//! one and to be woken by it takes several times as long as to append a batch of clicks, which is a
//! write to a file that the operating system keeps in memory: so it is done where it is asked for.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::BUSY_TIMEOUT;
use super::queue::Turn;
use crate::store::StoreError;
use crate::store::clicks::{Folded, LinkClicks};

/// How long to wait until another process may have finished writing.
const BUSY_INTERVAL: Duration = Duration::from_millis(1);
/// Rows of the ledger that are folded in one transaction, which clicks wait for.
const SLICE: u32 = 2_000;

/// The connection; made anew where it had to be given up.
#[derive(Debug, Clone)]
pub(super) struct Ledger {
    path: Arc<PathBuf>,
    connection: Arc<Mutex<Option<Connection>>>,
}

impl Ledger {
    pub(super) fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = Arc::new(Mutex::new(Some(open(path)?)));
        Ok(Self { path: Arc::new(path.to_owned()), connection })
    }

    /// Appends all or nothing.
    pub(super) async fn append(&self, clicks: &[LinkClicks]) -> Result<(), StoreError> {
        let started = Instant::now();
        loop {
            match self.transaction(|connection| insert(connection, clicks)) {
                Err(error) if is_busy(&error) && started.elapsed() < BUSY_TIMEOUT => {
                    tokio::time::sleep(BUSY_INTERVAL).await;
                }
                result => return Ok(result?),
            }
        }
    }

    /// Adds a part of the ledger to the links' counts. It takes longer than a batch, and so has a
    /// thread, which keeps the turn until it is done.
    pub(super) async fn fold(&self, turn: Turn) -> Result<Folded, StoreError> {
        let ledger = self.clone();
        let folding = move || {
            let _turn = turn;
            ledger.transaction(|connection| fold(connection, SLICE))
        };
        let rows = match tokio::task::spawn_blocking(folding).await {
            // Another process is writing; there is no hurry.
            Ok(Err(error)) if is_busy(&error) => 0,
            Ok(result) => result?,
            // The runtime is ending.
            Err(_) => 0,
        };
        Ok(Folded { rows, slice: SLICE })
    }

    fn transaction<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match kept.take() {
            Some(connection) => connection,
            None => open(&self.path)?,
        };
        let committed = commit(&connection, work);
        if committed.is_err() && !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
        // One that could not even roll back is given up.
        if connection.is_autocommit() {
            *kept = Some(connection);
        }
        committed
    }
}

fn commit<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let result = work(connection)?;
    connection.prepare_cached("COMMIT")?.execute([])?;
    Ok(result)
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::ZERO)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Checkpoints happen elsewhere.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    // What is sorted while clicks are added up is small.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

fn insert(connection: &Connection, clicks: &[LinkClicks]) -> rusqlite::Result<()> {
    let mut insert =
        connection.prepare_cached("INSERT INTO clicks (link_id, count) VALUES (?1, ?2)")?;
    for LinkClicks { link_id, count } in clicks {
        insert.execute((link_id, count))?;
    }
    Ok(())
}

fn fold(connection: &Connection, limit: u32) -> rusqlite::Result<u64> {
    let last: Option<i64> = connection
        .prepare_cached("SELECT MAX(id) FROM (SELECT id FROM clicks ORDER BY id LIMIT ?1)")?
        .query_one([limit], |row| row.get(0))?;
    let Some(last) = last else { return Ok(0) };
    connection
        .prepare_cached(
            "INSERT INTO click_counts (link_id, count)
             SELECT link_id, SUM(count) FROM clicks WHERE id <= ?1 GROUP BY link_id
             ON CONFLICT (link_id) DO UPDATE SET count = count + excluded.count",
        )?
        .execute([last])?;
    let taken = connection.prepare_cached("DELETE FROM clicks WHERE id <= ?1")?.execute([last])?;
    Ok(taken as u64)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}
