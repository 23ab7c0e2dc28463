//! The ledger of clicks: appended to before a redirect is answered, folded into the links later.

use sea_orm::{ConnectionTrait, DbBackend, FromQueryResult, Statement, Value};

use super::{Backend, Durability, Store, StoreError, execute, row};

/// Clicks of one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkClicks {
    /// The link.
    pub link_id: i64,
    /// How many.
    pub count: i64,
}

/// Appends a batch, whole or not at all, in a transaction of its own that outlives this process.
///
/// # Errors
/// When the database fails.
pub async fn append(store: &Store, batch: &[LinkClicks]) -> Result<(), StoreError> {
    let statement = match store.backend() {
        Backend::Postgres => Statement::from_sql_and_values(
            DbBackend::Postgres,
            "INSERT INTO clicks (link_id, count) SELECT * FROM unnest($1::bigint[], $2::bigint[])",
            [
                Value::from(batch.iter().map(|clicks| clicks.link_id).collect::<Vec<i64>>()),
                Value::from(batch.iter().map(|clicks| clicks.count).collect::<Vec<i64>>()),
            ],
        ),
        Backend::Sqlite => Statement::from_sql_and_values(
            DbBackend::Sqlite,
            "INSERT INTO clicks (link_id, count)
             SELECT value ->> 0, value ->> 1 FROM json_each($1)",
            [as_json(batch).into()],
        ),
    };
    store
        .writer
        .alone(Durability::ProcessDeath, async |db| Ok(db.execute_raw(statement).await?))
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
    match store.backend() {
        Backend::Postgres => fold_postgres(store, limit).await,
        Backend::Sqlite => fold_sqlite(store, limit).await,
    }
}

#[derive(FromQueryResult)]
struct Last {
    id: Option<i64>,
}

async fn fold_sqlite(store: &Store, limit: u32) -> Result<u64, StoreError> {
    let transaction = store.begin(Durability::ProcessDeath).await?;
    let db = &transaction.connection();
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
        &transaction.connection(),
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
