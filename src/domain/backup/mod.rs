//! Backups of SQLite databases: files with manifests in a directory.

mod create;
mod directory;
mod manifest;
mod restore;
pub mod schedule;

use std::io;
use std::path::{Path, PathBuf};

pub use create::{Backup, create};
pub use directory::BackupDirectory;
pub use restore::{VerifiedBackup, verify};

use crate::store::StoreError;

/// Error of a backup or of its restoration.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database is not an SQLite file.
    #[error("--database-url leads to PostgreSQL, and `terse backup` backs up SQLite files only")]
    NotSqlite,
    /// The directory of backups is missing or not writable.
    #[error("the backup directory {} cannot be used: {error}", path.display())]
    Directory {
        /// Path of the directory.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The disk has not enough space for the backup.
    #[error(
        "the disk of {} has {free} bytes left, and the backup needs {needed}",
        directory.display()
    )]
    DiskFull {
        /// Path of the directory.
        directory: PathBuf,
        /// Free space in bytes.
        free: u64,
        /// Size of the backup in bytes.
        needed: u64,
    },
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The target of a restoration exists.
    #[error("{} exists, and a restoration overwrites nothing", path.display())]
    TargetExists {
        /// Path of the existing file.
        path: PathBuf,
    },
    /// A backup is not what its manifest says.
    #[error("the backup {} is not valid: {reason}", path.display())]
    Invalid {
        /// Path of the backup.
        path: PathBuf,
        /// What differs.
        reason: String,
    },
    /// A newer version of Terse has made the backup.
    #[error(
        "the backup {} has the schema {schema}, which this version does not know",
        path.display()
    )]
    SchemaUnknown {
        /// Path of the backup.
        path: PathBuf,
        /// The schema in the manifest or in the backup.
        schema: String,
    },
    /// A copy to PostgreSQL would need the newest schema.
    #[error("the backup {} has an earlier schema", path.display())]
    SchemaOutdated {
        /// Path of the backup.
        path: PathBuf,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BackupError {
    /// Returns the code of the error, by which programs distinguish errors.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } | Self::SchemaUnknown { .. } => "backup-invalid",
            Self::TargetExists { .. } => "target-exists",
            Self::NotSqlite
            | Self::Directory { .. }
            | Self::DiskFull { .. }
            | Self::File { .. }
            | Self::SchemaOutdated { .. } => "backup-failed",
            Self::Store(error) => error.code(),
        }
    }

    /// Returns a function that converts an error of the file at `path`.
    fn of_file(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::File { path: path.clone(), error }
    }

    /// Creates the error that the backup at `path` is not what its manifest says.
    fn invalid(path: &Path, reason: impl Into<String>) -> Self {
        Self::Invalid { path: path.to_owned(), reason: reason.into() }
    }
}
