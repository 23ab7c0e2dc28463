//! The one way to write.
//!
//! SQLite has one writer at a time, whoever it is. Terse lets its own writers queue for one
//! connection, in order, where they would otherwise poll for the file's lock and starve each other.
//! PostgreSQL needs no such queue.

use std::sync::Arc;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, SqliteTransactionMode,
    TransactionOptions, TransactionTrait,
};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::{StoreError, sqlite};

/// What a committed transaction survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Any death of this process. On PostgreSQL also of the database and its machine.
    ProcessDeath,
    /// Loss of power as well: on SQLite the log is flushed to the disk before the commit returns.
    PowerLoss,
}

/// The connection that writes.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    db: DatabaseConnection,
    /// On SQLite: whose turn it is, and what the connection's last transaction was to survive.
    turn: Option<Arc<Mutex<Durability>>>,
}

/// A transaction that writes. Dropped without a commit, it is rolled back.
#[derive(Debug)]
pub struct WriteTransaction {
    transaction: DatabaseTransaction,
    /// Held until the transaction has ended.
    _turn: Option<OwnedMutexGuard<Durability>>,
}

impl WriteTransaction {
    /// What the statements run on.
    #[must_use]
    pub fn connection(&self) -> &DatabaseTransaction {
        &self.transaction
    }

    /// Makes it true, all of it.
    ///
    /// # Errors
    /// When the database does not confirm it: then it may or may not have happened.
    pub async fn commit(self) -> Result<(), StoreError> {
        Ok(self.transaction.commit().await?)
    }
}

impl Writer {
    /// For PostgreSQL, through a pool of its connections.
    pub(super) fn shared(db: DatabaseConnection) -> Self {
        Self { db, turn: None }
    }

    /// For SQLite, through a pool of exactly one connection that flushes at every commit.
    pub(super) fn single(db: DatabaseConnection) -> Self {
        Self { db, turn: Some(Arc::new(Mutex::new(Durability::PowerLoss))) }
    }

    pub(super) async fn begin(
        &self,
        durability: Durability,
    ) -> Result<WriteTransaction, StoreError> {
        let turn = self.take_turn(durability).await?;
        let options = TransactionOptions {
            // A deferred transaction that reads before it writes fails at once, without waiting,
            // when another process has written in between.
            sqlite_transaction_mode: turn.as_ref().map(|_| SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let transaction = self.db.begin_with_options(options).await?;
        Ok(WriteTransaction { transaction, _turn: turn })
    }

    /// Runs `work` on the bare connection, when it is its turn: for a single statement, which is a
    /// transaction of its own.
    pub(super) async fn alone<T, F>(&self, durability: Durability, work: F) -> Result<T, StoreError>
    where
        F: AsyncFnOnce(&DatabaseConnection) -> Result<T, StoreError>,
    {
        let _turn = self.take_turn(durability).await?;
        work(&self.db).await
    }

    pub(super) async fn migrate(&self) -> Result<(), StoreError> {
        use migration::{Migrator, MigratorTrait, Standing};

        let transaction = self.begin(Durability::PowerLoss).await?;
        // Asked inside of the transaction: of instances that start together one does the work and
        // the others find it done. On PostgreSQL the lock goes with the transaction.
        if self.turn.is_none() {
            transaction.connection().execute_unprepared(LOCK_MIGRATION).await?;
        }
        match migration::standing(transaction.connection()).await? {
            Standing::Ready => Ok(()),
            Standing::TooNew(major) => Err(StoreError::TooNew { major }),
            Standing::Behind => {
                Migrator::up(transaction.connection(), None).await?;
                transaction.commit().await
            }
        }
    }

    pub(super) async fn close(self) -> Result<(), StoreError> {
        Ok(self.db.close().await?)
    }

    async fn take_turn(
        &self,
        durability: Durability,
    ) -> Result<Option<OwnedMutexGuard<Durability>>, StoreError> {
        let Some(turn) = &self.turn else { return Ok(None) };
        let mut turn = Arc::clone(turn).lock_owned().await;
        if *turn != durability {
            self.db.execute_unprepared(sqlite::synchronous(durability)).await?;
            *turn = durability;
        }
        Ok(Some(turn))
    }
}

/// The number is of no meaning but that it is Terse's own.
const LOCK_MIGRATION: &str = "SELECT pg_advisory_xact_lock(7305234870123)";
