//! How clicks get into the ledger, and from there to their links: without a detour through another
//! thread.

use std::time::Instant;

use rusqlite::Connection;
use sea_orm::{ConnectionTrait as _, DatabaseConnection, DbBackend, Statement};

use super::BUSY_TIMEOUT;
use super::inline::{BUSY_INTERVAL, Inline, is_busy};
use super::queue::Turn;
use crate::store::clicks::{Folded, LinkClicks};
use crate::store::{Durability, StoreError};

/// Rows of the ledger that are folded in one transaction, which clicks wait for, or counts that are
/// put away in one.
const SLICE: u32 = 2_000;
/// Links with recent counts above which these are put away. Their pages, some 400, are changed at
/// each fold at most; when they are put away, each page of all counts takes as many links as it can.
const MOST_RECENT: i64 = 131_072;

/// Appends all or nothing.
pub(super) async fn append(inline: &Inline, clicks: &[LinkClicks]) -> Result<(), StoreError> {
    let started = Instant::now();
    loop {
        match inline.transaction(Durability::ProcessDeath, |db| insert(db, clicks)) {
            Err(error) if is_busy(&error) && started.elapsed() < BUSY_TIMEOUT => {
                tokio::time::sleep(BUSY_INTERVAL).await;
            }
            result => return Ok(result?),
        }
    }
}

/// Adds a part of the ledger to the links' counts. It takes longer than a batch, and so has a
/// thread, which keeps the turn until it is done.
pub(super) async fn fold(inline: &Inline, turn: Turn) -> Result<Folded, StoreError> {
    move_slice(inline, turn, add_up).await
}

/// Whether so many links have recent counts that they are to be put away.
pub(super) async fn has_many_recent(readers: &DatabaseConnection) -> Result<bool, StoreError> {
    let count = Statement::from_string(DbBackend::Sqlite, "SELECT COUNT(*) FROM recent_counts");
    let row = readers.query_one_raw(count).await?;
    Ok(row.map_or(Ok(0), |row| row.try_get_by_index::<i64>(0))? > MOST_RECENT)
}

/// Puts a part of the recent counts away to all others.
pub(super) async fn put_away(inline: &Inline, turn: Turn) -> Result<Folded, StoreError> {
    move_slice(inline, turn, join_counts).await
}

async fn move_slice(
    inline: &Inline,
    turn: Turn,
    work: fn(&Connection, u32) -> rusqlite::Result<u64>,
) -> Result<Folded, StoreError> {
    let inline = inline.clone();
    let moving = move || {
        let _turn = turn;
        inline.transaction(Durability::ProcessDeath, |db| work(db, SLICE))
    };
    let rows = match tokio::task::spawn_blocking(moving).await {
        // Another process is writing; there is no hurry.
        Ok(Err(error)) if is_busy(&error) => 0,
        Ok(result) => result?,
        // The runtime is ending.
        Err(_) => 0,
    };
    Ok(Folded { rows, is_all: rows < u64::from(SLICE) })
}

fn insert(connection: &Connection, clicks: &[LinkClicks]) -> rusqlite::Result<()> {
    let mut insert =
        connection.prepare_cached("INSERT INTO clicks (link_id, count) VALUES (?1, ?2)")?;
    for LinkClicks { link_id, count } in clicks {
        insert.execute((link_id, count))?;
    }
    Ok(())
}

/// From the ledger to the recent counts.
fn add_up(connection: &Connection, limit: u32) -> rusqlite::Result<u64> {
    let last: Option<i64> = connection
        .prepare_cached("SELECT MAX(id) FROM (SELECT id FROM clicks ORDER BY id LIMIT ?1)")?
        .query_one([limit], |row| row.get(0))?;
    let Some(last) = last else { return Ok(0) };
    connection
        .prepare_cached(
            "INSERT INTO recent_counts (link_id, count)
             SELECT link_id, SUM(count) FROM clicks WHERE id <= ?1 GROUP BY link_id
             ON CONFLICT (link_id) DO UPDATE SET count = count + excluded.count",
        )?
        .execute([last])?;
    let taken = connection.prepare_cached("DELETE FROM clicks WHERE id <= ?1")?.execute([last])?;
    Ok(taken as u64)
}

/// From the recent counts to all counts, those of neighbours together.
fn join_counts(connection: &Connection, limit: u32) -> rusqlite::Result<u64> {
    let last: Option<i64> = connection
        .prepare_cached(
            "SELECT MAX(link_id)
             FROM (SELECT link_id FROM recent_counts ORDER BY link_id LIMIT ?1)",
        )?
        .query_one([limit], |row| row.get(0))?;
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
