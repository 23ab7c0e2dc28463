use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::store::StoreError;

/// A database file, told from another at the same path. What is deleted or replaced under a running
/// server goes on in a file that nobody will find again.
#[derive(Debug, Clone)]
pub(super) struct OpenFile {
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

impl OpenFile {
    pub(super) fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), identity: identity(path) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path still leads to the file.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if identity(&self.path) == self.identity {
            Ok(())
        } else {
            Err(StoreError::Replaced { path: self.path.display().to_string() })
        }
    }
}

/// Device and inode.
fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}
