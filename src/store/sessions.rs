//! Sessions on either database: transactions and imports.

use std::path::Path;

use sea_orm::{DbBackend, DbErr};

use super::call::{Call, CallResult, runs_statements};
use super::error::StoreError;
use super::import::{ImportLink, ImportOutcome};
use super::postgres;
use super::sqlite;

/// A transaction on either database. It rolls back if it is dropped without a commit.
#[derive(Debug)]
pub struct Transaction(pub(super) BackendTransaction);

/// An open transaction of one of the databases.
#[derive(Debug)]
pub(super) enum BackendTransaction {
    Sqlite(sqlite::SqliteTransaction),
    /// A read-only transaction of SQLite, which does not block writers.
    Snapshot(sqlite::SnapshotSession),
    Postgres(postgres::Transaction),
}

impl Transaction {
    /// Commits the transaction.
    ///
    /// # Errors
    /// If the database does not confirm the commit. The transaction may have been committed
    /// nevertheless.
    pub async fn commit(self) -> Result<(), StoreError> {
        match self.0 {
            BackendTransaction::Sqlite(transaction) => transaction.commit().await,
            BackendTransaction::Snapshot(_) => Ok(()),
            BackendTransaction::Postgres(transaction) => transaction.commit().await,
        }
    }

    /// Copies the snapshot of an SQLite database into the empty file `target`. `progress` receives
    /// the number of copied pages and the total.
    ///
    /// # Errors
    /// If the transaction is not a snapshot of SQLite, or a file cannot be read or written.
    pub(super) async fn copy_to_file(
        &self,
        target: &Path,
        progress: impl FnMut(u64, u64) + Send + 'static,
    ) -> Result<(), StoreError> {
        match &self.0 {
            BackendTransaction::Snapshot(session) => {
                Ok(session.copy_to_file(target.to_owned(), progress).await?)
            }
            BackendTransaction::Sqlite(_) | BackendTransaction::Postgres(_) => {
                Err(StoreError::Copy("only a snapshot of SQLite can be copied into a file".into()))
            }
        }
    }

    fn backend(&self) -> DbBackend {
        match &self.0 {
            BackendTransaction::Sqlite(_) | BackendTransaction::Snapshot(_) => DbBackend::Sqlite,
            BackendTransaction::Postgres(_) => DbBackend::Postgres,
        }
    }

    async fn run(&self, call: Call) -> Result<CallResult, DbErr> {
        match &self.0 {
            BackendTransaction::Sqlite(transaction) => call.run(transaction).await,
            BackendTransaction::Snapshot(session) => session.run(call).await,
            BackendTransaction::Postgres(transaction) => call.run(transaction).await,
        }
    }
}

runs_statements!(Transaction);

/// An import into either database.
#[derive(Debug)]
pub(super) enum Importer {
    Sqlite(Box<sqlite::SqliteImporter>),
    Postgres(Box<postgres::Importer>),
}

impl Importer {
    pub(super) async fn put(
        &mut self,
        links: &[ImportLink],
    ) -> Result<Vec<ImportOutcome>, StoreError> {
        match self {
            Self::Sqlite(importer) => importer.put(links).await,
            Self::Postgres(importer) => importer.put(links).await,
        }
    }

    pub(super) async fn finish(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(importer) => importer.finish().await,
            Self::Postgres(importer) => importer.finish().await,
        }
    }
}
