//! Daily backups by a running server.

use std::sync::Arc;
use std::time::Duration;

use super::create::{Backup, create};
use super::directory::BackupDirectory;
use crate::metrics::Metrics;
use crate::store::Store;
use crate::values::{TimeOfDay, Timestamp};

/// Maximum time between two readings of the clock, because the clock may be set meanwhile.
const MAX_SLEEP: Duration = Duration::from_secs(30);

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
pub async fn run(store: Store, schedule: BackupSchedule, metrics: Arc<Metrics>) {
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
