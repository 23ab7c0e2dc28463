//! What events changed, page by page.

use std::collections::HashMap;

use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};

use super::entities::{event_change, link};
use super::error::StoreError;
use super::events::{ChangeKind, EventChangeRow, EventRow, PART_OF_OWNER, parts_of};

/// Position of a change among those that an event made, before the first one.
pub const FIRST_CHANGE: i64 = 0;

/// What an event changed, in the order in which it did. A position leads to what follows.
#[derive(Debug)]
pub enum MadeChange {
    /// A change whose values are recorded, unless they are erased.
    Recorded(EventChangeRow),
    /// The deletion of a link with this identifier.
    Deletion(i64),
}

/// Returns at most `limit` changes of an event after a position, each with its position: all, or only those
/// of an owner if the event changed something of several.
pub async fn changes_page(
    db: &impl ConnectionTrait,
    event: &EventRow,
    owner_id: Option<i64>,
    after: i64,
    limit: u64,
) -> Result<Vec<(i64, MadeChange)>, StoreError> {
    match owner_id {
        Some(owner_id) if event.owner_id.is_none() => {
            own_changes(db, event.id, owner_id, after, limit).await
        }
        Some(_) | None => all_changes(db, event.id, after, limit).await,
    }
}

/// Reads all changes. The positions are identifiers of rows and, after them, negative ones of deleted links.
async fn all_changes(
    db: &impl ConnectionTrait,
    event_id: i64,
    after: i64,
    limit: u64,
) -> Result<Vec<(i64, MadeChange)>, StoreError> {
    use event_change::Column;

    let mut found = Vec::new();
    if after >= FIRST_CHANGE {
        let rows = event_change::Entity::find().filter(Column::EventId.eq(event_id));
        let rows = rows.filter(Column::Kind.ne(PART_OF_OWNER)).filter(Column::Id.gt(after));
        let rows = rows.order_by_asc(Column::Id).limit(limit).all(db).await?;
        found.extend(rows.into_iter().map(|row| (row.id, MadeChange::Recorded(row))));
    }
    let rest = limit - found.len() as u64;
    let deleted = link::Entity::find().select_only().column(link::Column::Id);
    let deleted = deleted.filter(link::Column::DeletedEvent.eq(event_id));
    let deleted = deleted.filter(link::Column::Id.gt(Ord::max(-after, 0)));
    let deleted = deleted.order_by_asc(link::Column::Id).limit(rest).into_tuple();
    let deleted: Vec<i64> = deleted.all(db).await?;
    found.extend(deleted.into_iter().map(|id| (-id, MadeChange::Deletion(id))));
    Ok(found)
}

/// Reads the changes of one of several owners. A position is the identifier of a row that lists subjects, and
/// the number of those that precede it in the row.
async fn own_changes(
    db: &impl ConnectionTrait,
    event_id: i64,
    owner_id: i64,
    after: i64,
    limit: u64,
) -> Result<Vec<(i64, MadeChange)>, StoreError> {
    use event_change::Column;

    let position = |part: i64, number: usize| part << 8 | i64::try_from(number).unwrap_or(0);
    let parts = parts_of(event_id, owner_id).filter(Column::Id.gte(after >> 8));
    let parts = parts.order_by_asc(Column::Id).limit(limit).all(db).await?;
    let subjects = parts.into_iter().flat_map(|part| {
        let listed = part.before.unwrap_or_default();
        let listed = listed.split(',').filter(|subject| !subject.is_empty()).map(str::to_owned);
        let numbered = listed
            .enumerate()
            .map(move |(number, subject)| (position(part.id, number + 1), subject));
        numbered.collect::<Vec<_>>()
    });
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let subjects: Vec<(i64, String)> =
        subjects.filter(|(position, _)| *position > after).take(most).collect();
    let kinds = [ChangeKind::Link, ChangeKind::Key].map(<&str>::from);
    let rows = event_change::Entity::find().filter(Column::EventId.eq(event_id));
    let rows = rows.filter(Column::Kind.is_in(kinds));
    let rows = rows.filter(Column::Subject.is_in(subjects.iter().map(|(_, subject)| subject)));
    let rows = rows.all(db).await?.into_iter().map(|row| (row.subject.clone(), row));
    let mut rows: HashMap<String, EventChangeRow> = rows.collect();
    let changes = subjects.into_iter().filter_map(|(position, subject)| {
        let change = match rows.remove(&subject) {
            Some(row) => MadeChange::Recorded(row),
            None => MadeChange::Deletion(subject.parse().ok()?),
        };
        Some((position, change))
    });
    Ok(changes.collect())
}
