use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::store::StoreError;
use crate::store::url::beside;

/// A database file and its log, told from others at the same paths. What is deleted or replaced under
/// a running server goes on in files that nobody will find again.
#[derive(Debug, Clone)]
pub(super) struct OpenFile {
    path: PathBuf,
    identity: Option<Identity>,
    log: PathBuf,
    /// Known once it was seen: there is a log once something is committed, and as long as somebody has
    /// the database open.
    log_identity: OnceLock<Identity>,
}

/// Device and inode.
type Identity = (u64, u64);

impl OpenFile {
    /// The file, which must be there, with the log at `log`.
    pub(super) fn at(path: &Path, log: PathBuf) -> Self {
        let (path, identity) = (path.to_owned(), identity(path));
        Self { path, identity, log, log_identity: OnceLock::new() }
    }

    /// Whether the paths still lead to the files.
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

/// Where the database's log is written ahead: beside the file itself, not beside a link to it.
pub(super) fn log_of(path: &Path) -> io::Result<PathBuf> {
    Ok(beside(&path.canonicalize()?, "-wal"))
}

/// Asks for that alone. Where somebody has looked at a file's times, Linux gives it a new one at its
/// next write, however soon that comes (since 6.13,
/// https://docs.kernel.org/filesystems/multigrain-ts.html), and a flush has one more write to wait for.
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
