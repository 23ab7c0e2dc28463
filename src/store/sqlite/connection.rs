//! Opens connections to an SQLite file. Only this module sets their options.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::checksum;

/// Maximum time that a connection waits while another process writes to the same file.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Size in bytes to which SQLite truncates the file of the write-ahead log. It is twice the usual
/// size of the log, so that the file does not shrink and grow all the time.
const MAX_LOG_BYTES: u32 = 128 << 20;
/// Maximum number of prepared statements that a connection caches.
const MAX_STATEMENTS: usize = 64;

/// Opener of connections to one file.
#[derive(Debug, Clone)]
pub(super) struct Opener {
    path: Arc<Path>,
    may_write: bool,
}

impl Opener {
    pub(super) fn new(path: &Path, may_write: bool) -> Self {
        Self { path: path.into(), may_write }
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether connections may write to the file.
    pub(super) fn may_write(&self) -> bool {
        self.may_write
    }

    /// Opens the connection that writes, with a page cache of `cache_bytes`. Its statements fail at
    /// once while another process is writing, so that a caller can release the lock before it
    /// retries.
    pub(super) fn open_writer(&self, cache_bytes: u64) -> rusqlite::Result<Connection> {
        self.open_or_create_writer(cache_bytes, OpenFlags::empty())
    }

    /// Opens the connection that writes, and creates the file if it is missing.
    pub(super) fn create_writer(&self, cache_bytes: u64) -> rusqlite::Result<Connection> {
        // SQLite would create a file that other users can read; its log gets the mode of the file.
        // An error is ignored, because SQLite returns a better one.
        let mut options = OpenOptions::new();
        let _ = options.write(true).create_new(true).mode(0o600).open(&self.path);
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
        // In WAL mode, a NORMAL commit writes its pages to the operating system and thus survives a
        // crash of the process. A commit that must survive a power loss flushes the log afterwards.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        set_secure_delete(&connection, SecureDelete::Everywhere)?;
        // Checkpoints run in the background.
        connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
        connection.pragma_update_and_check(
            None,
            "journal_size_limit",
            MAX_LOG_BYTES,
            |_| Ok(()),
        )?;
        // A merge of counts sorts so few rows that they fit into memory.
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        set_cache_size(&connection, cache_bytes)?;
        connection.busy_timeout(Duration::ZERO)?;
        Ok(connection)
    }

    /// Returns whether the file has tables of another program and none of Terse. Litestream may add
    /// its tables to a new file before Terse does. This connection changes nothing, whereas the one
    /// that writes changes the mode of the journal.
    pub(super) fn is_foreign(&self) -> rusqlite::Result<bool> {
        self.open(OpenFlags::empty())?.query_row(
            "SELECT EXISTS (
                 SELECT 1 FROM sqlite_schema WHERE type = 'table'
                 AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*'
             ) AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'seaql_migrations')",
            [],
            |row| row.get(0),
        )
    }

    /// Opens a connection that reads.
    pub(super) fn open_reader(&self) -> rusqlite::Result<Connection> {
        let connection = self.open(OpenFlags::empty())?;
        connection.pragma_update(None, "query_only", true)?;
        // With this option, SQLite does not prepare a statement again when its parameters change.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(connection)
    }

    fn open(&self, more: OpenFlags) -> rusqlite::Result<Connection> {
        // Readers may write, because the first connection after a crash rebuilds the index of the
        // log.
        let access = if self.may_write {
            OpenFlags::SQLITE_OPEN_READ_WRITE | more
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        };
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        // A process that has found damage must not change the file when it ends. The writer allows
        // the checkpoint otherwise.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        checksum::register(&connection)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(MAX_STATEMENTS);
        Ok(connection)
    }
}

/// Where SQLite overwrites what is deleted.
#[derive(Debug, Clone, Copy)]
pub(super) enum SecureDelete {
    /// Also in pages that become free. Deleted texts would otherwise stay there, and backups would
    /// contain them.
    Everywhere,
    /// In pages that stay in use.
    WithinPages,
}

/// Sets where a connection overwrites what it deletes.
pub(super) fn set_secure_delete(
    connection: &Connection,
    mode: SecureDelete,
) -> rusqlite::Result<()> {
    let mode = match mode {
        SecureDelete::Everywhere => "ON",
        SecureDelete::WithinPages => "FAST",
    };
    connection.pragma_update_and_check(None, "secure_delete", mode, |_| Ok(()))
}

/// Sets the size of a connection's page cache.
pub(super) fn set_cache_size(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    // SQLite reads a negative number as KiB, and a positive number as pages.
    let kibibytes = i64::try_from(bytes >> 10).unwrap_or(i64::MAX);
    connection.pragma_update(None, "cache_size", -kibibytes)
}

/// Returns whether a statement failed because another process is writing. Nothing has changed, and
/// a retry may succeed.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}
