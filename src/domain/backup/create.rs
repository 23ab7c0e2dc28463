//! Creates a backup, on demand or each day by a running server.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::directory::BackupDirectory;
use super::{BackupError, Manifest, hash, manifest_path, run_blocking};
use crate::domain::partial_file::PartialFile;
use crate::metrics::Metrics;
use crate::store::{Durability, Store, StoreError, backup, installation};
use crate::values::{TimeOfDay, Timestamp};

/// Maximum time between two readings of the clock, because the clock may be set meanwhile.
const MAX_SLEEP: Duration = Duration::from_secs(30);

/// A complete backup.
#[derive(Debug, Clone, Serialize)]
pub struct Backup {
    /// Path of the backup.
    pub backup: PathBuf,
    /// Path of its manifest.
    pub manifest: PathBuf,
    /// Number of links, deleted ones not included.
    pub links: i64,
    /// Sum of the clicks of all links.
    pub clicks: i128,
    /// Size of the backup in bytes.
    pub bytes: u64,
    /// SHA-256 hash of the backup in hexadecimal digits.
    pub sha256: String,
    /// Names of older backups that were deleted.
    pub removed: Vec<String>,
}

/// Writes a backup of an SQLite database and its manifest, and flushes both to disk. The backup has
/// all links and clicks that were stored when this function was called. With `keep`, it then
/// deletes all but this number of backups.
///
/// An interrupted backup leaves only files that do not have the name of a backup. The next backup
/// into the directory deletes them.
///
/// # Errors
/// [`BackupError::DiskFull`] or [`BackupError::File`] if the backup cannot be written; or if the
/// database fails. Earlier backups stay.
pub async fn create(
    store: &Store,
    directory: &BackupDirectory,
    keep: Option<u32>,
    now: Timestamp,
    progress: impl FnMut(u64, u64) + Send + 'static,
) -> Result<Backup, BackupError> {
    directory.remove_leftovers()?;
    directory.check_space(store.size().await?)?;
    let path = directory.new_path(now);
    let partial = PartialFile::create(path.clone()).map_err(BackupError::of_file(&path))?;
    let content = backup::back_up(store, partial.partial_path(), progress).await?;
    let flush_and_hash = move || {
        partial.file().sync_all()?;
        let file = hash(File::open(partial.partial_path())?, |_| Ok(()))?;
        Ok((partial, file))
    };
    let (partial, file) = run_blocking(&path, flush_and_hash).await?;
    let manifest = Manifest::new(&content, file.clone(), now);
    // The manifest comes first, because a manifest alone does not count as a backup.
    let manifest_path = manifest_path(&path);
    write_manifest(&manifest_path, &manifest).map_err(BackupError::of_file(&manifest_path))?;
    partial.complete().map_err(BackupError::of_file(&path))?;
    note(store, now).await;
    let removed = keep.map(|keep| directory.retain(&path, keep)).transpose()?;
    Ok(Backup {
        backup: path,
        manifest: manifest_path,
        links: content.links,
        clicks: content.clicks.0,
        bytes: file.bytes,
        sha256: file.sha256,
        removed: removed.unwrap_or_default(),
    })
}

/// Stores the time of the backup for the status of the service. The backup is complete without it, as that of
/// a read-only database is.
async fn note(store: &Store, began: Timestamp) {
    let work = async {
        let transaction = store.begin(Durability::ProcessDeath).await?;
        installation::note_backup(&transaction, began, store.now()).await?;
        transaction.commit().await
    };
    if let Err(error) = work.await {
        let error: StoreError = error;
        tracing::warn!(%error, "the time of the backup could not be stored; the status shows an earlier one");
    }
}

fn write_manifest(path: &Path, manifest: &Manifest) -> std::io::Result<()> {
    let partial = PartialFile::create(path.to_owned())?;
    let mut text = serde_json::to_vec_pretty(manifest)?;
    text.push(b'\n');
    partial.file().write_all(&text)?;
    partial.complete()
}

/// When and where a server makes backups.
#[derive(Debug, Clone)]
pub struct BackupSchedule {
    /// Directory of the backups.
    pub directory: BackupDirectory,
    /// Time of the daily backup.
    pub at: TimeOfDay,
    /// Number of backups to keep.
    pub keep: u32,
}

/// Makes a backup each day. It runs until it is dropped.
pub async fn run_schedule(store: Store, schedule: BackupSchedule, metrics: Arc<Metrics>) {
    // Alerts recognise servers with a schedule by these series.
    for result in ["succeeded", "failed"] {
        metrics.backups.with_label_values(&[result]);
    }
    let mut last = Timestamp::now();
    loop {
        let left = schedule.at.next_after(last).millis() - last.millis();
        let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
        tokio::time::sleep(left.min(MAX_SLEEP)).await;
        let now = Timestamp::now();
        if schedule.at.next_after(last) <= now {
            back_up(&store, &schedule, now, &metrics).await;
        }
        last = now;
    }
}

async fn back_up(store: &Store, schedule: &BackupSchedule, now: Timestamp, metrics: &Metrics) {
    let BackupSchedule { directory, at: _, keep } = schedule;
    tracing::info!("backup begun");
    match create(store, directory, Some(*keep), now, |_, _| {}).await {
        Ok(Backup { backup, links, clicks, bytes, .. }) => {
            metrics.backups.with_label_values(&["succeeded"]).inc();
            metrics.last_backup.set(u64::try_from(now.millis() / 1_000).unwrap_or(0));
            tracing::info!(file = %backup.display(), links, %clicks, bytes, "backup complete");
        }
        Err(error) => {
            metrics.backups.with_label_values(&["failed"]).inc();
            tracing::error!(%error, "backup failed; earlier backups are kept");
        }
    }
}
