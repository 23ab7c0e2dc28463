//! Opens connections to an SQLite file; the only place that sets what SQLite lets a connection choose.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// How long a connection waits for another process that is writing to the same file.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of the write-ahead log's file that a restart of the log keeps: twice as many as it usually
/// has, so that the file does not shrink and grow all the time.
const MAX_KEPT_LOG: u32 = 128 << 20;
/// Statements that a connection keeps compiled.
const MAX_STATEMENTS: usize = 64;

/// Opens connections to one file.
#[derive(Debug, Clone)]
pub(super) struct Opener {
    path: Arc<Path>,
    may_write: bool,
}

impl Opener {
    pub(super) fn new(path: &Path, may_write: bool) -> Self {
        Self { path: path.into(), may_write }
    }

    /// Opens the connection that writes, with a page cache of that size. It fails at once while another
    /// process is writing: its callers let others have the lock before they try again.
    pub(super) fn open_writer(&self, cache_bytes: u64) -> rusqlite::Result<Connection> {
        self.open_or_create_writer(cache_bytes, OpenFlags::empty())
    }

    /// Opens the connection that writes, and creates a file that is missing.
    pub(super) fn create_writer(&self, cache_bytes: u64) -> rusqlite::Result<Connection> {
        self.open_or_create_writer(cache_bytes, OpenFlags::SQLITE_OPEN_CREATE)
    }

    fn open_or_create_writer(
        &self,
        cache_bytes: u64,
        more: OpenFlags,
    ) -> rusqlite::Result<Connection> {
        let connection = self.open(more)?;
        if self.may_write {
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        }
        connection.pragma_update(None, "foreign_keys", true)?;
        // In WAL mode a NORMAL commit hands its pages to the operating system, which outlives the
        // process. Commits that must survive a power loss flush the log afterwards.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        // Checkpoints run in the background.
        connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
        connection.pragma_update_and_check(None, "journal_size_limit", MAX_KEPT_LOG, |_| Ok(()))?;
        // Merging counts sorts little.
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        set_cache_size(&connection, cache_bytes)?;
        connection.busy_timeout(Duration::ZERO)?;
        Ok(connection)
    }

    /// Opens a connection that reads.
    pub(super) fn open_reader(&self) -> rusqlite::Result<Connection> {
        let connection = self.open(OpenFlags::empty())?;
        connection.pragma_update(None, "query_only", true)?;
        // SQLite compiles a statement once, whatever its parameters are.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(connection)
    }

    fn open(&self, more: OpenFlags) -> rusqlite::Result<Connection> {
        // Readers too: the first connection after a crash rebuilds the log's index.
        let access = if self.may_write {
            OpenFlags::SQLITE_OPEN_READ_WRITE | more
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        };
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(MAX_STATEMENTS);
        Ok(connection)
    }
}

/// Lets a connection cache that many bytes of pages.
pub(super) fn set_cache_size(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    // A negative number counts KiB, a positive one pages.
    let kibibytes = i64::try_from(bytes >> 10).unwrap_or(i64::MAX);
    connection.pragma_update(None, "cache_size", -kibibytes)
}

/// Whether another process is writing, so that nothing has changed and the same may succeed later.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}
