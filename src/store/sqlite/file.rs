//! The identity of the open database file.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::store::error::StoreError;
use crate::store::url::with_suffix;

/// The database file and its log.
///
/// The operating system lets a process write to a file that was deleted or replaced, and the
/// written data are lost. The server therefore checks that the paths still lead to the files that
/// it opened.
#[derive(Debug)]
pub(super) struct OpenFile {
    path: PathBuf,
    identity: Option<Identity>,
    log: PathBuf,
    /// Identity of the log, which the first check that finds the log sets. The log exists from the
    /// first commit until the last connection closes.
    log_identity: OnceLock<Identity>,
}

/// Device and inode numbers.
type Identity = (u64, u64);

impl OpenFile {
    /// Records the identity of the file at `path`, which must exist.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        let (log, identity) = (log_path(path)?, identity(path));
        Ok(Self { path: path.to_owned(), identity, log, log_identity: OnceLock::new() })
    }

    /// Checks that the paths still lead to the files that this process opened.
    ///
    /// # Errors
    /// [`StoreError::Replaced`]
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let replaced = |path: &Path| StoreError::Replaced { path: path.display().to_string() };
        if identity(&self.path) != self.identity {
            return Err(replaced(&self.path));
        }
        let is_same = match identity(&self.log) {
            Some(log) => *self.log_identity.get_or_init(|| log) == log,
            None => self.log_identity.get().is_none(),
        };
        if is_same { Ok(()) } else { Err(replaced(&self.log)) }
    }
}

/// Returns the path of the write-ahead log. The log is next to the database file, even if `path` is
/// a symbolic link to the file.
pub(super) fn log_path(path: &Path) -> io::Result<PathBuf> {
    Ok(with_suffix(&path.canonicalize()?, "-wal"))
}

/// Returns the device and inode numbers of a file, but does not read its times. If a process reads
/// them, Linux updates the times at the next write, which slows down the next flush (since 6.13,
/// <https://docs.kernel.org/filesystems/multigrain-ts.html>).
#[cfg(target_os = "linux")]
fn identity(path: &Path) -> Option<Identity> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, makedev, statx};

    let data = statx(CWD, path, AtFlags::empty(), StatxFlags::INO).ok()?;
    Some((makedev(data.stx_dev_major, data.stx_dev_minor), data.stx_ino))
}

#[cfg(not(target_os = "linux"))]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;

    std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}
