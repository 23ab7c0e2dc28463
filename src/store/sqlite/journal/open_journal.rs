//! The open file of a click journal, and its transactions.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use crate::store::error::StoreError;
use crate::store::private_file::check_private;
use crate::store::sqlite::connection::{BUSY_TIMEOUT, Opener};
use crate::store::sqlite::file::OpenFile;
use crate::store::url::with_suffix;

const VERSION: i64 = 1;
/// Size in bytes of the page cache.
const CACHE_BYTES: u64 = 2 << 20;
/// Number of pages in the write-ahead log at which SQLite moves them into the file.
const CHECKPOINT_PAGES: u32 = 1_000;

/// Tables of the journal: `journal` has its identity as a producer, `batch` the batch that is being
/// delivered, `clicks` all later clicks, and `writers` the last number of each server's additions.
const SCHEMA: &str = "
    CREATE TABLE journal (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        producer_id INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        undelivered INTEGER NOT NULL
    ) STRICT;
    INSERT INTO journal (id, producer_id, sequence, undelivered) VALUES (1, random(), 0, 0);
    CREATE TABLE clicks (link_id INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
    CREATE TABLE batch (link_id INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
    CREATE TABLE writers (id INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;
    PRAGMA user_version = 1;";

/// Returns the error of a file that this program does not use.
pub(super) fn foreign(path: &Path, reason: &dyn Display) -> StoreError {
    StoreError::ForeignClicks(format!("{}: {reason}", path.display()))
}

/// A connection to the file.
#[derive(Debug)]
pub(super) struct OpenJournal {
    connection: Connection,
    file: OpenFile,
}

/// A transaction that failed.
#[derive(Debug)]
pub(super) struct FailedChange {
    pub(super) error: StoreError,
    /// Whether the file may have the changes nevertheless.
    pub(super) may_be_stored: bool,
}

impl FailedChange {
    /// SQLite writes a commit before it flushes it, so a later reader may find it.
    fn of_commit(error: rusqlite::Error) -> Self {
        // Without space, SQLite could not write the commit.
        let may_be_stored = error.sqlite_error_code() != Some(ErrorCode::DiskFull);
        Self { error: error.into(), may_be_stored }
    }
}

impl<E: Into<StoreError>> From<E> for FailedChange {
    fn from(error: E) -> Self {
        Self { error: error.into(), may_be_stored: false }
    }
}

impl OpenJournal {
    /// Opens or creates the file at `path`, and flushes it unless that is done. A file that another
    /// user could have written is not used, because its clicks would be counted.
    pub(super) fn open(path: &Path, is_flushed: bool) -> Result<Self, StoreError> {
        for path in ["", "-wal", "-shm"].map(|suffix| with_suffix(path, suffix)) {
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            check_private(&metadata).map_err(|reason| foreign(&path, &reason))?;
        }
        let connection = Opener::new(path, true).create_writer(CACHE_BYTES)?;
        // A commit returns after the flush of the log, and so survives a power loss.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection
            .pragma_update_and_check(None, "wal_autocheckpoint", CHECKPOINT_PAGES, |_| Ok(()))?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let version: i64 = connection.query_one("PRAGMA user_version", [], |row| row.get(0))?;
        match version {
            0 => connection.execute_batch(SCHEMA)?,
            VERSION => {}
            _ => {
                return Err(foreign(path, &"its version is unknown"));
            }
        }
        connection.execute_batch("COMMIT")?;
        // SQLite then writes the log from its beginning, which needs no space on a full disk.
        let moved = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if !is_flushed {
            // The log may have what an unsuccessful flush has left in memory. Another flush of the
            // log would not write it, but the checkpoint does.
            moved?;
        }
        let file = OpenFile::new(path).map_err(StoreError::Flush)?;
        Ok(Self { connection, file })
    }

    /// Runs `work` as one transaction. Also returns the number of clicks that are in the file then.
    pub(super) fn run<T>(
        &self,
        work: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<(T, u64), FailedChange> {
        self.file.check()?;
        let db = &self.connection;
        db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let result = work(db)?;
        let undelivered: i64 =
            db.query_one("SELECT undelivered FROM journal", [], |row| row.get(0))?;
        db.prepare_cached("COMMIT")?.execute([]).map_err(FailedChange::of_commit)?;
        Ok((result, u64::try_from(undelivered).unwrap_or(0)))
    }

    /// Closes the file, of which this process has no other connection.
    pub(super) fn close(self) {
        drop(self.connection);
        self.file.close();
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::PathBuf;

    use crate::store::ClickJournal;
    use crate::store::clicks::LinkClicks;

    /// Clicks that another user may have written are not counted.
    #[test]
    fn only_private_regular_files_of_possible_clicks_are_used() {
        let directory = tempfile::tempdir().unwrap();
        let clicks = [LinkClicks { link_id: 1, count: 1 }];
        let written = |name: &str| {
            let path = directory.path().join(name);
            ClickJournal::new(path.clone()).add(1, &clicks).unwrap();
            path
        };
        let assert_unused = |path: PathBuf, reason: &str| {
            let journal = ClickJournal::new(path);
            for error in [journal.add(1, &clicks).unwrap_err(), journal.next_batch().unwrap_err()] {
                assert!(error.to_string().contains(reason), "{error}");
            }
        };
        let (link, target) = (directory.path().join("link.db"), written("target.db"));
        symlink(&target, &link).unwrap();
        assert_unused(link, "it is not a regular file");
        for suffix in ["", "-wal", "-shm"] {
            let path = written(&format!("writable{suffix}.db"));
            let file = PathBuf::from(format!("{}{suffix}", path.display()));
            fs::set_permissions(&file, Permissions::from_mode(0o620)).unwrap();
            assert_unused(path, "other users may write to it");
        }
        for (link_id, count) in [(1, -5), (1, 0), (1, i64::MAX), (-1, 1)] {
            let path = directory.path().join(format!("{link_id}{count}.db"));
            let journal = ClickJournal::new(path.clone());
            journal.add(1, &[LinkClicks { link_id, count }]).unwrap();
            for _ in 0..2 {
                let error = journal.next_batch().unwrap_err().to_string();
                assert!(error.contains("cannot be") && error.contains("journal"), "{error}");
            }
        }
    }
}
