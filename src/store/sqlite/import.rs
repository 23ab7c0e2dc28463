//! Imports links in short transactions, so that other writers do not wait long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension as _, params};
use sea_orm::prelude::async_trait::async_trait;

use super::create_links::{count_created, keep_created};
use super::links::{holder_of_external_id, insert};
use super::readers::Readers;
use super::writer::WriterConnection;
use super::{Sqlite, checkpoint};
use crate::store::books_clock;
use crate::store::code_lookup::STORE_KIND;
use crate::store::error::StoreError;
use crate::store::import::{IMPORT_ALLOWANCE, ImportLink, ImportOutcome, ImportWriter, code_kinds};
use crate::values::{Month, Timestamp};

/// Maximum time that an import waits for other processes. It is long because a server under load
/// writes all the time.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);
/// Number of links per transaction while no other process writes.
const ROWS_WITHOUT_OTHER_WRITERS: usize = 2_000;
/// Pause after a transaction while no other process writes.
const PAUSE_ALONE: Duration = Duration::from_millis(1);
/// Number of links per transaction while another process writes.
const ROWS_WITH_OTHER_WRITERS: usize = 100;
/// Pause after a transaction while another process writes, as a multiple of its duration. The pause
/// is long, because other writers wait if the operating system preempts the import within a
/// transaction.
const PAUSE_FACTOR: u32 = 3;
/// Minimum pause while another process writes.
const MIN_PAUSE: Duration = Duration::from_millis(2);
/// Maximum pause while another process writes.
const MAX_PAUSE: Duration = Duration::from_millis(50);
/// How long after a write by another process the import assumes that the process still writes.
const SHARED_FOR: Duration = Duration::from_secs(1);
/// Number of links after which a checkpoint runs.
const ROWS_PER_CHECKPOINT: usize = 20_000;
/// Size of the page cache in bytes. It is large because random codes change pages in all parts of
/// their index.
const CACHE_BYTES: u64 = 64 << 20;

/// Importer of the links of one owner.
#[derive(Debug)]
pub(in crate::store) struct SqliteImporter {
    readers: Readers,
    writer: Arc<WriterConnection>,
    owner_id: i64,
    /// Value of `PRAGMA data_version`, which changes when another connection writes.
    data_version: i64,
    shared_until: Option<Instant>,
    since_checkpoint: usize,
}

impl Sqlite {
    pub(in crate::store) async fn importer(
        &self,
        owner_id: i64,
    ) -> Result<SqliteImporter, StoreError> {
        let writer = Arc::clone(&self.shared.writer);
        writer.set_cache_size(CACHE_BYTES).await?;
        Ok(SqliteImporter {
            readers: self.readers.clone(),
            data_version: data_version(&writer).await?,
            writer,
            owner_id,
            shared_until: None,
            since_checkpoint: 0,
        })
    }
}

#[async_trait(?Send)]
impl ImportWriter for SqliteImporter {
    async fn put(&mut self, links: &[ImportLink]) -> Result<Vec<ImportOutcome>, StoreError> {
        if self.since_checkpoint >= ROWS_PER_CHECKPOINT {
            self.since_checkpoint = 0;
            checkpoint(&self.readers, &self.writer).await?;
        }
        let version = data_version(&self.writer).await?;
        if version != self.data_version {
            self.data_version = version;
            self.shared_until = Some(Instant::now() + SHARED_FOR);
        }
        let is_shared = self.shared_until.is_some_and(|until| Instant::now() < until);
        let rows = if is_shared { ROWS_WITH_OTHER_WRITERS } else { ROWS_WITHOUT_OTHER_WRITERS };
        let links = &links[..rows.min(links.len())];
        let started = Instant::now();
        let inserting = |db: &Connection| insert_all(db, self.owner_id, links);
        let outcomes = self.writer.write(BUSY_TIMEOUT, inserting).await?;
        let outcomes = outcomes.ok_or(StoreError::OwnerUnavailable)?;
        let pause = if is_shared {
            (started.elapsed() * PAUSE_FACTOR).clamp(MIN_PAUSE, MAX_PAUSE)
        } else {
            PAUSE_ALONE
        };
        self.since_checkpoint += links.len();
        tokio::time::sleep(pause).await;
        Ok(outcomes)
    }

    async fn finish(self: Box<Self>) -> Result<(), StoreError> {
        self.writer.flusher().flush()?;
        checkpoint(&self.readers, &self.writer).await?;
        // If the file was replaced during the import, the imported links are lost.
        self.writer.check_file()
    }
}

async fn data_version(writer: &WriterConnection) -> Result<i64, StoreError> {
    let db = writer.lock().await?;
    Ok(db.prepare_cached("PRAGMA data_version")?.query_one([], |row| row.get(0))?)
}

/// Inserts links and returns their outcomes. Returns `None` if the owner is suspended or does not
/// exist.
fn insert_all(
    db: &Connection,
    owner_id: i64,
    links: &[ImportLink],
) -> rusqlite::Result<Option<Vec<ImportOutcome>>> {
    let mut allowance = db.prepare_cached(IMPORT_ALLOWANCE)?;
    let allowance = allowance.query_one([owner_id], |row| row.get::<_, i64>(0)).optional()?;
    let Some(allowance) = allowance else { return Ok(None) };
    for kind in code_kinds(links) {
        db.prepare_cached(STORE_KIND)?.execute([kind.into_str()])?;
    }
    let mut created = 0;
    let mut outcomes = Vec::with_capacity(links.len());
    for link in links {
        let is_created = created < allowance && insert_with_clicks(db, owner_id, link)?;
        created += i64::from(is_created);
        let outcome = if is_created {
            ImportOutcome::Created
        } else {
            outcome_of_existing(db, owner_id, link)?
        };
        outcomes.push(fold(db, link, outcome)?);
    }
    if created > 0 {
        let month = Month::from(books_clock::time(Timestamp::now()));
        keep_created(db, owner_id, month)?;
        count_created(db, owner_id, created, month)?;
    }
    Ok(Some(outcomes))
}

fn insert_with_clicks(db: &Connection, owner_id: i64, link: &ImportLink) -> rusqlite::Result<bool> {
    let ImportLink { code, properties, clicks, ignores_case: _ } = link;
    let is_created = insert(db, owner_id, code, properties)?;
    if is_created && *clicks > 0 {
        // Imported clicks are an opening balance, because their days are unknown.
        db.prepare_cached(
            "INSERT INTO click_counts (link_id, count, opening, closed) VALUES (?1, ?2, ?2, ?2)",
        )?
        .execute([db.last_insert_rowid(), *clicks])?;
    }
    Ok(is_created)
}

/// Lets a link answer to its folded code, if it has one, unless another link does so already.
fn fold(
    db: &Connection,
    link: &ImportLink,
    outcome: ImportOutcome,
) -> rusqlite::Result<ImportOutcome> {
    let Some(folded) = link.folded().filter(|_| outcome.is_there()) else { return Ok(outcome) };
    let code = link.code.as_str();
    let mut insert = db.prepare_cached(
        "INSERT INTO folded_codes (link_id, folded)
         SELECT id, ?2 FROM links WHERE short_code = ?1 ON CONFLICT DO NOTHING",
    )?;
    if insert.execute([code, &folded])? > 0 {
        return Ok(outcome.with_case());
    }
    let mut find = db.prepare_cached(
        "SELECT 1 FROM folded_codes JOIN links ON links.id = folded_codes.link_id
         WHERE folded = ?2 AND short_code <> ?1",
    )?;
    Ok(if find.exists([code, &folded])? { outcome.without_case() } else { outcome })
}

fn outcome_of_existing(
    db: &Connection,
    owner_id: i64,
    link: &ImportLink,
) -> rusqlite::Result<ImportOutcome> {
    let is_same: Option<bool> = db
        .prepare_cached(
            "SELECT owner_id IS ?1 AND destination_url = ?2 FROM links WHERE short_code = ?3",
        )?
        .query_one(
            params![owner_id, link.properties.link.destination_url, link.code.as_str()],
            |row| row.get(0),
        )
        .optional()?;
    Ok(match is_same {
        Some(true) => ImportOutcome::AlreadyExists,
        Some(false) => ImportOutcome::CodeInUse,
        None => match holder_of_external_id(db, owner_id, &link.properties)? {
            Some(_) => ImportOutcome::ExternalIdInUse,
            None => ImportOutcome::PlanLimitReached,
        },
    })
}
