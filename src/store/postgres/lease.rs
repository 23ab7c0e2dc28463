//! Leases: permission to use the connection pools until the next outage.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::{
    ConnAcquireErr, ConnectionTrait as _, DatabaseTransaction, DbBackend, DbErr, Statement,
};
use tokio::sync::watch;
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use super::health::{Availability, Health};
use super::pool::LivePools;
use crate::store::error::{ErrorClass, StoreError};
use crate::store::request::{Reply, Request, runs_statements};

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
                        self.health.recheck.request_write_check();
                    }
                    Ok(Err(_)) => {}
                    Err(_) => self.pools.connector.record_timeout(),
                }
                result.unwrap_or(Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)))
            }
            _ = changes.changed() => Err(unavailable()),
        }
    }

    /// Runs `work`, which ends with a commit, as [`Self::with_deadline`] does. It does not time out
    /// while the database cannot commit, because the server would not notice that.
    pub(super) async fn with_commit<T>(
        &self,
        work: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        let commit = self.health.commits.begin();
        let result = self.with_deadline(work).await;
        if result.is_ok() {
            commit.succeeded();
        }
        result
    }

    /// Commits a transaction of a command, which waits for a standby only for a while.
    pub(super) async fn commit_of_command(
        &self,
        transaction: DatabaseTransaction,
    ) -> Result<(), StoreError> {
        let find = Statement::from_string(DbBackend::Postgres, "SELECT pg_backend_pid()");
        let process = self.with_deadline(transaction.query_one_raw(find)).await?;
        let process_id = process.map_or(Ok(0), |row| row.try_get_by_index(0))?;
        let commit = self.with_deadline(transaction.commit());
        let connector = &self.pools.connector;
        Ok(self.health.commits.run_or_cancel_wait(connector, process_id, commit).await?)
    }

    /// Notes that the database does not allow a probe, so that the next one is not due at once.
    pub(super) fn postpone_probe(&self) {
        self.health.commits.postpone_probe();
    }

    async fn until_timeout<T>(
        &self,
        mut work: impl Future<Output = T> + Unpin,
    ) -> Result<T, Elapsed> {
        loop {
            match timeout(self.timeout, &mut work).await {
                Err(_) if self.health.commits.stall().is_some() => {}
                result => return result,
            }
        }
    }
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
        let commit = tokio::spawn(async move { lease.with_commit(inner.commit()).await });
        tokio::select! {
            biased;
            result = commit => Ok(result.map_err(|_| StoreError::Unavailable)??),
            () = commits.stalled() => Err(commits.check().err().unwrap_or(StoreError::Busy)),
        }
    }

    fn backend(&self) -> DbBackend {
        DbBackend::Postgres
    }

    async fn run(&self, request: Request) -> Result<Reply, DbErr> {
        self.lease.with_deadline(request.run(&self.inner)).await
    }
}

runs_statements!(LeasedTransaction);
