//! Pools of connections to PostgreSQL, and whether they lead there straight.

use std::io;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgRow};
use sea_orm::sqlx::{
    self, AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, Postgres, Row as _,
};
use sea_orm::{ConnectionTrait as _, DatabaseConnection, DatabaseTransaction, DbErr};
use sea_orm::{SqlxPostgresConnector, TransactionTrait as _};
use tokio::time::timeout;

use super::clock::Clock;
use super::last_time::LastTime;
use super::lookup;
use crate::store::Limits;
use crate::store::request::{Reply, Request, runs_statements};

/// Connections of a process unless told otherwise.
pub(super) const CONNECTIONS: u32 = 10;
/// Those for what is done beside requests: adding clicks up and deleting what is out of date may take
/// long, and what others changed is to hold within a second.
const ASIDE: u32 = 3;
/// How much longer than the server the client waits for a statement: so the server gives it up
/// first and the connection stays of use.
const GRACE: Duration = Duration::from_millis(500);
/// For how long a connection may be unused without being asked whether it still leads anywhere: what is
/// between may forget it and tell nobody.
const REST: Duration = Duration::from_secs(5);
/// How long a connection may take to show that it does.
pub(super) const PING_TIMEOUT: Duration = Duration::from_secs(1);
/// For how long connections that come back are suspected, after a statement took too long on one.
const SUSPICION: Duration = Duration::from_secs(60);

/// The number of the history that the database goes on with, which a promotion counts up. A standby
/// has none of its own.
pub(super) const TIMELINE: &str = "
    SELECT CASE WHEN pg_is_in_recovery() THEN ''
        ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END";

/// How PostgreSQL is reached.
#[derive(Debug, Clone)]
pub(super) struct Route {
    options: PgConnectOptions,
    /// The connections lead to a pooler that lends a server's connection for a transaction
    /// (PgBouncer's transaction mode): what is prepared or set in a session is another's then.
    pub(super) is_pooled: bool,
    /// It says which history it goes on with, as all do that are PostgreSQL itself.
    pub(super) has_timelines: bool,
    pub(super) limits: Limits,
    /// When a statement last took longer than it may, by the client's clock.
    lateness: Arc<LastTime>,
    pub(super) clock: Arc<Clock>,
}

impl Route {
    pub(super) fn new(url: &str, limits: &Limits) -> Result<Self, DbErr> {
        let options = PgConnectOptions::from_str(url)
            .map_err(connect_error)?
            .disable_statement_logging()
            // No query uses floating-point numbers, and older PgBouncers refuse the parameter.
            .extra_float_digits(None)
            .application_name("terse");
        Ok(Self {
            options,
            is_pooled: false,
            has_timelines: false,
            limits: limits.clone(),
            lateness: Arc::default(),
            clock: Arc::default(),
        })
    }

    /// Finds out whether there is a pooler, and whether every text can be kept.
    pub(super) async fn explore(mut self) -> Result<Self, sqlx::Error> {
        let Terrain { encoding, has_timelines, is_pooled } =
            Terrain::of(&self.options, &self.clock).await?;
        self.has_timelines = has_timelines;
        // The second is no encoding: it takes all bytes as they are.
        if !matches!(encoding.as_str(), "UTF8" | "SQL_ASCII") {
            tracing::warn!(
                encoding,
                "the database refuses text with characters that its encoding lacks, and requests \
                 with them are answered 503: create a database with ENCODING 'UTF8'"
            );
        }
        if is_pooled {
            self.is_pooled = true;
            self.options = self.options.statement_cache_capacity(0);
        }
        Ok(self)
    }

    /// A connection beside the pools.
    pub(super) async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        let mut connection = self.options.connect().await?;
        if let Some(settings) = self.session_settings() {
            sqlx::raw_sql(AssertSqlSafe(settings)).execute(&mut connection).await?;
        }
        Ok(connection)
    }

    /// Begins a transaction on a connection beside the pools.
    pub(super) async fn begin<'c>(
        &self,
        connection: &'c mut PgConnection,
    ) -> Result<sqlx::Transaction<'c, Postgres>, sqlx::Error> {
        let mut transaction = connection.begin().await?;
        if let Some(settings) = self.transaction_settings(Isolation::ReadCommitted) {
            sqlx::raw_sql(AssertSqlSafe(settings)).execute(&mut *transaction).await?;
        }
        Ok(transaction)
    }

    /// None through a pooler, where a session is everybody's.
    fn session_settings(&self) -> Option<String> {
        let isolation = "SET default_transaction_isolation = 'read committed'";
        (!self.is_pooled)
            .then(|| format!("{isolation}; {}; {}", durable(false), self.timeouts("SET")))
    }

    /// What begins a transaction: all in one message.
    fn transaction_settings(&self, isolation: Isolation) -> Option<String> {
        let level = match isolation {
            Isolation::ReadCommitted if !self.is_pooled => return None,
            Isolation::ReadCommitted => "READ COMMITTED",
            Isolation::RepeatableRead => "REPEATABLE READ",
        };
        let level = format!("SET TRANSACTION ISOLATION LEVEL {level}");
        Some(if self.is_pooled {
            // Others have prepared statements here under the names that the driver will use.
            format!("{level}; {}; {}; DEALLOCATE ALL", durable(true), self.timeouts("SET LOCAL"))
        } else {
            level
        })
    }

    fn timeouts(&self, set: &str) -> String {
        // 0 means none.
        let millis = |timeout: Option<Duration>| timeout.map_or(0, |timeout| timeout.as_millis());
        format!(
            "{set} statement_timeout = {}; {set} idle_in_transaction_session_timeout = {}",
            millis(self.limits.statement_timeout),
            millis(self.limits.pause_timeout),
        )
    }

    pub(super) fn without_timeouts(mut self) -> Self {
        self.limits.statement_timeout = None;
        self.limits.pause_timeout = None;
        self
    }

    /// A statement took longer than it may: what it was asked on may lead nowhere.
    pub(super) fn suspect(&self) {
        self.lateness.note();
    }

    /// How long to wait for a connection and a statement on it.
    pub(super) fn patience(&self) -> Duration {
        let statement = self.limits.statement_timeout;
        statement.map_or(Duration::MAX, |timeout| self.limits.acquire_timeout + timeout + GRACE)
    }

    /// How long a statement may take as the client sees it.
    pub(super) fn statement_patience(&self) -> Duration {
        self.limits.statement_timeout.map_or(Duration::MAX, |timeout| timeout + GRACE)
    }

    /// A pool whose connections are made when they are needed.
    pub(super) fn pool(&self) -> Pool {
        self.pool_of(self.limits.connections.unwrap_or(CONNECTIONS))
    }

    /// A pool for links that are not in the cache.
    pub(super) fn lookups(&self) -> Pool {
        self.pool_of(lookup::QUERIES)
    }

    /// A pool for what is done beside requests.
    pub(super) fn aside(&self) -> Pool {
        self.pool_of(ASIDE)
    }

    /// A pool of one.
    pub(super) fn single(&self) -> Pool {
        self.pool_of(1)
    }

    fn pool_of(&self, connections: u32) -> Pool {
        let mut options = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(self.limits.acquire_timeout)
            // A connection that has broken is noticed when it is used, and then replaced; not so one
            // that hangs.
            .test_before_acquire(false)
            .before_acquire(|connection, used| {
                Box::pin(async move {
                    if used.idle_for > REST {
                        ping(connection, PING_TIMEOUT).await?;
                    }
                    Ok(true)
                })
            });
        let lateness = Arc::clone(&self.lateness);
        options = options.after_release(move |connection, _| {
            let is_suspect = lateness.within(SUSPICION);
            Box::pin(async move {
                // The driver asks as well, and would wait for as long as the system does.
                if is_suspect {
                    ping(connection, PING_TIMEOUT).await?;
                }
                Ok(true)
            })
        });
        if let Some(settings) = self.session_settings() {
            options = options.after_connect(move |connection, _| {
                let settings = AssertSqlSafe(settings.clone());
                Box::pin(async move {
                    sqlx::raw_sql(settings).execute(connection).await?;
                    Ok(())
                })
            });
        }
        let pool = options.connect_lazy_with(self.options.clone());
        let db = SqlxPostgresConnector::from_sqlx_postgres_pool(pool);
        Pool { db, route: self.clone() }
    }
}

/// Fails where the connection does not answer in that time.
pub(super) async fn ping(
    connection: &mut PgConnection,
    within: Duration,
) -> Result<(), sqlx::Error> {
    timeout(within, connection.ping()).await.unwrap_or_else(|_| Err(late().into()))
}

fn late() -> io::Error {
    io::ErrorKind::TimedOut.into()
}

/// What was answered is on the disk, also where the database's default is to answer before, or becomes
/// so: all other levels promise as much or more.
fn durable(is_local: bool) -> String {
    format!(
        "SELECT set_config('synchronous_commit', CASE level WHEN 'off' THEN 'on' ELSE level END,
             {is_local})
         FROM (SELECT current_setting('synchronous_commit') AS level) AS found"
    )
}

fn connect_error(error: sqlx::Error) -> DbErr {
    DbErr::Conn(sea_orm::RuntimeErr::SqlxError(error.into()))
}

/// What is found at the other end.
struct Terrain {
    encoding: String,
    has_timelines: bool,
    is_pooled: bool,
}

impl Terrain {
    /// Reads the clock on the way.
    async fn of(options: &PgConnectOptions, clock: &Clock) -> Result<Self, sqlx::Error> {
        let mut pair = [options.connect().await?, options.connect().await?];
        clock.ask(&mut pair[0]).await?;
        let row = sqlx::raw_sql("SHOW server_encoding").fetch_one(&mut pair[0]).await?;
        let has_timelines = match sqlx::raw_sql(TIMELINE).fetch_one(&mut pair[0]).await {
            Ok(_) => true,
            Err(sqlx::Error::Database(_)) => false,
            Err(error) => return Err(error),
        };
        let (encoding, is_pooled) = (row.try_get(0)?, is_pooled(pair).await?);
        Ok(Self { encoding, has_timelines, is_pooled })
    }
}

/// Two connections that are open at once have two servers' processes, each always the same, unless
/// somebody between deals them out anew for each transaction.
async fn is_pooled(mut pair: [PgConnection; 2]) -> Result<bool, sqlx::Error> {
    let mut seen = [process(&mut pair[0]).await?, process(&mut pair[1]).await?];
    // In an order that no turn-taking of two servers fits.
    for which in [1, 0, 0, 0, 1, 0, 1, 1] {
        let now = process(&mut pair[which]).await?;
        if seen[0] == seen[1] || now != seen[which] {
            return Ok(true);
        }
        seen[which] = now;
    }
    Ok(false)
}

async fn process(connection: &mut PgConnection) -> Result<String, sqlx::Error> {
    let row: PgRow = sqlx::raw_sql("SELECT pg_backend_pid()::text").fetch_one(connection).await?;
    row.try_get(0)
}

/// How much a transaction sees of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Isolation {
    /// What Terse's statements are written for, whatever the database's default is.
    ReadCommitted,
    /// The database as it is at one moment.
    RepeatableRead,
}

/// A pool, whatever it leads to.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    db: DatabaseConnection,
    route: Route,
}

impl Pool {
    fn backend(&self) -> sea_orm::DbBackend {
        self.db.get_database_backend()
    }

    async fn ask(&self, request: Request) -> Result<Reply, DbErr> {
        if !self.route.is_pooled {
            return request.run(&self.db).await;
        }
        // What is prepared holds for as long as the server's connection is ours.
        let transaction = self.begin(Isolation::ReadCommitted).await?;
        let reply = request.run(&transaction).await?;
        transaction.commit().await?;
        Ok(reply)
    }

    pub(super) async fn begin(&self, isolation: Isolation) -> Result<DatabaseTransaction, DbErr> {
        let transaction = self.db.begin().await?;
        if let Some(settings) = self.route.transaction_settings(isolation) {
            transaction.execute_unprepared(&settings).await?;
        }
        Ok(transaction)
    }

    /// Waits for what is under way.
    pub(super) async fn close(&self) {
        // It never fails.
        let _ = self.db.close_by_ref().await;
    }
}

runs_statements!(Pool);
