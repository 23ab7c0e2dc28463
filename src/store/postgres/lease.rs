//! Leases: permission to use the connection pools until the next outage.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::{ConnAcquireErr, DatabaseTransaction, DbBackend, DbErr};
use tokio::sync::watch;
use tokio::time::timeout;

use super::health::{Availability, Health};
use super::pool::LivePools;
use crate::store::error::ErrorClass;
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
            result = timeout(self.timeout, &mut work) => {
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

    pub(in crate::store) async fn commit(self) -> Result<(), DbErr> {
        let Self { inner, lease } = self;
        lease.with_deadline(inner.commit()).await
    }

    fn backend(&self) -> DbBackend {
        DbBackend::Postgres
    }

    async fn run(&self, request: Request) -> Result<Reply, DbErr> {
        self.lease.with_deadline(request.run(&self.inner)).await
    }
}

runs_statements!(LeasedTransaction);
