//! Connections that read. Readers block neither each other nor the writer.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use sea_orm::{DbBackend, DbErr};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::connection::Opener;
use super::file::{OpenFile, StallDetector};
use super::session::{Operate, SqliteSession, run_blocking};
use super::statement;
use crate::store::call::{Call, CallResult, runs_statements};
use crate::store::error::{StoreError, sqlite_error};

/// A pool of connections that read, each opened when it is first needed.
///
/// A limit applies to reads on blocking threads: lists, statements and checkpoints. Clones are
/// cheap and share the connections and the limit.
#[derive(Debug, Clone)]
pub(super) struct Readers {
    pool: Arc<ReaderPool>,
    permits: Arc<Semaphore>,
    /// Maximum time that a read waits for a permit.
    acquire_timeout: Duration,
    /// While the disk hangs, no read begins, because it might never end.
    stall_detector: StallDetector,
    /// After damage is known, no read begins, because its result may lack rows.
    file: OpenFile,
}

#[derive(Debug)]
struct ReaderPool {
    opener: Opener,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(
        opener: Opener,
        limit: u32,
        acquire_timeout: Duration,
        stall_detector: StallDetector,
        file: OpenFile,
    ) -> Self {
        let pool = Arc::new(ReaderPool { opener, idle: Mutex::default() });
        let permits = Arc::new(Semaphore::new(limit as usize));
        Self { pool, permits, acquire_timeout, stall_detector, file }
    }

    pub(super) fn opener(&self) -> &Opener {
        &self.pool.opener
    }

    pub(super) fn stall_detector(&self) -> &StallDetector {
        &self.stall_detector
    }

    /// Returns a handle that shares the connections of this pool, but has a limit of its own.
    pub(super) fn with_limit(&self, limit: u32) -> Self {
        Self { permits: Arc::new(Semaphore::new(limit as usize)), ..self.clone() }
    }

    /// Runs `work` on this thread, without the limit. `work` must take no more than microseconds.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut reader = self.take(None)?;
        let result = work(&reader);
        // A connection is not used again after an error.
        if let Err(error) = &result {
            self.file.note_error(error);
            reader.connection = None;
        }
        result
    }

    /// Runs `work` on a blocking thread when the limit allows it.
    pub(super) async fn read_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, DbErr> {
        let permit = self.permit().await?;
        let readers = self.clone();
        let read = move || {
            let _permit = permit;
            readers.read(work)
        };
        run_blocking(read).await?.map_err(sqlite_error)
    }

    pub(super) async fn run(&self, call: Call) -> Result<CallResult, DbErr> {
        self.read_blocking(move |connection| statement::run(connection, &call)).await
    }

    /// Begins a transaction that reads a snapshot of the database.
    pub(super) async fn snapshot(&self) -> Result<SnapshotSession, StoreError> {
        let permit = self.permit().await?;
        let readers = self.clone();
        let begin = move || {
            let reader = readers.take(Some(permit))?;
            // SQLite takes the snapshot only at the first read.
            reader.execute_batch("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")?;
            Ok(reader)
        };
        let snapshot = run_blocking(begin).await?.map_err(sqlite_error)?;
        Ok(SqliteSession::new(snapshot, self.file.clone()))
    }

    /// Closes the idle connections.
    pub(super) fn close(&self) {
        self.pool.idle.lock().clear();
    }

    fn take(&self, permit: Option<OwnedSemaphorePermit>) -> rusqlite::Result<ReadConnection> {
        let idle = self.pool.idle.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.pool.opener.open_reader()?,
        };
        let pool = Arc::clone(&self.pool);
        Ok(ReadConnection { connection: Some(connection), pool, _permit: permit })
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, DbErr> {
        let timed_out = || DbErr::ConnectionAcquire(sea_orm::ConnAcquireErr::Timeout);
        if self.stall_detector.check().is_err() {
            return Err(timed_out());
        }
        self.file.check_damage().map_err(sqlite_error)?;
        let permit = timeout(self.acquire_timeout, Arc::clone(&self.permits).acquire_owned());
        permit.await.map_err(|_| timed_out())?.map_err(|_| timed_out())
    }
}

runs_statements!(Readers, DbBackend::Sqlite);

/// A connection that returns to its pool when it is dropped.
#[derive(Debug)]
pub(in crate::store) struct ReadConnection {
    /// `None` after an error, so that the connection does not return to the pool.
    connection: Option<Connection>,
    pool: Arc<ReaderPool>,
    /// The permit of a snapshot.
    _permit: Option<OwnedSemaphorePermit>,
}

impl Deref for ReadConnection {
    type Target = Connection;

    #[expect(clippy::expect_used, reason = "only `read`, at its end, and `drop` set it to none")]
    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("a connection that has not been returned")
    }
}

impl Operate for ReadConnection {
    fn operate<T>(&self, operation: impl FnOnce(&Connection) -> T) -> T {
        operation(self)
    }
}

impl Drop for ReadConnection {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if connection.is_autocommit() || connection.execute_batch("ROLLBACK").is_ok() {
            self.pool.idle.lock().push(connection);
        }
    }
}

/// A session on a snapshot of the database.
pub(in crate::store) type SnapshotSession = SqliteSession<ReadConnection>;

impl SnapshotSession {
    /// Copies the snapshot into the empty file `target`. `progress` receives the number of copied
    /// pages and the total.
    pub(in crate::store) async fn copy_to_file(
        &self,
        target: PathBuf,
        progress: impl FnMut(u64, u64) + Send + 'static,
    ) -> Result<(), DbErr> {
        // Dropping this future drops `caller`, which stops the copy.
        let caller = Arc::new(());
        let is_dropped = Arc::downgrade(&caller);
        let is_wanted = move || is_dropped.strong_count() > 0;
        self.with(move |source| copy_snapshot(source, &target, is_wanted, progress)).await
    }
}

/// Number of pages that the copy reads between two reports of its progress.
const PAGES_PER_STEP: i32 = 1_024;

/// Copies the snapshot that `source` reads into the empty file `target`, and reports the number of
/// copied pages and the total. Writers continue meanwhile, because the open transaction of `source`
/// keeps its snapshot from one step to the next. The caller flushes the file to disk.
///
/// The copy fails as soon as `is_wanted` returns false.
fn copy_snapshot(
    source: &Connection,
    target: &Path,
    is_wanted: impl Fn() -> bool,
    mut progress: impl FnMut(u64, u64),
) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(target, flags)?;
    // A copy that fails is deleted, so it needs neither a journal nor a flush.
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(()))?;
    let backup = Backup::new(source, &mut connection)?;
    loop {
        let step = backup.step(PAGES_PER_STEP)?;
        let done = backup.progress();
        let total = u64::try_from(done.pagecount).unwrap_or(0);
        progress(total.saturating_sub(u64::try_from(done.remaining).unwrap_or(0)), total);
        match step {
            StepResult::Done => break,
            StepResult::More if is_wanted() => {}
            StepResult::More => return Err(failure(ErrorCode::OperationInterrupted)),
            StepResult::Busy | StepResult::Locked | _ => {
                return Err(failure(ErrorCode::DatabaseBusy));
            }
        }
    }
    drop(backup);
    // The copied header requires a write-ahead log. Without one, the copy is a single file.
    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error)
}

fn failure(code: ErrorCode) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error { code, extended_code: 0 }, None)
}
