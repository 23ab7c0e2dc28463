//! Leases: permission to use the connection pools until the next outage.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::{self, PgTransaction};
use sea_orm::{
    ConnAcquireErr, ConnectionTrait as _, DatabaseTransaction, DbBackend, DbErr, Statement,
};
use tokio::sync::watch;
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use super::commits::{CommitInProgress, PROBE};
use super::connector::Isolation;
use super::health::{Availability, Health};
use super::pool::{LivePools, PoolKind};
use super::server_info::process_id;
use crate::store::call::{Call, CallResult, runs_statements};
use crate::store::error::{ErrorClass, StoreError};

/// Duration from which work may be waiting for a connection that cannot be opened.
const SLOW_WORK: Duration = Duration::from_secs(1);

/// Permission to use the pools of an available database. Work under a lease is cancelled when the
/// database becomes unavailable.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) pools: Arc<LivePools>,
    /// Maximum time of each call of [`Lease::with_deadline`].
    pub(super) timeout: Duration,
    health: Arc<Health>,
    changes: watch::Receiver<Availability>,
}

impl Lease {
    /// Creates a lease of the pools that are in use now.
    ///
    /// # Errors
    /// If the database is unavailable.
    pub(super) fn new(health: &Arc<Health>) -> Result<Self, DbErr> {
        let (Availability::Up(pools), changes) = health.watch() else { return Err(unavailable()) };
        let timeout = pools.connector.total_timeout();
        Ok(Self { pools, timeout, health: Arc::clone(health), changes })
    }

    /// Runs `work`, but cancels it when it exceeds the timeout or the database becomes unavailable.
    pub(super) async fn with_deadline<T>(
        &self,
        work: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        let mut changes = self.changes.clone();
        // `work` is pinned here, so that it is dropped, and returns its connection, only after the
        // timeout is recorded.
        let mut work = pin!(work);
        tokio::select! {
            biased;
            result = self.until_timeout(&mut work) => {
                match &result {
                    Ok(Ok(_)) => self.health.last_response.record(),
                    Ok(Err(error)) if ErrorClass::is_read_only(error) => {
                        // A new session shows whether the database has become read-only.
                        self.health.recheck.request_new_session();
                    }
                    Ok(Err(_)) => {}
                    Err(_) => self.pools.connector.last_timeout.record(),
                }
                result.unwrap_or(Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)))
            }
            _ = changes.changed() => Err(unavailable()),
        }
    }

    /// Notes that a statement begins which commits, in the session with this process. Under
    /// [`Self::with_deadline`], it does not time out while the database cannot commit, because the
    /// server would not notice that.
    pub(super) fn begin_commit(&self, process_id: i32) -> CommitInProgress {
        self.health.commits.begin(process_id)
    }

    /// Commits a transaction outside the pools, in a session whose process was `session_process`.
    pub(super) async fn commit(
        &self,
        mut transaction: PgTransaction<'_>,
        session_process: i32,
    ) -> Result<(), sqlx::Error> {
        let process_id = if self.pools.connector.is_pooled {
            process_id(&mut transaction).await?
        } else {
            session_process
        };
        let commit = self.begin_commit(process_id);
        transaction.commit().await?;
        commit.succeeded();
        Ok(())
    }

    /// Commits a transaction of a command, which waits for a standby only for a while.
    pub(super) async fn commit_of_command(
        &self,
        transaction: DatabaseTransaction,
    ) -> Result<(), StoreError> {
        let process_id = self.with_deadline(process_id_of(&transaction)).await?;
        let commit = self.with_deadline(transaction.commit());
        let connector = &self.pools.connector;
        Ok(self.health.commits.run_or_cancel_wait(connector, process_id, commit).await?)
    }

    /// Commits something that changes no table, to learn whether the database can.
    pub(super) async fn probe(self) -> Result<(), StoreError> {
        let commits = Arc::clone(&self.health.commits);
        let pool = self.pools.get(PoolKind::Background);
        let inner = self.with_deadline(pool.begin(Isolation::ReadCommitted)).await?;
        let transaction = LeasedTransaction::new(inner, self);
        match transaction.execute_unprepared(PROBE).await {
            Ok(_) => transaction.commit().await,
            Err(error) if ErrorClass::is_denied(&error) => {
                commits.assume_success();
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn until_timeout<T>(
        &self,
        mut work: impl Future<Output = T> + Unpin,
    ) -> Result<T, Elapsed> {
        let mut limit = self.timeout;
        if let Some(rest) = limit.checked_sub(SLOW_WORK) {
            if let Ok(result) = timeout(SLOW_WORK, &mut work).await {
                return Ok(result);
            }
            self.health.check_connecting();
            limit = rest;
        }
        loop {
            match timeout(limit, &mut work).await {
                Err(_) if self.health.commits.is_waiting() => {}
                result => return result,
            }
        }
    }
}

/// Returns the server process that runs a transaction.
async fn process_id_of(transaction: &DatabaseTransaction) -> Result<i32, DbErr> {
    let find = Statement::from_string(DbBackend::Postgres, "SELECT pg_backend_pid()");
    let process = transaction.query_one_raw(find).await?;
    process.map_or(Ok(0), |row| row.try_get_by_index(0))
}

fn unavailable() -> DbErr {
    DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)
}

/// A transaction under a lease. It rolls back if it is dropped without a commit.
#[derive(Debug)]
pub(in crate::store) struct LeasedTransaction {
    inner: DatabaseTransaction,
    lease: Lease,
}

impl LeasedTransaction {
    /// Wraps a transaction. Its statements have a shorter timeout than the lease, because they do
    /// not have to wait for a connection.
    pub(super) fn new(inner: DatabaseTransaction, lease: Lease) -> Self {
        let timeout = lease.pools.connector.statement_timeout();
        Self { inner, lease: Lease { timeout, ..lease } }
    }

    /// Commits the transaction. The commit goes on if the caller is dropped, or if the database
    /// cannot commit.
    pub(in crate::store) async fn commit(self) -> Result<(), StoreError> {
        let Self { inner, lease } = self;
        if !lease.pools.connector.has_heartbeat() {
            return lease.commit_of_command(inner).await;
        }
        let commits = Arc::clone(&lease.health.commits);
        let commit = tokio::spawn(async move {
            let work = async {
                let commit = lease.begin_commit(process_id_of(&inner).await?);
                inner.commit().await?;
                commit.succeeded();
                Ok(())
            };
            lease.with_deadline(work).await
        });
        tokio::select! {
            biased;
            result = commit => Ok(result.map_err(|_| StoreError::Unavailable)??),
            () = commits.stalled() => Err(commits.check().err().unwrap_or(StoreError::Busy)),
        }
    }

    async fn run(&self, call: Call) -> Result<CallResult, DbErr> {
        self.lease.with_deadline(call.run(&self.inner)).await
    }
}

runs_statements!(LeasedTransaction, DbBackend::Postgres);
