//! Connections without a thread of their own.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

/// Opens the file, which must be there.
#[derive(Debug, Clone)]
pub(super) struct Opener {
    path: Arc<Path>,
    access: OpenFlags,
}

impl Opener {
    /// Even readers open it for writing, unless the URL says that nobody may: who comes first after a
    /// crash repairs the index of the write-ahead log.
    pub(super) fn new(path: &Path, may_write: bool) -> Self {
        let access = if may_write {
            OpenFlags::SQLITE_OPEN_READ_WRITE
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        };
        Self { path: path.into(), access }
    }

    /// For one thread at a time.
    pub(super) fn open(&self, busy_timeout: Duration) -> rusqlite::Result<Connection> {
        let flags = self.access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(busy_timeout)?;
        Ok(connection)
    }
}

/// Does all of the work or nothing. The connection is of no use any more where it is not in autocommit
/// mode afterwards: it could not even roll back.
pub(super) fn transaction<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let committed = commit(connection, work);
    if committed.is_err() && !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    committed
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
