//! Copies a snapshot of the database into another file.

use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// Number of pages that the copy reads between two reports of its progress.
const PAGES_PER_STEP: i32 = 1_024;

/// Copies the snapshot that `source` reads into the empty file `target`, and reports the number of
/// copied pages and the total. Writers continue meanwhile, because the open transaction of `source`
/// keeps its snapshot from one step to the next. The caller flushes the file to disk.
///
/// The copy fails as soon as `is_wanted` returns false.
pub(super) fn copy(
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
