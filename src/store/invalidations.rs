//! The log of invalidations. A transaction that changes a link or a key appends to it, and every
//! instance polls it several times per second to invalidate its caches. Its table is `changes`.

use sea_orm::{ConnectionTrait, FromQueryResult, Value};
use strum_macros::IntoStaticStr;

use super::database::Reader;
use super::error::StoreError;
use super::query::{execute, row, rows};
use crate::values::{ShortCode, Timestamp};

/// A message that something cached has changed. The log has the names of the variants.
#[derive(Debug, Clone, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Invalidation {
    /// The link with this code has changed.
    Link(ShortCode),
    /// At least one API key, or the plan of its owner, has changed.
    Keys,
    /// The owner with this identifier was suspended, resumed or deleted. This affects the owner's
    /// keys and all of the owner's links.
    Owner(i64),
    /// The patterns of blocked destinations have changed.
    Blocks,
    /// Codes of a new kind exist. Triggers of the schema publish it.
    Codes,
    /// Domains of owners have changed.
    Domains,
    /// Webhooks have changed.
    Webhooks,
}

/// The number of the first invalidation in a database.
const FIRST_NUMBER: i64 = 1;
/// Maximum number of invalidations per statement.
const MAX_ROWS: usize = 1_000;

impl Invalidation {
    fn subject(&self) -> String {
        match self {
            Self::Link(code) => code.as_str().to_owned(),
            Self::Owner(id) => id.to_string(),
            Self::Keys | Self::Blocks | Self::Codes | Self::Domains | Self::Webhooks => {
                String::new()
            }
        }
    }
}

/// Locks the log until the transaction ends, so that transactions which lock it commit one after
/// the other.
pub async fn lock(db: &impl ConnectionTrait) -> Result<(), StoreError> {
    // On SQLite, a transaction that writes has the lock already.
    execute(db, "UPDATE change_counter SET number = number WHERE id = 1", []).await
}

/// Appends an invalidation to the log. Instances see it once the transaction has committed.
pub async fn publish(
    db: &impl ConnectionTrait,
    invalidation: &Invalidation,
    now: Timestamp,
) -> Result<(), StoreError> {
    publish_all(db, std::slice::from_ref(invalidation), now).await
}

/// Appends several invalidations to the log with few statements.
pub async fn publish_all(
    db: &impl ConnectionTrait,
    all: &[Invalidation],
    now: Timestamp,
) -> Result<(), StoreError> {
    for part in all.chunks(MAX_ROWS) {
        let count = part.len() as i64;
        let add = "UPDATE change_counter SET number = number + $1 WHERE id = 1";
        execute(db, add, [count.into()]).await?;
        let (mut tuples, mut values) = (Vec::new(), vec![Value::from(now)]);
        for (position, invalidation) in (1..).zip(part) {
            let next = values.len() + 1;
            tuples.push(format!("({position}, ${next}, ${})", next + 1));
            values.extend([<&str>::from(invalidation).into(), invalidation.subject().into()]);
        }
        // The updated row is locked until the transaction ends.
        let insert = format!(
            "INSERT INTO changes (number, kind, subject, changed_at)
             SELECT number - {count} + column1, column2, column3, $1
             FROM change_counter, (VALUES {}) AS published WHERE id = 1",
            tuples.join(", ")
        );
        execute(db, &insert, values).await?;
    }
    Ok(())
}

/// A reader's position in the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Position {
    last: Option<InvalidationRow>,
    timeline: Option<String>,
}

/// The result of [`since`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidationPoll {
    /// The invalidations since the position, oldest first. `None` stands for a kind that a newer version
    /// of Terse has added; it may concern any cached data.
    New(Vec<Option<Invalidation>>),
    /// The log no longer contains the position, because its invalidations were deleted, or because a
    /// standby without them was promoted. Readers must clear their caches.
    HistoryLost,
}

#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
struct InvalidationRow {
    number: i64,
    kind: String,
    subject: String,
    changed_at: i64,
}

/// Returns the position after the latest invalidation.
pub async fn end(db: &Reader) -> Result<Position, StoreError> {
    // The timeline is read first, so that the changes are of the same timeline or a later one.
    let timeline = db.timeline().await?;
    let last = row(
        db,
        "SELECT number, kind, subject, changed_at FROM changes ORDER BY number DESC LIMIT 1",
        [],
    )
    .await?;
    Ok(Position { last, timeline })
}

/// Returns the invalidations since `position`, and the position after them.
pub async fn since(
    db: &Reader,
    position: &Position,
) -> Result<(InvalidationPoll, Position), StoreError> {
    let Position { last, timeline } = position;
    if db.timeline().await? != *timeline {
        return Ok((InvalidationPoll::HistoryLost, end(db).await?));
    }
    let number = last.as_ref().map_or(i64::MIN, |row| row.number);
    let mut rows: Vec<InvalidationRow> = rows(
        db,
        "SELECT number, kind, subject, changed_at FROM changes
         WHERE number >= $1 ORDER BY number LIMIT 10000",
        [number.into()],
    )
    .await?;
    match last {
        Some(last) if rows.first() == Some(last) => {
            rows.remove(0);
        }
        // A reader that has read no change yet has missed no change if the log still begins with
        // the first one.
        None if rows.first().is_none_or(|first| first.number == FIRST_NUMBER) => {}
        Some(_) | None => return Ok((InvalidationPoll::HistoryLost, end(db).await?)),
    }
    let last = rows.last().or(last.as_ref()).cloned();
    let reached = Position { last, timeline: timeline.clone() };
    Ok((InvalidationPoll::New(rows.iter().map(InvalidationRow::invalidation).collect()), reached))
}

impl InvalidationRow {
    fn invalidation(&self) -> Option<Invalidation> {
        match self.kind.as_str() {
            "link" => Some(Invalidation::Link(ShortCode::from_stored(&self.subject))),
            "keys" => Some(Invalidation::Keys),
            "owner" => self.subject.parse().ok().map(Invalidation::Owner),
            "blocks" => Some(Invalidation::Blocks),
            "codes" => Some(Invalidation::Codes),
            "domains" => Some(Invalidation::Domains),
            "webhooks" => Some(Invalidation::Webhooks),
            _ => None,
        }
    }
}

/// Deletes the changes before `time`, except the latest change, which shows readers that they have
/// read everything. An instance that has not read a deleted change gets
/// [`InvalidationPoll::HistoryLost`].
pub async fn delete_before(db: &impl ConnectionTrait, time: Timestamp) -> Result<(), StoreError> {
    execute(
        db,
        "DELETE FROM changes WHERE number < COALESCE(
             (SELECT MIN(number) FROM changes WHERE changed_at >= $1),
             (SELECT MAX(number) FROM changes))",
        [time.into()],
    )
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Durability, Store};

    #[tokio::test]
    async fn reader_without_a_position_gets_history_lost_after_a_deletion() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new_in(directory.path()).await;
        let db = store.reader();
        let nothing = end(db).await.unwrap();
        assert_eq!(since(db, &nothing).await.unwrap().0, InvalidationPoll::New(Vec::new()));

        let (early, late) = (Timestamp::from_millis(1), Timestamp::from_millis(2));
        let write = async |change| {
            let transaction = store.begin(Durability::ProcessDeath).await.unwrap();
            publish(&transaction, &Invalidation::Keys, change).await.unwrap();
            transaction.commit().await.unwrap();
        };
        write(early).await;
        let (poll, first) = since(db, &nothing).await.unwrap();
        assert_eq!(poll, InvalidationPoll::New(vec![Some(Invalidation::Keys)]));
        write(late).await;
        let transaction = store.begin(Durability::ProcessDeath).await.unwrap();
        delete_before(&transaction, late).await.unwrap();
        transaction.commit().await.unwrap();
        for position in [&nothing, &first] {
            let (poll, reached) = since(db, position).await.unwrap();
            assert_eq!(poll, InvalidationPoll::HistoryLost);
            assert_eq!(since(db, &reached).await.unwrap().0, InvalidationPoll::New(Vec::new()));
        }
    }
}
