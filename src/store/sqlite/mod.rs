//! SQLite: one file, one connection that writes, and several that read. Checkpoints move the write-ahead log
//! into the file.

mod checksum;
mod clicks;
mod connection;
mod create_links;
mod file;
mod import;
pub(super) mod journal;
mod links;
mod migration;
mod readers;
mod session;
mod statement;
mod writer;

use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use sea_orm::{DbBackend, DbErr};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::sleep;

use self::connection::Opener;
use self::file::StallDetector;
use self::readers::Readers;
use self::session::run_blocking;
use self::writer::WriterConnection;
use super::batcher::Batcher;
use super::call::{Call, CallResult, runs_statements};
use super::error::{StallReason, StoreError};
use super::links::{Link, LinkRef};
use super::options::{Durability, IfMissing, Limits};
use super::url::SqliteUrl;
use crate::values::Timestamp;

pub(super) use self::readers::SnapshotSession;
pub(super) use self::writer::{SqliteTransaction, TransactionPermit};

/// Default number of readers for requests.
const DEFAULT_READERS: u32 = 4;
/// Number of readers for background tasks. On a slow disk, a checkpoint may occupy one, and a backup
/// another; rollups, deletions and cache invalidation need the others.
const BACKGROUND_READERS: u32 = 4;
/// Maximum number of links per query for statistics.
const MAX_STATS: usize = 256;
/// Length of the write-ahead log above which writers wait for a checkpoint: 64 MiB, in pages of 4
/// KiB.
const MAX_LOG_PAGES: i32 = 16_384;

/// Maximum time that a truncation of the log waits for readers, and the time between two attempts.
const TRUNCATE_TIMEOUT: Duration = Duration::from_secs(3);
const TRUNCATE_INTERVAL: Duration = Duration::from_millis(20);

/// An SQLite database. Clones are cheap and share its connections.
#[derive(Debug, Clone)]
pub(super) struct Sqlite {
    readers: Readers,
    shared: Arc<SqliteConnections>,
}

#[derive(Debug)]
struct SqliteConnections {
    background: Readers,
    /// Maximum number of readers for requests.
    request_readers: u32,
    writer: Arc<WriterConnection>,
    /// Permits for lookups on the threads of requests, fewer than there are threads. A disk that
    /// begins to hang thus cannot block all of these threads.
    inline_lookups: Semaphore,
    /// Batcher of the queries for statistics. Each query scans all pending clicks, because they
    /// have no index of links.
    stats: Batcher<LinkRef, Option<Link>>,
    /// Locked during the check at startup.
    startup_check: Arc<Mutex<()>>,
}

impl Sqlite {
    pub(super) async fn open(
        url: &SqliteUrl,
        if_missing: IfMissing,
        limits: &Limits,
    ) -> Result<Self, StoreError> {
        let SqliteUrl { path, may_create, may_write } = url.clone();
        let may_create = may_create && if_missing == IfMissing::Create;
        file::check_existence(&path, may_create)?;
        let opener = Opener::new(&path, may_write);
        let stall_detector = StallDetector::default();
        let for_writer = (opener.clone(), limits.page_bytes, stall_detector.clone());
        let open_writer = move || {
            let (opener, page_bytes, stall_detector) = for_writer;
            WriterConnection::open(opener, &path, page_bytes, may_create, stall_detector)
        };
        let writer = run_blocking(open_writer).await??;
        let connections = limits.connections.unwrap_or(DEFAULT_READERS);
        let readers = Readers::new(
            opener,
            connections,
            limits.acquire_timeout,
            stall_detector,
            writer.file().clone(),
        );
        let inline_lookups = std::thread::available_parallelism().map_or(1, NonZero::get);
        Ok(Self {
            shared: Arc::new(SqliteConnections {
                background: readers.with_limit(BACKGROUND_READERS),
                request_readers: connections,
                writer: Arc::new(writer),
                inline_lookups: Semaphore::new(inline_lookups),
                stats: Batcher::new(1, MAX_STATS, limits.acquire_timeout),
                startup_check: Arc::default(),
            }),
            readers,
        })
    }

    /// Returns the maximum number of readers for requests.
    pub(super) fn request_connections(&self) -> u32 {
        self.shared.request_readers
    }

    /// Returns a handle for background tasks, with a limit on readers of its own.
    pub(super) fn for_background_tasks(&self) -> Self {
        Self { readers: self.shared.background.clone(), shared: Arc::clone(&self.shared) }
    }

    pub(super) async fn run(&self, call: Call) -> Result<CallResult, DbErr> {
        self.readers.run(call).await
    }

    pub(super) async fn begin(
        &self,
        durability: Durability,
    ) -> Result<SqliteTransaction, StoreError> {
        self.writer().begin(durability).await
    }

    pub(super) async fn snapshot(&self) -> Result<SnapshotSession, StoreError> {
        self.readers.snapshot().await
    }

    pub(super) async fn acquire_permit(&self) -> Result<TransactionPermit, StoreError> {
        self.writer().acquire_permit().await
    }

    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.writer().flusher().flush()
    }

    /// Waits until the check at startup has ended.
    pub(super) async fn wait_for_startup_check(&self) {
        drop(self.shared.startup_check.lock().await);
    }

    /// Checks that the database responds. It queries a table, because SQLite executes a bare
    /// `SELECT 1` without access to the file.
    pub(super) async fn ping(&self) -> Result<(), StoreError> {
        let query = |db: &rusqlite::Connection| {
            db.prepare_cached("SELECT number FROM change_counter WHERE id = 1")?.exists([])
        };
        self.readers.read_blocking(query).await?;
        self.check_file()
    }

    /// Checks that the file may be written to, and that the disk responds.
    pub(super) fn check_commits(&self) -> Result<(), StoreError> {
        if !self.readers.opener().may_write() {
            return Err(StoreError::CannotCommit(StallReason::ReadOnly));
        }
        self.readers.stall_detector().check()
    }

    /// Returns the query for the size of the file, which does not read the file's metadata: that
    /// would slow down the next flush.
    pub(super) const fn size_query(&self) -> &'static str {
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &std::path::Path {
        self.readers.opener().path()
    }

    pub(super) fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    pub(super) async fn close(&self) -> Result<(), StoreError> {
        self.readers.close();
        self.writer().close().await
    }

    fn check_file(&self) -> Result<(), StoreError> {
        self.writer().check_file()
    }

    fn writer(&self) -> &WriterConnection {
        &self.shared.writer
    }
}

runs_statements!(Sqlite, DbBackend::Sqlite);

/// Moves the log into the database file as far as readers allow. After a complete checkpoint, the
/// next writer starts the log from its beginning.
///
/// The first checkpoint is passive and blocks no writer. If the log is long because writers never
/// pause, a second checkpoint follows, for which writers wait. SQLite flushes the database file only
/// in the checkpoint that moves the end of the log, which is the second one. A flush before it
/// therefore shortens the wait. If the log is long because of a reader, as during a backup, the
/// second checkpoint would achieve nothing, but sort the pages of the whole log.
async fn checkpoint(readers: &Readers, writer: &WriterConnection) -> Result<(), StoreError> {
    writer.check_file()?;
    if writer.flusher().has_failed() {
        return restart_log(writer).await;
    }
    let log = readers.read_blocking(|connection| run_checkpoint(connection, "PASSIVE")).await?;
    if log.pages > MAX_LOG_PAGES && log.pages - log.moved_pages <= MAX_LOG_PAGES {
        writer.flush_file().await?;
        writer.checkpoint(|connection| run_checkpoint(connection, "PASSIVE")).await?;
    }
    Ok(())
}

/// Moves the whole log after a failed flush, so that the next writer of any process starts the log
/// from its beginning. Until this succeeds, this process begins no transaction that must survive a
/// power loss. While Litestream runs, its open transaction prevents it.
async fn restart_log(writer: &WriterConnection) -> Result<(), StoreError> {
    if !writer.checkpoint(|connection| run_checkpoint(connection, "RESTART")).await?.is_blocked {
        writer.flusher().reset();
    }
    Ok(())
}

impl Sqlite {
    pub(in crate::store) async fn checkpoint(&self) -> Result<(), StoreError> {
        checkpoint(&self.readers, self.writer()).await
    }

    /// Moves the whole log into the database file and truncates it, so that the log contains no erased
    /// texts. Returns false if readers of this or another process need the log for longer than a few
    /// seconds.
    pub(in crate::store) async fn truncate_log(&self) -> Result<bool, StoreError> {
        let (writer, started) = (self.writer(), Instant::now());
        loop {
            writer.check_file()?;
            if !writer
                .checkpoint(|connection| run_checkpoint(connection, "TRUNCATE"))
                .await?
                .is_blocked
            {
                return Ok(true);
            }
            if started.elapsed() > TRUNCATE_TIMEOUT {
                return Ok(false);
            }
            sleep(TRUNCATE_INTERVAL).await;
        }
    }
}

/// The result of a checkpoint.
#[derive(Debug)]
struct Checkpoint {
    /// Whether a reader or writer prevented a complete checkpoint.
    is_blocked: bool,
    /// Length of the log in pages.
    pages: i32,
    /// Number of these pages that are in the database file now. Readers prevent moving the others.
    moved_pages: i32,
}

/// Runs a checkpoint in `mode` (<https://www.sqlite.org/pragma.html#pragma_wal_checkpoint>).
fn run_checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<Checkpoint> {
    connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| {
        Ok(Checkpoint {
            is_blocked: row.get::<_, i32>(0)? != 0,
            pages: row.get(1)?,
            moved_pages: row.get(2)?,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sea_orm::ConnectionTrait as _;

    use super::*;
    use crate::store::Store;
    use crate::store::subscriptions::Subscriptions;
    use crate::values::ShortCode;

    async fn open(path: &Path) -> Sqlite {
        // This store is open until the other one is, because the last connection to a file deletes
        // its log.
        let _store = Store::new_in(path.parent().unwrap()).await;
        let url = SqliteUrl { path: path.to_owned(), may_create: false, may_write: true };
        Sqlite::open(&url, IfMissing::Fail, &Limits::default()).await.unwrap()
    }

    /// Drops each transaction while or just after it begins, as a cancelled request would.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn abandoned_transaction_is_rolled_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let sqlite = open(&path).await;
        for yields in 0..300 {
            let cancellation = async {
                for _ in 0..yields {
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! {
                biased;
                begun = sqlite.begin(Durability::ProcessDeath) => drop(begun.unwrap()),
                () = cancellation => {}
            }
            let other = rusqlite::Connection::open(&path).unwrap();
            other.busy_timeout(std::time::Duration::from_secs(2)).unwrap();
            other.execute_batch("BEGIN IMMEDIATE; ROLLBACK").unwrap();
        }
    }

    #[tokio::test]
    async fn slow_transaction_of_fast_operations_is_no_stall() {
        let directory = tempfile::tempdir().unwrap();
        let sqlite = open(&directory.path().join("t.db")).await;
        let transaction = sqlite.begin(Durability::PowerLoss).await.unwrap();
        transaction.execute_unprepared("DELETE FROM links").await.unwrap();
        sleep(file::OPERATION_TIMEOUT + Duration::from_millis(100)).await;
        sqlite.check_commits().unwrap();
        transaction.commit().await.unwrap();
    }

    #[tokio::test]
    async fn creations_fail_after_a_failed_flush_until_the_log_restarts() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let sqlite = open(&path).await;
        sqlite.create_links(&[], &Subscriptions::default(), None).await.unwrap();

        // The snapshot reads the beginning of the log, which therefore cannot restart.
        let snapshot = sqlite.snapshot().await.unwrap();
        sqlite.writer().flusher().fail();
        for _ in 0..2 {
            let message = sqlite
                .create_links(&[], &Subscriptions::default(), None)
                .await
                .unwrap_err()
                .to_string();
            assert!(message.contains("an earlier flush failed"), "{message}");
            assert!(sqlite.begin(Durability::PowerLoss).await.is_err());
            sqlite.checkpoint().await.unwrap();
        }
        drop(snapshot);
        sqlite.checkpoint().await.unwrap();
        sqlite.create_links(&[], &Subscriptions::default(), None).await.unwrap();
    }

    #[tokio::test]
    async fn damaged_link_fails_only_its_own_statistics() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let sqlite = open(&path).await;
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(
                "PRAGMA foreign_keys = OFF;
                 INSERT INTO links
                     (id, owner_id, short_code, destination_url, destination_host, created_at)
                 VALUES (1, 1, 'good', 'https://example.org/', '', 0),
                        (2, 1, 'damaged', CAST(x'ff' AS text), '', 0),
                        (3, 1, 'better', 'https://example.org/', '', 0);
                 INSERT INTO click_counts (link_id, count) VALUES (1, 1), (3, 100);
                 INSERT INTO recent_counts (link_id, count) VALUES (1, 10);
                 INSERT INTO pending_clicks (link_id, count)
                 VALUES (1, 100), (3, 5), (1, 1000), (2, 7)",
            )
            .unwrap();
        let clicks = async |owner_id, code| {
            let code = ShortCode::parse(code).unwrap();
            let found = sqlite.find_with_clicks(LinkRef { owner_id: Some(owner_id), code }).await;
            found.map(|link| link.map(|link| link.clicks)).map_err(|error| error.to_string())
        };
        // The calls join the same query; the first one is cancelled at once.
        let cancelled = async { futures_util::FutureExt::now_or_never(clicks(1, "good")) };
        let (cancelled, good, damaged, unknown, others, better) = tokio::join!(
            cancelled,
            clicks(1, "good"),
            clicks(1, "damaged"),
            clicks(1, "unknown"),
            clicks(2, "good"),
            clicks(1, "better"),
        );
        assert!(cancelled.is_none());
        assert_eq!([good, unknown, others, better], [Some(1_111), None, None, Some(105)].map(Ok));
        assert!(damaged.unwrap_err().contains("utf-8"));
    }
}
