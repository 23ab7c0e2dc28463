//! Where owners, links and clicks are kept: the only place that knows which database it is.
//!
//! [`Store`] holds the connections. The modules beside it hold the queries, each a named function
//! that takes a connection or a transaction, so that callers decide what belongs together.

pub mod changes;
pub mod clicks;
mod connect;
mod copy;
pub mod entities;
mod error;
pub mod keys;
pub mod links;
pub mod owners;
pub mod plans;
mod sqlite;
mod writer;

pub use connect::{DatabaseUrl, Missing};
pub use copy::{CopyProgress, copy};
pub use error::StoreError;
pub use sea_orm::ConnectionTrait as Connection;
pub use writer::{Durability, WriteTransaction};

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, FromQueryResult, Statement, Value};

/// Connections to one database. Cloning it is cheap and shares them.
#[derive(Debug, Clone)]
pub struct Store {
    readers: DatabaseConnection,
    writer: writer::Writer,
    /// SQLite's file as it was opened.
    file: Option<sqlite::OpenFile>,
}

impl Store {
    /// Opens the database and does nothing to its schema.
    ///
    /// # Errors
    /// When it cannot be reached, or does not exist and `missing` says that it must.
    pub async fn open(url: &DatabaseUrl, missing: Missing) -> Result<Self, StoreError> {
        connect::open(url, missing).await
    }

    /// For statements that change nothing.
    #[must_use]
    pub fn reader(&self) -> &DatabaseConnection {
        &self.readers
    }

    /// Begins a transaction that writes; waits for its turn where only one may.
    ///
    /// # Errors
    /// When the database cannot be written to.
    pub async fn begin(&self, durability: Durability) -> Result<WriteTransaction, StoreError> {
        self.writer.begin(durability).await
    }

    /// Brings the schema up to date; does nothing where it is already.
    ///
    /// # Errors
    /// [`StoreError::TooNew`], or when the database cannot be read or changed.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        self.writer.migrate().await
    }

    /// Whether the schema is what this program works with.
    ///
    /// # Errors
    /// [`StoreError::TooNew`], [`StoreError::Behind`], or when the database cannot be read.
    pub async fn check_schema(&self) -> Result<(), StoreError> {
        match migration::standing(&self.readers).await? {
            migration::Standing::Ready => Ok(()),
            migration::Standing::Behind => Err(StoreError::Behind),
            migration::Standing::TooNew(major) => Err(StoreError::TooNew { major }),
        }
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        // A table: SQLite would answer a bare SELECT 1 without its file.
        changes::last_number(&self.readers).await?;
        self.file.as_ref().map_or(Ok(()), sqlite::OpenFile::check)
    }

    /// Moves what SQLite has written ahead into the database file, so that readers need not walk
    /// through a long log. Nothing to do on PostgreSQL.
    ///
    /// # Errors
    /// When the database fails; the data are safe all the same.
    pub async fn checkpoint(&self) -> Result<(), StoreError> {
        match self.backend() {
            Backend::Sqlite => sqlite::checkpoint(&self.readers, &self.writer).await,
            Backend::Postgres => Ok(()),
        }
    }

    /// Closes all connections after what is under way on them.
    ///
    /// # Errors
    /// When a connection does not close cleanly.
    pub async fn close(self) -> Result<(), StoreError> {
        self.readers.close().await?;
        self.writer.close().await
    }

    fn backend(&self) -> Backend {
        if self.readers.get_database_backend() == DbBackend::Postgres {
            Backend::Postgres
        } else {
            Backend::Sqlite
        }
    }
}

/// The databases that Terse works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Backend {
    Sqlite,
    Postgres,
}

/// Runs a statement written for both databases; returns how many rows it changed.
async fn execute<C, const N: usize>(
    db: &C,
    sql: &str,
    values: [Value; N],
) -> Result<u64, StoreError>
where
    C: ConnectionTrait,
{
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    Ok(db.execute_raw(statement).await?.rows_affected())
}

/// All rows of a query written for both databases.
async fn rows<R, C, const N: usize>(
    db: &C,
    sql: &str,
    values: [Value; N],
) -> Result<Vec<R>, StoreError>
where
    R: FromQueryResult,
    C: ConnectionTrait,
{
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    Ok(R::find_by_statement(statement).all(db).await?)
}

/// The one row, or none, of a query written for both databases.
async fn row<R, C, const N: usize>(
    db: &C,
    sql: &str,
    values: [Value; N],
) -> Result<Option<R>, StoreError>
where
    R: FromQueryResult,
    C: ConnectionTrait,
{
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    Ok(R::find_by_statement(statement).one(db).await?)
}
