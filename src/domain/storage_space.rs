//! Measurement of the database's size and of the free disk space.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

use super::periodic_task::PeriodicTask;
use crate::metrics::Metrics;
use crate::store::{Store, StoreError, free_space};

const DATABASE_INTERVAL: Duration = Duration::from_secs(15);
/// A disk may fill within seconds.
const DISK_INTERVAL: Duration = Duration::from_secs(1);

/// A directory whose free disk space the server measures.
#[derive(Debug, Clone)]
pub struct MeasuredDirectory {
    /// Value of the label `directory` in metrics.
    pub name: &'static str,
    /// Path of the directory.
    pub path: PathBuf,
}

/// Measures the size of the database every 15 seconds, and the free space of the directories' disks
/// every second. It runs until it is dropped.
pub async fn run(store: Store, directories: Vec<MeasuredDirectory>, metrics: Arc<Metrics>) {
    let warning = "the size of the database is unknown";
    let mut task = PeriodicTask::new(DATABASE_INTERVAL, "storage-space", warning);
    let database = async {
        loop {
            task.tick().await;
            task.report(measure_database(&store, &metrics).await);
        }
    };
    // A database that does not respond must not delay them.
    let disks = async {
        let mut ticks = interval(DISK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            measure_disks(&directories, &metrics).await;
        }
    };
    tokio::join!(database, disks);
}

async fn measure_database(store: &Store, metrics: &Metrics) -> Result<(), StoreError> {
    metrics.database_size.set(store.size().await?);
    Ok(())
}

/// Measures the free disk space of each directory, on a thread that may wait for the disk. If a
/// directory is gone, its metric keeps its value.
async fn measure_disks(directories: &[MeasuredDirectory], metrics: &Metrics) {
    for MeasuredDirectory { name, path } in directories.iter().cloned() {
        if let Ok(Ok(bytes)) = spawn_blocking(move || free_space(&path)).await {
            metrics.disk_free.with_label_values(&[name]).set(bytes);
        }
    }
}
