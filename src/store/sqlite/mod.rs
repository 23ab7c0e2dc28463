//! SQLite: one file, one writer at a time on one of two connections, some that read.

mod checkpoint;
mod connection;
mod counting;
mod creations;
mod file;
mod flusher;
mod import;
mod inline;
mod ledger;
mod lookup;
mod queue;

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::{Duration, Instant};

use migration::Standing;
use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use sea_orm::{ConnectOptions, ConnectionTrait as _, Database, DatabaseConnection};
use sea_orm::{SqliteTransactionMode, TransactionOptions, TransactionTrait as _};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use self::connection::Opener;
use self::counting::Counting;
use self::file::{OpenFile, log_of};
use self::flusher::Flusher;
pub(super) use self::import::Importer;
use self::inline::{BUSY_INTERVAL, Inline, is_busy};
use self::lookup::Lookup;
use self::queue::Queue;
pub(super) use self::queue::{Gate, Transaction};
use super::clicks::{Batch, Folded, LinkClicks};
use super::creations::{NewLink, Outcome};
use super::error::Fault;
use super::links::{CountedLink, TargetRow};
use super::pages::Filter;
use super::url::SqliteUrl;
use super::{Durability, Limits, Missing, StoreError};
use crate::values::{Moment, ShortCode};

/// How long a writer waits for another process that is writing to the same file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The writer's own connection waits for no other process: whoever uses it tries again, and lets others
/// have their turn meanwhile.
const IMPATIENT: &str = "PRAGMA busy_timeout = 0";
const PATIENT: &str = "PRAGMA busy_timeout = 5000";
/// But for a migration, which may find another process at the same one: an index of many links takes
/// its time.
const MIGRATION_ATTEMPTS: u32 = 60;
/// Readers unless told otherwise: they do not hinder each other or the writer.
const READERS: u32 = 4;
/// Readers for what is done beside requests: a checkpoint keeps one for as long as the disk takes, and
/// the others are for what adds up, sweeps and follows changes.
const ASIDE: u32 = 3;
/// Bytes that are kept of its file when it begins anew, however long somebody's reading has made it:
/// twice as many as it is to have, so that what was written before is not given back all the time.
const KEPT_LOG: u32 = 128 << 20;

/// An SQLite database. Cloning it is cheap and shares its connections.
#[derive(Debug, Clone)]
pub(super) struct Sqlite {
    pub(super) readers: DatabaseConnection,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Readers for what is done beside requests.
    aside: DatabaseConnection,
    queue: Queue,
    inline: Inline,
    lookup: Lookup,
    counting: Counting,
    opener: Opener,
    flusher: Flusher,
    file: OpenFile,
}

impl Sqlite {
    pub(super) async fn open(
        SqliteUrl { url, path, may_create, may_write }: &SqliteUrl,
        missing: Missing,
        limits: &Limits,
    ) -> Result<Self, StoreError> {
        let missing = if *may_create { missing } else { Missing::Fail };
        // Where nobody can tell, opening it does.
        if missing == Missing::Fail && matches!(path.try_exists(), Ok(false)) {
            return Err(StoreError::Missing { path: path.display().to_string() });
        }
        let mut writer = quiet(url, limits);
        // The one connection is kept for good: another would know nothing of its transaction.
        writer
            .max_connections(1)
            .min_connections(1)
            .idle_timeout(None::<Duration>)
            .max_lifetime(None::<Duration>);
        writer.map_sqlx_sqlite_opts(move |options| {
            // Checkpoints happen in `checkpoint`, off the writer's path.
            let options = configure(options)
                .pragma("wal_autocheckpoint", "0")
                .pragma("journal_size_limit", KEPT_LOG.to_string());
            options.create_if_missing(missing == Missing::Create)
        });
        // The writer comes first: it makes the file and sets its journal mode.
        let writer = Database::connect(writer).await.map_err(|error| {
            let error = StoreError::from(error);
            let StoreError::Database(error) = error else { return error };
            if Fault::is_closed(&error) {
                return StoreError::Closed { path: path.display().to_string(), error };
            }
            StoreError::Database(error)
        })?;
        writer.execute_unprepared(IMPATIENT).await?;
        let readers = limits.connections.unwrap_or(READERS);
        let readers = read(url, limits, readers).await?;
        let opener = Opener::new(path, *may_write);
        let lookup = Lookup::new(opener.clone(), limits);
        let shared = Shared {
            aside: read(url, limits, ASIDE).await?,
            queue: Queue::new(writer),
            inline: Inline::open(opener.clone(), limits.page_bytes)?,
            counting: Counting::start(lookup.clone(), limits.acquire_timeout),
            lookup,
            opener,
            flusher: Flusher::new(path)?,
            file: OpenFile::at(path, log_of(path).map_err(StoreError::Flush)?),
        };
        Ok(Self { readers, shared: Arc::new(shared) })
    }

    /// The same for what is done beside requests, which must not queue with them.
    pub(super) fn aside(&self) -> Self {
        Self { readers: self.shared.aside.clone(), shared: Arc::clone(&self.shared) }
    }

    pub(super) async fn begin(&self, durability: Durability) -> Result<Transaction, StoreError> {
        self.check_file()?;
        if durability == Durability::PowerLoss {
            self.shared.flusher.check()?;
        }
        self.shared.queue.begin(durability).await
    }

    /// Where the link of that code leads.
    pub(super) fn target(&self, code: &ShortCode) -> Result<Option<TargetRow>, StoreError> {
        Ok(match self.shared.inline.read(|connection| lookup::find(connection, code)) {
            Some(Ok(found)) => found,
            // That one waits for nobody; these do.
            Some(Err(_)) | None => self.shared.lookup.target(code)?,
        })
    }

    /// The owner's link of that code, with all its clicks.
    pub(super) async fn count_one(
        &self,
        owner_id: i64,
        code: &ShortCode,
    ) -> Result<Option<CountedLink>, StoreError> {
        self.shared.counting.count_one(owner_id, code).await
    }

    /// At most `limit` of the owner's links below the identifier `before`, newest first.
    pub(super) async fn count_page(
        &self,
        owner_id: i64,
        filter: &Filter,
        before: i64,
        limit: u32,
    ) -> Result<Vec<CountedLink>, StoreError> {
        self.shared.lookup.count_page(owner_id, filter, before, limit).await
    }

    /// Appends clicks to the ledger before all transactions that wait.
    pub(super) async fn append(&self, clicks: &[LinkClicks]) -> Result<(), StoreError> {
        self.check_file()?;
        let started = Instant::now();
        loop {
            let turn = self.shared.queue.take_turn_elsewhere().await;
            match ledger::append(&self.shared.inline, clicks).await {
                // Another process is writing; whoever else wants to write here may ask meanwhile.
                Err(error) if is_busy(&error) && started.elapsed() < BUSY_TIMEOUT => {
                    drop(turn);
                    sleep(BUSY_INTERVAL).await;
                }
                result => return Ok(result?),
            }
        }
    }

    /// Appends a batch, unless it is known to be there.
    pub(super) async fn append_once(&self, batch: &Batch, now: Moment) -> Result<(), StoreError> {
        let transaction = self.begin(Durability::PowerLoss).await?;
        ledger::append_once(transaction.connection(), batch, now).await?;
        transaction.commit().await
    }

    /// Adds a part of the ledger to the links' counts.
    pub(super) async fn fold(&self) -> Result<Folded, StoreError> {
        ledger::fold(&self.shared.lookup, &self.shared.inline, &self.shared.queue).await
    }

    /// Puts a part of the recent counts away, where there are many of them.
    pub(super) async fn put_away(&self) -> Result<Folded, StoreError> {
        let turn = self.shared.queue.take_turn_elsewhere().await;
        ledger::put_away(&self.shared.inline, turn).await
    }

    pub(super) async fn has_many_recent(&self) -> Result<bool, StoreError> {
        ledger::has_many_recent(&self.readers).await
    }

    /// Waits for the transactions that came before.
    pub(super) async fn pass_gate(&self) -> Result<Gate, StoreError> {
        self.shared.queue.pass_gate().await
    }

    /// Makes links in one transaction, or fails at once where another process is writing, or, without
    /// the gate, another transaction is before them. They survive a loss of power from the next flush
    /// on.
    pub(super) async fn make(
        &self,
        links: &[NewLink],
        gate: Option<Gate>,
    ) -> Result<Vec<Outcome>, StoreError> {
        self.check_file()?;
        // What cannot be flushed is not even begun, or each answer of 503 would leave its links.
        self.shared.flusher.check()?;
        let Some(gate) = gate.or_else(|| self.shared.queue.try_gate()) else {
            return Err(StoreError::Contended("others come first".into()));
        };
        let held = self.shared.queue.hold_elsewhere(gate).await;
        creations::make(&self.shared.inline, links, held).await
    }

    /// Lets all that was committed before survive a loss of power.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.shared.flusher.flush()
    }

    /// A transaction that keeps other processes from writing, begun by the driver: the steps of a
    /// migration begin transactions of their own in it.
    pub(super) async fn migrate(&self) -> Result<(), StoreError> {
        // Where there is nothing to do nobody needs to be waited for.
        match migration::standing(&self.readers).await? {
            Standing::Ready | Standing::Ahead => return Ok(()),
            Standing::TooNew(major) => return Err(StoreError::TooNew { major }),
            Standing::Behind => {}
        }
        let turn = self.shared.queue.take_turn(Durability::PowerLoss).await?;
        let sqlite_transaction_mode = Some(SqliteTransactionMode::Immediate);
        let options = TransactionOptions { sqlite_transaction_mode, ..Default::default() };
        turn.connection().execute_unprepared(PATIENT).await?;
        let mut attempts = 1..=MIGRATION_ATTEMPTS;
        let migrated = loop {
            match turn.connection().begin_with_options(options).await {
                Ok(transaction) => break super::migrate(transaction).await,
                // Servers that start together wait for one of them.
                Err(error) if Fault::of(&error) == Fault::Time && attempts.next().is_some() => {
                    tracing::warn!("waiting for another process that writes to the database");
                }
                Err(error) => break Err(error.into()),
            }
        };
        let reset = turn.connection().execute_unprepared(IMPATIENT).await;
        migrated?;
        reset?;
        Ok(())
    }

    /// Whether the path still leads to the file that was opened.
    pub(super) fn check_file(&self) -> Result<(), StoreError> {
        self.shared.file.check()
    }

    pub(super) async fn close(self) -> Result<(), StoreError> {
        self.readers.close().await?;
        self.shared.aside.clone().close().await?;
        self.shared.queue.clone().close().await
    }
}

/// What a thread has come to; none where the runtime is ending. A panic goes on here.
async fn joined<T>(thread: JoinHandle<T>) -> Option<T> {
    match thread.await {
        Ok(result) => Some(result),
        Err(error) => error.try_into_panic().map_or(None, |panic| resume_unwind(panic)),
    }
}

/// Connections that are made when they are needed, so many at most.
async fn read(url: &str, limits: &Limits, most: u32) -> Result<DatabaseConnection, StoreError> {
    let mut options = quiet(url, limits);
    options
        .max_connections(most)
        .connect_lazy(true)
        .map_sqlx_sqlite_opts(|options| configure(options).create_if_missing(false));
    Ok(Database::connect(options).await?)
}

/// Without what costs time at every statement: logging them and asking a connection whether it
/// still lives before each use.
fn quiet(url: &str, limits: &Limits) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options.sqlx_logging(false).test_before_acquire(false).acquire_timeout(limits.acquire_timeout);
    options
}

/// The settings of every connection.
fn configure(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .pragma("journal_mode", "WAL")
        // FULL is the safe one to begin with: the writer steps down where a promise allows it.
        .pragma("synchronous", "FULL")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sea_orm::{DbBackend, Statement};

    use super::*;
    use crate::store::Store;

    async fn open(path: &Path) -> Sqlite {
        // Open until the other is: who closes a file last takes its log away.
        let _store = Store::new_in(path.parent().unwrap()).await;
        let url = SqliteUrl {
            url: format!("sqlite://{}", path.display()),
            path: path.to_owned(),
            may_create: false,
            may_write: true,
        };
        Sqlite::open(&url, Missing::Fail, &Limits::default()).await.unwrap()
    }

    /// As where a client gives its request up.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_transaction_that_nobody_waits_for_is_rolled_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let sqlite = open(&path).await;
        for turns in 0..300 {
            let patience = async {
                for _ in 0..turns {
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! {
                biased;
                begun = sqlite.begin(Durability::ProcessDeath) => drop(begun.unwrap()),
                () = patience => {}
            }
            let other = rusqlite::Connection::open(&path).unwrap();
            other.busy_timeout(Duration::from_secs(2)).unwrap();
            other.execute_batch("BEGIN IMMEDIATE; ROLLBACK").unwrap();
        }
    }

    /// One that still reads what the log began with.
    #[tokio::test]
    async fn after_a_flush_that_failed_nothing_is_made_until_the_log_begins_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let sqlite = open(&path).await;
        sqlite.make(&[], None).await.unwrap();

        let reading = sqlite.readers.begin().await.unwrap();
        let look = Statement::from_string(DbBackend::Sqlite, "SELECT 1 FROM owners");
        reading.query_all_raw(look).await.unwrap();
        sqlite.shared.flusher.fail();
        for _ in 0..2 {
            let told = sqlite.make(&[], None).await.unwrap_err().to_string();
            assert!(told.contains("it failed before"), "{told}");
            assert!(sqlite.begin(Durability::PowerLoss).await.is_err());
            sqlite.checkpoint().await.unwrap();
        }
        reading.rollback().await.unwrap();
        sqlite.checkpoint().await.unwrap();
        sqlite.make(&[], None).await.unwrap();
    }
}
