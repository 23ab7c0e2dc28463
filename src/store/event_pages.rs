//! Pages of events, and of what they changed.

use std::collections::HashMap;

use sea_orm::prelude::Expr;
use sea_orm::sea_query::{Order, Query, SelectStatement, SimpleExpr, UnionType};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, ExprTrait, FromQueryResult, JoinType,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};

use super::entities::{event, event_change, link};
use super::error::StoreError;
use super::events::{
    ChangeKind, EventChangeRow, EventRow, PART_OF_OWNER, events_with_changes, parts_of,
};
use super::query::MAX_READ;
use crate::values::Timestamp;

/// Name of the selected position of an event.
const POSITION: &str = "position";
/// Name of the identifier of an event among those that a list reads.
const EVENT_ID: &str = "event_id";
/// Position of a change among those that an event made, before the first one.
pub const FIRST_CHANGE: i64 = 0;

/// Conditions on the events of a list.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Only events that changed the link with this identifier.
    pub link_id: Option<i64>,
    /// The event that deleted the link, which has no values of it.
    pub deleted_event: Option<i64>,
    /// Only events about one of these owners.
    pub owner_ids: Option<Vec<i64>>,
    /// Only events of this action.
    pub action: Option<&'static str>,
    /// Only events of an actor of this type. `Some(None)`: a command.
    pub actor_type: Option<Option<&'static str>>,
    /// Only events of the key with this identifier.
    pub actor_id: Option<i64>,
    /// Only events of this case.
    pub case_id: Option<String>,
    /// Only events at this time or later.
    pub since: Option<Timestamp>,
}

impl EventFilter {
    /// Returns the conditions that [`Self::read`] leaves out.
    fn condition(&self) -> Condition {
        use event::Column;

        let Self {
            link_id,
            deleted_event: _,
            owner_ids,
            action,
            actor_type,
            actor_id,
            case_id,
            since,
        } = self;
        // The events of a link are read by the link, otherwise those of owners by the owners.
        let owner_ids = owner_ids.as_ref().filter(|_| link_id.is_some());
        Condition::all()
            .add_option(owner_ids.map(|ids| about_owners(ids)))
            .add_option(action.map(|action| Column::Action.eq(action)))
            .add_option(actor_type.map(|name| match name {
                Some(name) => Column::ActorType.eq(name),
                None => Column::ActorType.is_null(),
            }))
            .add_option(actor_id.map(|id| Column::ActorId.eq(id)))
            .add_option(case_id.as_ref().map(|id| Column::CaseId.eq(id)))
            .add_option(since.map(|since| Column::At.gte(since)))
    }

    /// Returns the query for the identifiers of the first events of a range that are about the link or the
    /// owners, as the column [`EVENT_ID`].
    fn read(&self, range: EventRange, limit: u64) -> SelectStatement {
        let cut = |mut query: SelectStatement, column: SimpleExpr| {
            query.and_where(range.contains(column.clone()));
            query.order_by_expr(column, range.order()).limit(limit).take()
        };
        let events = |condition: Option<SimpleExpr>| {
            let events = event::Entity::find().select_only();
            let events = events.expr_as(event::Column::Id.into_expr(), EVENT_ID);
            let events = events.filter(Condition::all().add_option(condition));
            cut(QueryTrait::into_query(events), event::Column::Id.into_expr())
        };
        let changes = |kind, ids: &[i64]| {
            let subjects: Vec<String> = ids.iter().map(ToString::to_string).collect();
            let changes = events_with_changes(kind, &subjects);
            cut(changes, event_change::Column::EventId.into_expr())
        };
        let sources = match (self.link_id, &self.owner_ids) {
            (Some(link), _) => {
                let deletion = event::Column::Id.eq(self.deleted_event);
                [changes(ChangeKind::Link.into_str(), &[link]), events(Some(deletion))]
            }
            (None, Some(ids)) => {
                let own = event::Column::OwnerId.is_in(ids.iter().copied());
                [events(Some(own)), changes(PART_OF_OWNER, ids)]
            }
            (None, None) => return events(None),
        };
        // SQLite sorts and limits a part of a union only in a query of its own.
        let [first, second] = sources
            .map(|source| Query::select().column(EVENT_ID).from_subquery(source, "source").take());
        let mut both = first;
        both.union(UnionType::Distinct, second)
            .order_by(EVENT_ID, range.order())
            .limit(limit)
            .take()
    }
}

/// A range of events, in the order in which they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventRange {
    /// The events below an identifier, newest first.
    Before(i64),
    /// The events above an identifier, oldest first. Because events become visible in the order of their
    /// identifiers, a caller that continues after the last one misses none.
    After(i64),
}

impl EventRange {
    fn contains(self, id: SimpleExpr) -> SimpleExpr {
        match self {
            Self::Before(end) => id.lt(end),
            Self::After(end) => id.gt(end),
        }
    }

    const fn order(self) -> Order {
        match self {
            Self::Before(_) => Order::Desc,
            Self::After(_) => Order::Asc,
        }
    }
}

/// Returns at most `limit` events of a range that meet the conditions, and the identifier after which the
/// list continues, unless it ends. It reads at most [`MAX_READ`] events, so that the page may be short.
pub async fn list(
    db: &impl ConnectionTrait,
    filter: &EventFilter,
    range: EventRange,
    limit: u32,
) -> Result<(Vec<EventRow>, Option<i64>), StoreError> {
    let (condition, rows) = (filter.condition(), u64::from(limit) + 1);
    let is_selective = !condition.is_empty();
    let read = filter.read(range, if is_selective { u64::from(MAX_READ) } else { rows });
    let mut query = QueryTrait::into_query(event::Entity::find().filter(condition));
    let id = Expr::col(("read", EVENT_ID));
    let is_read = id.clone().eq(event::Column::Id.into_expr());
    query.join_subquery(JoinType::InnerJoin, read.clone(), "read", is_read);
    query.order_by_expr(id.clone(), range.order()).limit(rows);
    let backend = db.get_database_backend();
    let mut found = EventRow::find_by_statement(backend.build(&query)).all(db).await?;
    if found.len() > limit as usize {
        found.truncate(limit as usize);
        let next = found.last().map(|last| last.id);
        return Ok((found, next));
    }
    if !is_selective {
        return Ok((found, None));
    }
    let end = match range {
        EventRange::Before(_) => id.clone().min(),
        EventRange::After(_) => id.max(),
    };
    let mut query = Query::select();
    query.expr_as(end, EVENT_ID).from_subquery(read, "read");
    query.cond_having(Expr::cust("COUNT(*)").gte(i64::from(MAX_READ)));
    let next = db.query_one(&query).await?;
    let next = next.map(|next| next.try_get_by(EVENT_ID)).transpose()?;
    Ok((found, next))
}

/// Returns an event if it meets the conditions.
pub async fn find_matching(
    db: &impl ConnectionTrait,
    filter: &EventFilter,
    id: i64,
) -> Result<Option<EventRow>, StoreError> {
    Ok(event::Entity::find_by_id(id).filter(filter.condition()).one(db).await?)
}

/// An event, and its position in the list of a link.
#[derive(Debug, FromQueryResult)]
pub struct ListedEvent {
    /// Position in the list, which begins with the highest one.
    pub position: i64,
    /// The event.
    #[sea_orm(nested)]
    pub event: EventRow,
}

/// Returns at most `limit` events that changed a link and have positions below `before`, in the order in
/// which they changed it, the last one first.
pub async fn list_of_link(
    db: &impl ConnectionTrait,
    link_id: i64,
    filter: &EventFilter,
    before: i64,
    limit: u64,
) -> Result<Vec<ListedEvent>, StoreError> {
    let position = (event_change::Entity, event_change::Column::Id);
    let changes = event::Entity::belongs_to(event_change::Entity)
        .from(event::Column::Id)
        .to(event_change::Column::EventId);
    let events = event::Entity::find()
        .filter(filter.condition())
        .join(JoinType::InnerJoin, changes.into())
        .filter(event_change::Column::Kind.eq(ChangeKind::Link.into_str()))
        .filter(event_change::Column::Subject.eq(link_id.to_string()))
        .filter(event_change::Column::Id.lt(before))
        .expr_as(Expr::col(position), POSITION)
        .order_by_desc(event_change::Column::Id);
    Ok(events.limit(limit).into_model().all(db).await?)
}

/// Returns the condition on events about one of these owners.
fn about_owners(ids: &[i64]) -> SimpleExpr {
    let subjects: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let parts = events_with_changes(PART_OF_OWNER, &subjects);
    let own = event::Column::OwnerId.is_in(ids.iter().copied());
    own.or(event::Column::Id.in_subquery(parts))
}

/// Returns whether any event is about this owner.
pub async fn know_owner(db: &impl ConnectionTrait, id: i64) -> Result<bool, StoreError> {
    let filter = EventFilter { owner_ids: Some(vec![id]), ..EventFilter::default() };
    Ok(db.query_one(&filter.read(EventRange::Before(i64::MAX), 1)).await?.is_some())
}

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
