//! The one way to write.
//!
//! SQLite has one writer at a time, whoever it is. Terse lets its own writers queue for one
//! connection, in order, where they would otherwise poll for the file's lock and starve each other.
//! PostgreSQL needs no such queue.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseExecutor, DatabaseTransaction,
    SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::timeout;

use super::{StoreError, sqlite};

/// How long a transaction waits for those before it.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

/// What a committed transaction survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Any death of this process. On PostgreSQL also of the database and its machine.
    ProcessDeath,
    /// Loss of power as well: on SQLite the log is flushed to the disk before the commit returns.
    PowerLoss,
}

/// Who writes.
#[derive(Debug, Clone)]
pub(super) enum Writer {
    /// PostgreSQL, through a pool of its connections.
    Shared(DatabaseConnection),
    /// SQLite, through a pool of exactly one connection.
    Single(DatabaseConnection, Queue),
}

/// Who may write next on SQLite. Transactions wait at the gate, one of them for the turn: a batch of
/// clicks, which goes past the gate, waits for one transaction at most.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    gate: Arc<Mutex<()>>,
    turn: Arc<Mutex<Turn>>,
}

/// What the last one left behind on SQLite's one connection.
#[derive(Debug)]
pub(super) struct Turn {
    /// What commits survive as the connection is set.
    durability: Durability,
    /// A transaction was begun and not committed.
    unfinished: bool,
}

/// A transaction that writes. Dropped without a commit, it is rolled back.
#[derive(Debug)]
pub struct WriteTransaction(Option<Inner>);

#[derive(Debug)]
enum Inner {
    Shared(DatabaseTransaction),
    /// Its turn ends before the gate opens.
    Single(DatabaseConnection, OwnedMutexGuard<Turn>, OwnedMutexGuard<()>),
}

impl WriteTransaction {
    /// What the statements run on.
    #[must_use]
    #[expect(clippy::expect_used, reason = "only commit and drop take it, and both end it")]
    pub fn connection(&self) -> DatabaseExecutor<'_> {
        match self.0.as_ref().expect("a transaction that has not ended") {
            Inner::Shared(transaction) => transaction.into(),
            Inner::Single(connection, ..) => connection.into(),
        }
    }

    /// Makes it true, all of it.
    ///
    /// # Errors
    /// When the database does not confirm it: then it may or may not have happened.
    pub async fn commit(mut self) -> Result<(), StoreError> {
        if let Some(Inner::Single(connection, turn, _)) = &mut self.0 {
            connection.execute_unprepared("COMMIT").await?;
            turn.unfinished = false;
        }
        if let Some(Inner::Shared(transaction)) = self.0.take() {
            transaction.commit().await?;
        }
        Ok(())
    }
}

impl Drop for WriteTransaction {
    /// A transaction that was given up must not keep other processes from writing until the next
    /// one begins. Its turn ends when it is rolled back.
    fn drop(&mut self) {
        if let Some(Inner::Single(connection, mut turn, gate)) = self.0.take()
            && turn.unfinished
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move {
                roll_back(&connection, &mut turn).await;
                drop((turn, gate));
            });
        }
    }
}

impl Writer {
    pub(super) fn shared(db: DatabaseConnection) -> Self {
        Self::Shared(db)
    }

    /// The connection flushes at every commit, as [`sqlite::configure`] sets it.
    pub(super) fn single(db: DatabaseConnection) -> Self {
        let turn = Turn { durability: Durability::PowerLoss, unfinished: false };
        let queue = Queue { gate: Arc::default(), turn: Arc::new(Mutex::new(turn)) };
        Self::Single(db, queue)
    }

    pub(super) async fn begin(
        &self,
        durability: Durability,
    ) -> Result<WriteTransaction, StoreError> {
        match self {
            Self::Shared(db) => Ok(WriteTransaction(Some(Inner::Shared(db.begin().await?)))),
            Self::Single(db, queue) => {
                let gate = Arc::clone(&queue.gate).lock_owned();
                let gate = timeout(QUEUE_TIMEOUT, gate).await.map_err(|_| StoreError::Busy)?;
                let mut turn = take(db, &queue.turn, durability).await?;
                turn.unfinished = true;
                let transaction = WriteTransaction(Some(Inner::Single(db.clone(), turn, gate)));
                // A deferred transaction that reads before it writes fails at once, without
                // waiting, when another process has written in between.
                db.execute_unprepared("BEGIN IMMEDIATE").await?;
                Ok(transaction)
            }
        }
    }

    /// Runs `work` on the bare connection, before all transactions that wait: for a single statement,
    /// which is a transaction of its own.
    pub(super) async fn alone<T, F>(&self, durability: Durability, work: F) -> Result<T, StoreError>
    where
        F: AsyncFnOnce(&DatabaseConnection) -> Result<T, StoreError>,
    {
        match self {
            Self::Shared(db) => work(db).await,
            Self::Single(db, queue) => {
                let _turn = take(db, &queue.turn, durability).await?;
                work(db).await
            }
        }
    }

    /// Brings the schema up to date.
    pub(super) async fn migrate(&self) -> Result<(), StoreError> {
        match self {
            Self::Shared(db) => {
                let transaction = db.begin().await?;
                transaction.execute_unprepared(LOCK_MIGRATION).await?;
                migrate(transaction).await
            }
            Self::Single(db, queue) => {
                let _turn = take(db, &queue.turn, Durability::PowerLoss).await?;
                // The steps begin transactions of their own in this one.
                let sqlite_transaction_mode = Some(SqliteTransactionMode::Immediate);
                let options = TransactionOptions { sqlite_transaction_mode, ..Default::default() };
                migrate(db.begin_with_options(options).await?).await
            }
        }
    }

    pub(super) async fn close(self) -> Result<(), StoreError> {
        let (Self::Shared(db) | Self::Single(db, _)) = self;
        Ok(db.close().await?)
    }
}

/// Waits for its turn on SQLite's one connection, and finds it without a transaction and set to
/// what is asked for.
///
/// Transactions are begun and ended by statements, not by the driver: SQLite rolls back by itself
/// where the disk is full or fails, the driver goes on counting one level, and all that it "commits"
/// from then on is a savepoint in a transaction that nobody ends.
async fn take(
    db: &DatabaseConnection,
    turn: &Arc<Mutex<Turn>>,
    durability: Durability,
) -> Result<OwnedMutexGuard<Turn>, StoreError> {
    let mut turn = Arc::clone(turn).lock_owned().await;
    if turn.unfinished {
        roll_back(db, &mut turn).await;
    }
    if turn.durability != durability {
        db.execute_unprepared(sqlite::synchronous(durability)).await?;
        turn.durability = durability;
    }
    Ok(turn)
}

/// It fails where SQLite has rolled back by itself; either way there is no transaction then.
async fn roll_back(db: &DatabaseConnection, turn: &mut Turn) {
    let _ = db.execute_unprepared("ROLLBACK").await;
    turn.unfinished = false;
}

/// Asked inside of a transaction that keeps others out: of instances that start together one does
/// the work and the others find it done.
async fn migrate(transaction: DatabaseTransaction) -> Result<(), StoreError> {
    use migration::{Migrator, MigratorTrait, Standing};

    match migration::standing(&transaction).await? {
        Standing::Ready => Ok(transaction.rollback().await?),
        Standing::TooNew(major) => Err(StoreError::TooNew { major }),
        Standing::Behind => {
            Migrator::up(&transaction, None).await?;
            Ok(transaction.commit().await?)
        }
    }
}

/// The number is of no meaning but that it is Terse's own. The lock goes with the transaction.
const LOCK_MIGRATION: &str = "SELECT pg_advisory_xact_lock(7305234870123)";
