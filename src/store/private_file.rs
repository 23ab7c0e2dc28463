//! Files of clicks, which the server counts, and which other users must therefore not be able to write.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

use rustix::process::geteuid;

/// Permission to write for the group and for others.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Reason why a file is not used: another user may have written it.
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
