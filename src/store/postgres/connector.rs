//! Opens connections to PostgreSQL, and configures their sessions. [`LastEvent`] is a time
//! that tasks share.

use std::io;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::{
    self, AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, PgTransaction,
};
use sea_orm::{DbErr, RuntimeErr};
use tokio::time::timeout;

use super::server_info::{self, Access, Clock};
use crate::store::options::Limits;

/// Maximum time for a response to a ping.
pub(super) const PING_TIMEOUT: Duration = Duration::from_secs(1);
/// Additional time for which the client waits after the server's statement timeout. The server thus
/// cancels the statement first, and the connection stays usable.
const CLIENT_TIMEOUT_MARGIN: Duration = Duration::from_millis(500);

/// Isolation level of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Isolation {
    /// Each statement reads a snapshot of its own. The statements of Terse rely on this level.
    ReadCommitted,
    /// The whole transaction reads one snapshot.
    RepeatableRead,
}

/// Opener of connections to one database.
#[derive(Debug, Clone)]
pub(super) struct PgConnector {
    pub(super) options: PgConnectOptions,
    pub(super) limits: Limits,
    pub(super) clock: Arc<Clock>,
    /// The time at which a statement last exceeded the timeout of the client. The pools then ping
    /// released connections.
    pub(super) last_timeout: Arc<LastEvent>,
    /// Whether a pooler may use another server connection for each transaction. Session settings
    /// and prepared statements are then lost at the end of a transaction. True also while it is not
    /// known.
    pub(super) is_pooled: bool,
    /// Whether the server reports the timeline of its write-ahead log.
    pub(super) has_timelines: bool,
}

impl PgConnector {
    /// Creates a connector from a URL; does not connect.
    pub(super) fn new(url: &str, limits: &Limits) -> Result<Self, DbErr> {
        let options = PgConnectOptions::from_str(url)
            .map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(error.into())))?
            .disable_statement_logging()
            // No query uses floating-point numbers, and older versions of PgBouncer reject the
            // parameter.
            .extra_float_digits(None)
            .application_name("terse");
        // A command assumes a pooler, because the search for one opens another connection, and most
        // commands run few statements.
        let is_pooled = limits.health_check_timeout.is_none();
        Ok(Self {
            options: if is_pooled { options.statement_cache_capacity(0) } else { options },
            limits: limits.clone(),
            clock: Arc::default(),
            last_timeout: Arc::default(),
            is_pooled,
            has_timelines: false,
        })
    }

    /// Connects, adapts the connector to the properties of the server, and returns it with what the
    /// session may do.
    pub(super) async fn adapted_to_server(mut self) -> Result<(Self, Access), sqlx::Error> {
        let mut connection = self.options.connect().await?;
        let access = self.clock.synchronize(&mut connection).await?;
        let encoding = server_info::encoding(&mut connection).await?;
        self.has_timelines = server_info::has_timelines(&mut connection).await?;
        if !self.is_pooled {
            let pair = [connection, self.options.connect().await?];
            self.is_pooled = server_info::shares_processes(pair).await?;
        }
        warn_of_encoding(&encoding);
        if self.is_pooled {
            self.options = self.options.statement_cache_capacity(0);
        }
        Ok((self, access))
    }

    /// Checks the first connection of a command, and sets the clock to the time of its server.
    pub(super) async fn check_first(
        &self,
        connection: &mut PgConnection,
    ) -> Result<(), sqlx::Error> {
        let _ = self.clock.synchronize(connection).await?;
        warn_of_encoding(&server_info::encoding(connection).await?);
        Ok(())
    }

    /// Opens a connection outside the pools.
    pub(super) async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        let mut connection = self.options.connect().await?;
        if let Some(settings) = self.session_settings() {
            sqlx::raw_sql(AssertSqlSafe(settings)).execute(&mut connection).await?;
        }
        Ok(connection)
    }

    /// Begins a transaction on a connection outside the pools.
    pub(super) async fn begin<'c>(
        &self,
        connection: &'c mut PgConnection,
    ) -> Result<PgTransaction<'c>, sqlx::Error> {
        let mut transaction = connection.begin().await?;
        if let Some(settings) = self.transaction_settings(Isolation::ReadCommitted) {
            sqlx::raw_sql(AssertSqlSafe(settings)).execute(&mut *transaction).await?;
        }
        Ok(transaction)
    }

    /// Returns the SQL that configures a new session, or `None` if a pooler shares sessions among
    /// clients.
    pub(super) fn session_settings(&self) -> Option<String> {
        let isolation = "SET default_transaction_isolation = 'read committed'";
        let limits = self.limit_settings("SET");
        (!self.is_pooled).then(|| format!("{isolation}; {}; {limits}", durability_setting(false)))
    }

    /// Returns the SQL that configures a new transaction, or `None` if it needs none.
    pub(super) fn transaction_settings(&self, isolation: Isolation) -> Option<String> {
        let level = match isolation {
            Isolation::ReadCommitted if !self.is_pooled => return None,
            Isolation::ReadCommitted => "READ COMMITTED",
            Isolation::RepeatableRead => "REPEATABLE READ",
        };
        let level = format!("SET TRANSACTION ISOLATION LEVEL {level}");
        if !self.is_pooled {
            return Some(level);
        }
        let limits = self.limit_settings("SET LOCAL");
        // Another client may have prepared statements under the names that the driver uses.
        Some(format!("{level}; {}; {limits}; DEALLOCATE ALL", durability_setting(true)))
    }

    fn limit_settings(&self, set: &str) -> String {
        // PostgreSQL reads 0 as no timeout. Statements run without parallel workers, because a
        // command that scans all links must leave the other CPUs to requests, whose statements are
        // small. Compiling a statement takes longer than running it, even for a month's report.
        let millis = |timeout: Option<Duration>| timeout.map_or(0, |timeout| timeout.as_millis());
        format!(
            "{set} statement_timeout = {}; {set} idle_in_transaction_session_timeout = {}; \
             {set} max_parallel_workers_per_gather = 0; {set} jit = off",
            millis(self.limits.statement_timeout),
            millis(self.limits.pause_timeout),
        )
    }

    /// Returns the same connector without timeouts of statements and transactions.
    pub(super) fn without_timeouts(mut self) -> Self {
        self.limits.statement_timeout = None;
        self.limits.pause_timeout = None;
        self
    }

    /// Returns the maximum time that the client waits for the result of a statement.
    pub(super) fn statement_timeout(&self) -> Duration {
        let timeout = self.limits.statement_timeout;
        timeout.map_or(Duration::MAX, |timeout| timeout + CLIENT_TIMEOUT_MARGIN)
    }

    /// Returns the maximum time that the client waits for a connection and a statement on it.
    pub(super) fn total_timeout(&self) -> Duration {
        self.statement_timeout().saturating_add(self.limits.acquire_timeout)
    }

    /// Returns whether the process checks the database periodically: whether it is a server.
    pub(super) fn has_heartbeat(&self) -> bool {
        self.limits.health_check_timeout.is_some()
    }
}

fn warn_of_encoding(encoding: &str) {
    // An SQL_ASCII database stores all bytes unchanged.
    if !matches!(encoding, "UTF8" | "SQL_ASCII") {
        tracing::warn!(
            encoding,
            "the database rejects characters that its encoding lacks, and requests with them \
             return 503; create a database with ENCODING 'UTF8'"
        );
    }
}

/// Pings the server.
///
/// # Errors
/// If the connection is broken, or the server does not respond within `limit`.
pub(super) async fn ping(
    connection: &mut PgConnection,
    limit: Duration,
) -> Result<(), sqlx::Error> {
    let late = |_| Err(io::Error::from(io::ErrorKind::TimedOut).into());
    timeout(limit, connection.ping()).await.unwrap_or_else(late)
}

/// Converts an error of a statement from the driver's type into SeaORM's.
pub(super) fn statement_error(error: sqlx::Error) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(error.into()))
}

/// Returns SQL that sets `synchronous_commit` to `on` if it is `off`. At every other level, a
/// commit returns only after the server has flushed it.
fn durability_setting(is_local: bool) -> String {
    format!(
        "SELECT set_config('synchronous_commit', CASE level WHEN 'off' THEN 'on' ELSE level END,
             {is_local})
         FROM (SELECT current_setting('synchronous_commit') AS level) AS found"
    )
}

/// The time at which an event last happened, if it ever did.
#[derive(Debug, Default)]
pub(super) struct LastEvent(Mutex<Option<Instant>>);

impl LastEvent {
    /// Records that the event happens now.
    pub(super) fn record(&self) {
        *self.0.lock() = Some(Instant::now());
    }

    /// Returns whether the event happened within the last `duration`.
    pub(super) fn happened_within(&self, duration: Duration) -> bool {
        self.0.lock().is_some_and(|last| last.elapsed() < duration)
    }
}
