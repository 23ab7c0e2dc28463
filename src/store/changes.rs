//! What instances must forget from their caches: written by whoever changes a link or a key, in the
//! same transaction, and read by every instance a few times a second.

use sea_orm::{ConnectionTrait, FromQueryResult};

use super::{StoreError, execute, row, rows};
use crate::values::{Moment, ShortCode};

/// What has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The link of this code.
    Link(ShortCode),
    /// Some key.
    Keys,
}

const LINK: &str = "link";
const KEYS: &str = "keys";

/// Tells all instances, once the transaction commits.
///
/// # Errors
/// When the database fails.
pub async fn announce(
    db: &impl ConnectionTrait,
    change: &Change,
    now: Moment,
) -> Result<(), StoreError> {
    let (kind, subject) = match change {
        Change::Link(code) => (LINK, code.as_str()),
        Change::Keys => (KEYS, ""),
    };
    execute(db, "UPDATE change_counter SET number = number + 1 WHERE id = 1", []).await?;
    execute(
        db,
        "INSERT INTO changes (number, kind, subject, changed_at)
         SELECT number, $1, $2, $3 FROM change_counter WHERE id = 1",
        [kind.into(), subject.into(), now.millis().into()],
    )
    .await?;
    Ok(())
}

#[derive(FromQueryResult)]
struct Counter {
    number: i64,
}

/// The number of the last change so far.
///
/// # Errors
/// When the database fails.
pub async fn last_number(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    let counter: Option<Counter> =
        row(db, "SELECT number FROM change_counter WHERE id = 1", []).await?;
    Ok(counter.map_or(0, |counter| counter.number))
}

#[derive(FromQueryResult)]
struct Row {
    number: i64,
    kind: String,
    subject: String,
}

/// The changes after number `last`, oldest first, each with its number; none for a kind that a later
/// program has added, which may concern anything that is kept.
///
/// # Errors
/// When the database fails.
pub async fn since(
    db: &impl ConnectionTrait,
    last: i64,
) -> Result<Vec<(i64, Option<Change>)>, StoreError> {
    let rows: Vec<Row> = rows(
        db,
        "SELECT number, kind, subject FROM changes WHERE number > $1 ORDER BY number LIMIT 10000",
        [last.into()],
    )
    .await?;
    Ok(rows.into_iter().map(|row| (row.number, row.change())).collect())
}

impl Row {
    fn change(&self) -> Option<Change> {
        match self.kind.as_str() {
            LINK => ShortCode::parse(&self.subject).ok().map(Change::Link),
            KEYS => Some(Change::Keys),
            _ => None,
        }
    }
}

/// Deletes changes from before `moment`: every instance has read them or forgets everything.
///
/// # Errors
/// When the database fails.
pub async fn delete_before(db: &impl ConnectionTrait, moment: Moment) -> Result<(), StoreError> {
    execute(db, "DELETE FROM changes WHERE changed_at < $1", [moment.millis().into()]).await?;
    Ok(())
}
