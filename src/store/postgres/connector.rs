//! How connections to PostgreSQL are opened, and the settings of their sessions.

use std::io;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::{
    self, AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, PgTransaction,
};
use sea_orm::{DbErr, RuntimeErr};
use tokio::time::timeout;

use super::clock::Clock;
use super::last_event::LastEvent;
use super::server_info::ServerInfo;
use crate::store::limits::Limits;

/// How long a connection may take to answer a ping.
pub(super) const PING_TIMEOUT: Duration = Duration::from_secs(1);
/// How much longer than the server the client waits for a statement: the server then cancels it
/// first, and the connection stays usable.
const CLIENT_TIMEOUT_MARGIN: Duration = Duration::from_millis(500);

/// How much a transaction sees of concurrent ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Isolation {
    /// The level for which Terse's statements are written.
    ReadCommitted,
    /// One snapshot for the whole transaction.
    RepeatableRead,
}

/// Opens connections to one database.
#[derive(Debug, Clone)]
pub(super) struct PgConnector {
    pub(super) options: PgConnectOptions,
    pub(super) limits: Limits,
    pub(super) clock: Arc<Clock>,
    /// When a statement last exceeded the client's timeout.
    pub(super) last_timeout: Arc<LastEvent>,
    /// A pooler may assign another server connection to each transaction, so that neither session
    /// settings nor prepared statements outlive one.
    pub(super) is_pooled: bool,
    /// The server reports the timeline of its write-ahead log.
    pub(super) has_timelines: bool,
}

impl PgConnector {
    /// Creates a connector from a URL; does not connect.
    pub(super) fn new(url: &str, limits: &Limits) -> Result<Self, DbErr> {
        let options = PgConnectOptions::from_str(url)
            .map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(error.into())))?
            .disable_statement_logging()
            // No query uses floating-point numbers, and older PgBouncers refuse the parameter.
            .extra_float_digits(None)
            .application_name("terse");
        Ok(Self {
            options,
            limits: limits.clone(),
            clock: Arc::default(),
            last_timeout: Arc::default(),
            is_pooled: false,
            has_timelines: false,
        })
    }

    /// Connects and adapts to the server.
    pub(super) async fn probe(mut self) -> Result<Self, sqlx::Error> {
        let ServerInfo { encoding, has_timelines, is_pooled } =
            ServerInfo::probe(&self.options, &self.clock).await?;
        self.has_timelines = has_timelines;
        // SQL_ASCII stores all bytes unchanged.
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

    /// Returns the statements for a new connection; none if its session is shared by a pooler.
    pub(super) fn session_settings(&self) -> Option<String> {
        let isolation = "SET default_transaction_isolation = 'read committed'";
        let timeouts = self.timeout_settings("SET");
        (!self.is_pooled).then(|| format!("{isolation}; {}; {timeouts}", durability_setting(false)))
    }

    /// Returns the statements for a new transaction, to be sent in one message.
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
        let timeouts = self.timeout_settings("SET LOCAL");
        // Another client may have prepared statements under the names that the driver uses.
        Some(format!("{level}; {}; {timeouts}; DEALLOCATE ALL", durability_setting(true)))
    }

    fn timeout_settings(&self, set: &str) -> String {
        // PostgreSQL takes 0 for no timeout.
        let millis = |timeout: Option<Duration>| timeout.map_or(0, |timeout| timeout.as_millis());
        format!(
            "{set} statement_timeout = {}; {set} idle_in_transaction_session_timeout = {}",
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

    /// Returns how long the client waits for a statement.
    pub(super) fn statement_timeout(&self) -> Duration {
        let timeout = self.limits.statement_timeout;
        timeout.map_or(Duration::MAX, |timeout| timeout + CLIENT_TIMEOUT_MARGIN)
    }

    /// Returns how long the client waits for a connection and a statement on it.
    pub(super) fn total_timeout(&self) -> Duration {
        self.statement_timeout().saturating_add(self.limits.acquire_timeout)
    }

    /// Records that a statement exceeded its timeout, so that its connection may be dead.
    pub(super) fn mark_timeout(&self) {
        self.last_timeout.record();
    }
}

/// AsStoreError if the connection does not answer within `limit`.
pub(super) async fn ping(
    connection: &mut PgConnection,
    limit: Duration,
) -> Result<(), sqlx::Error> {
    let late = |_| Err(io::Error::from(io::ErrorKind::TimedOut).into());
    timeout(limit, connection.ping()).await.unwrap_or_else(late)
}

/// Converts the driver's error of a statement.
pub(super) fn statement_error(error: sqlx::Error) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(error.into()))
}

/// Returns SQL that sets `synchronous_commit` to `on` if it is `off`, the only level at which a
/// commit returns before it is flushed.
fn durability_setting(is_local: bool) -> String {
    format!(
        "SELECT set_config('synchronous_commit', CASE level WHEN 'off' THEN 'on' ELSE level END,
             {is_local})
         FROM (SELECT current_setting('synchronous_commit') AS level) AS found"
    )
}
