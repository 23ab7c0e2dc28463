//! The delivery of clicks from the disk of this server to a database that can commit, which may be the
//! primary of its own.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;

use super::spool::{Spool, append_once, warn_of_orphans};
use crate::domain::periodic_task::PeriodicTask;
use crate::store::clicks::Batch;
use crate::store::{
    ClickJournal, DatabaseState, DatabaseUrl, IfMissing, Limits, Store, StoreError, installation,
};

/// Time between two deliveries.
const INTERVAL: Duration = Duration::from_secs(1);
/// Number of deliveries between two looks for spool files of other servers.
const SPOOL_INTERVALS: u32 = 10;

/// Delivers the clicks of spool files that servers leave, and those of the journal. It runs until it
/// is dropped.
///
/// The target is the database of this server, or while that is a standby, its primary.
pub async fn run(spool: Arc<Spool>, store: Store, mut primary: Option<Primary>) {
    let mut task = PeriodicTask::new(INTERVAL, "spool", "spooled clicks cannot be stored");
    for number in 0_u32.. {
        task.tick().await;
        // An unreadable directory may have files; the log then reports its error.
        let has_files = number.is_multiple_of(SPOOL_INTERVALS)
            && spool.files().map_or(true, |files| !files.is_empty());
        let delivered = deliver(&spool, &store, primary.as_mut(), has_files).await;
        if delivered.is_err()
            && let Some(primary) = &mut primary
        {
            primary.close().await;
        }
        task.report(delivered);
    }
}

async fn deliver(
    spool: &Arc<Spool>,
    store: &Store,
    primary: Option<&mut Primary>,
    has_files: bool,
) -> Result<(), StoreError> {
    // An unreadable journal does not keep the clicks of spool files from the database.
    let next = next_batch(spool).await;
    // The log reports a wrong address of the primary before there are clicks.
    let is_first = store.is_standby() && primary.as_ref().is_some_and(|primary| !primary.is_open());
    if !has_files && !is_first && !matches!(next, Ok(Some(_))) {
        return next.map(|_| ());
    }
    let target = match primary {
        Some(primary) if store.is_standby() => primary.open().await?,
        Some(_) | None if store.state() == DatabaseState::Up => store.clone(),
        Some(_) | None => return Ok(()),
    };
    if has_files {
        spool.restore(&target).await?;
    }
    let mut batch = next?;
    while let Some(next) = batch.take() {
        let is_last = next.clicks.len() < usize::from(ClickJournal::MAX_BATCH_LINKS);
        deliver_batch(spool, &target, next).await?;
        // Clicks that arrive meanwhile wait for the next delivery, so that batches are large.
        if !is_last {
            batch = next_batch(spool).await?;
        }
    }
    Ok(())
}

/// Stores the clicks of all spool files and of the journal in a database.
///
/// # Errors
/// If the database fails. Clicks that were not stored stay.
pub async fn restore(spool: &Arc<Spool>, store: &Store) -> Result<(), StoreError> {
    spool.restore(store).await?;
    while let Some(batch) = next_batch(spool).await? {
        deliver_batch(spool, store, batch).await?;
    }
    Ok(())
}

async fn next_batch(spool: &Arc<Spool>) -> Result<Option<Batch>, StoreError> {
    let spool = Arc::clone(spool);
    let next = spawn_blocking(move || spool.journal().next_batch()).await;
    next.unwrap_or(Err(StoreError::Unavailable))
}

async fn deliver_batch(spool: &Arc<Spool>, store: &Store, batch: Batch) -> Result<(), StoreError> {
    let sequence = batch.sequence;
    let stored = append_once(store, batch).await?;
    warn_of_orphans(spool.journal().path(), stored.orphans);
    tracing::debug!(clicks = stored.clicks, "clicks of the journal stored");
    let spool = Arc::clone(spool);
    let noted = spawn_blocking(move || spool.journal().note_delivered(sequence)).await;
    noted.unwrap_or(Err(StoreError::Unavailable))
}

/// The database to which a server delivers its clicks while its own database is a standby.
#[derive(Debug)]
pub struct Primary {
    url: DatabaseUrl,
    limits: Limits,
    /// Secret of the installation, which the primary must have too.
    secret: String,
    /// Open until the first error.
    store: Option<Store>,
}

impl Primary {
    /// Creates the handle of a primary; does not connect.
    pub fn new(url: DatabaseUrl, limits: Limits, secret: &str) -> Self {
        Self { url, limits, secret: secret.to_owned(), store: None }
    }

    /// Connects, unless a connection is open.
    ///
    /// # Errors
    /// If the primary cannot be reached, [`StoreError::OtherInstallation`] or
    /// [`StoreError::PrimaryIsStandby`].
    pub(super) async fn open(&mut self) -> Result<Store, StoreError> {
        if let Some(store) = &self.store {
            return Ok(store.clone());
        }
        let store = Store::open(&self.url, IfMissing::Fail, &self.limits).await?;
        // Another installation has other links with the same identifiers.
        if installation::secret(store.reader()).await? != self.secret {
            return Err(StoreError::OtherInstallation);
        }
        if store.query_standby().await? {
            return Err(StoreError::PrimaryIsStandby);
        }
        self.store = Some(store.clone());
        Ok(store)
    }

    /// Returns whether a connection is open.
    pub(super) fn is_open(&self) -> bool {
        self.store.is_some()
    }

    /// Closes the connections, which may be broken.
    pub(super) async fn close(&mut self) {
        if let Some(store) = self.store.take() {
            let _ = store.close().await;
        }
    }
}
