//! Events: what operators changed, and the values before and after each change.

use sea_orm::prelude::Expr;
use sea_orm::sea_query::{Func, SelectStatement, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, ExprTrait, FromQueryResult, JoinType,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select, Set,
};
use serde_json::Value;
use strum_macros::{EnumString, IntoStaticStr, VariantArray};

use super::entities::{event, event_change, owner};
use super::error::StoreError;
use super::invalidations;
use crate::values::Timestamp;

pub use super::entities::event::Model as EventRow;
pub use super::entities::event_change::Model as EventChangeRow;

/// What an event changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "kebab-case")]
pub enum ChangeKind {
    /// A link. The subject of the change is the link's identifier.
    Link,
    /// An owner. The subject is the owner's identifier.
    Owner,
    /// One of the operator's own patterns, which is the subject.
    Block,
    /// A domain. The subject is the host.
    Domain,
    /// A key. The subject is the key's identifier.
    Key,
    /// A plan. The subject is the name.
    Plan,
    /// An operator key. The subject is the key's identifier.
    #[strum(serialize = "operator key")]
    OperatorKey,
}

impl EventChangeRow {
    /// Returns the kind of the change, or `None` if only a newer version of Terse knows it.
    #[must_use]
    pub fn kind(&self) -> Option<ChangeKind> {
        self.kind.parse().ok()
    }
}

/// Kind of a row that names an owner of changed links, if an event changed links of several owners.
/// The subject of such a row is the owner's identifier.
const OWNER_OF_CHANGED_LINKS: &str = "link owner";
/// Word before the owner's name in the subject of an event that selected links by owner.
pub const OWNER_SELECTOR: &str = "owner";
/// Word before the campaign in the subject of an event that selected links by campaign.
pub const CAMPAIGN_SELECTOR: &str = "campaign";
/// Word before the host in the subject of an event that selected links by host.
pub const HOST_SELECTOR: &str = "host";
/// Name of the selected position of an event.
const POSITION: &str = "position";
/// Maximum number of rows per statement.
const MAX_ROWS: usize = 1_000;

/// An event without its identifier, which the database assigns.
pub type NewEvent = event::ActiveModel;

/// Change of one link, owner, key or other thing by an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventChange {
    /// What identifies it among those of its kind.
    pub subject: String,
    /// The changed fields before the event, as a JSON object, or `null` if there was no such thing.
    pub before: String,
    /// The changed fields after the event, likewise.
    pub after: String,
}

impl EventChange {
    /// Returns the change between two states of a thing, without the fields that stay the same.
    #[must_use]
    pub fn between(subject: impl ToString, before: &Value, after: &Value) -> Self {
        let changed = |of: &Value, other: &Value| {
            let mut of = of.clone();
            if let (Some(fields), Some(others)) = (of.as_object_mut(), other.as_object()) {
                fields.retain(|name, value| others.get(name) != Some(value));
            }
            of.to_string()
        };
        let (before, after) = (changed(before, after), changed(after, before));
        Self { subject: subject.to_string(), before, after }
    }
}

/// Returns whether there is an event of this action.
pub async fn any(db: &impl ConnectionTrait, action: &str) -> Result<bool, StoreError> {
    let events = event::Entity::find().filter(event::Column::Action.eq(action));
    Ok(events.one(db).await?.is_some())
}

/// Inserts an event and returns its identifier. Transactions that insert events commit one after the
/// other, so that events become visible in the order of their identifiers. Callers lock the rows
/// that they change before.
pub async fn insert(db: &impl ConnectionTrait, event: NewEvent) -> Result<i64, StoreError> {
    invalidations::lock(db).await?;
    Ok(event::Entity::insert(event).exec(db).await?.last_insert_id)
}

/// Adds `changed` to the number of things that an event changed. Each further slice of a bulk
/// change calls it.
pub async fn add_changed(
    db: &impl ConnectionTrait,
    event_id: i64,
    changed: i64,
) -> Result<(), StoreError> {
    event::Entity::update_many()
        .col_expr(event::Column::Changed, Expr::col(event::Column::Changed).add(changed))
        .filter(event::Column::Id.eq(event_id))
        .exec(db)
        .await?;
    Ok(())
}

/// Stores the changes that an event made, all of one kind.
pub async fn insert_changes(
    db: &impl ConnectionTrait,
    event_id: i64,
    kind: ChangeKind,
    changes: Vec<EventChange>,
) -> Result<(), StoreError> {
    insert_rows(db, event_id, kind.into_str(), changes).await
}

async fn insert_rows(
    db: &impl ConnectionTrait,
    event_id: i64,
    kind: &str,
    changes: Vec<EventChange>,
) -> Result<(), StoreError> {
    let mut rows = changes.into_iter().map(|change| event_change::ActiveModel {
        event_id: Set(event_id),
        kind: Set(kind.to_owned()),
        subject: Set(change.subject),
        before: Set(Some(change.before)),
        after: Set(Some(change.after)),
        ..event_change::ActiveModel::default()
    });
    loop {
        let part: Vec<_> = rows.by_ref().take(MAX_ROWS).collect();
        if part.is_empty() {
            return Ok(());
        }
        event_change::Entity::insert_many(part).exec_without_returning(db).await?;
    }
}

/// Stores the identifiers of the owners whose links an event changed. An owner may be stored twice.
pub async fn insert_owners(
    db: &impl ConnectionTrait,
    event_id: i64,
    owners: impl IntoIterator<Item = i64>,
) -> Result<(), StoreError> {
    let none = String::new;
    let changes = owners.into_iter().map(|owner_id| EventChange {
        subject: owner_id.to_string(),
        before: none(),
        after: none(),
    });
    insert_rows(db, event_id, OWNER_OF_CHANGED_LINKS, changes.collect()).await
}

/// Finds an event. Returns `None` if no event has the identifier.
pub async fn find(
    db: &impl ConnectionTrait,
    event_id: i64,
) -> Result<Option<EventRow>, StoreError> {
    Ok(event::Entity::find_by_id(event_id).one(db).await?)
}

/// Returns the subjects of all events of an action.
pub async fn subjects_of(
    db: &impl ConnectionTrait,
    action: &str,
) -> Result<Vec<String>, StoreError> {
    let events = event::Entity::find().filter(event::Column::Action.eq(action));
    let subjects = events.select_only().column(event::Column::Subject);
    Ok(subjects.into_tuple().all(db).await?)
}

/// Returns the time of an event.
pub async fn time_of(
    db: &impl ConnectionTrait,
    event_id: i64,
) -> Result<Option<Timestamp>, StoreError> {
    Ok(find(db, event_id).await?.map(|event| event.at))
}

/// Returns the changes that an event made, in the order in which it made them.
pub async fn changes_of(
    db: &impl ConnectionTrait,
    event_id: i64,
) -> Result<Vec<EventChangeRow>, StoreError> {
    let changes = event_change::Entity::find()
        .filter(event_change::Column::EventId.eq(event_id))
        .filter(event_change::Column::Kind.ne(OWNER_OF_CHANGED_LINKS));
    Ok(changes.order_by_asc(event_change::Column::Id).all(db).await?)
}

/// Returns the changes of the same thing after `change`, oldest first. They are
/// in the order of their identifiers, in which the changes locked their subject: an event in slices
/// has its identifier before it locks the links of the last slice.
pub async fn changes_after(
    db: &impl ConnectionTrait,
    change: &EventChangeRow,
) -> Result<Vec<EventChangeRow>, StoreError> {
    let changes = event_change::Entity::find()
        .filter(event_change::Column::Kind.eq(change.kind.as_str()))
        .filter(event_change::Column::Subject.eq(change.subject.as_str()))
        .filter(event_change::Column::Id.gt(change.id));
    Ok(changes.order_by_asc(event_change::Column::Id).all(db).await?)
}

/// Erases the values before and after every change of these links, owners or keys. For links, it also
/// removes campaigns and hosts from the subjects of events that changed any of them.
pub async fn erase_values(
    db: &impl ConnectionTrait,
    kind: ChangeKind,
    subjects: &[String],
) -> Result<(), StoreError> {
    for part in subjects.chunks(MAX_ROWS) {
        event_change::Entity::update_many()
            .col_expr(event_change::Column::Before, Expr::value(None::<String>))
            .col_expr(event_change::Column::After, Expr::value(None::<String>))
            .filter(event_change::Column::Kind.eq(kind.into_str()))
            .filter(event_change::Column::Subject.is_in(part))
            .exec(db)
            .await?;
        if kind == ChangeKind::Link {
            erase_selectors(db, part).await?;
        }
    }
    Ok(())
}

/// Erases the values before and after every change of the domains of an owner, former ones included.
pub async fn erase_domains(db: &impl ConnectionTrait, owner_id: i64) -> Result<(), StoreError> {
    let events = event::Entity::find().select_only().column(event::Column::Id);
    let events = QueryTrait::into_query(events.filter(event::Column::OwnerId.eq(owner_id)));
    event_change::Entity::update_many()
        .col_expr(event_change::Column::Before, Expr::value(None::<String>))
        .col_expr(event_change::Column::After, Expr::value(None::<String>))
        .filter(event_change::Column::Kind.eq(ChangeKind::Domain.into_str()))
        .filter(event_change::Column::EventId.in_subquery(events))
        .exec(db)
        .await?;
    Ok(())
}

async fn erase_selectors(db: &impl ConnectionTrait, link_ids: &[String]) -> Result<(), StoreError> {
    let names = |word: &str| event::Column::Subject.contains(format!("{word} "));
    event::Entity::update_many()
        .col_expr(event::Column::Subject, Expr::value("several links"))
        .filter(
            event::Column::Id
                .in_subquery(events_with_changes(ChangeKind::Link.into_str(), link_ids)),
        )
        .filter(names(CAMPAIGN_SELECTOR).or(names(HOST_SELECTOR)))
        .exec(db)
        .await?;
    Ok(())
}

/// Replaces the name of an owner in all events about the owner.
pub async fn rename_owner(
    db: &impl ConnectionTrait,
    owner_id: i64,
    old_name: &str,
    name: &str,
) -> Result<(), StoreError> {
    event::Entity::update_many()
        .col_expr(event::Column::Subject, Expr::value(name))
        .filter(event::Column::OwnerId.eq(owner_id))
        .filter(event::Column::Subject.eq(old_name))
        .exec(db)
        .await?;
    // The subject also contains the name if the operator selected links by their owner.
    let (old, new) = (format!("{OWNER_SELECTOR} {old_name}"), format!("{OWNER_SELECTOR} {name}"));
    let subject = Func::cust("replace").args([
        Expr::col(event::Column::Subject),
        Expr::value(old.clone()),
        Expr::value(new),
    ]);
    event::Entity::update_many()
        .col_expr(event::Column::Subject, subject.into())
        .filter(event::Column::OwnerId.eq(owner_id))
        .filter(event::Column::Subject.contains(old))
        .exec(db)
        .await?;
    event::Entity::update_many()
        .col_expr(event::Column::Owner, Expr::value(name))
        .filter(event::Column::OwnerId.eq(owner_id))
        .exec(db)
        .await?;
    Ok(())
}

/// Conditions on the events of a list.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Only events that changed the link with this identifier.
    pub link_id: Option<i64>,
    /// Only the event with this identifier.
    pub event_id: Option<i64>,
    /// Only events about this owner.
    pub owner: Option<String>,
    /// Only events of an actor of this type. `Some(None)`: a command.
    pub actor_type: Option<Option<&'static str>>,
    /// Only events of this case.
    pub case_id: Option<String>,
    /// Only events at this time or later.
    pub since: Option<Timestamp>,
}

/// An event, and its position in a list.
#[derive(Debug, FromQueryResult)]
pub struct ListedEvent {
    /// Position in the list, which begins with the highest one.
    pub position: i64,
    /// The event.
    #[sea_orm(nested)]
    pub event: EventRow,
}

/// Returns at most `limit` events that meet the conditions and have positions below `before`,
/// newest first. The order of the events of a link is that in which they changed the link.
pub async fn list(
    db: &impl ConnectionTrait,
    filter: &EventFilter,
    before: i64,
    limit: u64,
) -> Result<Vec<ListedEvent>, StoreError> {
    use event::Column;

    let EventFilter { link_id, event_id, owner, actor_type, case_id, since } = filter;
    let events = event::Entity::find();
    let mut events = if let Some(link_id) = link_id {
        let position = (event_change::Entity, event_change::Column::Id);
        let changes = event::Entity::belongs_to(event_change::Entity)
            .from(Column::Id)
            .to(event_change::Column::EventId);
        events
            .join(JoinType::InnerJoin, changes.into())
            .filter(event_change::Column::Kind.eq(ChangeKind::Link.into_str()))
            .filter(event_change::Column::Subject.eq(link_id.to_string()))
            .filter(event_change::Column::Id.lt(before))
            .expr_as(Expr::col(position), POSITION)
            .order_by_desc(event_change::Column::Id)
    } else {
        let events = events.filter(Column::Id.lt(before)).order_by_desc(Column::Id);
        events.expr_as(Expr::col((event::Entity, Column::Id)), POSITION)
    };
    if let Some(event_id) = event_id {
        events = events.filter(Column::Id.eq(*event_id));
    }
    if let Some(name) = owner {
        events = events.filter(about_owner(db, name).await?);
    }
    if let Some(actor_type) = actor_type {
        events = events.filter(by_actor_type(*actor_type));
    }
    if let Some(case_id) = case_id {
        events = events.filter(Column::CaseId.eq(case_id));
    }
    if let Some(since) = since {
        events = events.filter(Column::At.gte(*since));
    }
    Ok(events.limit(limit).into_model().all(db).await?)
}

/// Returns the condition on events of an actor of this type.
fn by_actor_type(name: Option<&'static str>) -> SimpleExpr {
    match name {
        Some(name) => event::Column::ActorType.eq(name),
        None => event::Column::ActorType.is_null(),
    }
}

/// Returns the condition on events about the owner with this name.
async fn about_owner(db: &impl ConnectionTrait, name: &str) -> Result<SimpleExpr, StoreError> {
    let owner_ids = owner_ids(db, name).await?;
    let changed = events_with_changes(OWNER_OF_CHANGED_LINKS, &owner_ids);
    Ok(event::Column::Owner.eq(name).or(event::Column::Id.in_subquery(changed)))
}

/// Returns the query for the identifiers of events that changed any of these subjects of one kind.
fn events_with_changes(kind: &str, subjects: &[String]) -> SelectStatement {
    let changes = event_change::Entity::find().select_only().column(event_change::Column::EventId);
    let changes = changes
        .filter(event_change::Column::Kind.eq(kind))
        .filter(event_change::Column::Subject.is_in(subjects));
    QueryTrait::into_query(changes)
}

/// Returns the identifiers of all owners that have or had this name, as subjects of changes.
async fn owner_ids(db: &impl ConnectionTrait, name: &str) -> Result<Vec<String>, StoreError> {
    let owners = owner::Entity::find().select_only().column(owner::Column::Id);
    let mut ids: Vec<i64> =
        owners.filter(owner::Column::Name.eq(name)).into_tuple().all(db).await?;
    // Deleted owners are in events only, and the first owner is in none.
    let events = event::Entity::find().select_only().column(event::Column::OwnerId).distinct();
    let events = events.filter(event::Column::Owner.eq(name));
    let named: Vec<Option<i64>> = events.into_tuple().all(db).await?;
    ids.extend(named.into_iter().flatten());
    Ok(ids.iter().map(ToString::to_string).collect())
}

/// Returns at most `limit` events that meet the conditions and have identifiers above `after`, oldest
/// first. Because events become visible in the order of their identifiers, a caller that continues
/// after the last one misses none.
pub async fn list_after(
    db: &impl ConnectionTrait,
    filter: &EventFilter,
    after: i64,
    limit: u64,
) -> Result<Vec<EventRow>, StoreError> {
    use event::Column;

    let EventFilter { link_id, event_id, owner, actor_type, case_id, since } = filter;
    let of_link = link_id.map(|id| {
        let changed = Column::Id
            .in_subquery(events_with_changes(ChangeKind::Link.into_str(), &[id.to_string()]));
        // The event that deleted the link has no values of it.
        event_id.map_or(changed.clone(), |deletion| changed.or(Column::Id.eq(deletion)))
    });
    let of_owner = match owner {
        Some(name) => Some(about_owner(db, name).await?),
        None => None,
    };
    let conditions = Condition::all()
        .add(Column::Id.gt(after))
        .add_option(of_link)
        .add_option(of_owner)
        .add_option(actor_type.map(by_actor_type))
        .add_option(case_id.as_ref().map(|id| Column::CaseId.eq(id)))
        .add_option(since.map(|since| Column::At.gte(since)));
    let events = event::Entity::find().filter(conditions).order_by_asc(Column::Id);
    Ok(events.limit(limit).all(db).await?)
}

/// Selects the events of owners' keys before a time. The type is a literal, because the planner
/// would not use the partial index otherwise.
fn events_of_owner_keys(before: Timestamp) -> Select<event::Entity> {
    let of_owner_key = Expr::cust("actor_type = 'owner_key'");
    event::Entity::find().filter(of_owner_key).filter(event::Column::At.lt(before))
}

/// Returns whether any event of an owner's key is older than `before`. Takes no lock.
pub async fn has_expired(db: &impl ConnectionTrait, before: Timestamp) -> Result<bool, StoreError> {
    let any = events_of_owner_keys(before).select_only().column(event::Column::Id).limit(1);
    Ok(any.into_tuple::<i64>().one(db).await?.is_some())
}

/// Deletes up to `limit` events of owners' keys that are older than `before`, with their changes.
pub async fn delete_expired(
    db: &impl ConnectionTrait,
    before: Timestamp,
    limit: u64,
) -> Result<(), StoreError> {
    // The lock keeps another instance from deleting the same rows in another order.
    let ids = events_of_owner_keys(before)
        .select_only()
        .column(event::Column::Id)
        .order_by_asc(event::Column::At);
    let ids = ids.order_by_asc(event::Column::Id).limit(limit).lock_exclusive();
    let ids: Vec<i64> = ids.into_tuple().all(db).await?;
    let changes = event_change::Entity::delete_many();
    let changes = changes.filter(event_change::Column::EventId.is_in(ids.iter().copied()));
    changes.exec(db).await?;
    event::Entity::delete_many().filter(event::Column::Id.is_in(ids)).exec(db).await?;
    Ok(())
}
