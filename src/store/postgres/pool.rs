//! Pools of connections to PostgreSQL, one for each kind of work.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::postgres::PgPoolOptions;
use sea_orm::sqlx::{self, AssertSqlSafe, ConnectOptions as _};
use sea_orm::{
    ConnectionTrait as _, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    SqlxPostgresConnector, TransactionTrait as _,
};
use tokio::time::{sleep, timeout};

use super::connector::{Isolation, PING_TIMEOUT, PgConnector, ping};
use crate::store::call::{Call, CallResult, runs_statements};
use crate::store::error::StoreError;

/// Default of [`Limits::connections`](crate::store::options::Limits).
pub(super) const DEFAULT_REQUEST_CONNECTIONS: u32 = 10;
/// Number of connections for lookups. The server executes the query of one connection while data of
/// the other are on the network.
pub(super) const LOOKUP_CONNECTIONS: u16 = 2;
/// Number of connections for background tasks. Rollups and deletions may occupy two of them for a
/// long time. The third polls the log of invalidations, because changes must take effect within a second.
const BACKGROUND_CONNECTIONS: u32 = 3;
/// Idle time after which a connection is pinged, because firewalls drop idle connections silently.
const PING_AFTER_IDLE: Duration = Duration::from_secs(5);
/// How long after a statement timeout the pool pings every released connection.
const PING_AFTER_TIMEOUT_FOR: Duration = Duration::from_secs(60);
/// Maximum time for the orderly closing of a pool's connections.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum time that a command waits for its idle connection, and the time between two looks.
const IDLE_TIMEOUT: Duration = Duration::from_millis(100);
const IDLE_INTERVAL: Duration = Duration::from_micros(200);
/// Time for the first connection of a command, after which another connection shows why it fails.
const FIRST_CONNECTION_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum time to connect, and to query the properties of the server.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A pool of connections, directly to the server or through a pooler.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    db: DatabaseConnection,
    connector: PgConnector,
}

impl Pool {
    /// Creates a pool that opens connections on demand.
    pub(super) fn new(connector: &PgConnector, max_connections: u32) -> Self {
        let last_timeout = Arc::clone(&connector.last_timeout);
        let mut options = PgPoolOptions::new()
            .max_connections(max_connections)
            .acquire_timeout(connector.limits.acquire_timeout)
            // Statements that fail on a broken connection are retried, so only connections that may
            // hang are pinged.
            .test_before_acquire(false)
            .before_acquire(|connection, metadata| {
                Box::pin(async move {
                    if metadata.idle_for > PING_AFTER_IDLE {
                        ping(connection, PING_TIMEOUT).await?;
                    }
                    Ok(true)
                })
            })
            .after_release(move |connection, _| {
                let is_suspect = last_timeout.happened_within(PING_AFTER_TIMEOUT_FOR);
                Box::pin(async move {
                    // The driver pings the connection next, but without a timeout.
                    if is_suspect {
                        ping(connection, PING_TIMEOUT).await?;
                    }
                    Ok(true)
                })
            });
        if let Some(settings) = connector.session_settings() {
            options = options.after_connect(move |connection, _| {
                let settings = AssertSqlSafe(settings.clone());
                Box::pin(async move {
                    sqlx::raw_sql(settings).execute(connection).await?;
                    Ok(())
                })
            });
        }
        let pool = options.connect_lazy_with(connector.options.clone());
        let db = SqlxPostgresConnector::from_sqlx_postgres_pool(pool);
        Self { db, connector: connector.clone() }
    }

    pub(super) async fn begin(&self, isolation: Isolation) -> Result<DatabaseTransaction, DbErr> {
        self.wait_for_idle().await;
        let transaction = self.db.begin().await?;
        if let Some(settings) = self.connector.transaction_settings(isolation) {
            transaction.execute_unprepared(&settings).await?;
        }
        Ok(transaction)
    }

    /// Waits in a command until a connection that has just been used is idle again, because the pool
    /// would open another one. A statement may need another one during a transaction.
    async fn wait_for_idle(&self) {
        if self.connector.has_heartbeat() {
            return;
        }
        let pool = self.db.get_postgres_connection_pool();
        let idle = async {
            while pool.size() > 0 && pool.num_idle() == 0 {
                sleep(IDLE_INTERVAL).await;
            }
        };
        let _ = timeout(IDLE_TIMEOUT, idle).await;
    }

    /// Closes each connection after the statement in progress, but gives up after a timeout.
    pub(super) async fn close(&self) {
        // The operating system closes the remaining connections when the process exits.
        let _ = timeout(CLOSE_TIMEOUT, self.db.close_by_ref()).await;
    }

    async fn run(&self, call: Call) -> Result<CallResult, DbErr> {
        if !self.connector.is_pooled {
            return call.run(&self.db).await;
        }
        // The driver prepares the statement first, and must execute it on the same server
        // connection.
        let transaction = self.begin(Isolation::ReadCommitted).await?;
        let result = call.run(&transaction).await?;
        transaction.commit().await?;
        Ok(result)
    }
}

runs_statements!(Pool, DbBackend::Postgres);

/// Kind of work that has a pool of its own in [`LivePools`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PoolKind {
    Requests,
    Lookups,
    Background,
}

/// The pools that are in use between two outages. Each kind of work has its own, so that it does
/// not queue behind another kind.
#[derive(Debug)]
pub(super) struct LivePools {
    pub(super) connector: PgConnector,
    requests: Pool,
    lookups: Pool,
    background: Pool,
}

impl LivePools {
    /// Creates the pools; does not connect.
    pub(super) fn new(connector: PgConnector) -> Arc<Self> {
        let requests = connector.limits.connections.unwrap_or(DEFAULT_REQUEST_CONNECTIONS);
        Arc::new(Self {
            requests: Pool::new(&connector, requests),
            lookups: Pool::new(&connector, LOOKUP_CONNECTIONS.into()),
            background: Pool::new(&connector, BACKGROUND_CONNECTIONS),
            connector,
        })
    }

    /// Opens the first connection of a command. Its statements use the same connection.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub(super) async fn connect(&self) -> Result<(), StoreError> {
        let mut acquired = pin!(self.requests.db.get_postgres_connection_pool().acquire());
        let acquired = match timeout(FIRST_CONNECTION_TIMEOUT, &mut acquired).await {
            Ok(acquired) => acquired,
            Err(_) => {
                // The pool tries again and again if the server refuses connections. Another
                // connection shows why.
                let other = timeout(CONNECT_TIMEOUT, self.connector.options.connect()).await;
                other.map_err(|_| StoreError::Unavailable)?.map_err(StoreError::Unreachable)?;
                timeout(CONNECT_TIMEOUT, acquired).await.map_err(|_| StoreError::Unavailable)?
            }
        };
        let mut connection = acquired.map_err(StoreError::Unreachable)?;
        let checked = timeout(CONNECT_TIMEOUT, self.connector.check_first(&mut connection)).await;
        checked.map_err(|_| StoreError::Unavailable)?.map_err(StoreError::Unreachable)
    }

    pub(super) fn get(&self, kind: PoolKind) -> &Pool {
        match kind {
            PoolKind::Requests => &self.requests,
            PoolKind::Lookups => &self.lookups,
            PoolKind::Background => &self.background,
        }
    }

    pub(super) async fn close(&self) {
        tokio::join!(self.requests.close(), self.lookups.close(), self.background.close());
    }
}
