//! The commits in progress, and whether the database completes them.
//!
//! PostgreSQL may wait for a synchronous standby without end. No timeout of the server ends this
//! wait, and closing the connection does not either: the session stays, with its locks. A commit
//! that waits is therefore not abandoned. It serves as the probe that ends the stall.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sea_orm::sqlx::{self, PgConnection, Row as _};
use tokio::sync::watch;
use tokio::time::timeout;

use super::connector::{PgConnector, statement_error};
use super::last_event::LastEvent;
use crate::store::error::StoreError;
use crate::store::state::StallReason;

/// Duration from which the health check asks PostgreSQL what a commit waits for.
const MAX_COMMIT: Duration = Duration::from_secs(1);
/// Time without a commit after which the server commits to learn whether it can.
const PROBE_AFTER_IDLE: Duration = Duration::from_secs(5);
/// Time for which a command waits for a standby.
const CONFIRMATION_TIMEOUT: Duration = Duration::from_secs(10);

/// Commits something that changes no table, so that it waits for a standby as every commit does.
pub(super) const PROBE: &str = "SELECT pg_logical_emit_message(true, 'terse', '')";

/// Finds out what the commits of this role wait for. PostgreSQL 17 has other names for some waits.
const FIND_WAIT: &str = "
    SELECT wait_event FROM pg_stat_activity
    WHERE usename = current_user AND datname = current_database() AND state = 'active'
        AND wait_event IN ('SyncRep', 'WALSync', 'WALWrite', 'WalSync', 'WalWrite')
    ORDER BY wait_event = 'SyncRep' DESC LIMIT 1";

/// Ends the wait of a session for a standby. Its commit then succeeds.
const CANCEL_WAIT: &str = "
    SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'";

/// The commits in progress, which all handles of a process share.
#[derive(Debug)]
pub(super) struct Commits {
    in_progress: Mutex<InProgress>,
    last_success: LastEvent,
    /// Why the oldest commit in progress does not complete, while it does not.
    stall: watch::Sender<Option<StallReason>>,
    /// Whether no standby has confirmed a commit, whose wait this process has ended.
    is_unconfirmed: AtomicBool,
}

#[derive(Debug, Default)]
struct InProgress {
    last_id: u64,
    /// When each commit began, by its number. The first one is the oldest.
    began: BTreeMap<u64, Instant>,
}

/// A commit in progress, which ends when this value is dropped.
#[derive(Debug)]
pub(super) struct CommitInProgress {
    commits: Arc<Commits>,
    id: u64,
}

impl Default for Commits {
    fn default() -> Self {
        Self {
            in_progress: Mutex::default(),
            last_success: LastEvent::default(),
            stall: watch::Sender::new(None),
            is_unconfirmed: AtomicBool::new(false),
        }
    }
}

impl Commits {
    /// Notes that work begins which ends with a commit.
    pub(super) fn begin(self: &Arc<Self>) -> CommitInProgress {
        let mut in_progress = self.lock();
        in_progress.last_id += 1;
        let id = in_progress.last_id;
        in_progress.began.insert(id, Instant::now());
        CommitInProgress { commits: Arc::clone(self), id }
    }

    /// Returns why the database does not complete commits, or `None` if it does.
    pub(super) fn stall(&self) -> Option<StallReason> {
        *self.stall.borrow()
    }

    /// Waits until the database does not complete commits.
    pub(super) async fn stalled(&self) {
        // The sender lives as long as `self`.
        let _ = self.stall.subscribe().wait_for(Option::is_some).await;
    }

    /// Checks that a transaction may begin that will be committed.
    ///
    /// # Errors
    /// [`StoreError::CannotCommit`], or [`StoreError::Unconfirmed`] after such a commit.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.is_unconfirmed() {
            return Err(StoreError::Unconfirmed);
        }
        self.stall().map_or(Ok(()), |reason| Err(StoreError::CannotCommit(reason)))
    }

    /// Returns whether no standby has confirmed a commit of this process.
    pub(super) fn is_unconfirmed(&self) -> bool {
        self.is_unconfirmed.load(Ordering::Relaxed)
    }

    /// Finds out whether the database completes commits.
    pub(super) async fn observe(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let is_late = self.age().is_some_and(|age| age > MAX_COMMIT);
        let is_stalled = self.stall().is_some();
        if is_late == is_stalled || self.is_read_only() {
            return Ok(());
        }
        let mut reason = None;
        if is_late {
            // A statement that waits for a lock is late, too, but other commits succeed.
            let found = sqlx::raw_sql(FIND_WAIT).fetch_optional(connection).await?;
            let event: Option<String> = found.map(|row| row.try_get(0)).transpose()?;
            reason = event.map(|event| match event.as_str() {
                "SyncRep" => StallReason::Standby,
                _ => StallReason::Disk,
            });
        }
        self.set_stall(reason);
        Ok(())
    }

    /// Returns whether a probe is due, because nothing else shows that the database can commit.
    pub(super) fn is_probe_due(&self) -> bool {
        self.age().is_none() && !self.last_success.happened_within(PROBE_AFTER_IDLE)
    }

    /// Lets the next probe be due later.
    pub(super) fn postpone_probe(&self) {
        self.last_success.record();
    }

    /// Notes that new sessions are read-only.
    pub(super) fn note_read_only(&self) {
        self.set_stall(Some(StallReason::ReadOnly));
    }

    /// Returns whether new sessions are read-only.
    pub(super) fn is_read_only(&self) -> bool {
        self.stall() == Some(StallReason::ReadOnly)
    }

    /// Forgets the stall, because the connections of its commits are gone.
    pub(super) fn reset(&self) {
        self.set_stall(None);
    }

    /// Runs a commit of a command in the session with the process `process_id`. After a while, it
    /// ends the wait for a standby: PostgreSQL has stored the transaction then, but a failover may
    /// lose it.
    pub(super) async fn run_or_cancel_wait<T>(
        &self,
        connector: &PgConnector,
        process_id: i32,
        commit: impl Future<Output = T>,
    ) -> T {
        let mut commit = std::pin::pin!(commit);
        loop {
            if let Ok(result) = timeout(CONFIRMATION_TIMEOUT, &mut commit).await {
                return result;
            }
            if cancel_wait(connector, process_id).await.is_ok_and(|is_cancelled| is_cancelled) {
                self.is_unconfirmed.store(true, Ordering::Relaxed);
                return commit.await;
            }
        }
    }

    /// Returns for how long the oldest commit in progress has run.
    fn age(&self) -> Option<Duration> {
        self.lock().began.first_key_value().map(|(_, began)| began.elapsed())
    }

    fn set_stall(&self, reason: Option<StallReason>) {
        self.stall.send_if_modified(|current| std::mem::replace(current, reason) != reason);
    }

    fn lock(&self) -> MutexGuard<'_, InProgress> {
        // No code under the lock panics.
        self.in_progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CommitInProgress {
    /// Notes that the commit succeeded, which ends a stall. A session that is older than the time in
    /// which the database is read-only may still commit.
    pub(super) fn succeeded(self) {
        self.commits.last_success.record();
        if self.commits.stall().is_some() && !self.commits.is_read_only() {
            self.commits.set_stall(None);
        }
    }
}

impl Drop for CommitInProgress {
    fn drop(&mut self) {
        self.commits.lock().began.remove(&self.id);
    }
}

/// Returns the server process of a session.
pub(super) async fn process_id(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    sqlx::raw_sql("SELECT pg_backend_pid()").fetch_one(connection).await?.try_get(0)
}

/// Ends the wait of a session for a standby. Returns false if it does not wait for one.
async fn cancel_wait(connector: &PgConnector, process_id: i32) -> Result<bool, StoreError> {
    let cancel = async {
        let mut connection = connector.connect().await?;
        let cancel = sqlx::query(CANCEL_WAIT).bind(process_id).persistent(!connector.is_pooled);
        let row = cancel.fetch_optional(&mut connection).await?;
        row.map_or(Ok(false), |row| row.try_get(0))
    };
    Ok(cancel.await.map_err(statement_error)?)
}
