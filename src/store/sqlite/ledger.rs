//! How clicks get into the ledger, without a detour through another thread, and from there to their
//! links.

use rusqlite::Connection;
use sea_orm::{ConnectionTrait, DatabaseConnection};
use tokio::task::spawn_blocking;

use super::inline::{Inline, is_busy};
use super::joined;
use super::lookup::Lookup;
use super::queue::{Queue, Turn};
use crate::store::clicks::{Batch, Folded, LinkClicks};
use crate::store::{StoreError, execute, scalar};
use crate::values::Moment;

/// Rows of the ledger that are folded together. Clicks wait while the sums of so many are written.
const ROWS: usize = 8_000;
/// Recent counts that are put away together.
const LINKS: u32 = 2_000;
/// Links with recent counts above which these are put away. Their pages, some 400, are changed at
/// each fold at most; when they are put away, each page of all counts takes as many links as it can.
const MOST_RECENT: i64 = 131_072;

/// The beginning of the ledger.
struct Slice {
    /// How many were folded before it.
    number: i64,
    /// How many rows it has.
    rows: usize,
    /// The last of them.
    last: i64,
    /// What they come to, in the order of the links.
    sums: Vec<LinkClicks>,
}

/// Appends all or nothing.
pub(super) async fn append(inline: &Inline, clicks: &[LinkClicks]) -> rusqlite::Result<()> {
    inline.take().await.transaction(|db| insert(db, clicks))
}

/// Appends a batch of a writer whose last one is not of that number or a later one.
pub(super) async fn append_once(
    db: &impl ConnectionTrait,
    batch: &Batch,
    now: Moment,
) -> Result<(), StoreError> {
    let is_new = execute(
        db,
        "INSERT INTO click_writers (writer, sequence, written_at) VALUES ($1, $2, $3)
         ON CONFLICT (writer) DO UPDATE
             SET sequence = excluded.sequence, written_at = excluded.written_at
             WHERE click_writers.sequence < excluded.sequence",
        [batch.writer.into(), batch.sequence.into(), now.millis().into()],
    )
    .await?;
    if is_new > 0 {
        for LinkClicks { link_id, count } in &batch.clicks {
            let values = [(*link_id).into(), (*count).into()];
            execute(db, "INSERT INTO clicks (link_id, count) VALUES ($1, $2)", values).await?;
        }
    }
    Ok(())
}

/// Adds a part of the ledger to the recent counts. It is read and added up before anybody waits.
pub(super) async fn fold(
    lookup: &Lookup,
    inline: &Inline,
    queue: &Queue,
) -> Result<Folded, StoreError> {
    let lookup = lookup.clone();
    let reading = spawn_blocking(move || lookup.read(read));
    let Some(slice) = joined(reading).await else { return Ok(NOTHING) };
    let slice = slice?;
    let is_all = slice.rows < ROWS;
    if slice.rows == 0 {
        return Ok(NOTHING);
    }
    let turn = queue.take_turn_elsewhere().await;
    let rows = write(inline, turn, move |db| add(db, &slice)).await?;
    // Nothing where somebody else writes, who may go on for long.
    Ok(Folded { rows, is_all: is_all || rows == 0 })
}

/// Whether so many links have recent counts that they are to be put away.
pub(super) async fn has_many_recent(readers: &DatabaseConnection) -> Result<bool, StoreError> {
    let count = scalar(readers, "SELECT COUNT(*) FROM recent_counts", []).await?;
    Ok(count.unwrap_or(0) > MOST_RECENT)
}

/// Puts a part of the recent counts away to all others.
pub(super) async fn put_away(inline: &Inline, turn: Turn) -> Result<Folded, StoreError> {
    let rows = write(inline, turn, join_counts).await?;
    Ok(Folded { rows, is_all: rows < u64::from(LINKS) })
}

const NOTHING: Folded = Folded { rows: 0, is_all: true };

/// Does what takes longer than a batch, and so has a thread, which keeps the turn until it is done.
/// How many rows were moved.
async fn write(
    inline: &Inline,
    turn: Turn,
    work: impl FnOnce(&Connection) -> rusqlite::Result<u64> + Send + 'static,
) -> Result<u64, StoreError> {
    let inline = inline.clone();
    let writing = move || {
        let _turn = turn;
        inline.take_blocking().transaction(work)
    };
    match joined(spawn_blocking(writing)).await {
        // Another process is writing, or has moved them; there is no hurry.
        Some(Err(rusqlite::Error::StatementChangedRows(_))) | None => Ok(0),
        Some(Err(error)) if is_busy(&error) => Ok(0),
        Some(result) => Ok(result?),
    }
}

fn insert(connection: &Connection, clicks: &[LinkClicks]) -> rusqlite::Result<()> {
    let mut insert =
        connection.prepare_cached("INSERT INTO clicks (link_id, count) VALUES (?1, ?2)")?;
    for LinkClicks { link_id, count } in clicks {
        insert.execute((link_id, count))?;
    }
    Ok(())
}

/// Rows of the ledger stay as they are until they are folded.
fn read(connection: &Connection) -> rusqlite::Result<Slice> {
    // First: if the rows are younger, they are not folded by this number.
    let number = connection
        .prepare_cached("SELECT number FROM fold_counter WHERE id = 1")?
        .query_one([], |row| row.get(0))?;
    let mut statement =
        connection.prepare_cached("SELECT id, link_id, count FROM clicks ORDER BY id LIMIT ?1")?;
    let mut rows = statement.query([ROWS as i64])?;
    let (mut last, mut sums) = (0, Vec::with_capacity(ROWS));
    while let Some(row) = rows.next()? {
        last = row.get(0)?;
        sums.push(LinkClicks { link_id: row.get(1)?, count: row.get(2)? });
    }
    let rows = sums.len();
    sums.sort_unstable_by_key(|clicks| clicks.link_id);
    sums.dedup_by(|next, kept| {
        let is_same = next.link_id == kept.link_id;
        if is_same {
            kept.count += next.count;
        }
        is_same
    });
    Ok(Slice { number, rows, last, sums })
}

/// From the ledger to the recent counts; nothing where another process has done it.
fn add(connection: &Connection, slice: &Slice) -> rusqlite::Result<u64> {
    let counted = connection
        .prepare_cached("UPDATE fold_counter SET number = number + 1 WHERE id = 1 AND number = ?1")?
        .execute([slice.number])?;
    if counted != 1 {
        return Err(rusqlite::Error::StatementChangedRows(counted));
    }
    let taken =
        connection.prepare_cached("DELETE FROM clicks WHERE id <= ?1")?.execute([slice.last])?;
    // Nor by a program that knows no counter.
    if taken != slice.rows {
        return Err(rusqlite::Error::StatementChangedRows(taken));
    }
    let mut add = connection.prepare_cached(
        "INSERT INTO recent_counts (link_id, count) VALUES (?1, ?2)
         ON CONFLICT (link_id) DO UPDATE SET count = count + excluded.count",
    )?;
    for LinkClicks { link_id, count } in &slice.sums {
        add.execute((link_id, count))?;
    }
    Ok(taken as u64)
}

/// From the recent counts to all counts, those of neighbours together.
fn join_counts(connection: &Connection) -> rusqlite::Result<u64> {
    let last: Option<i64> = connection
        .prepare_cached(
            "SELECT MAX(link_id)
             FROM (SELECT link_id FROM recent_counts ORDER BY link_id LIMIT ?1)",
        )?
        .query_one([LINKS], |row| row.get(0))?;
    let Some(last) = last else { return Ok(0) };
    connection
        .prepare_cached(
            "INSERT INTO click_counts (link_id, count)
             SELECT link_id, count FROM recent_counts WHERE link_id <= ?1
             ON CONFLICT (link_id) DO UPDATE SET count = count + excluded.count",
        )?
        .execute([last])?;
    let taken = connection
        .prepare_cached("DELETE FROM recent_counts WHERE link_id <= ?1")?
        .execute([last])?;
    Ok(taken as u64)
}
