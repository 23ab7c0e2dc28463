//! Backups of SQLite databases: files with manifests in a directory.

mod create;
mod directory;
mod error;
mod manifest;
mod restore;
pub mod schedule;

pub use create::{Backup, create};
pub use directory::BackupDirectory;
pub use error::BackupError;
pub use restore::{VerifiedBackup, verify};
