//! Who may write next.
//!
//! SQLite has one writer at a time, whoever it is. Terse lets its own writers queue for one
//! connection, in order, where they would otherwise poll for the file's lock and starve each other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait as _, DatabaseConnection, DbErr};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::{sleep, timeout};

use super::inline::BUSY_INTERVAL;
use crate::store::error::Fault;
use crate::store::{Durability, StoreError};

/// How long a transaction waits for those before it, and for other processes.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

/// Transactions wait in line for the gate, one of them at the gate, and one for the turn. A batch of
/// clicks, which goes past the gate, waits for one transaction at most; a batch of links, which goes past
/// the line, for two: however many change one thing each, those who create are not kept waiting.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    /// A pool of exactly one.
    connection: DatabaseConnection,
    line: Arc<Mutex<()>>,
    gate: Arc<Mutex<()>>,
    turn: Arc<Mutex<Left>>,
}

/// What the last one left behind on the connection.
#[derive(Debug)]
struct Left {
    /// What commits survive as the connection is set; none while it is being set.
    durability: Option<Durability>,
    /// A transaction was begun and not committed.
    unfinished: bool,
}

/// The connection for oneself.
#[derive(Debug)]
pub(super) struct Turn {
    connection: DatabaseConnection,
    left: OwnedMutexGuard<Left>,
}

/// No other transaction comes before the one who has this.
#[derive(Debug)]
pub(in crate::store) struct Gate(#[expect(dead_code, reason = "it is held")] OwnedMutexGuard<()>);

/// A transaction that writes. Dropped without a commit, it is rolled back.
#[derive(Debug)]
pub(in crate::store) struct Transaction(Option<Held>);

/// The turn of somebody who has waited at the gate. It ends before the gate opens.
#[derive(Debug)]
pub(super) struct Held {
    turn: Turn,
    gate: Gate,
}

impl Queue {
    pub(super) fn new(connection: DatabaseConnection) -> Self {
        // It flushes at every commit, as it was configured.
        let left = Left { durability: Some(Durability::PowerLoss), unfinished: false };
        Self {
            connection,
            line: Arc::default(),
            gate: Arc::default(),
            turn: Arc::new(Mutex::new(left)),
        }
    }

    pub(super) async fn begin(&self, durability: Durability) -> Result<Transaction, StoreError> {
        let started = Instant::now();
        let mut gate = self.wait_in_line().await?;
        loop {
            let mut turn = self.take_turn(durability).await?;
            turn.left.unfinished = true;
            let connection = turn.connection.clone();
            // Before it begins: where nobody waits for it any more it is rolled back all the same.
            let mut transaction = Transaction(Some(Held { turn, gate }));
            // A deferred transaction that reads before it writes fails at once, without waiting, when
            // another process has written in between.
            match connection.execute_unprepared("BEGIN IMMEDIATE").await {
                Ok(_) => return Ok(transaction),
                // Clicks are not to wait for the turn while another process is waited for.
                Err(error)
                    if Fault::of(&error) == Fault::Time && started.elapsed() < QUEUE_TIMEOUT =>
                {
                    let Some(mut held) = transaction.0.take() else { return Err(error.into()) };
                    held.turn.left.unfinished = false;
                    drop(held.turn);
                    gate = held.gate;
                    sleep(BUSY_INTERVAL).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The turn to write on another connection, for one who has passed the gate.
    pub(super) async fn hold_elsewhere(&self, gate: Gate) -> Held {
        Held { turn: self.take_turn_elsewhere().await, gate }
    }

    async fn wait_in_line(&self) -> Result<Gate, StoreError> {
        let gate = async {
            let _first = self.line.lock().await;
            Gate(Arc::clone(&self.gate).lock_owned().await)
        };
        timeout(QUEUE_TIMEOUT, gate).await.map_err(|_| StoreError::Busy)
    }

    /// Waits at the gate, past the line.
    pub(super) async fn pass_gate(&self) -> Result<Gate, StoreError> {
        let gate = Arc::clone(&self.gate).lock_owned();
        timeout(QUEUE_TIMEOUT, gate).await.map(Gate).map_err(|_| StoreError::Busy)
    }

    /// Passes where nobody waits.
    pub(super) fn try_gate(&self) -> Option<Gate> {
        Arc::clone(&self.gate).try_lock_owned().ok().map(Gate)
    }

    /// Waits for the connection past the gate, and finds it without a transaction and set to what is
    /// asked for.
    ///
    /// Transactions are begun and ended by statements, not by the driver: SQLite rolls back by itself
    /// where the disk is full or fails, the driver goes on counting one level, and all that it
    /// "commits" from then on is a savepoint in a transaction that nobody ends.
    pub(super) async fn take_turn(&self, durability: Durability) -> Result<Turn, StoreError> {
        let mut turn = self.take_turn_elsewhere().await;
        if turn.left.durability != Some(durability) {
            // It may be set although nobody waits for that any more.
            turn.left.durability = None;
            turn.connection.execute_unprepared(synchronous(durability)).await?;
            turn.left.durability = Some(durability);
        }
        Ok(turn)
    }

    /// Waits for the turn of whoever writes on another connection, so that they find the file
    /// unlocked.
    pub(super) async fn take_turn_elsewhere(&self) -> Turn {
        let left = Arc::clone(&self.turn).lock_owned().await;
        let mut turn = Turn { connection: self.connection.clone(), left };
        if turn.left.unfinished {
            turn.roll_back().await;
        }
        turn
    }

    pub(super) async fn close(self) -> Result<(), StoreError> {
        Ok(self.connection.close().await?)
    }
}

impl Turn {
    pub(super) fn connection(&self) -> &DatabaseConnection {
        &self.connection
    }

    /// It fails where SQLite has rolled back by itself; either way there is no transaction then, unless
    /// the connection was not to be had, and the next one tries again.
    async fn roll_back(&mut self) {
        let rolled_back = self.connection.execute_unprepared("ROLLBACK").await;
        self.left.unfinished = matches!(rolled_back, Err(DbErr::ConnectionAcquire(_)));
    }
}

impl Transaction {
    /// What its statements run on.
    #[expect(clippy::expect_used, reason = "only commit and drop take it, and both end it")]
    pub(in crate::store) fn connection(&self) -> &DatabaseConnection {
        &self.0.as_ref().expect("a transaction that has not ended").turn.connection
    }

    pub(in crate::store) async fn commit(mut self) -> Result<(), StoreError> {
        if let Some(held) = &mut self.0 {
            held.turn.connection.execute_unprepared("COMMIT").await?;
            held.turn.left.unfinished = false;
        }
        Ok(())
    }
}

impl Drop for Transaction {
    /// A transaction that was given up must not keep other processes from writing until the next
    /// one begins. Its turn ends when it is rolled back.
    fn drop(&mut self) {
        if let Some(Held { mut turn, gate }) = self.0.take()
            && turn.left.unfinished
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move {
                turn.roll_back().await;
                drop((turn, gate));
            });
        }
    }
}

/// In WAL mode NORMAL does not flush at a commit: what was written is with the operating system,
/// which outlives the process.
fn synchronous(durability: Durability) -> &'static str {
    match durability {
        Durability::ProcessDeath => "PRAGMA synchronous = NORMAL",
        Durability::PowerLoss => "PRAGMA synchronous = FULL",
    }
}
