//! The directories that a server needs.

use std::path::Path;
use std::sync::Arc;

use crate::config::Settings;
use crate::domain::backup::{BackupDirectory, BackupError, BackupSchedule};
use crate::domain::clicks::spool::{Spool, SpoolDirectoryError};
use crate::domain::clicks::{delivery, spool};
use crate::domain::storage_space::MeasuredDirectory;
use crate::store::{DatabaseUrl, Store, StoreError};

/// Checks that the server can write spool files.
pub(super) fn check_spool_directory(
    settings: &Settings,
    database: &DatabaseUrl,
) -> Result<(), SpoolDirectoryError> {
    let path = settings.spool_directory(database);
    // If the directory of the database file is missing, the attempt to open the file returns a
    // better error.
    if settings.spool_directory.is_none() && !path.exists() {
        return Ok(());
    }
    spool::check_directory(&path)
}

/// Stores the clicks of the spool directory, unless the file of the database is read-only. If the
/// database cannot commit, the server starts, and they are stored afterwards.
pub(super) async fn restore_clicks(
    spool: &Arc<Spool>,
    store: &Store,
    database: &DatabaseUrl,
) -> Result<(), StoreError> {
    if database.is_read_only() {
        return Ok(());
    }
    let restored = tokio::spawn({
        let (spool, store) = (Arc::clone(spool), store.clone());
        async move { delivery::restore(&spool, &store).await }
    });
    tokio::select! {
        restored = restored => match restored.unwrap_or(Err(StoreError::Unavailable)) {
            Err(StoreError::CannotCommit(_)) => Ok(()),
            restored => restored,
        },
        () = store.stalled() => Ok(()),
    }
}

/// Returns when and where the server makes backups, or `None` if it makes none. On PostgreSQL, it makes
/// none, so that a server can move there with its settings.
pub(super) fn backup_schedule(
    settings: &Settings,
    database: &DatabaseUrl,
) -> Result<Option<BackupSchedule>, BackupError> {
    let Some(path) = &settings.backup_directory else { return Ok(None) };
    if database.sqlite_file().is_none() {
        warn_ignored(
            "--backup-directory, TERSE_BACKUP_DIRECTORY",
            "the server backs up SQLite only; back up PostgreSQL with pg_dump",
        );
        return Ok(None);
    }
    let directory = BackupDirectory::open(path)?;
    Ok(Some(BackupSchedule { directory, at: settings.backup_at, keep: settings.backup_keep }))
}

/// Warns of a setting that is meant for the other kind of database.
pub(super) fn warn_ignored(setting: &str, reason: &str) {
    tracing::warn!(setting, reason, "setting ignored");
}

/// Returns the directories in which the server stores clicks, and which therefore need disk space.
pub(super) fn measured_directories(
    settings: &Settings,
    database: &DatabaseUrl,
) -> Vec<MeasuredDirectory> {
    let path = settings.spool_directory(database);
    let mut directories = vec![MeasuredDirectory { name: "spool", path }];
    if let Some(file) = database.sqlite_file() {
        let path = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        let path = path.unwrap_or(Path::new(".")).to_owned();
        directories.push(MeasuredDirectory { name: "database", path });
    }
    directories
}
