//! Pools of connections to PostgreSQL, and whether they lead there straight.

use std::str::FromStr as _;
use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgRow};
use sea_orm::sqlx::{self, AssertSqlSafe, ConnectOptions as _, PgConnection, Row as _};
use sea_orm::{ConnectionTrait as _, DatabaseConnection, DatabaseTransaction, DbErr};
use sea_orm::{SqlxPostgresConnector, TransactionOptions, TransactionTrait as _};

use crate::store::Limits;
use crate::store::request::{Reply, Request, runs_statements};

/// Connections of a process unless told otherwise.
const CONNECTIONS: u32 = 10;
/// How much longer than the server the client waits for a statement: so the server gives it up
/// first and the connection stays of use.
const GRACE: Duration = Duration::from_millis(500);

/// How PostgreSQL is reached.
#[derive(Debug, Clone)]
pub(super) struct Route {
    options: PgConnectOptions,
    /// The connections lead to a pooler that lends a server's connection for a transaction
    /// (PgBouncer's transaction mode): what is prepared or set in a session is another's then.
    pub(super) is_pooled: bool,
    pub(super) limits: Limits,
}

impl Route {
    pub(super) fn new(url: &str, limits: &Limits) -> Result<Self, DbErr> {
        let options = PgConnectOptions::from_str(url)
            .map_err(connect_error)?
            .disable_statement_logging()
            // No query uses floating-point numbers, and older PgBouncers refuse the parameter.
            .extra_float_digits(None)
            .application_name("terse");
        Ok(Self { options, is_pooled: false, limits: limits.clone() })
    }

    /// Finds out whether there is a pooler.
    pub(super) async fn explore(mut self) -> Result<Self, sqlx::Error> {
        if is_pooled(&self.options).await? {
            self.is_pooled = true;
            self.options = self.options.statement_cache_capacity(0);
        }
        Ok(self)
    }

    pub(super) async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        let mut connection = self.options.connect().await?;
        self.set_up(&mut connection).await?;
        Ok(connection)
    }

    /// Statements and transactions that nobody waits for any more are not to hold others up.
    async fn set_up(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        if let Some(settings) = self.session_settings() {
            sqlx::raw_sql(AssertSqlSafe(settings)).execute(connection).await?;
        }
        Ok(())
    }

    fn session_settings(&self) -> Option<String> {
        let timeout = self.limits.statement_timeout.filter(|_| !self.is_pooled)?.as_millis();
        Some(format!(
            "SET statement_timeout = {timeout}; SET idle_in_transaction_session_timeout = {timeout}"
        ))
    }

    pub(super) fn without_timeouts(mut self) -> Self {
        self.limits.statement_timeout = None;
        self
    }

    /// How long a statement may take as the client sees it.
    pub(super) fn patience(&self) -> Duration {
        self.limits.statement_timeout.map_or(Duration::MAX, |timeout| timeout + GRACE)
    }

    /// A pool whose connections are made when they are needed.
    pub(super) fn pool(&self) -> Pool {
        let mut options = PgPoolOptions::new()
            .max_connections(self.limits.connections.unwrap_or(CONNECTIONS))
            .acquire_timeout(self.limits.acquire_timeout)
            // A connection that has broken is noticed when it is used, and then replaced.
            .test_before_acquire(false);
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
        Pool { db, is_pooled: self.is_pooled }
    }
}

fn connect_error(error: sqlx::Error) -> DbErr {
    DbErr::Conn(sea_orm::RuntimeErr::SqlxError(error.into()))
}

/// Two connections that are open at once have two servers' processes, each always the same, unless
/// somebody between deals them out anew for each transaction.
async fn is_pooled(options: &PgConnectOptions) -> Result<bool, sqlx::Error> {
    let mut pair = [options.connect().await?, options.connect().await?];
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

/// A pool, whatever it leads to.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    db: DatabaseConnection,
    is_pooled: bool,
}

impl Pool {
    fn backend(&self) -> sea_orm::DbBackend {
        self.db.get_database_backend()
    }

    async fn ask(&self, request: Request) -> Result<Reply, DbErr> {
        if !self.is_pooled {
            return request.run(&self.db).await;
        }
        // What is prepared holds for as long as the server's connection is ours.
        let transaction = self.begin(TransactionOptions::default()).await?;
        let reply = request.run(&transaction).await?;
        transaction.commit().await?;
        Ok(reply)
    }

    pub(super) async fn begin(
        &self,
        options: TransactionOptions,
    ) -> Result<DatabaseTransaction, DbErr> {
        let transaction = self.db.begin_with_options(options).await?;
        if self.is_pooled {
            // Others have prepared statements here under the names that the driver is about to use.
            transaction.execute_unprepared("DEALLOCATE ALL").await?;
        }
        Ok(transaction)
    }

    pub(super) async fn close(self) {
        // What is under way on it ends by itself or with its connection.
        let _ = self.db.close().await;
    }
}

runs_statements!(Pool);
