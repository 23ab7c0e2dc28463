//! Appends batches of clicks to `pending_clicks`, rolls them up into `recent_counts`, and merges
//! recent counts into `click_counts`.

use rusqlite::Connection;

use super::Sqlite;
use super::checksum::proven_count;
use super::connection::{SecureDelete, is_busy, set_secure_delete};
use super::writer::{CLICKS_BUSY_TIMEOUT, WriterConnection};
use crate::store::clicks::{Batch, LinkClicks, RollupResult};
use crate::store::error::StoreError;

/// Maximum number of pending rows per rollup. New clicks wait while a rollup writes to the
/// database.
const MAX_ROWS: usize = 8_000;
/// Maximum number of recent counts per merge.
const MAX_MERGED: u32 = 2_000;
/// Number of recent counts above which a merge is due.
///
/// These counts fill about 400 pages, the most that one rollup rewrites. A merge of many counts
/// changes more counts per page of `click_counts` than a merge of few.
const MAX_RECENT: i64 = 131_072;

const NOTHING: RollupResult = RollupResult { rows: 0, is_complete: true };

/// The oldest pending rows, summed up per link.
struct PendingSums {
    /// Value of `rollup_counter` before the rows were read.
    number: i64,
    /// Number of rows.
    rows: usize,
    last_id: i64,
    /// Sums per link, in the order of the links' identifiers.
    sums: Vec<LinkClicks>,
}

impl Sqlite {
    /// Appends clicks in one transaction, ahead of all transactions that wait for the permit.
    pub(in crate::store) async fn append(&self, batch: &Batch) -> Result<(), StoreError> {
        self.writer().write(CLICKS_BUSY_TIMEOUT, |db| insert(db, &batch.clicks)).await
    }

    /// Appends a batch unless its producer has already appended one with this sequence number or a
    /// higher one.
    pub(in crate::store) async fn append_once(&self, batch: &Batch) -> Result<(), StoreError> {
        let append = |db: &Connection| {
            let is_new = db
                .prepare_cached(
                    "INSERT INTO click_writers (producer_id, sequence) VALUES (?1, ?2)
                     ON CONFLICT (producer_id) DO UPDATE
                         SET sequence = excluded.sequence
                         WHERE click_writers.sequence < excluded.sequence",
                )?
                .execute((batch.producer_id, batch.sequence))?;
            if is_new > 0 { insert(db, &batch.clicks) } else { Ok(()) }
        };
        let writer = self.writer();
        writer.flusher().check()?;
        writer.write(CLICKS_BUSY_TIMEOUT, append).await?;
        writer.flusher().flush()
    }

    /// Adds the oldest pending rows to the recent counts. It reads the rows and sums them up before it
    /// takes the write lock. If `notes_links`, it notes links whose owners have webhooks.
    pub(in crate::store) async fn roll_up(
        &self,
        notes_links: bool,
    ) -> Result<RollupResult, StoreError> {
        let slice = self.readers.read_blocking(read).await?;
        if slice.rows == 0 {
            return Ok(NOTHING);
        }
        let is_complete = slice.rows < MAX_ROWS;
        let rows = run_unless_busy(self.writer(), move |db| add(db, &slice, notes_links)).await?;
        // If no rows were moved, another process is writing, which may take long.
        Ok(RollupResult { rows, is_complete: is_complete || rows == 0 })
    }

    /// Returns whether enough links have recent counts for a merge.
    pub(in crate::store) async fn is_merge_due(&self) -> Result<bool, StoreError> {
        let count = |db: &Connection| -> rusqlite::Result<i64> {
            db.prepare_cached("SELECT COUNT(*) FROM recent_counts")?.query_one([], |row| row.get(0))
        };
        Ok(self.readers.read_blocking(count).await? > MAX_RECENT)
    }

    /// Moves some recent counts into `click_counts`.
    pub(in crate::store) async fn merge_recent_counts(&self) -> Result<RollupResult, StoreError> {
        let rows = run_unless_busy(self.writer(), merge).await?;
        Ok(RollupResult { rows, is_complete: rows < u64::from(MAX_MERGED) })
    }
}

/// Runs a rollup or merge, and returns the number of rows that it moved. Returns 0 if another
/// process is writing or has moved the rows.
async fn run_unless_busy(
    writer: &WriterConnection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<u64> + Send + 'static,
) -> Result<u64, StoreError> {
    writer.check_file()?;
    let work = move |db: &Connection| {
        // Counts are no secrets, and redirects would wait until the free pages are overwritten.
        set_secure_delete(db, SecureDelete::WithinPages)?;
        let result = work(db);
        set_secure_delete(db, SecureDelete::Everywhere)?;
        result
    };
    match writer.write_blocking(work).await? {
        Err(rusqlite::Error::StatementChangedRows(_)) => Ok(0),
        Err(error) if is_busy(&error) => Ok(0),
        result => Ok(result?),
    }
}

fn insert(db: &Connection, clicks: &[LinkClicks]) -> rusqlite::Result<()> {
    let mut insert =
        db.prepare_cached("INSERT INTO pending_clicks (link_id, count) VALUES (?1, ?2)")?;
    for LinkClicks { link_id, count } in clicks {
        insert.execute((link_id, count))?;
    }
    Ok(())
}

/// Reads the oldest pending rows and sums them up. The rows do not change until a rollup deletes
/// them.
fn read(db: &Connection) -> rusqlite::Result<PendingSums> {
    // The counter is read before the rows. If a rollup increments it in between, `add` does
    // nothing.
    let number = db
        .prepare_cached("SELECT number FROM rollup_counter WHERE id = 1")?
        .query_one([], |row| row.get(0))?;
    let mut pending = db.prepare_cached(
        "SELECT id, link_id, count, proof FROM pending_clicks ORDER BY id LIMIT ?1",
    )?;
    let mut rows = pending.query([MAX_ROWS as i64])?;
    let (mut last_id, mut sums) = (0, Vec::with_capacity(MAX_ROWS));
    while let Some(row) = rows.next()? {
        last_id = row.get(0)?;
        let (link_id, count) = (row.get(1)?, row.get(2)?);
        sums.push(LinkClicks { link_id, count: proven_count(link_id, count, row.get(3)?)? });
    }
    let rows = sums.len();
    sums.sort_unstable_by_key(|clicks| clicks.link_id);
    sums.dedup_by(|next, sum| {
        let is_same = next.link_id == sum.link_id;
        if is_same {
            sum.count += next.count;
        }
        is_same
    });
    Ok(PendingSums { number, rows, last_id, sums })
}

/// Moves the rows of a slice into the recent counts, and returns the number of rows. It discards
/// the clicks of deleted links.
///
/// # Errors
/// `StatementChangedRows` if another process has rolled up the rows.
fn add(db: &Connection, slice: &PendingSums, notes_links: bool) -> rusqlite::Result<u64> {
    let counted = db
        .prepare_cached(
            "UPDATE rollup_counter SET number = number + 1 WHERE id = 1 AND number = ?1",
        )?
        .execute([slice.number])?;
    if counted != 1 {
        return Err(rusqlite::Error::StatementChangedRows(counted));
    }
    let deleted =
        db.prepare_cached("DELETE FROM pending_clicks WHERE id <= ?1")?.execute([slice.last_id])?;
    if deleted != slice.rows {
        return Err(rusqlite::Error::StatementChangedRows(deleted));
    }
    let mut add = db.prepare_cached(
        "INSERT INTO recent_counts (link_id, count)
         SELECT ?1, ?2 WHERE NOT EXISTS (
             SELECT 1 FROM links INDEXED BY links_deleted_idx WHERE id = ?1 AND owner_id IS NULL)
         ON CONFLICT (link_id) DO UPDATE
             SET count = proven_count(link_id, count, proof) + excluded.count",
    )?;
    for LinkClicks { link_id, count } in &slice.sums {
        add.execute((link_id, count))?;
    }
    if notes_links {
        let mut note = db.prepare_cached(
            "INSERT INTO webhook_clicks (link_id, owner_id)
             SELECT id, owner_id FROM links WHERE id = ?1
                 AND owner_id IN (SELECT owner_id FROM webhooks WHERE is_enabled)
             ON CONFLICT (link_id) DO NOTHING",
        )?;
        for LinkClicks { link_id, .. } in &slice.sums {
            note.execute([link_id])?;
        }
    }
    Ok(deleted as u64)
}

/// Moves the recent counts of the links with the lowest identifiers into `click_counts`, and
/// returns the number of moved counts.
fn merge(db: &Connection) -> rusqlite::Result<u64> {
    let last: Option<i64> = db
        .prepare_cached(
            "SELECT MAX(link_id)
             FROM (SELECT link_id FROM recent_counts ORDER BY link_id LIMIT ?1)",
        )?
        .query_one([MAX_MERGED], |row| row.get(0))?;
    let Some(last) = last else { return Ok(0) };
    db.prepare_cached(
        "INSERT INTO click_counts (link_id, count, is_open)
         SELECT link_id, proven_count(link_id, count, proof), TRUE FROM recent_counts
         WHERE link_id <= ?1
         ON CONFLICT (link_id) DO UPDATE
             SET count = proven_count(link_id, count, proof) + excluded.count, is_open = TRUE",
    )?
    .execute([last])?;
    let merged =
        db.prepare_cached("DELETE FROM recent_counts WHERE link_id <= ?1")?.execute([last])?;
    Ok(merged as u64)
}
