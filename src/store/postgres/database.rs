//! The handle of a PostgreSQL database, which runs all statements outside of transactions.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use migration::schema_status;
use sea_orm::{ConnectionTrait as _, DbBackend, DbErr};
use tokio::sync::Mutex;

use super::commits::Commits;
use super::connector::{Isolation, PgConnector};
use super::dedicated::DedicatedConnection;
use super::health::{Availability, Health};
use super::heartbeat::{self, Heartbeat};
use super::lease::{Lease, LeasedTransaction};
use super::pool::{DEFAULT_REQUEST_CONNECTIONS, LOOKUP_CONNECTIONS, LivePools, Pool, PoolKind};
use super::server_info::{Access, Clock, TIMELINE};
use crate::store::batcher::Batcher;
use crate::store::call::{Call, CallResult, runs_statements};
use crate::store::code_lookup::{CodeLookup, FoundTarget};
use crate::store::error::{ErrorClass, StoreError, missing_migrations};
use crate::store::options::Limits;
use crate::store::query::scalar;
use crate::values::Timestamp;

/// Number of attempts after broken connections, in addition to one attempt per connection of the
/// pool. All connections of the pool may break at once.
const EXTRA_ATTEMPTS: u32 = 6;
/// Maximum number of lookups per query.
const MAX_LOOKUPS_PER_QUERY: usize = 256;

/// Takes an advisory lock with an arbitrary number until the transaction ends, so that only one
/// instance migrates at a time.
const LOCK_MIGRATIONS: &str = "SELECT pg_advisory_xact_lock(7305234870123)";

/// A PostgreSQL database. Clones are cheap and share its connections.
#[derive(Debug, Clone)]
pub(in crate::store) struct Postgres {
    pub(super) shared: Arc<PostgresShared>,
    pool: PoolKind,
}

/// State that all clones share.
#[derive(Debug)]
pub(super) struct PostgresShared {
    health: Arc<Health>,
    clock: Arc<Clock>,
    pub(super) click_connection: Mutex<DedicatedConnection>,
    pub(super) creation_connection: Mutex<DedicatedConnection>,
    pub(super) lookups: Batcher<CodeLookup, Option<FoundTarget>>,
    pub(super) rollup_limit: AdaptiveLimit,
    /// Maximum number of connections for requests.
    request_connections: u32,
}

impl Postgres {
    /// Connects to a database. Starts a heartbeat if the limits have a timeout for health checks.
    pub(in crate::store) async fn open(url: &str, limits: &Limits) -> Result<Self, StoreError> {
        let mut connector = PgConnector::new(url, limits)?;
        // A command learns by a failed statement that the database is read-only.
        let mut access = Access::ReadWrite;
        if connector.has_heartbeat() {
            (connector, access) = heartbeat::probe(connector).await?;
        }
        let clock = Arc::clone(&connector.clock);
        let heartbeat =
            limits.health_check_timeout.map(|timeout| Heartbeat::new(&connector, timeout, access));
        let pools = LivePools::new(connector);
        let health = Health::new(Arc::clone(&pools));
        health.commits.note_access(access);
        if heartbeat.is_none() {
            pools.connect().await?;
        }
        if let Some(heartbeat) = heartbeat {
            let recheck = Arc::clone(&health.recheck);
            tokio::spawn(heartbeat.run(Arc::downgrade(&health), recheck));
        }
        let shared = Arc::new(PostgresShared {
            health,
            clock,
            click_connection: Mutex::default(),
            creation_connection: Mutex::default(),
            lookups: Batcher::new(
                LOOKUP_CONNECTIONS,
                MAX_LOOKUPS_PER_QUERY,
                limits.acquire_timeout,
            ),
            rollup_limit: AdaptiveLimit::default(),
            request_connections: limits.connections.unwrap_or(DEFAULT_REQUEST_CONNECTIONS),
        });
        Ok(Self { shared, pool: PoolKind::Requests })
    }

    /// Returns a handle whose statements use the pool for background tasks.
    pub(in crate::store) fn for_background_tasks(&self) -> Self {
        self.with_pool(PoolKind::Background)
    }

    /// Returns a handle whose statements use the given pool.
    pub(super) fn with_pool(&self, pool: PoolKind) -> Self {
        Self { shared: Arc::clone(&self.shared), pool }
    }

    /// Returns the maximum number of connections for requests.
    pub(in crate::store) fn request_connections(&self) -> u32 {
        self.shared.request_connections
    }

    /// Returns whether the last health check succeeded. Without a heartbeat, it always returns
    /// true.
    pub(in crate::store) fn is_up(&self) -> bool {
        self.shared.health.is_up()
    }

    /// Checks that a transaction may begin that will be committed.
    pub(in crate::store) fn check_commits(&self) -> Result<(), StoreError> {
        self.shared.health.commits.check()
    }

    /// Returns the commits of this process.
    pub(in crate::store) fn commits(&self) -> &Arc<Commits> {
        &self.shared.health.commits
    }

    /// Returns the query for the size of the database with its indexes.
    pub(in crate::store) const fn size_query(&self) -> &'static str {
        "SELECT pg_database_size(current_database())"
    }

    /// Returns the time by the database's clock, even during an outage.
    pub(in crate::store) fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// Returns the timeline of the write-ahead log, or `None` if the server does not report it.
    pub(in crate::store) async fn timeline(&self) -> Result<Option<String>, StoreError> {
        if !self.lease()?.pools.connector.has_timelines {
            return Ok(None);
        }
        match scalar(self, TIMELINE, []).await {
            // The privilege may have been revoked since the connector probed the server.
            Err(StoreError::Database(error)) if ErrorClass::is_denied(&error) => Ok(None),
            timeline => timeline,
        }
    }

    /// Begins a transaction.
    pub(in crate::store) async fn begin(
        &self,
        isolation: Isolation,
    ) -> Result<LeasedTransaction, DbErr> {
        let mut attempt = 1;
        loop {
            let lease = self.lease()?;
            match lease.with_deadline(self.pool(&lease).begin(isolation)).await {
                Ok(inner) => return Ok(LeasedTransaction::new(inner, lease)),
                Err(error) if self.should_retry(&error, attempt).await => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Applies missing migrations, and returns their number. If another instance is migrating, it waits without a timeout.
    ///
    /// # Errors
    /// [`StoreError::SchemaOutdated`] on a standby that lacks migrations of its primary.
    pub(in crate::store) async fn migrate(&self) -> Result<usize, StoreError> {
        if self.commits().is_standby() {
            let is_outdated = missing_migrations(schema_status(self).await?)? > 0;
            return if is_outdated { Err(StoreError::SchemaOutdated) } else { Ok(0) };
        }
        let connector = self.lease()?.pools.connector.clone().without_timeouts();
        let pool = Pool::new(&connector, 1);
        let transaction = pool.begin(Isolation::ReadCommitted).await?;
        transaction.execute_unprepared(LOCK_MIGRATIONS).await?;
        // Another instance may have migrated meanwhile.
        let missing = missing_migrations(schema_status(&transaction).await?)?;
        if missing > 0 {
            migration::apply(&transaction, self.now().millis() / 1_000).await?;
        }
        if connector.has_heartbeat() {
            transaction.commit().await?;
        } else {
            self.lease()?.commit_of_command(transaction).await?;
        }
        pool.close().await;
        Ok(missing)
    }

    /// Closes the connections and ends the heartbeat. Like the function of SQLite, it returns a
    /// result, but never fails.
    pub(in crate::store) async fn close(&self) -> Result<(), StoreError> {
        if let Some(Availability::Up(pools)) = self.shared.health.replace(Availability::Closed) {
            pools.close().await;
        }
        Ok(())
    }

    /// Returns a lease of the pools that are in use now.
    pub(super) fn lease(&self) -> Result<Lease, DbErr> {
        Lease::new(&self.shared.health)
    }

    /// Returns whether to retry a statement after `error`: whether the connection broke but the
    /// database is up.
    pub(super) async fn should_retry(&self, error: &DbErr, attempt: u32) -> bool {
        if ErrorClass::from_error(error) != ErrorClass::Disconnected {
            return false;
        }
        if attempt >= self.shared.request_connections + EXTRA_ATTEMPTS {
            tracing::warn!(%error, "statement keeps failing although the database responds");
            return false;
        }
        let is_up = self.shared.health.is_up_after_recheck().await;
        is_up && !(ErrorClass::is_read_only(error) && self.commits().is_read_only())
    }

    fn pool<'a>(&self, lease: &'a Lease) -> &'a Pool {
        lease.pools.get(self.pool)
    }

    /// Runs a statement, and runs it again if the connection breaks. The server may thus execute it
    /// twice.
    async fn run(&self, call: Call) -> Result<CallResult, DbErr> {
        let mut attempt = 1;
        loop {
            let lease = self.lease()?;
            match lease.with_deadline(call.clone().run(self.pool(&lease))).await {
                Err(error) if self.should_retry(&error, attempt).await => attempt += 1,
                result => return result,
            }
        }
    }
}

runs_statements!(Postgres, DbBackend::Postgres);

/// Maximum number by which [`AdaptiveLimit`] divides a limit.
const MAX_DIVISOR: i64 = 1_000;

/// Divisor of a limit, which grows after timeouts and slowly shrinks after successes.
#[derive(Debug)]
pub(super) struct AdaptiveLimit {
    divisor: AtomicI64,
}

impl Default for AdaptiveLimit {
    fn default() -> Self {
        Self { divisor: AtomicI64::new(1) }
    }
}

impl AdaptiveLimit {
    /// Returns `limit` divided by the current divisor, at least 1.
    pub(super) fn apply(&self, limit: i64) -> i64 {
        (limit / self.divisor.load(Ordering::Relaxed)).max(1)
    }

    /// Adapts the divisor to the result of a statement.
    pub(super) fn record<T>(&self, result: &Result<T, StoreError>) {
        let divisor = self.divisor.load(Ordering::Relaxed);
        let next = match result {
            // The divisor shrinks slowly, because the next statement would otherwise time out
            // again.
            Ok(_) => (divisor - (divisor / 8).max(1)).max(1),
            Err(StoreError::Busy) => (divisor * 10).min(MAX_DIVISOR),
            Err(_) => return,
        };
        self.divisor.store(next, Ordering::Relaxed);
    }
}
