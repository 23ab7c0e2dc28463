//! Errors of backups.

use std::io;
use std::path::{Path, PathBuf};

use crate::store::StoreError;

/// Error of a backup or of its restoration.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database is not an SQLite file.
    #[error("only SQLite databases have such backups; back up PostgreSQL with `pg_dump`")]
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
    #[error("{} exists, and `terse restore` overwrites nothing", path.display())]
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
        "the backup {} has the schema {schema}, which this version does not know; use a newer terse",
        path.display()
    )]
    SchemaUnknown {
        /// Path of the backup.
        path: PathBuf,
        /// The schema in the manifest or in the backup.
        schema: String,
    },
    /// A copy to PostgreSQL would need the newest schema.
    #[error(
        "the backup {} has an earlier schema; restore it to an SQLite file, run `terse migrate` on \
         that, and copy it with `terse copy`",
        path.display()
    )]
    SchemaOutdated {
        /// Path of the backup.
        path: PathBuf,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BackupError {
    /// Returns a function that converts an error of the file at `path`.
    pub(super) fn of_file(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::File { path: path.clone(), error }
    }

    /// Creates the error that the backup at `path` is not what its manifest says.
    pub(super) fn invalid(path: &Path, reason: impl Into<String>) -> Self {
        Self::Invalid { path: path.to_owned(), reason: reason.into() }
    }
}
