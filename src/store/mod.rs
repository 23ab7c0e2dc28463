//! Where owners, links and clicks are kept: the only place that knows which database it is.
//!
//! [`Store`] holds the connections. The modules beside it hold the queries, each a named function
//! that takes a connection or a transaction, so that callers decide what belongs together.

pub mod changes;
pub mod clicks;
mod copy;
pub mod creations;
pub mod entities;
mod error;
pub mod export;
pub mod idempotency;
pub mod import;
pub mod installation;
pub mod keys;
mod limits;
pub mod links;
pub mod owners;
pub mod pages;
pub mod plans;
mod postgres;
mod request;
mod retry;
mod sqlite;
mod transaction;
mod url;

pub use copy::{CopyProgress, copy};
pub use error::StoreError;
pub use limits::Limits;
pub use retry::{Attempts, Fails};
pub use sea_orm::ConnectionTrait as Connection;
pub use transaction::{Durability, Transaction};
pub use url::DatabaseUrl;

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, FromQueryResult, Statement};
use sea_orm::{TransactionTrait as _, TryGetable, Value};

use self::postgres::{Isolation, Postgres};
use self::request::{Reply, Request, runs_statements};
use self::sqlite::Sqlite;
use crate::values::Moment;

/// What to do where the database does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Make it.
    Create,
    /// Say so.
    Fail,
}

/// Connections to one database. Cloning it is cheap and shares them.
#[derive(Debug, Clone)]
pub struct Store(Reader);

/// A database, for statements that change nothing: they may be asked twice.
#[derive(Debug, Clone)]
pub struct Reader(Backend);

#[derive(Debug, Clone)]
enum Backend {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl Store {
    /// Opens the database and does nothing to its schema.
    ///
    /// # Errors
    /// When it cannot be reached, or does not exist and `missing` says that it must.
    pub async fn open(
        url: &DatabaseUrl,
        missing: Missing,
        limits: &Limits,
    ) -> Result<Self, StoreError> {
        let kind = match &url.0 {
            url::Address::Sqlite(url) => Backend::Sqlite(Sqlite::open(url, missing, limits).await?),
            url::Address::Postgres { url } => Backend::Postgres(Postgres::open(url, limits).await?),
        };
        Ok(Self(Reader(kind)))
    }

    /// For statements that change nothing.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.0
    }

    /// The same database for what is done beside requests, which is not to queue with them.
    #[must_use]
    pub fn aside(&self) -> Self {
        match self.kind() {
            Backend::Sqlite(sqlite) => Self(Reader(Backend::Sqlite(sqlite.aside()))),
            Backend::Postgres(postgres) => Self(Reader(Backend::Postgres(postgres.aside()))),
        }
    }

    /// Lets whoever can run do so first, so many times, where what is to be written then keeps the
    /// thread that asks for it. Elsewhere the work had better begin: they run while it is done.
    pub async fn let_others_run(&self, times: u32) {
        if matches!(self.kind(), Backend::Sqlite(_)) {
            for _ in 0..times {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Begins a transaction that writes; waits for its turn where only one may.
    ///
    /// # Errors
    /// When the database cannot be written to.
    pub async fn begin(&self, durability: Durability) -> Result<Transaction, StoreError> {
        Ok(match self.kind() {
            Backend::Sqlite(sqlite) => sqlite.begin(durability).await?.into(),
            Backend::Postgres(postgres) => postgres.begin(Isolation::ReadCommitted).await?.into(),
        })
    }

    /// Begins a transaction that reads the database as it is at this moment.
    ///
    /// # Errors
    /// When the database fails.
    async fn snapshot(&self) -> Result<Transaction, StoreError> {
        Ok(match self.kind() {
            // A read transaction of SQLite is a snapshot as it is.
            Backend::Sqlite(sqlite) => sqlite.readers.begin().await?.into(),
            Backend::Postgres(postgres) => postgres.begin(Isolation::RepeatableRead).await?.into(),
        })
    }

    /// Brings the schema up to date; does nothing where it is already.
    ///
    /// # Errors
    /// [`StoreError::TooNew`], or when the database cannot be read or changed.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        match self.kind() {
            Backend::Sqlite(sqlite) => sqlite.migrate().await,
            Backend::Postgres(postgres) => postgres.migrate().await,
        }
    }

    /// Whether the schema is what this program works with.
    ///
    /// # Errors
    /// [`StoreError::TooNew`], [`StoreError::Behind`], or when the database cannot be read.
    pub async fn check_schema(&self) -> Result<(), StoreError> {
        match migration::standing(self.reader()).await? {
            migration::Standing::Ready | migration::Standing::Ahead => Ok(()),
            migration::Standing::Behind => Err(StoreError::Behind),
            migration::Standing::TooNew(major) => Err(StoreError::TooNew { major }),
        }
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        match self.kind() {
            Backend::Sqlite(sqlite) => {
                // A table: SQLite would answer a bare SELECT 1 without its file.
                changes::end(self.reader()).await?;
                sqlite.check_file()
            }
            // It is asked all the time.
            Backend::Postgres(postgres) if postgres.is_up() => Ok(()),
            Backend::Postgres(_) => Err(StoreError::Away),
        }
    }

    /// Whether the database answered when it was last asked; SQLite, which is in this process, does.
    #[must_use]
    pub fn is_up(&self) -> bool {
        match self.kind() {
            Backend::Sqlite(_) => true,
            Backend::Postgres(postgres) => postgres.is_up(),
        }
    }

    /// The time that all instances have in common: what one keeps for a while, another whose clock is
    /// wrong must not find out of date.
    #[must_use]
    pub fn now(&self) -> Moment {
        match self.kind() {
            Backend::Sqlite(_) => Moment::now(),
            Backend::Postgres(postgres) => postgres.now(),
        }
    }

    /// Moves what SQLite has written ahead into the database file, so that readers need not walk
    /// through a long log. Nothing to do on PostgreSQL.
    ///
    /// # Errors
    /// When the database fails; the data are safe all the same.
    pub async fn checkpoint(&self) -> Result<(), StoreError> {
        match self.kind() {
            Backend::Sqlite(sqlite) => sqlite.checkpoint().await,
            Backend::Postgres(_) => Ok(()),
        }
    }

    /// Closes the drivers' connections after what is under way on them. Those without a driver are closed
    /// when nobody has them any more.
    ///
    /// # Errors
    /// When a connection does not close cleanly.
    pub async fn close(self) -> Result<(), StoreError> {
        match self.0.0 {
            Backend::Sqlite(sqlite) => sqlite.close().await,
            Backend::Postgres(postgres) => {
                postgres.close().await;
                Ok(())
            }
        }
    }

    fn kind(&self) -> &Backend {
        &self.0.0
    }
}

#[cfg(test)]
impl Store {
    /// A new database on SQLite: `t.db` in the directory.
    pub(crate) async fn new_in(directory: &std::path::Path) -> Self {
        let url = format!("sqlite://{}", directory.join("t.db").display());
        let limits = Limits::default();
        let store = Self::open(&url.parse().unwrap(), Missing::Create, &limits).await.unwrap();
        store.migrate().await.unwrap();
        store
    }
}

impl Reader {
    fn backend(&self) -> DbBackend {
        match &self.0 {
            Backend::Sqlite(_) => DbBackend::Sqlite,
            Backend::Postgres(_) => DbBackend::Postgres,
        }
    }

    /// Which of its histories the database goes on with: a standby that is promoted begins another,
    /// and so does one that is restored; the last transactions may be missing in it, and what they
    /// made others can be known by the same numbers. None where there is but one.
    async fn timeline(&self) -> Result<Option<String>, StoreError> {
        match &self.0 {
            Backend::Sqlite(_) => Ok(None),
            Backend::Postgres(postgres) => postgres.timeline().await,
        }
    }

    async fn ask(&self, request: Request) -> Result<Reply, DbErr> {
        match &self.0 {
            Backend::Sqlite(sqlite) => request.run(&sqlite.readers).await,
            Backend::Postgres(postgres) => request.run(postgres).await,
        }
    }
}

runs_statements!(Reader);

/// Brings the schema up to date in a transaction that keeps others out: of instances that start
/// together one does the work and the others find it done.
async fn migrate(transaction: DatabaseTransaction) -> Result<(), StoreError> {
    use migration::{Migrator, MigratorTrait, Standing};

    match migration::standing(&transaction).await? {
        Standing::Ready | Standing::Ahead => Ok(transaction.rollback().await?),
        Standing::TooNew(major) => Err(StoreError::TooNew { major }),
        Standing::Behind => {
            Migrator::up(&transaction, None).await?;
            Ok(transaction.commit().await?)
        }
    }
}

/// A statement written for both databases.
fn statement(
    db: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Statement {
    Statement::from_sql_and_values(db.get_database_backend(), sql, values)
}

/// Runs a statement written for both databases; returns how many rows it changed.
async fn execute<C>(
    db: &C,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<u64, StoreError>
where
    C: ConnectionTrait,
{
    Ok(db.execute_raw(statement(db, sql, values)).await?.rows_affected())
}

/// All rows of a query written for both databases.
async fn rows<R, C>(
    db: &C,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Vec<R>, StoreError>
where
    R: FromQueryResult,
    C: ConnectionTrait,
{
    Ok(R::find_by_statement(statement(db, sql, values)).all(db).await?)
}

/// The one row, or none, of a query written for both databases.
async fn row<R, C>(
    db: &C,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Option<R>, StoreError>
where
    R: FromQueryResult,
    C: ConnectionTrait,
{
    Ok(R::find_by_statement(statement(db, sql, values)).one(db).await?)
}

/// The first value of the one row, or none, of a query written for both databases.
async fn scalar<T, C>(
    db: &C,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Option<T>, StoreError>
where
    T: TryGetable,
    C: ConnectionTrait,
{
    let row = db.query_one_raw(statement(db, sql, values)).await?;
    Ok(row.map(|row| row.try_get_by_index(0)).transpose()?)
}
