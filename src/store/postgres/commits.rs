//! The commits in progress, and whether the database completes them.
//!
//! PostgreSQL may wait for a synchronous standby without end. No timeout of the server ends this
//! wait, and closing the connection does not either: the session stays, with its locks. A commit
//! that waits is therefore not abandoned. It serves as the probe that ends the stall.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sea_orm::sqlx::{self, AssertSqlSafe, PgConnection, Row as _};
use tokio::sync::watch;
use tokio::time::timeout;

use super::connector::{LastEvent, PgConnector, statement_error};
use super::server_info::Access;
use crate::store::error::{StallReason, StoreError};

/// Duration from which the health check asks PostgreSQL what a commit waits for.
const OBSERVED_AFTER: Duration = Duration::from_millis(250);
/// Duration from which a commit that is seen waiting counts as stalled.
const MAX_WAIT: Duration = Duration::from_millis(750);
/// Time without a commit after which the server commits to learn whether it can.
const PROBE_AFTER_IDLE: Duration = Duration::from_secs(5);
/// The same while a commit waits for something else, such as a lock.
const PROBE_AFTER_LATE: Duration = Duration::from_secs(1);
/// Time for which a command waits for a standby.
const CONFIRMATION_TIMEOUT: Duration = Duration::from_secs(10);

/// Commits something that changes no table, so that it waits for a standby as every commit does.
pub(super) const PROBE: &str = "SELECT pg_logical_emit_message(true, 'terse', '')";

/// Returns the query for the processes that wait for a standby or for the write-ahead log, of those
/// given. PostgreSQL 17 has other names for some waits.
fn find_waits(process_ids: impl Iterator<Item = i32>) -> String {
    let process_ids: Vec<String> = process_ids.map(|id| id.to_string()).collect();
    format!(
        "SELECT pid, wait_event FROM pg_stat_activity WHERE pid IN ({})
            AND wait_event IN ('SyncRep', 'WALSync', 'WALWrite', 'WalSync', 'WalWrite')",
        process_ids.join(", ")
    )
}

/// Ends the wait of a session for a standby. Its commit then succeeds.
const CANCEL_WAIT: &str = "
    SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'";

/// The commits in progress, which all handles of a process share.
#[derive(Debug, Default)]
pub(in crate::store) struct Commits {
    in_progress: Mutex<InProgress>,
    last_success: LastEvent,
    /// Why commits do not complete, until one succeeds.
    stall: watch::Sender<Option<StallReason>>,
    /// Whether no standby has confirmed a commit, whose wait this process has ended.
    is_unconfirmed: AtomicBool,
}

#[derive(Debug, Default)]
struct InProgress {
    last_id: u64,
    /// The commits by their numbers. The first one is the oldest.
    commits: BTreeMap<u64, RunningCommit>,
}

#[derive(Debug)]
struct RunningCommit {
    /// Process of the server that runs it.
    process_id: i32,
    began: Instant,
    /// Since when each health check has seen it wait for a standby or for the write-ahead log.
    waits_since: Option<Instant>,
}

/// A commit in progress, which ends when this value is dropped.
#[derive(Debug)]
pub(super) struct CommitInProgress {
    commits: Arc<Commits>,
    id: u64,
}

impl Commits {
    /// Notes that a statement begins which commits, in the session with this process.
    pub(super) fn begin(self: &Arc<Self>, process_id: i32) -> CommitInProgress {
        let mut in_progress = self.in_progress.lock();
        in_progress.last_id += 1;
        let id = in_progress.last_id;
        let commit = RunningCommit { process_id, began: Instant::now(), waits_since: None };
        in_progress.commits.insert(id, commit);
        CommitInProgress { commits: Arc::clone(self), id }
    }

    /// Returns why the database does not complete commits, or `None` if it does.
    pub(super) fn stall(&self) -> Option<StallReason> {
        *self.stall.borrow()
    }

    /// Returns whether a commit in progress may wait without end.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.stall(), Some(StallReason::Standby | StallReason::Disk))
    }

    /// Waits until the database does not complete commits.
    pub(in crate::store) async fn stalled(&self) {
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
    pub(in crate::store) fn is_unconfirmed(&self) -> bool {
        self.is_unconfirmed.load(Ordering::Relaxed)
    }

    /// Finds out whether the database completes commits: whether each look at one of them finds it
    /// waiting for a standby or for the write-ahead log. Other waits, such as those for locks, end
    /// with the work of others, and meanwhile further commits succeed.
    pub(super) async fn observe(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let late = self.late();
        if late.is_empty() || self.stall().is_some() {
            return Ok(());
        }
        let query = AssertSqlSafe(find_waits(late.values().copied()));
        let mut waits = HashMap::new();
        for row in sqlx::raw_sql(query).fetch_all(connection).await? {
            waits.insert(row.try_get::<i32, _>(0)?, row.try_get::<String, _>(1)?);
        }
        if let Some(event) = self.note_waits(&late, &waits) {
            self.set_stall(Some(match event.as_str() {
                "SyncRep" => StallReason::Standby,
                _ => StallReason::Disk,
            }));
        }
        Ok(())
    }

    /// Returns the processes of the commits that take long, by their numbers.
    fn late(&self) -> BTreeMap<u64, i32> {
        let in_progress = self.in_progress.lock();
        let commits = in_progress.commits.iter();
        let late = commits.filter(|(_, commit)| commit.began.elapsed() > OBSERVED_AFTER);
        late.map(|(id, commit)| (*id, commit.process_id)).collect()
    }

    /// Notes which of the `late` commits wait, and returns what one waits for that has waited for
    /// too long.
    fn note_waits(
        &self,
        late: &BTreeMap<u64, i32>,
        waits: &HashMap<i32, String>,
    ) -> Option<String> {
        let mut stalled = None;
        let mut in_progress = self.in_progress.lock();
        for id in late.keys() {
            let Some(commit) = in_progress.commits.get_mut(id) else { continue };
            match waits.get(&commit.process_id) {
                None => commit.waits_since = None,
                Some(event) => {
                    let since = commit.waits_since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= MAX_WAIT {
                        stalled = Some(event.clone());
                    }
                }
            }
        }
        stalled
    }

    /// Returns whether a probe is due, because nothing else shows whether the database can commit.
    pub(super) fn is_probe_due(&self) -> bool {
        let in_progress = self.in_progress.lock();
        if self.stall().is_some() {
            return in_progress.commits.is_empty();
        }
        let mut limit = PROBE_AFTER_IDLE;
        for commit in in_progress.commits.values() {
            if commit.waits_since.is_some() {
                return false;
            }
            if commit.began.elapsed() > OBSERVED_AFTER {
                limit = PROBE_AFTER_LATE;
            }
        }
        !self.last_success.happened_within(limit)
    }

    /// Assumes that the database can commit, because it does not allow probes.
    pub(super) fn assume_success(&self) {
        self.last_success.record();
        if !self.is_read_only() {
            self.set_stall(None);
        }
    }

    /// Notes what new sessions may do.
    pub(super) fn note_access(&self, access: Access) {
        match access {
            Access::ReadOnly => self.set_stall(Some(StallReason::ReadOnly)),
            Access::Standby => self.set_stall(Some(StallReason::Recovery)),
            Access::ReadWrite if self.is_read_only() => self.set_stall(None),
            Access::ReadWrite => {}
        }
    }

    /// Returns whether new sessions are read-only.
    pub(super) fn is_read_only(&self) -> bool {
        matches!(self.stall(), Some(StallReason::ReadOnly | StallReason::Recovery))
    }

    /// Returns whether the server is a standby.
    pub(in crate::store) fn is_standby(&self) -> bool {
        self.stall() == Some(StallReason::Recovery)
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

    fn set_stall(&self, reason: Option<StallReason>) {
        self.stall.send_if_modified(|current| std::mem::replace(current, reason) != reason);
    }
}

impl CommitInProgress {
    /// Notes that the commit succeeded, which ends a stall. A session that is older than the time in
    /// which the database is read-only may still commit.
    pub(super) fn succeeded(self) {
        self.commits.assume_success();
    }
}

impl Drop for CommitInProgress {
    fn drop(&mut self) {
        self.commits.in_progress.lock().commits.remove(&self.id);
    }
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
