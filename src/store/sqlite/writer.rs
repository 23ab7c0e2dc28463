//! The connection that writes, and the queues of its users.
//!
//! SQLite allows one writer at a time. All writers of a process share one connection, for which
//! they queue in FIFO order. With connections of their own, they would poll for the lock of the
//! file and could starve.

use std::fs::File;
use std::io;
use std::io::ErrorKind;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use sea_orm::{DbBackend, DbErr};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::{sleep, timeout};

use super::connection::{BUSY_TIMEOUT, Opener, is_busy, set_cache_size};
use super::file::{CHECKPOINT_TIMEOUT, OPERATION_TIMEOUT, OpenFile, StallDetector, log_path};
use super::session::{Operate, SqliteSession, run_blocking};
use crate::store::call::{Call, CallResult, runs_statements};
use crate::store::error::{StoreError, sqlite_error};
use crate::store::options::Durability;

/// Maximum time that a transaction waits for earlier transactions and for other processes.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for which a writer releases the lock before it retries, while another process is writing.
const BUSY_INTERVAL: Duration = Duration::from_millis(1);

/// The connection that writes, its lock, and the permit for transactions.
///
/// A transaction queues for the permit. Only the transaction that holds the permit waits for the
/// lock. A batch of clicks takes only the lock, so it waits for at most one transaction. A batch of
/// creations skips the queue for the permit, so it waits for at most two transactions.
#[derive(Debug)]
pub(super) struct WriterConnection {
    opener: Opener,
    cache_bytes: u64,
    file: OpenFile,
    flusher: LogFlusher,
    stall_detector: StallDetector,
    /// The queue for the permit. A queued transaction locks this mutex first, and only then waits
    /// for the permit.
    waiters: Arc<Mutex<()>>,
    permit: Arc<Mutex<()>>,
    /// The connection. `None` after a failed rollback: the next [`Self::lock`] opens a new one.
    connection: Arc<Mutex<Option<Connection>>>,
}

/// Permission to begin the next transaction that writes.
pub(in crate::store) type TransactionPermit = OwnedMutexGuard<()>;

/// Exclusive access to the connection. Dropping it rolls back an open transaction, and releases the
/// connection before the permit.
#[derive(Debug)]
pub(super) struct WriteGuard {
    connection: OwnedMutexGuard<Option<Connection>>,
    file: OpenFile,
    stall_detector: StallDetector,
    /// The permit of a transaction that queued for it.
    permit: Option<TransactionPermit>,
}

/// A transaction that writes. It rolls back if it is dropped without a commit.
#[derive(Debug)]
pub(in crate::store) struct SqliteTransaction {
    session: SqliteSession<WriteGuard>,
    flusher: LogFlusher,
    durability: Durability,
}

impl WriterConnection {
    /// Opens the connection. If `may_create` is true, it creates a missing file.
    pub(super) fn open(
        opener: Opener,
        path: &Path,
        cache_bytes: u64,
        may_create: bool,
        stall_detector: StallDetector,
    ) -> Result<Self, StoreError> {
        let cannot_open =
            |error| StoreError::cannot_open(path.display().to_string(), sqlite_error(error));
        // If this process may not look, the attempt to open the file returns the error.
        let is_empty = std::fs::metadata(path)
            .map_or_else(|error| error.kind() == ErrorKind::NotFound, |file| file.len() == 0);
        // SQLite would treat an empty file as a new database.
        if !may_create && is_empty {
            return Err(StoreError::EmptyFile(path.display().to_string()));
        }
        if !is_empty && opener.is_foreign().map_err(cannot_open)? {
            return Err(StoreError::Foreign(path.display().to_string()));
        }
        let connection = if may_create {
            opener.create_writer(cache_bytes)
        } else {
            opener.open_writer(cache_bytes)
        };
        Ok(Self {
            connection: Arc::new(Mutex::new(Some(connection.map_err(cannot_open)?))),
            opener,
            cache_bytes,
            file: OpenFile::new(path).map_err(StoreError::Flush)?,
            flusher: LogFlusher::new(path).map_err(StoreError::Flush)?,
            stall_detector,
            waiters: Arc::default(),
            permit: Arc::default(),
        })
    }

    pub(super) fn file(&self) -> &OpenFile {
        &self.file
    }

    /// Checks that the path still leads to the file that this process opened, and that the file is
    /// not damaged.
    pub(super) fn check_file(&self) -> Result<(), StoreError> {
        self.file.check()
    }

    /// Flushes the database file on a blocking thread.
    pub(super) async fn flush_file(&self) -> Result<(), StoreError> {
        let file = self.file.clone();
        run_blocking(move || file.flush()).await?.map_err(StoreError::Flush)
    }

    pub(super) fn flusher(&self) -> &LogFlusher {
        &self.flusher
    }

    /// Begins a transaction after all transactions that queued earlier.
    pub(super) async fn begin(
        &self,
        durability: Durability,
    ) -> Result<SqliteTransaction, StoreError> {
        self.check_file()?;
        if durability == Durability::PowerLoss {
            self.flusher.check()?;
        }
        let queued = Instant::now();
        let mut permit = Some(self.queue_for_permit().await?);
        loop {
            let mut guard = self.lock().await?;
            guard.permit = permit;
            let begin = move || {
                // A deferred transaction would fail, without waiting, if another process wrote
                // between the transaction's first read and its first write.
                let begun = guard.operate(|connection| connection.execute_batch("BEGIN IMMEDIATE"));
                (guard, begun)
            };
            let (mut guard, begun) = run_blocking(begin).await?;
            match begun {
                Ok(()) => {
                    let session = SqliteSession::new(guard, self.file.clone());
                    return Ok(SqliteTransaction {
                        session,
                        flusher: self.flusher.clone(),
                        durability,
                    });
                }
                Err(error) if is_busy(&error) && queued.elapsed() < QUEUE_TIMEOUT => {
                    // While another process is writing, the lock is released, so that clicks can
                    // take it.
                    permit = guard.permit.take();
                    drop(guard);
                    sleep(BUSY_INTERVAL).await;
                }
                Err(error) => {
                    self.file.note_error(&error);
                    return Err(error.into());
                }
            }
        }
    }

    /// Waits for the permit in FIFO order.
    async fn queue_for_permit(&self) -> Result<TransactionPermit, StoreError> {
        let permit = async {
            let _first = self.waiters.lock().await;
            Arc::clone(&self.permit).lock_owned().await
        };
        timeout(QUEUE_TIMEOUT, permit).await.map_err(|_| StoreError::Busy)
    }

    /// Waits for the permit ahead of all queued transactions.
    pub(super) async fn acquire_permit(&self) -> Result<TransactionPermit, StoreError> {
        let permit = timeout(QUEUE_TIMEOUT, Arc::clone(&self.permit).lock_owned());
        permit.await.map_err(|_| StoreError::Busy)
    }

    /// Returns the permit if it is free.
    pub(super) fn try_permit(&self) -> Option<TransactionPermit> {
        Arc::clone(&self.permit).try_lock_owned().ok()
    }

    /// Waits for exclusive access to the connection.
    pub(super) async fn lock(&self) -> rusqlite::Result<WriteGuard> {
        let mut connection = Arc::clone(&self.connection).lock_owned().await;
        if connection.is_none() {
            *connection = Some(self.opener.open_writer(self.cache_bytes)?);
        }
        let (file, stall_detector) = (self.file.clone(), self.stall_detector.clone());
        Ok(WriteGuard { connection, file, stall_detector, permit: None })
    }

    /// Runs `work` as one transaction on this thread and commits it. While another process is
    /// writing, it retries for up to `busy_timeout` and releases the lock in between. The commit
    /// survives a crash of the process.
    pub(super) async fn write<T>(
        &self,
        busy_timeout: Duration,
        work: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.check_file()?;
        let started = Instant::now();
        loop {
            match self.lock().await?.transaction(&work) {
                Err(error) if is_busy(&error) && started.elapsed() < busy_timeout => {
                    sleep(BUSY_INTERVAL).await;
                }
                result => return Ok(result?),
            }
        }
    }

    /// Runs `work` as one transaction on a blocking thread and commits it. While another process is
    /// writing, the inner result is an error at once.
    pub(super) async fn write_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<rusqlite::Result<T>, DbErr> {
        let guard = self.lock().await.map_err(sqlite_error)?;
        run_blocking(move || guard.transaction(work)).await
    }

    /// Runs a checkpoint on a blocking thread.
    pub(super) async fn checkpoint<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, DbErr> {
        let guard = self.lock().await.map_err(sqlite_error)?;
        let run = move || guard.stall_detector.watch(CHECKPOINT_TIMEOUT, || work(&guard));
        let result = run_blocking(run).await?;
        result.inspect_err(|error| self.file.note_error(error)).map_err(sqlite_error)
    }

    /// Runs `work`, which only reads, on this connection, or returns `None` if the connection is in
    /// use. The page cache of this connection stays valid after its own writes, whereas each batch
    /// of clicks invalidates the caches of other connections.
    pub(super) fn try_read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Option<rusqlite::Result<T>> {
        self.connection.try_lock().ok()?.as_ref().map(work)
    }

    /// Sets the size of the connection's page cache.
    pub(super) async fn set_cache_size(&self, bytes: u64) -> Result<(), StoreError> {
        let connection = self.lock().await?;
        Ok(set_cache_size(&connection, bytes)?)
    }

    pub(super) async fn close(&self) -> Result<(), StoreError> {
        let connection = self.connection.lock().await.take();
        if let Some(connection) = &connection {
            self.prepare_close(connection);
        }
        Ok(connection.map_or(Ok(()), Connection::close).map_err(|(_, error)| error)?)
    }
}

impl WriterConnection {
    /// Lets the connection checkpoint when it closes, unless the file is damaged.
    fn prepare_close(&self, connection: &Connection) {
        if self.check_file().is_ok() {
            // After an error, the next process does the checkpoint.
            let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
            // SQLite opens the log, which the end deletes, at the first read.
            let _ = connection.execute_batch("SELECT 1 FROM sqlite_schema LIMIT 1");
        }
    }
}

impl Drop for WriterConnection {
    fn drop(&mut self) {
        if let Ok(Some(connection)) = self.connection.try_lock().as_deref() {
            self.prepare_close(connection);
        }
    }
}

impl WriteGuard {
    /// Runs `work` as one transaction and commits it, or changes nothing.
    pub(super) fn transaction<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let run = |connection: &Connection| {
            connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            let result = work(connection)?;
            connection.prepare_cached("COMMIT")?.execute([])?;
            Ok(result)
        };
        self.operate(run).inspect_err(|error| self.file.note_error(error))
    }
}

impl Operate for WriteGuard {
    fn operate<T>(&self, operation: impl FnOnce(&Connection) -> T) -> T {
        self.stall_detector.watch(OPERATION_TIMEOUT, || operation(self))
    }
}

impl Deref for WriteGuard {
    type Target = Connection;

    #[expect(clippy::expect_used, reason = "`lock` has opened it, and only `drop` closes it")]
    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("an open connection")
    }
}

impl Drop for WriteGuard {
    fn drop(&mut self) {
        let Self { connection, stall_detector, .. } = self;
        stall_detector.watch(OPERATION_TIMEOUT, || {
            let is_idle = connection.as_ref().is_none_or(|connection| {
                connection.is_autocommit() || connection.execute_batch("ROLLBACK").is_ok()
            });
            // SQLite may have rolled back by itself. If the rollback fails for another reason, the
            // connection is unusable.
            if !is_idle && connection.as_ref().is_some_and(|connection| !connection.is_autocommit())
            {
                **connection = None;
            }
        });
    }
}

impl SqliteTransaction {
    async fn run(&self, call: Call) -> Result<CallResult, DbErr> {
        self.session.run(call).await
    }

    pub(in crate::store) async fn commit(&self) -> Result<(), StoreError> {
        self.session.with(|connection| connection.execute_batch("COMMIT")).await?;
        if self.durability == Durability::PowerLoss {
            let flusher = self.flusher.clone();
            self.session.operate(move |_| flusher.flush()).await??;
        }
        Ok(())
    }
}

runs_statements!(SqliteTransaction, DbBackend::Sqlite);

/// Maximum time that a batch of clicks waits for other processes.
pub(super) const CLICKS_BUSY_TIMEOUT: Duration = BUSY_TIMEOUT;

/// Flusher of the write-ahead log of one database, which flushes commits to disk while other
/// transactions write.
///
/// A connection that flushed at each commit would block all other writers. A commit therefore
/// writes its pages of the write-ahead log only to the operating system. A writer whose commit must
/// survive a power loss then flushes the file of the log.
///
/// After a power loss, SQLite recovers the intact part of the log. SQLite itself flushes the log
/// before a checkpoint.
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
        let flushed = self.file()?.sync_data();
        let flushed = flushed.inspect_err(|_| self.0.has_gap.store(true, Ordering::Release));
        flushed.map_err(StoreError::Flush)
    }

    /// Checks that a flush is still possible.
    ///
    /// # Errors
    /// If an earlier flush has failed, or the log cannot be opened.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.file().map(drop)
    }

    /// Returns the file of the log, and opens it if necessary. Fails if an earlier flush failed.
    ///
    /// Callers check before they write, because the process may have no file descriptor left
    /// afterwards.
    fn file(&self) -> Result<&File, StoreError> {
        if self.has_failed() {
            return Err(StoreError::Flush(io::Error::other("an earlier flush failed")));
        }
        if let Some(file) = self.0.file.get() {
            return Ok(file);
        }
        let file = File::open(&self.0.path).map_err(StoreError::Flush)?;
        Ok(self.0.file.get_or_init(|| file))
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
