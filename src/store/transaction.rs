use sea_orm::{DatabaseTransaction, DbBackend, DbErr};

use super::request::{Reply, Request, runs_statements};
use super::{StoreError, postgres, sqlite};

/// What a committed transaction survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Any death of this process. On PostgreSQL also of the database and its machine.
    ProcessDeath,
    /// Loss of power as well: on SQLite the log is flushed to the disk before the commit returns.
    PowerLoss,
}

/// A transaction, on which statements run. Dropped without a commit, it is rolled back.
#[derive(Debug)]
pub struct Transaction(Inner);

#[derive(Debug)]
enum Inner {
    Sqlite(sqlite::Transaction),
    /// Of SQLite, as well: beside the one that writes.
    Reading(DatabaseTransaction),
    Postgres(postgres::Transaction),
}

impl Transaction {
    /// Makes it true, all of it.
    ///
    /// # Errors
    /// When the database does not confirm it: then it may or may not have happened.
    pub async fn commit(self) -> Result<(), StoreError> {
        match self.0 {
            Inner::Sqlite(transaction) => transaction.commit().await,
            Inner::Reading(transaction) => Ok(transaction.commit().await?),
            Inner::Postgres(transaction) => Ok(transaction.commit().await?),
        }
    }

    fn backend(&self) -> DbBackend {
        match &self.0 {
            Inner::Sqlite(_) | Inner::Reading(_) => DbBackend::Sqlite,
            Inner::Postgres(_) => DbBackend::Postgres,
        }
    }

    async fn ask(&self, request: Request) -> Result<Reply, DbErr> {
        match &self.0 {
            Inner::Sqlite(transaction) => request.run(transaction.connection()).await,
            Inner::Reading(transaction) => request.run(transaction).await,
            Inner::Postgres(transaction) => request.run(transaction).await,
        }
    }
}

runs_statements!(Transaction);

impl From<sqlite::Transaction> for Transaction {
    fn from(transaction: sqlite::Transaction) -> Self {
        Self(Inner::Sqlite(transaction))
    }
}

impl From<postgres::Transaction> for Transaction {
    fn from(transaction: postgres::Transaction) -> Self {
        Self(Inner::Postgres(transaction))
    }
}

impl From<DatabaseTransaction> for Transaction {
    fn from(transaction: DatabaseTransaction) -> Self {
        Self(Inner::Reading(transaction))
    }
}
