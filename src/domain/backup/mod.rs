//! Backups of SQLite databases: files with manifests in a directory. A manifest is a JSON file with the same name.

mod create;
mod directory;
mod restore;

use std::fs::File;
use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use serde_json::Number;
use sha2::{Digest as _, Sha256};
use tokio::task::spawn_blocking;

pub use create::{Backup, BackupSchedule, create, run_schedule};
pub use directory::BackupDirectory;
pub use restore::{VerifiedBackup, verify};

use crate::store::StoreError;
use crate::store::backup::BackupContent;
use crate::values::Timestamp;

/// Maximum size of a manifest in bytes.
const MAX_MANIFEST: u64 = 64 << 10;
/// Number of bytes read at once.
const CHUNK: usize = 1 << 20;

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

/// Description of a backup, by which a restoration recognises a damaged or exchanged file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    /// Name of the newest migration.
    schema: String,
    /// Number of links, deleted ones not included.
    links: i64,
    /// Sum of the clicks of all links, which may exceed 64 bits.
    clicks: Number,
    /// Size of the file in bytes.
    bytes: u64,
    /// SHA-256 hash of the file in hexadecimal digits.
    sha256: String,
    /// Time at which the backup began, in RFC 3339.
    created_at: String,
}

impl Manifest {
    fn new(content: &BackupContent, file: FileHash, now: Timestamp) -> Self {
        let BackupContent { schema, links, clicks } = content.clone();
        let FileHash { bytes, sha256 } = file;
        let created_at = now.to_millis_text();
        Self { schema, links, clicks: number(clicks.0), bytes, sha256, created_at }
    }

    /// Reads the manifest of the backup at `path`.
    fn read(path: &Path) -> Result<Self, BackupError> {
        let file = manifest_path(path);
        let open = File::open(&file).map_err(BackupError::of_file(&file))?;
        let mut text = String::new();
        let read = open.take(MAX_MANIFEST).read_to_string(&mut text);
        read.map_err(BackupError::of_file(&file))?;
        let parsed = serde_json::from_str(&text);
        parsed.map_err(|error| {
            BackupError::invalid(path, format!("its manifest cannot be read: {error}"))
        })
    }

    /// Returns whether a database with this content fits the manifest.
    fn describes(&self, content: &BackupContent) -> bool {
        let BackupContent { schema, links, clicks } = content;
        self.schema == *schema && self.links == *links && self.clicks == number(clicks.0)
    }
}

/// Returns the number as a parser of JSON returns it, which is inexact beyond 64 bits.
fn number(clicks: i128) -> Number {
    let inexact = || Number::from_f64(clicks as f64);
    Number::from_i128(clicks).or_else(inexact).unwrap_or_else(|| Number::from(0))
}

/// Returns the path of the manifest of the backup at `path`.
fn manifest_path(path: &Path) -> PathBuf {
    path.with_extension("json")
}

/// Runs work on the file at `path` on a thread that may wait for the disk.
async fn run_blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, BackupError> {
    spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(error.into()))
        .map_err(BackupError::of_file(path))
}

/// Size and hash of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileHash {
    bytes: u64,
    sha256: String,
}

/// Reads a file to its end, passes each chunk to `copy`, and returns the hash of all of them.
fn hash(
    mut file: impl Read,
    mut copy: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<FileHash> {
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => {
                hasher.update(&chunk[..length]);
                copy(&chunk[..length])?;
                bytes += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let sha256 = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(FileHash { bytes, sha256 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_and_repeated_manifest_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("backup.db");
        let start = r#"{"schema":"m","links":1,"clicks":1,"bytes":1,"sha256":"","x":"#;
        for piece in ["[", "{\"a\":", "\"", "1", "1,", "{", "\"a\":[],", "\u{feff}", "\0"] {
            for start in ["", "{\"a\":", start] {
                std::fs::write(manifest_path(&path), start.to_owned() + &piece.repeat(300_000))
                    .unwrap();
                assert!(Manifest::read(&path).is_err(), "{start}{piece}");
            }
        }
    }
}
