//! The open database file: its identity, and whether it is damaged or its disk hangs.
//!
//! The operating system can block a write for as long as the disk does not respond. No call fails
//! meanwhile, so the only sign is that an operation of the connection that writes does not end.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::{ErrorCode, ffi};
use sea_orm::DbErr;

use crate::store::error::{StallReason, StoreError};
use crate::store::url::with_suffix;

/// Length of the header of a database file (<https://www.sqlite.org/fileformat2.html>).
const HEADER_BYTES: usize = 100;
/// Length of the part of the header that never changes in a server's database.
const FIXED_BYTES: usize = 24;
/// Maximum time of an operation on a disk that works. From then on, redirects no longer wait for their
/// clicks.
pub(super) const OPERATION_TIMEOUT: Duration = Duration::from_millis(700);
/// Maximum time of a checkpoint, which flushes the whole database file.
pub(super) const CHECKPOINT_TIMEOUT: Duration = Duration::from_secs(5);

/// The database file and its log. Clones share their state.
///
/// The operating system lets a process write to a file that was deleted, replaced or overwritten,
/// and the written data are lost. The server therefore checks before it writes that the paths still
/// lead to the files that it opened, and that their content is its own.
#[derive(Debug, Clone)]
pub(super) struct OpenFile(Arc<FileState>);

#[derive(Debug)]
struct FileState {
    path: PathBuf,
    inode: Option<Inode>,
    log: PathBuf,
    /// Inode of the log, which the first check that finds the log sets. The log exists from the
    /// first commit until the last connection closes.
    log_inode: OnceLock<Inode>,
    /// The file is not closed while a connection uses it, because that would release SQLite's locks.
    content: ManuallyDrop<File>,
    version: Mutex<Option<FileVersion>>,
    damage: OnceLock<String>,
}

/// Device and inode numbers.
type Inode = (u64, u64);

/// A version of the file, which only checkpoints change.
#[derive(Debug, PartialEq, Eq)]
struct FileVersion {
    fixed: [u8; FIXED_BYTES],
    /// The change counter, which never decreases.
    counter: u32,
    /// Number of pages by the header.
    pages: u32,
    /// Length in bytes.
    bytes: u64,
}

impl FileVersion {
    fn new(header: &[u8; HEADER_BYTES], bytes: u64) -> Self {
        let mut fixed = [0; FIXED_BYTES];
        fixed.copy_from_slice(&header[..FIXED_BYTES]);
        let number =
            |at: usize| header[at..at + 4].iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        Self { fixed, counter: number(24), pages: number(28), bytes }
    }

    /// Returns whether a checkpoint can have changed `self` into `next`. A checkpoint writes the
    /// header before the pages that it adds, and before it truncates the file after a `VACUUM`.
    fn may_become(&self, next: &Self) -> bool {
        let page = u64::from(u16::from_be_bytes([self.fixed[16], self.fixed[17]]));
        let is_truncated = next.bytes < self.bytes && next.bytes < u64::from(next.pages) * page;
        self.fixed == next.fixed && self.counter <= next.counter && !is_truncated
    }
}

impl OpenFile {
    /// Records the identity of the file at `path`, which must exist.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        Ok(Self(Arc::new(FileState {
            path: path.to_owned(),
            inode: stat(path).map(|(inode, _)| inode),
            log: log_path(path)?,
            log_inode: OnceLock::new(),
            content: ManuallyDrop::new(File::open(path)?),
            version: Mutex::default(),
            damage: OnceLock::new(),
        })))
    }

    /// Checks that the paths still lead to the files that this process opened, that no other program
    /// has overwritten the file, and that no damage is known.
    ///
    /// # Errors
    /// [`StoreError::Replaced`] or [`StoreError::Damaged`]
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let state = &*self.0;
        self.check_damage()?;
        let replaced = |path: &Path| StoreError::Replaced(path.display().to_string());
        // Concurrent checks read one version after another, so that none is taken for a successor of a
        // later one.
        let mut version = state.version.lock();
        let bytes = match stat(&state.path) {
            Some((inode, bytes)) if Some(inode) == state.inode => bytes,
            _ => return Err(replaced(&state.path)),
        };
        let is_own = state.is_own_version(&mut version, bytes);
        drop(version);
        if !is_own {
            self.note("another program has overwritten or truncated it");
            return Ok(self.check_damage()?);
        }
        let is_same = match stat(&state.log) {
            Some((log, _)) => *state.log_inode.get_or_init(|| log) == log,
            None => state.log_inode.get().is_none(),
        };
        if is_same { Ok(()) } else { Err(replaced(&state.log)) }
    }

    /// Closes the file. No connection of this process may use it.
    pub(super) fn close(self) {
        if let Some(state) = Arc::into_inner(self.0) {
            drop(ManuallyDrop::into_inner(state.content));
        }
    }

    /// Flushes the database file.
    pub(super) fn flush(&self) -> io::Result<()> {
        self.0.content.sync_data()
    }

    /// Checks that no damage is known.
    ///
    /// # Errors
    /// The error of SQLite for a damaged file.
    pub(super) fn check_damage(&self) -> rusqlite::Result<()> {
        let Some(reason) = self.0.damage.get() else { return Ok(()) };
        let message = format!("{}: {reason}", self.0.path.display());
        Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), Some(message)))
    }

    /// Returns the error of this file with this damage.
    pub(super) fn damaged(&self, reason: &str) -> StoreError {
        StoreError::Damaged(format!("{}: {reason}", self.0.path.display()))
    }

    /// Notes the damage if `error` reports one. From then on, this process writes nothing.
    pub(super) fn note_error(&self, error: &rusqlite::Error) {
        if is_damage(error) {
            self.note(&error.to_string());
        }
    }

    /// Notes that the file is damaged. The log reports the first damage.
    pub(super) fn note(&self, reason: &str) {
        if self.0.damage.set(reason.to_owned()).is_ok() {
            let database = self.0.path.display();
            tracing::error!(
                %database,
                reason,
                "the database file is damaged; nothing more is written to it, and clicks are buffered"
            );
        }
    }
}

impl FileState {
    /// Returns whether the content of the file, which has this length, is a successor of the last version,
    /// which it then replaces.
    fn is_own_version(&self, last: &mut Option<FileVersion>, bytes: u64) -> bool {
        let mut header = [0; HEADER_BYTES];
        let read = self.content.read_exact_at(&mut header, 0);
        let next = read.ok().map(|()| FileVersion::new(&header, bytes));
        let is_own = match (&last, &next) {
            // The file of a new database is empty.
            (None, _) => true,
            (Some(last), Some(next)) => last.may_become(next),
            (Some(_), None) => false,
        };
        if is_own {
            *last = next;
        }
        is_own
    }
}

/// Checks that a process can open the database at `path`, or create it if `may_create` is true.
///
/// # Errors
/// [`StoreError::DirectoryMissing`] or [`StoreError::Missing`], or [`StoreError::CannotOpen`] with the
/// reason for which the process cannot look.
pub(super) fn check_existence(path: &Path, may_create: bool) -> Result<(), StoreError> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    if let Some(directory) = directory.filter(|directory| is_missing(directory)) {
        return Err(StoreError::DirectoryMissing(directory.display().to_string()));
    }
    let path_text = path.display().to_string();
    match path.try_exists() {
        Ok(false) if !may_create => Err(StoreError::Missing(path_text)),
        Ok(_) => Ok(()),
        // SQLite would only say that it is unable to open the file.
        Err(error) => {
            let error = DbErr::Custom(error.to_string());
            Err(StoreError::CannotOpen { path: path_text, error })
        }
    }
}

/// Returns whether a file does not exist. If this process may not look, the attempt to open it
/// returns a better error.
pub(super) fn is_missing(path: &Path) -> bool {
    matches!(path.try_exists(), Ok(false))
}

/// Returns whether an error of SQLite reports a damaged file.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Returns the path of the write-ahead log. The log is next to the database file, even if `path` is
/// a symbolic link to the file.
pub(super) fn log_path(path: &Path) -> io::Result<PathBuf> {
    Ok(with_suffix(&path.canonicalize()?, "-wal"))
}

/// Returns the device and inode numbers and the length of a file, but does not read its times. If a
/// process reads them, Linux updates the times at the next write, which slows down the next flush
/// (since 6.13, <https://docs.kernel.org/filesystems/multigrain-ts.html>).
#[cfg(target_os = "linux")]
fn stat(path: &Path) -> Option<(Inode, u64)> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, makedev, statx};

    let data = statx(CWD, path, AtFlags::empty(), StatxFlags::INO | StatxFlags::SIZE).ok()?;
    Some(((makedev(data.stx_dev_major, data.stx_dev_minor), data.stx_ino), data.stx_size))
}

#[cfg(not(target_os = "linux"))]
fn stat(path: &Path) -> Option<(Inode, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    std::fs::metadata(path).ok().map(|data| ((data.dev(), data.ino()), data.len()))
}

/// Detector of stalls, which has the deadline of the current operation of the connection that writes, if
/// there is one. Clones share their state.
///
/// A transaction consists of several operations. Its own time would be no sign of a disk that hangs: on a
/// machine whose CPUs are busy, the time between its operations is longer than they are.
#[derive(Debug, Clone, Default)]
pub(super) struct StallDetector(Arc<Mutex<Option<Instant>>>);

impl StallDetector {
    /// Runs an operation, which ends within `timeout` on a disk that works. No other operation may run
    /// meanwhile.
    pub(super) fn watch<T>(&self, timeout: Duration, operation: impl FnOnce() -> T) -> T {
        /// Notes the end of the operation, also if it panics.
        struct End<'a>(&'a StallDetector);

        impl Drop for End<'_> {
            fn drop(&mut self) {
                *self.0.0.lock() = None;
            }
        }

        *self.0.lock() = Some(Instant::now() + timeout);
        let _end = End(self);
        operation()
    }

    /// Checks that the current operation has not exceeded its deadline.
    ///
    /// # Errors
    /// [`StoreError::CannotCommit`]
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.0.lock().is_some_and(|deadline| Instant::now() > deadline) {
            return Err(StoreError::CannotCommit(StallReason::Disk));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn growing_file_is_no_damage_to_concurrent_checks() {
        const PAGE: u64 = 512;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let content = File::create(&path).unwrap();
        let grow_to = |pages: u32| {
            let mut header = [0; HEADER_BYTES];
            header[16..18].copy_from_slice(&(PAGE as u16).to_be_bytes());
            header[24..28].copy_from_slice(&pages.to_be_bytes());
            header[28..32].copy_from_slice(&pages.to_be_bytes());
            // The order of a checkpoint.
            content.write_all_at(&header, 0).unwrap();
            content.set_len(u64::from(pages) * PAGE).unwrap();
        };
        grow_to(1);
        let file = OpenFile::new(&path).unwrap();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        file.check().unwrap();
                    }
                });
            }
            for pages in 2..100_000 {
                grow_to(pages);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        file.check().unwrap();
    }
}
