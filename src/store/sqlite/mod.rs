//! SQLite: one file, one connection that writes, some that read.

mod creations;
mod file;
mod flusher;
mod import;
mod inline;
mod ledger;
mod lookup;
mod queue;

use std::path::Path;
use std::time::Duration;

use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use sea_orm::{ConnectOptions, ConnectionTrait as _, Database, DatabaseConnection, DbBackend};
use sea_orm::{SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait as _};

use self::file::OpenFile;
use self::flusher::Flusher;
pub(super) use self::import::Importer;
use self::inline::Inline;
use self::lookup::Lookup;
use self::queue::Queue;
pub(super) use self::queue::Transaction;
use super::clicks::{Folded, LinkClicks};
use super::creations::{NewLink, Outcome};
use super::error::Fault;
use super::links::{CountedLink, TargetRow};
use super::pages::Filter;
use super::{Durability, Limits, Missing, StoreError};
use crate::values::ShortCode;

/// How long a writer waits for another process that is writing to the same file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Readers unless told otherwise: they do not hinder each other or the writer.
const READERS: u32 = 4;
/// Pages of the write-ahead log (4 KiB each) above which writers pause for a checkpoint: 64 MiB.
const LONG_LOG: i32 = 16_384;

/// An SQLite database. Cloning it is cheap and shares its connections.
#[derive(Debug, Clone)]
pub(super) struct Sqlite {
    pub(super) readers: DatabaseConnection,
    queue: Queue,
    inline: Inline,
    lookup: Lookup,
    flusher: Flusher,
    file: OpenFile,
}

impl Sqlite {
    pub(super) async fn open(
        url: &str,
        path: &Path,
        missing: Missing,
        limits: &Limits,
    ) -> Result<Self, StoreError> {
        if missing == Missing::Fail && !path.exists() {
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
            let options = configure(options).pragma("wal_autocheckpoint", "0");
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
        let mut readers = quiet(url, limits);
        readers
            .max_connections(limits.connections.unwrap_or(READERS))
            .map_sqlx_sqlite_opts(|options| configure(options).create_if_missing(false));
        let readers = Database::connect(readers).await?;
        Ok(Self {
            readers,
            queue: Queue::new(writer),
            inline: Inline::open(path, limits.page_bytes)?,
            lookup: Lookup::new(path),
            flusher: Flusher::new(path)?,
            file: OpenFile::at(path),
        })
    }

    pub(super) async fn begin(&self, durability: Durability) -> Result<Transaction, StoreError> {
        self.queue.begin(durability).await
    }

    /// Where the link of that code leads.
    pub(super) fn target(&self, code: &ShortCode) -> Result<Option<TargetRow>, StoreError> {
        Ok(match self.inline.read(|connection| lookup::find(connection, code)) {
            Some(Ok(found)) => found,
            // That one waits for nobody; these do.
            Some(Err(_)) | None => self.lookup.target(code)?,
        })
    }

    /// At most `limit` of the owner's links below the identifier `before`, newest first.
    pub(super) async fn count_page(
        &self,
        owner_id: i64,
        filter: &Filter,
        before: i64,
        limit: u32,
    ) -> Result<Vec<CountedLink>, StoreError> {
        let (lookup, filter) = (self.lookup.clone(), filter.clone());
        let reading = move || lookup.count_page(owner_id, &filter, before, limit);
        match tokio::task::spawn_blocking(reading).await {
            Ok(page) => Ok(page?),
            // The runtime is ending.
            Err(_) => Err(StoreError::Away),
        }
    }

    /// Appends clicks to the ledger before all transactions that wait.
    pub(super) async fn append(&self, clicks: &[LinkClicks]) -> Result<(), StoreError> {
        let _turn = self.queue.take_turn_elsewhere().await;
        ledger::append(&self.inline, clicks).await
    }

    /// Adds a part of the ledger to the links' counts.
    pub(super) async fn fold(&self) -> Result<Folded, StoreError> {
        ledger::fold(&self.lookup, &self.inline, &self.queue).await
    }

    /// Puts a part of the recent counts away, where there are many of them.
    pub(super) async fn put_away(&self) -> Result<Folded, StoreError> {
        let turn = self.queue.take_turn_elsewhere().await;
        ledger::put_away(&self.inline, turn).await
    }

    pub(super) async fn has_many_recent(&self) -> Result<bool, StoreError> {
        ledger::has_many_recent(&self.readers).await
    }

    /// Makes links in one transaction, in turn with all others. They survive a loss of power from the
    /// next flush on.
    pub(super) async fn make(&self, links: &[NewLink]) -> Result<Vec<Outcome>, StoreError> {
        let place = self.queue.take_place_elsewhere().await?;
        creations::make(&self.inline, links, place).await
    }

    /// Lets all that was committed before survive a loss of power.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.flusher.flush()
    }

    /// A transaction that keeps other processes from writing, begun by the driver: the steps of a
    /// migration begin transactions of their own in it.
    pub(super) async fn migrate(&self) -> Result<(), StoreError> {
        let turn = self.queue.take_turn(Durability::PowerLoss).await?;
        let sqlite_transaction_mode = Some(SqliteTransactionMode::Immediate);
        let options = TransactionOptions { sqlite_transaction_mode, ..Default::default() };
        super::migrate(turn.connection().begin_with_options(options).await?).await
    }

    /// Whether the path still leads to the file that was opened.
    pub(super) fn check_file(&self) -> Result<(), StoreError> {
        self.file.check()
    }

    /// Moves the write-ahead log into the database file as far as readers let it, so that the next
    /// writer begins again at its start. Nobody waits for anybody in a passive checkpoint; only where
    /// the log has grown long beside writers who never pause, it is done while they do.
    pub(super) async fn checkpoint(&self) -> Result<(), StoreError> {
        let mut log = move_log(&self.readers).await?;
        if log.pages > LONG_LOG {
            let turn = self.queue.take_turn(Durability::ProcessDeath).await?;
            log = move_log(turn.connection()).await?;
        }
        if log.pages == log.moved {
            self.flusher.forget();
        }
        Ok(())
    }

    pub(super) async fn close(self) -> Result<(), StoreError> {
        self.readers.close().await?;
        self.queue.close().await
    }
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

/// The write-ahead log after a checkpoint.
struct Log {
    /// How many pages it has.
    pages: i32,
    /// How many of them are in the database file.
    moved: i32,
}

/// Runs a checkpoint.
async fn move_log(db: &DatabaseConnection) -> Result<Log, StoreError> {
    let passive = Statement::from_string(DbBackend::Sqlite, "PRAGMA wal_checkpoint(PASSIVE)");
    let Some(row) = db.query_one_raw(passive).await? else {
        return Ok(Log { pages: 0, moved: 0 });
    };
    Ok(Log { pages: row.try_get_by_index(1)?, moved: row.try_get_by_index(2)? })
}
