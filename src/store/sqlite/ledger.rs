//! How clicks get into the ledger, and from there to their links: without a detour through another
//! thread.

use std::time::Instant;

use rusqlite::Connection;

use super::BUSY_TIMEOUT;
use super::inline::{BUSY_INTERVAL, Inline, is_busy};
use super::queue::Turn;
use crate::store::clicks::{Folded, LinkClicks};
use crate::store::{Durability, StoreError};

/// Rows of the ledger that are folded in one transaction, which clicks wait for.
const SLICE: u32 = 2_000;

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
    let inline = inline.clone();
    let folding = move || {
        let _turn = turn;
        inline.transaction(Durability::ProcessDeath, |db| move_counts(db, SLICE))
    };
    let rows = match tokio::task::spawn_blocking(folding).await {
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

fn move_counts(connection: &Connection, limit: u32) -> rusqlite::Result<u64> {
    let last: Option<i64> = connection
        .prepare_cached("SELECT MAX(id) FROM (SELECT id FROM clicks ORDER BY id LIMIT ?1)")?
        .query_one([limit], |row| row.get(0))?;
    let Some(last) = last else { return Ok(0) };
    connection
        .prepare_cached(
            "INSERT INTO click_counts (link_id, count)
             SELECT link_id, SUM(count) FROM clicks WHERE id <= ?1 GROUP BY link_id
             ON CONFLICT (link_id) DO UPDATE SET count = count + excluded.count",
        )?
        .execute([last])?;
    let taken = connection.prepare_cached("DELETE FROM clicks WHERE id <= ?1")?.execute([last])?;
    Ok(taken as u64)
}
