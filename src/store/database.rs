//! [`Store`]: with `sessions`, what chooses between SQLite and PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{ConnectionTrait as _, DbBackend, DbErr};

use super::clicks::{Batch, RolledUp};
use super::create_links::{CreateOutcome, NewLink};
use super::durability::Durability;
use super::error::StoreError;
use super::limits::{IfMissing, Limits};
use super::link_pages::LinkPage;
use super::links::{Link, LinkKey, TargetRow};
use super::postgres::{Isolation, Postgres};
use super::request::{Reply, Request, runs_statements};
use super::schema::needs_migration;
use super::sessions::{Importer, Session, Transaction};
use super::sqlite::{self, Sqlite};
use super::url::{Address, DatabaseUrl};
use crate::values::{ShortCode, Timestamp};

/// Connections to one database. Cloning it is cheap and shares them.
#[derive(Debug, Clone)]
pub struct Store(Reader);

/// A database, for statements that change nothing: they may be sent twice.
#[derive(Debug, Clone)]
pub struct Reader(Backend);

#[derive(Debug, Clone)]
enum Backend {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// Runs the same expression on either database.
macro_rules! on_either {
    ($store:expr, $db:ident => $work:expr) => {
        match &$store.0.0 {
            Backend::Sqlite($db) => $work,
            Backend::Postgres($db) => $work,
        }
    };
}

impl Store {
    /// Opens the database; its schema stays as it is.
    ///
    /// # Errors
    /// If it cannot be reached, or does not exist and `if_missing` is [`IfMissing::Fail`].
    pub async fn open(
        url: &DatabaseUrl,
        if_missing: IfMissing,
        limits: &Limits,
    ) -> Result<Self, StoreError> {
        Ok(Self(Reader(match &url.0 {
            Address::Sqlite(url) => Backend::Sqlite(Sqlite::open(url, if_missing, limits).await?),
            Address::Postgres { url } => Backend::Postgres(Postgres::open(url, limits).await?),
        })))
    }

    /// For statements that change nothing.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.0
    }

    /// The same database for background work, which does not queue with requests.
    #[must_use]
    pub fn background(&self) -> Self {
        Self(Reader(match &self.0.0 {
            Backend::Sqlite(db) => Backend::Sqlite(db.background()),
            Backend::Postgres(db) => Backend::Postgres(db.background()),
        }))
    }

    /// Lets other tasks run first if the next write keeps this thread. On PostgreSQL the write had
    /// better begin: they run while it waits.
    pub async fn yield_to_others(&self, times: u32) {
        if matches!(self.0.0, Backend::Sqlite(_)) {
            for _ in 0..times {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Begins a transaction that writes. On SQLite it waits in a queue.
    ///
    /// # Errors
    /// If the database cannot be written to.
    pub async fn begin(&self, durability: Durability) -> Result<Transaction, StoreError> {
        Ok(Transaction(match &self.0.0 {
            Backend::Sqlite(db) => Session::Sqlite(db.begin(durability).await?),
            Backend::Postgres(db) => Session::Postgres(db.begin(Isolation::ReadCommitted).await?),
        }))
    }

    /// Begins a transaction that reads the database as it is now.
    ///
    /// # Errors
    /// If the database fails.
    pub(super) async fn snapshot(&self) -> Result<Transaction, StoreError> {
        Ok(Transaction(match &self.0.0 {
            Backend::Sqlite(db) => Session::Snapshot(db.snapshot().await?),
            Backend::Postgres(db) => Session::Postgres(db.begin(Isolation::RepeatableRead).await?),
        }))
    }

    /// Finds the target of a code.
    ///
    /// # Errors
    /// If the database fails; requests that share a query share its error.
    pub async fn target(&self, code: &ShortCode) -> Result<Option<TargetRow>, Arc<StoreError>> {
        on_either!(self, db => db.target(code).await)
    }

    /// Finds a link with its clicks.
    ///
    /// # Errors
    /// If the database fails; requests that share a query share its error.
    pub async fn find_with_clicks(&self, key: LinkKey) -> Result<Option<Link>, Arc<StoreError>> {
        on_either!(self, db => db.find_with_clicks(key).await)
    }

    /// Reads a page of links.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn page(&self, page: LinkPage) -> Result<Vec<Link>, StoreError> {
        on_either!(self, db => db.page(page).await)
    }

    /// Waits for the right to create links next.
    ///
    /// # Errors
    /// If that takes too long.
    pub async fn acquire_permit(&self) -> Result<WritePermit, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.acquire_permit().await.map(Some).map(WritePermit),
            Backend::Postgres(_) => Ok(WritePermit(None)),
        }
    }

    /// Creates the links in one transaction, as if one after the other, and returns their outcomes in
    /// the same order. Requests must not get a response before a [`Store::flush`]. Without a permit it
    /// does not wait for one.
    ///
    /// # Errors
    /// [`StoreError::Retryable`]: nothing was created. After any other error all of the links may exist,
    /// or none.
    pub async fn create_links(
        &self,
        links: &[&NewLink],
        permit: Option<WritePermit>,
    ) -> Result<Vec<CreateOutcome>, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => {
                db.create_links(links, permit.and_then(|WritePermit(permit)| permit)).await
            }
            Backend::Postgres(db) => Ok(db.create_links(links).await?),
        }
    }

    /// Lets created links survive a power loss. The thread waits for the disk, while the next
    /// transaction on SQLite may begin; PostgreSQL flushes its commits itself.
    ///
    /// # Errors
    /// If the disk fails; the links may exist.
    pub fn flush(&self) -> Result<(), StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.flush(),
            Backend::Postgres(_) => Ok(()),
        }
    }

    pub(super) async fn importer(&self, owner_id: i64) -> Result<Importer, StoreError> {
        Ok(match &self.0.0 {
            Backend::Sqlite(db) => Importer::Sqlite(Box::new(db.importer(owner_id).await?)),
            Backend::Postgres(db) => Importer::Postgres(Box::new(db.importer(owner_id).await?)),
        })
    }

    /// Appends a batch of clicks, all or nothing; it survives a crash of the process.
    ///
    /// On SQLite a commit is always confirmed or refused, so batches need no entry in `click_writers`.
    ///
    /// # Errors
    /// If the database fails. On PostgreSQL the batch may be there all the same: append it again before
    /// any other.
    pub async fn append(&self, batch: &Batch) -> Result<(), StoreError> {
        on_either!(self, db => Ok(db.append(batch).await?))
    }

    /// Appends a batch of another process, unless the database already has it.
    ///
    /// # Errors
    /// If the database fails. The batch may be there all the same.
    pub async fn append_once(&self, batch: &Batch) -> Result<(), StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.append_once(batch).await,
            Backend::Postgres(db) => Ok(db.append(batch).await?),
        }
    }

    /// The interval between rollups under load. Statistics do not depend on it.
    ///
    /// On PostgreSQL a longer interval changes fewer counts, which cost more than the clicks; on SQLite
    /// the write-ahead log must stay small.
    #[must_use]
    pub fn rollup_interval(&self) -> Duration {
        match &self.0.0 {
            Backend::Sqlite(_) => Duration::from_millis(500),
            Backend::Postgres(_) => Duration::from_secs(1),
        }
    }

    /// Adds some pending clicks to the counts of their links and deletes them, in one transaction: short
    /// on SQLite, where redirects wait for it, and within the statement timeout on PostgreSQL.
    ///
    /// # Errors
    /// If the database fails; nothing has changed.
    pub async fn roll_up(&self) -> Result<RolledUp, StoreError> {
        on_either!(self, db => Ok(db.roll_up().await?))
    }

    /// Whether so many links have recent counts that [`Store::merge_recent_counts`] is due.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn is_merge_due(&self) -> Result<bool, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.is_merge_due().await,
            // Rollups add to `click_counts` directly.
            Backend::Postgres(_) => Ok(false),
        }
    }

    /// Moves some of SQLite's recent counts into `click_counts`, in one short transaction.
    ///
    /// # Errors
    /// If the database fails; nothing has changed.
    pub async fn merge_recent_counts(&self) -> Result<RolledUp, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.merge_recent_counts().await,
            Backend::Postgres(_) => Ok(RolledUp { rows: 0, is_all: true }),
        }
    }

    /// Moves SQLite's write-ahead log into the database file, so that readers do not search a long log.
    ///
    /// # Errors
    /// If the database fails; the data are safe.
    pub async fn checkpoint(&self) -> Result<(), StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.checkpoint().await,
            Backend::Postgres(_) => Ok(()),
        }
    }

    /// Brings the schema up to date.
    ///
    /// # Errors
    /// [`StoreError::TooNew`], or if the database cannot be read or changed.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        on_either!(self, db => db.migrate().await)
    }

    /// Checks that this program can work with the schema.
    ///
    /// # Errors
    /// [`StoreError::TooNew`], [`StoreError::SchemaOutdated`], or if the database cannot be read.
    pub async fn check_schema(&self) -> Result<(), StoreError> {
        let status = migration::schema_status(self.reader()).await?;
        if needs_migration(status)? { Err(StoreError::SchemaOutdated) } else { Ok(()) }
    }

    /// Checks that the database responds.
    ///
    /// # Errors
    /// If it does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.ping().await,
            // Its health check asks all the time.
            Backend::Postgres(db) if db.is_up() => Ok(()),
            Backend::Postgres(_) => Err(StoreError::Unavailable),
        }
    }

    /// Whether the database responded when it was last asked.
    #[must_use]
    pub fn is_up(&self) -> bool {
        on_either!(self, db => db.is_up())
    }

    /// The time that all instances share: on PostgreSQL the database's, so that an instance with a wrong
    /// clock expires nothing of the others.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        on_either!(self, db => db.now())
    }

    /// Closes the connections after what is in progress on them.
    ///
    /// # Errors
    /// If a connection does not close cleanly.
    pub async fn close(self) -> Result<(), StoreError> {
        match self.0.0 {
            Backend::Sqlite(db) => db.close().await,
            Backend::Postgres(db) => {
                db.close().await;
                Ok(())
            }
        }
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
    /// The history that the database goes on with: promoting or restoring a standby begins another, in
    /// which the last transactions may be missing. None if there is but one.
    pub(super) async fn timeline(&self) -> Result<Option<String>, StoreError> {
        match &self.0 {
            Backend::Sqlite(_) => Ok(None),
            Backend::Postgres(db) => db.timeline().await,
        }
    }

    fn backend(&self) -> DbBackend {
        match &self.0 {
            Backend::Sqlite(db) => db.get_database_backend(),
            Backend::Postgres(db) => db.get_database_backend(),
        }
    }

    async fn run(&self, request: Request) -> Result<Reply, DbErr> {
        match &self.0 {
            Backend::Sqlite(db) => request.run(db).await,
            Backend::Postgres(db) => request.run(db).await,
        }
    }
}

runs_statements!(Reader);

/// The right to create links before other transactions, if only one may write at a time.
#[derive(Debug)]
pub struct WritePermit(Option<sqlite::TransactionPermit>);
