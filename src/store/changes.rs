//! What instances must forget from their caches: written by whoever changes a link or a key, in the
//! same transaction, and read by every instance a few times a second.

use sea_orm::{ConnectionTrait, FromQueryResult};

use super::database::Reader;
use super::error::StoreError;
use super::query::{execute, row, rows};
use crate::values::{ShortCode, Timestamp};

/// What has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The link of this code.
    Link(ShortCode),
    /// Some key.
    Keys,
}

/// The number of the first change of all.
const FIRST: i64 = 1;
const LINK: &str = "link";
const KEYS: &str = "keys";

/// Tells all instances, once the transaction commits.
///
/// # Errors
/// When the database fails.
pub async fn announce(
    db: &impl ConnectionTrait,
    change: &Change,
    now: Timestamp,
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

/// How far somebody has read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Position {
    last: Option<ChangeRow>,
    timeline: Option<String>,
}

/// What has happened since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// These changes, oldest first; none for a kind that a later program has added, which may concern
    /// anything that is kept.
    Changes(Vec<Option<Change>>),
    /// Nobody can tell: what was read last is not there any more. It was long ago, or the database
    /// goes on with another history, such as that of a standby that had not seen all of it.
    Lost,
}

#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
struct ChangeRow {
    number: i64,
    kind: String,
    subject: String,
    changed_at: i64,
}

/// Where everything so far has been read.
///
/// # Errors
/// When the database fails.
pub async fn end(db: &Reader) -> Result<Position, StoreError> {
    // First: what is read then is of that history or of a later one.
    let timeline = db.timeline().await?;
    let last = row(
        db,
        "SELECT number, kind, subject, changed_at FROM changes ORDER BY number DESC LIMIT 1",
        [],
    )
    .await?;
    Ok(Position { last, timeline })
}

/// What has happened since `position`, and where that ends.
///
/// # Errors
/// When the database fails.
pub async fn since(db: &Reader, position: &Position) -> Result<(News, Position), StoreError> {
    let Position { last, timeline } = position;
    if db.timeline().await? != *timeline {
        return Ok((News::Lost, end(db).await?));
    }
    let number = last.as_ref().map_or(i64::MIN, |row| row.number);
    let mut rows: Vec<ChangeRow> = rows(
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
        // Who has read none can tell by the number that none is missing.
        None if rows.first().is_none_or(|first| first.number == FIRST) => {}
        Some(_) | None => return Ok((News::Lost, end(db).await?)),
    }
    let reached = rows.last().or(last.as_ref()).cloned();
    let reached = Position { last: reached, timeline: timeline.clone() };
    Ok((News::Changes(rows.iter().map(ChangeRow::change).collect()), reached))
}

impl ChangeRow {
    fn change(&self) -> Option<Change> {
        match self.kind.as_str() {
            LINK => ShortCode::parse(&self.subject).ok().map(Change::Link),
            KEYS => Some(Change::Keys),
            _ => None,
        }
    }
}

/// Deletes changes from before `moment`: every instance has read them or forgets everything. The
/// last one stays, so that whoever has read it knows that it was the last.
///
/// # Errors
/// When the database fails.
pub async fn delete_before(db: &impl ConnectionTrait, moment: Timestamp) -> Result<(), StoreError> {
    execute(
        db,
        "DELETE FROM changes WHERE number < COALESCE(
             (SELECT MIN(number) FROM changes WHERE changed_at >= $1),
             (SELECT MAX(number) FROM changes))",
        [moment.millis().into()],
    )
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Durability, Store};

    #[tokio::test]
    async fn who_has_read_nothing_learns_that_changes_were_deleted_since() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new_in(directory.path()).await;
        let db = store.reader();
        let nothing = end(db).await.unwrap();
        assert_eq!(since(db, &nothing).await.unwrap().0, News::Changes(Vec::new()));

        let (early, late) = (Timestamp::from_millis(1), Timestamp::from_millis(2));
        let write = async |change| {
            let transaction = store.begin(Durability::ProcessDeath).await.unwrap();
            announce(&transaction, &Change::Keys, change).await.unwrap();
            transaction.commit().await.unwrap();
        };
        write(early).await;
        let (news, first) = since(db, &nothing).await.unwrap();
        assert_eq!(news, News::Changes(vec![Some(Change::Keys)]));
        write(late).await;
        let transaction = store.begin(Durability::ProcessDeath).await.unwrap();
        delete_before(&transaction, late).await.unwrap();
        transaction.commit().await.unwrap();
        for position in [&nothing, &first] {
            let (news, reached) = since(db, position).await.unwrap();
            assert_eq!(news, News::Lost);
            assert_eq!(since(db, &reached).await.unwrap().0, News::Changes(Vec::new()));
        }
    }
}
