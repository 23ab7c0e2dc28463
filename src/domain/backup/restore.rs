//! Restores a backup.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{BackupError, FileHash, Manifest, hash, run_blocking};
use crate::domain::partial_file::PartialFile;
use crate::store::backup::{self, BackupContent};
use crate::store::{DatabaseUrl, StoreError, is_known_schema, sqlite_files};

/// A backup whose content is what its manifest says.
#[derive(Debug)]
pub struct VerifiedBackup {
    path: PathBuf,
    manifest: Manifest,
    content: BackupContent,
}

/// Compares a backup with its manifest, and checks that this version of Terse knows its schema.
///
/// # Errors
/// [`BackupError::Invalid`] or [`BackupError::SchemaUnknown`], or if a file cannot be read.
pub async fn verify(path: &Path) -> Result<VerifiedBackup, BackupError> {
    path.metadata().map_err(BackupError::of_file(path))?;
    let manifest = Manifest::read(path)?;
    let unknown = |schema| BackupError::SchemaUnknown { path: path.to_owned(), schema };
    if !is_known_schema(&manifest.schema) {
        return Err(unknown(manifest.schema));
    }
    let source = path.to_owned();
    let read = move || hash(File::open(&source)?, |_| Ok(()));
    let found = run_blocking(path, read).await?;
    check_hash(path, &manifest, &found)?;
    let content = match backup::inspect(path).await {
        Ok(content) if is_known_schema(&content.schema) => content,
        Ok(content) => return Err(unknown(content.schema)),
        Err(StoreError::SchemaTooNew { major }) => return Err(unknown(format!("m{major}"))),
        Err(error) => return Err(BackupError::invalid(path, error.to_string())),
    };
    if !manifest.describes(&content) {
        return Err(BackupError::invalid(path, "its manifest counts other links or clicks"));
    }
    Ok(VerifiedBackup { path: path.to_owned(), manifest, content })
}

impl VerifiedBackup {
    /// Returns the number of links, deleted ones not included.
    pub const fn links(&self) -> i64 {
        self.content.links
    }

    /// Returns the sum of the clicks of all links.
    pub const fn clicks(&self) -> i128 {
        self.content.clicks.0
    }

    /// Returns the time at which the backup began, as its manifest says.
    pub fn created_at(&self) -> &str {
        &self.manifest.created_at
    }

    /// Returns the address of the backup as a read-only database.
    pub fn url(&self) -> DatabaseUrl {
        DatabaseUrl::read_only(&self.path)
    }

    /// Copies the backup to the new file `target`, and flushes it to disk.
    ///
    /// # Errors
    /// [`BackupError::TargetExists`], [`BackupError::Invalid`] if the backup has changed meanwhile,
    /// or [`BackupError::File`]. After an error, no new file is left.
    pub async fn write_to(&self, target: &Path) -> Result<(), BackupError> {
        // SQLite would apply the log of another database to the restored one.
        for path in sqlite_files(target) {
            if path.symlink_metadata().is_ok() {
                return Err(BackupError::TargetExists { path });
            }
        }
        let partial = PartialFile::create(target.to_owned());
        let partial = partial.map_err(BackupError::of_file(target))?;
        let source = self.path.clone();
        let copy = move || {
            let copied = hash(File::open(&source)?, |chunk| partial.file().write_all(chunk))?;
            Ok((partial, copied))
        };
        let (partial, copied) = run_blocking(target, copy).await?;
        check_hash(&self.path, &self.manifest, &copied)?;
        run_blocking(target, move || partial.complete()).await
    }
}

fn check_hash(path: &Path, manifest: &Manifest, found: &FileHash) -> Result<(), BackupError> {
    if found.bytes != manifest.bytes {
        let reason = format!("it has {} bytes instead of {}", found.bytes, manifest.bytes);
        return Err(BackupError::invalid(path, reason));
    }
    if !found.sha256.eq_ignore_ascii_case(&manifest.sha256) {
        return Err(BackupError::invalid(path, "its SHA-256 hash differs from its manifest"));
    }
    Ok(())
}
