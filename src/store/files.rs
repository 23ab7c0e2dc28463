//! Files: who can write them, and the free space of their disks.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::statvfs;
use rustix::process::geteuid;

/// Permission to write for the group and for others.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Reason why a file of clicks, which the server counts, is not used: another user may have written it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PrivateFileError {
    /// It is a symbolic link, a directory or a pipe, for example.
    #[error("it is not a regular file")]
    NotRegular,
    /// It belongs to another user.
    #[error("it belongs to another user")]
    OtherOwner,
    /// Other users may write to it.
    #[error("other users may write to it")]
    Writable,
}

/// Checks that only this user can have written a file.
///
/// # Errors
/// [`PrivateFileError`]
pub fn check_private(metadata: &Metadata) -> Result<(), PrivateFileError> {
    let own = geteuid();
    if !metadata.is_file() {
        Err(PrivateFileError::NotRegular)
    } else if metadata.uid() != own.as_raw() && !own.is_root() {
        Err(PrivateFileError::OtherOwner)
    } else if metadata.mode() & WRITABLE_BY_OTHERS != 0 {
        Err(PrivateFileError::Writable)
    } else {
        Ok(())
    }
}

/// Returns the number of free bytes on the disk of `path`, without those that only root may use.
///
/// # Errors
/// If the path does not exist or cannot be reached.
pub fn free_space(path: &Path) -> io::Result<u64> {
    let disk = statvfs(path)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
