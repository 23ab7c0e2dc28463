//! The ledger of clicks: appended to before a redirect is answered, folded into the links later.

use sea_orm::{ConnectionTrait, DbBackend, FromQueryResult, Statement};

use super::{Durability, Kind, Store, StoreError, execute, row};
use crate::values::Moment;

/// Clicks of one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkClicks {
    /// The link.
    pub link_id: i64,
    /// How many.
    pub count: i64,
}

/// Clicks that are appended together. A writer numbers its batches, and the database keeps the last
/// number: a batch of which nobody knows whether it was appended can be appended again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Whoever made it; random, so that no two ever have the same.
    pub writer: i64,
    /// Its number, above those of the writer's batches before it.
    pub sequence: i64,
    /// When it was made, for people to see which writers are gone.
    pub at: Moment,
    /// The clicks, no link twice.
    pub clicks: Vec<LinkClicks>,
}

/// Appends a batch, whole or not at all, to stay whatever becomes of this process.
///
/// On SQLite it is known whether a statement was done, so that its writer, which tries again only
/// what was not, needs no entry in the list of writers at every batch.
///
/// # Errors
/// When the database fails. On PostgreSQL it may have been appended all the same: append it again
/// before any other.
pub async fn append(store: &Store, batch: &Batch) -> Result<(), StoreError> {
    match store.kind() {
        Kind::Postgres(postgres) => Ok(postgres.append(batch).await?),
        Kind::Sqlite(sqlite) => {
            sqlite.execute(Durability::ProcessDeath, insert_sqlite(batch)).await
        }
    }
}

/// Appends a batch that another process left behind, unless it is known to be there.
///
/// # Errors
/// When the database fails. It may have been appended all the same.
pub async fn take_in(store: &Store, batch: &Batch) -> Result<(), StoreError> {
    let sqlite = match store.kind() {
        Kind::Postgres(postgres) => return Ok(postgres.append(batch).await?),
        Kind::Sqlite(sqlite) => sqlite,
    };
    let transaction = sqlite.begin(Durability::PowerLoss).await?;
    let db = transaction.connection();
    let is_new = execute(
        db,
        "INSERT INTO click_writers (writer, sequence, written_at) VALUES ($1, $2, $3)
         ON CONFLICT (writer) DO UPDATE
             SET sequence = excluded.sequence, written_at = excluded.written_at
             WHERE click_writers.sequence < excluded.sequence",
        [batch.writer.into(), batch.sequence.into(), batch.at.millis().into()],
    )
    .await?;
    if is_new > 0 {
        db.execute_raw(insert_sqlite(batch)).await?;
    }
    transaction.commit().await
}

fn insert_sqlite(batch: &Batch) -> Statement {
    Statement::from_sql_and_values(
        DbBackend::Sqlite,
        "INSERT INTO clicks (link_id, count)
         SELECT value ->> 0, value ->> 1 FROM json_each($1)",
        [as_json(&batch.clicks).into()],
    )
}

/// Forgets writers that have written nothing since `moment`, which nobody will hear of again.
///
/// # Errors
/// When the database fails.
pub async fn forget_writers(db: &impl ConnectionTrait, moment: Moment) -> Result<(), StoreError> {
    execute(db, "DELETE FROM click_writers WHERE written_at < $1", [moment.millis().into()])
        .await?;
    Ok(())
}

/// `[[link, count], …]`: SQLite takes a list of any length only as text.
fn as_json(batch: &[LinkClicks]) -> String {
    use std::fmt::Write as _;

    let mut json = String::with_capacity(2 + batch.len() * 16);
    for LinkClicks { link_id, count } in batch {
        let separator = if json.is_empty() { '[' } else { ',' };
        // Writing to a String cannot fail.
        let _ = write!(json, "{separator}[{link_id},{count}]");
    }
    if json.is_empty() {
        json.push('[');
    }
    json.push(']');
    json
}

/// Whether the ledger has rows, asked without keeping anyone from writing.
///
/// # Errors
/// When the database fails.
pub async fn any(store: &Store) -> Result<bool, StoreError> {
    let last: Option<Last> = row(store.reader(), "SELECT id FROM clicks LIMIT 1", []).await?;
    Ok(last.is_some())
}

/// Adds at most `limit` rows of the ledger to their links and deletes them, in one transaction;
/// returns how many rows it took.
///
/// # Errors
/// When the database fails; then nothing has changed.
pub async fn fold(store: &Store, limit: u32) -> Result<u64, StoreError> {
    match store.kind() {
        Kind::Postgres(_) => fold_postgres(store, limit).await,
        Kind::Sqlite(_) => fold_sqlite(store, limit).await,
    }
}

#[derive(FromQueryResult)]
struct Last {
    id: Option<i64>,
}

async fn fold_sqlite(store: &Store, limit: u32) -> Result<u64, StoreError> {
    let transaction = store.begin(Durability::ProcessDeath).await?;
    let db = &transaction;
    let last: Option<Last> = row(
        db,
        "SELECT MAX(id) AS id FROM (SELECT id FROM clicks ORDER BY id LIMIT $1) AS slice",
        [i64::from(limit).into()],
    )
    .await?;
    let Some(last) = last.and_then(|last| last.id) else { return Ok(0) };
    execute(
        db,
        "UPDATE links SET clicks = links.clicks + slice.count
         FROM (SELECT link_id, SUM(count) AS count FROM clicks WHERE id <= $1 GROUP BY link_id)
             AS slice
         WHERE links.id = slice.link_id",
        [last.into()],
    )
    .await?;
    let taken = execute(db, "DELETE FROM clicks WHERE id <= $1", [last.into()]).await?;
    transaction.commit().await?;
    Ok(taken)
}

#[derive(FromQueryResult)]
struct Taken {
    count: i64,
}

/// One statement, so that what is deleted is what is added, whoever appends meanwhile. Rows that
/// another instance is folding are left to it; links are locked in the order of their identifiers,
/// so that two that fold at once do not wait for each other in a circle.
async fn fold_postgres(store: &Store, limit: u32) -> Result<u64, StoreError> {
    let transaction = store.begin(Durability::ProcessDeath).await?;
    let taken: Option<Taken> = row(
        &transaction,
        "WITH slice AS (
             DELETE FROM clicks WHERE id IN (
                 SELECT id FROM clicks ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
             RETURNING link_id, count
         ), sums AS (
             SELECT link_id, CAST(SUM(count) AS bigint) AS count FROM slice GROUP BY link_id
         ), locked AS (
             SELECT links.id, sums.count FROM links JOIN sums ON links.id = sums.link_id
             ORDER BY links.id FOR UPDATE OF links
         ), added AS (
             UPDATE links SET clicks = links.clicks + locked.count
             FROM locked WHERE links.id = locked.id
         )
         SELECT COUNT(*) AS count FROM slice",
        [i64::from(limit).into()],
    )
    .await?;
    transaction.commit().await?;
    Ok(taken.map_or(0, |taken| u64::try_from(taken.count).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_a_list_of_pairs() {
        assert_eq!(as_json(&[]), "[]");
        let batch = [LinkClicks { link_id: 1, count: 2 }, LinkClicks { link_id: 30, count: 4 }];
        assert_eq!(as_json(&batch), "[[1,2],[30,4]]");
    }
}
