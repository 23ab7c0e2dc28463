//! [`Store`], the handle of an SQLite or PostgreSQL database, and its transactions.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use sea_orm::{DbBackend, DbErr};
use strum_macros::{IntoStaticStr, VariantArray};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::batcher::BatchResult;
use super::call::{Call, CallResult, runs_statements};
use super::clicks::{Batch, RollupResult};
use super::code_lookup::{CodeLookup, FoundTarget};
use super::create_links::{CreateOutcome, NewLink};
use super::error::{StoreError, missing_migrations};
use super::files::free_space;
use super::import::ImportWriter;
use super::link_pages::LinkPage;
use super::links::{Link, LinkRef};
use super::options::{Durability, IfMissing, Limits};
use super::postgres::{self, Isolation, Postgres};
use super::query::scalar;
use super::sqlite::{self, Sqlite};
use super::subscriptions::{self, Subscriptions};
use super::url::{Address, DatabaseUrl};
use crate::values::{Timestamp, WebhookType};

/// Maximum time that the free space of a disk takes.
const FREE_SPACE_TIMEOUT: Duration = Duration::from_secs(1);

/// Connections to one database. Clones are cheap and share the connections.
#[derive(Debug, Clone)]
pub struct Store(Reader, Arc<RwLock<Option<Arc<Subscriptions>>>>);

/// Handle for statements that change nothing. If a connection breaks, the handle may run the
/// statement again.
#[derive(Debug, Clone)]
pub struct Reader(Backend);

#[derive(Debug, Clone)]
enum Backend {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// Evaluates an expression with the handle of the database, whichever kind it is.
macro_rules! on_either {
    ($reader:expr, $db:ident => $work:expr) => {
        match &$reader.0 {
            Backend::Sqlite($db) => $work,
            Backend::Postgres($db) => $work,
        }
    };
}

impl Store {
    /// Opens a database without migrating its schema.
    ///
    /// # Errors
    /// If the database cannot be reached, or does not exist and `if_missing` is
    /// [`IfMissing::Fail`].
    pub async fn open(
        url: &DatabaseUrl,
        if_missing: IfMissing,
        limits: &Limits,
    ) -> Result<Self, StoreError> {
        let backend = match &url.0 {
            Address::Sqlite(url) => Backend::Sqlite(Sqlite::open(url, if_missing, limits).await?),
            Address::Postgres { url } => Backend::Postgres(Postgres::open(url, limits).await?),
        };
        Ok(Self(Reader(backend), Arc::default()))
    }

    /// Returns a handle for statements that change nothing.
    pub fn reader(&self) -> &Reader {
        &self.0
    }

    /// Returns the maximum number of connections for requests.
    pub fn request_connections(&self) -> u32 {
        on_either!(self.0, db => db.request_connections())
    }

    /// Returns a handle of the same database for background tasks. Their statements do not queue
    /// with the statements of requests.
    pub fn for_background_tasks(&self) -> Self {
        let backend = match &self.0.0 {
            Backend::Sqlite(db) => Backend::Sqlite(db.for_background_tasks()),
            Backend::Postgres(db) => Backend::Postgres(db.for_background_tasks()),
        };
        Self(Reader(backend), Arc::clone(&self.1))
    }

    /// Sets which deliveries of webhooks owners want. A server calls it at each change.
    pub fn set_subscriptions(&self, subscriptions: Subscriptions) {
        *self.1.write() = Some(Arc::new(subscriptions));
    }

    /// Reads again which deliveries of webhooks owners want, if this process has it in memory.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn refresh_subscriptions(&self) -> Result<(), StoreError> {
        if self.known_subscriptions().is_some() {
            self.set_subscriptions(subscriptions::read(self.reader()).await?);
        }
        Ok(())
    }

    /// Returns which deliveries of webhooks owners want, as far as this server knows.
    fn known_subscriptions(&self) -> Option<Arc<Subscriptions>> {
        self.1.read().clone()
    }

    /// Returns whether this server knows any enabled webhook.
    pub fn has_subscriptions(&self) -> bool {
        self.known_subscriptions().is_some_and(|known| !known.is_empty())
    }

    /// Returns which deliveries of webhooks owners want. Commands read it within the transaction `db`,
    /// servers have it in memory.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn subscriptions(&self, db: &Transaction) -> Result<Arc<Subscriptions>, StoreError> {
        match self.known_subscriptions() {
            Some(known) => Ok(known),
            None => Ok(Arc::new(subscriptions::read(db).await?)),
        }
    }

    /// Begins a transaction that writes. On SQLite, transactions that write queue up for the only
    /// writer.
    ///
    /// # Errors
    /// If the database cannot be written to.
    pub async fn begin(&self, durability: Durability) -> Result<Transaction, StoreError> {
        Ok(Transaction(match &self.0.0 {
            Backend::Sqlite(db) => BackendTransaction::Sqlite(db.begin(durability).await?),
            Backend::Postgres(db) => {
                db.check_commits()?;
                BackendTransaction::Postgres(db.begin(Isolation::ReadCommitted).await?)
            }
        }))
    }

    /// Begins a transaction that reads a snapshot of the database.
    pub(super) async fn snapshot(&self) -> Result<Transaction, StoreError> {
        Ok(Transaction(match &self.0.0 {
            Backend::Sqlite(db) => BackendTransaction::Snapshot(db.snapshot().await?),
            Backend::Postgres(db) => {
                BackendTransaction::Postgres(db.begin(Isolation::RepeatableRead).await?)
            }
        }))
    }

    /// Finds the link that a path means. Returns `None` if no link has one of the codes.
    ///
    /// # Errors
    /// If the database fails; requests that share a query share its error.
    pub async fn target(&self, lookup: &CodeLookup) -> BatchResult<Option<FoundTarget>> {
        on_either!(self.0, db => db.target(lookup).await)
    }

    /// Finds a link with its clicks. Returns `None` if the link does not exist or is deleted.
    ///
    /// # Errors
    /// If the database fails; requests that share a query share its error.
    pub async fn find_with_clicks(&self, key: LinkRef) -> BatchResult<Option<Link>> {
        on_either!(self.0, db => db.find_with_clicks(key).await)
    }

    /// Reads a page of links.
    pub async fn page(&self, page: LinkPage) -> Result<Vec<Link>, StoreError> {
        on_either!(self.0, db => db.page(page).await)
    }

    /// Waits until the caller may begin to create links. Returns at once on PostgreSQL.
    ///
    /// # Errors
    /// [`StoreError::Busy`] after a timeout.
    pub async fn acquire_permit(&self) -> Result<WritePermit, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.acquire_permit().await.map(Some).map(WritePermit),
            Backend::Postgres(_) => Ok(WritePermit(None)),
        }
    }

    /// Creates links in one transaction, in their order, and returns their outcomes in the same
    /// order.
    ///
    /// Callers must call [`Store::flush`] before they respond to the requests. If `permit` is
    /// `None`, this function does not wait for a permit; on SQLite it then fails if another
    /// transaction holds it.
    ///
    /// # Errors
    /// After [`StoreError::Retryable`] none of the links exists. After any other error either all
    /// of them exist or none.
    pub async fn create_links(
        &self,
        links: &[&NewLink],
        permit: Option<WritePermit>,
    ) -> Result<Vec<CreateOutcome>, StoreError> {
        let subscriptions = &*self.known_subscriptions().unwrap_or_default();
        match &self.0.0 {
            Backend::Sqlite(db) => {
                let permit = permit.and_then(|WritePermit(permit)| permit);
                db.create_links(links, subscriptions, permit).await
            }
            Backend::Postgres(db) => db.create_links(links, subscriptions).await,
        }
    }

    /// Makes all links created so far durable across a power loss. It blocks the thread until they
    /// are on disk, but other transactions can begin meanwhile. It does nothing on PostgreSQL,
    /// which flushes each commit.
    ///
    /// # Errors
    /// If the disk fails. The links may exist nevertheless.
    pub fn flush(&self) -> Result<(), StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.flush(),
            Backend::Postgres(_) => Ok(()),
        }
    }

    /// Begins an import of links of one owner.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn importer(&self, owner_id: i64) -> Result<Box<dyn ImportWriter>, StoreError> {
        Ok(match &self.0.0 {
            Backend::Sqlite(db) => Box::new(db.importer(owner_id).await?),
            Backend::Postgres(db) => Box::new(db.importer(owner_id).await?),
        })
    }

    /// Appends a batch of clicks in one transaction. The clicks then survive a crash of the
    /// process.
    ///
    /// On SQLite a batch needs no row in `click_writers`, because the caller always learns whether
    /// its commit succeeded.
    ///
    /// Returns false if the connection broke before the attempt that succeeded. PostgreSQL may still
    /// execute the earlier attempt, even minutes later.
    ///
    /// # Errors
    /// If the database fails. PostgreSQL may have stored the batch nevertheless: the caller must
    /// append it again before any other batch.
    pub async fn append(&self, batch: &Batch) -> Result<bool, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.append(batch).await.map(|()| true),
            Backend::Postgres(db) => db.append(batch).await,
        }
    }

    /// Appends a batch of another process, unless the database has already stored it. Returns the
    /// same as [`Self::append`].
    ///
    /// # Errors
    /// If the database fails. It may have stored the batch nevertheless.
    pub async fn append_once(&self, batch: &Batch) -> Result<bool, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.append_once(batch).await.map(|()| true),
            Backend::Postgres(db) => db.append(batch).await,
        }
    }

    /// Returns the interval between rollups under load. It does not affect statistics, which
    /// include pending clicks.
    ///
    /// On PostgreSQL a longer interval is cheaper, because each rollup updates the count of every
    /// clicked link. On SQLite a short interval keeps the write-ahead log small.
    pub fn rollup_interval(&self) -> Duration {
        match &self.0.0 {
            Backend::Sqlite(_) => Duration::from_millis(500),
            Backend::Postgres(_) => Duration::from_secs(1),
        }
    }

    /// Moves some pending clicks into the counts of their links, in one transaction. It limits
    /// their number, because redirects on SQLite wait for the transaction, and PostgreSQL has a
    /// statement timeout.
    ///
    /// # Errors
    /// If the database fails; nothing has changed.
    pub async fn roll_up(&self) -> Result<RollupResult, StoreError> {
        let known = self.known_subscriptions();
        let notes_links = known.is_some_and(|known| known.any(WebhookType::LinksClicked));
        on_either!(self.0, db => db.roll_up(notes_links).await)
    }

    /// Returns whether enough links have recent counts to make [`Store::merge_recent_counts`]
    /// worthwhile. Returns false on PostgreSQL.
    pub async fn is_merge_due(&self) -> Result<bool, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.is_merge_due().await,
            // Rollups on PostgreSQL add to `click_counts` directly.
            Backend::Postgres(_) => Ok(false),
        }
    }

    /// Moves some recent counts into `click_counts` in one transaction. PostgreSQL has none.
    ///
    /// # Errors
    /// If the database fails; nothing has changed.
    pub async fn merge_recent_counts(&self) -> Result<RollupResult, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.merge_recent_counts().await,
            Backend::Postgres(_) => Ok(RollupResult { rows: 0, is_complete: true }),
        }
    }

    /// Moves the write-ahead log of SQLite into its file, because a long log slows down reads.
    ///
    /// # Errors
    /// If the database fails. No data are lost.
    pub async fn checkpoint(&self) -> Result<(), StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.checkpoint().await,
            Backend::Postgres(_) => Ok(()),
        }
    }

    /// Truncates the write-ahead log of SQLite, which may contain erased texts. Returns false if a
    /// reader still needs the log. Does nothing on PostgreSQL, whose log archives keep them anyway.
    ///
    /// # Errors
    /// If the database fails. No data are lost.
    pub async fn truncate_log(&self) -> Result<bool, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.truncate_log().await,
            Backend::Postgres(_) => Ok(true),
        }
    }

    /// Checks that an SQLite file is not damaged, and applies missing migrations to the schema.
    /// Returns their number.
    ///
    /// # Errors
    /// [`StoreError::SchemaTooNew`], [`StoreError::Damaged`], or if the database cannot be read or changed.
    pub async fn migrate(&self) -> Result<usize, StoreError> {
        on_either!(self.0, db => db.migrate().await)
    }

    /// Waits until the check of an SQLite file at startup has ended.
    pub async fn wait_for_startup_check(&self) {
        if let Backend::Sqlite(db) = &self.0.0 {
            db.wait_for_startup_check().await;
        }
    }

    /// Checks that this version of Terse can work with the schema.
    ///
    /// # Errors
    /// [`StoreError::SchemaTooNew`], [`StoreError::SchemaOutdated`], or if the database cannot be
    /// read.
    pub async fn check_schema(&self) -> Result<(), StoreError> {
        let status = migration::schema_status(self.reader()).await?;
        if missing_migrations(status)? > 0 { Err(StoreError::SchemaOutdated) } else { Ok(()) }
    }

    /// Checks that the database responds and completes commits.
    ///
    /// # Errors
    /// If the database fails or does not respond.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.check_commits()?;
        match &self.0.0 {
            Backend::Sqlite(db) => db.ping().await,
            // The heartbeat checks PostgreSQL several times per second.
            Backend::Postgres(db) if db.is_up() => Ok(()),
            Backend::Postgres(_) => Err(StoreError::Unavailable),
        }
    }

    /// Returns the state of the database. On PostgreSQL, it is the result of the last health check.
    pub fn state(&self) -> DatabaseState {
        match &self.0.0 {
            Backend::Postgres(db) if !db.is_up() => DatabaseState::Down,
            Backend::Postgres(_) | Backend::Sqlite(_) => match self.check_commits() {
                Ok(()) => DatabaseState::Up,
                Err(_) => DatabaseState::CannotCommit,
            },
        }
    }

    /// Returns whether the database is a standby of PostgreSQL, or was one when it last responded.
    pub fn is_standby(&self) -> bool {
        match &self.0.0 {
            Backend::Sqlite(_) => false,
            Backend::Postgres(db) => db.commits().is_standby(),
        }
    }

    /// Queries whether the database is a standby of PostgreSQL, which a handle without health checks
    /// does not know.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn query_standby(&self) -> Result<bool, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(_) => Ok(false),
            Backend::Postgres(_) => {
                let found = scalar(self.reader(), "SELECT pg_is_in_recovery()", []).await?;
                Ok(found.unwrap_or_default())
            }
        }
    }

    /// Checks that a commit would not stall.
    ///
    /// # Errors
    /// [`StoreError::CannotCommit`], or [`StoreError::Unconfirmed`] after such a commit.
    pub fn check_commits(&self) -> Result<(), StoreError> {
        on_either!(self.0, db => db.check_commits())
    }

    /// Waits until PostgreSQL does not complete commits. On SQLite, it waits for ever.
    pub async fn stalled(&self) {
        match &self.0.0 {
            Backend::Sqlite(_) => std::future::pending().await,
            Backend::Postgres(db) => db.commits().stalled().await,
        }
    }

    /// Checks that a synchronous standby, if there is one, has confirmed all commits of a command.
    ///
    /// # Errors
    /// [`StoreError::Unconfirmed`]
    pub fn check_confirmed(&self) -> Result<(), StoreError> {
        match &self.0.0 {
            Backend::Postgres(db) if db.commits().is_unconfirmed() => Err(StoreError::Unconfirmed),
            Backend::Postgres(_) | Backend::Sqlite(_) => Ok(()),
        }
    }

    /// The kinds of databases.
    pub const KINDS: [&'static str; 2] = ["sqlite", "postgres"];

    /// Returns the kind of the database.
    pub fn kind(&self) -> &'static str {
        let [sqlite, postgres] = Self::KINDS;
        if matches!(self.0.0, Backend::Sqlite(_)) { sqlite } else { postgres }
    }

    /// Returns the free space in bytes on the disk of an SQLite file, or `None` if it is unknown: PostgreSQL
    /// does not report that of its disk.
    pub async fn free_space(&self) -> Option<u64> {
        let Backend::Sqlite(db) = &self.0.0 else { return None };
        let path = db.path().to_owned();
        // A disk that does not respond must not delay the caller.
        let found = timeout(FREE_SPACE_TIMEOUT, spawn_blocking(move || free_space(&path))).await;
        found.ok()?.ok()?.ok()
    }

    /// Returns the size of the database in bytes.
    pub async fn size(&self) -> Result<u64, StoreError> {
        let sql = on_either!(self.0, db => db.size_query());
        let size: Option<i64> = scalar(self.reader(), sql, []).await?;
        Ok(size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0))
    }

    /// Returns the time that all instances share. On PostgreSQL it is the database's time, because
    /// an instance may have a wrong clock.
    pub fn now(&self) -> Timestamp {
        on_either!(self.0, db => db.now())
    }

    /// Closes the connections after the statements in progress.
    ///
    /// # Errors
    /// If a connection does not close cleanly.
    pub async fn close(self) -> Result<(), StoreError> {
        on_either!(self.0, db => db.close().await)
    }
}

#[cfg(test)]
impl Store {
    /// Creates an SQLite database, `t.db` in the directory.
    pub(crate) async fn new_in(directory: &std::path::Path) -> Self {
        let url = format!("sqlite://{}", directory.join("t.db").display());
        let limits = Limits::default();
        let store = Self::open(&url.parse().unwrap(), IfMissing::Create, &limits).await.unwrap();
        store.migrate().await.unwrap();
        store
    }
}

impl Reader {
    /// Returns the timeline of a PostgreSQL database. A new timeline, which may lack the last
    /// transactions, begins when a standby is promoted or a backup restored. Returns `None` on
    /// SQLite, and if the server does not report it.
    pub(super) async fn timeline(&self) -> Result<Option<String>, StoreError> {
        match &self.0 {
            Backend::Sqlite(_) => Ok(None),
            Backend::Postgres(db) => db.timeline().await,
        }
    }

    async fn run(&self, call: Call) -> Result<CallResult, DbErr> {
        on_either!(self, db => call.run(db).await)
    }
}

runs_statements!(Reader, self => match self.0 {
    Backend::Sqlite(_) => DbBackend::Sqlite,
    Backend::Postgres(_) => DbBackend::Postgres,
});

/// Permission to begin the next transaction that creates links. It contains a permit only on
/// SQLite, where one transaction can write at a time.
#[derive(Debug)]
pub struct WritePermit(Option<sqlite::TransactionPermit>);

/// State of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum DatabaseState {
    /// The database responds, and completes what it is asked to commit.
    Up,
    /// A commit neither succeeds nor fails, or the database is read-only, as a standby is. It still
    /// reads, unless SQLite's disk does not respond.
    CannotCommit,
    /// The database does not respond, or it is a standby that this server does not serve.
    Down,
}

/// A transaction on either database. It rolls back if it is dropped without a commit.
#[derive(Debug)]
pub struct Transaction(BackendTransaction);

/// An open transaction of one of the databases.
#[derive(Debug)]
enum BackendTransaction {
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

    async fn run(&self, call: Call) -> Result<CallResult, DbErr> {
        match &self.0 {
            BackendTransaction::Sqlite(transaction) => call.run(transaction).await,
            BackendTransaction::Snapshot(session) => session.run(call).await,
            BackendTransaction::Postgres(transaction) => call.run(transaction).await,
        }
    }
}

runs_statements!(Transaction, self => match self.0 {
    BackendTransaction::Sqlite(_) | BackendTransaction::Snapshot(_) => DbBackend::Sqlite,
    BackendTransaction::Postgres(_) => DbBackend::Postgres,
});
