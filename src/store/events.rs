//! Events: what operators changed, and the values before and after each change.

use std::collections::{BTreeMap, HashMap};

use sea_orm::prelude::Expr;
use sea_orm::sea_query::{Func, SelectStatement, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, ExprTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Select, Set, UpdateMany,
};
use serde_json::Value;
use std::time::Duration;
use strum_macros::{EnumString, IntoStaticStr, VariantArray};

use super::entities::{event, event_change, owner};
use super::error::StoreError;
use super::{invalidations, query};
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
    /// A webhook. The subject is the webhook's identifier.
    Webhook,
}

/// Time after which a change that has given no sign of life counts as stopped.
const SILENCE: Duration = Duration::from_secs(60);

/// How far the change of an event has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "kebab-case")]
pub enum EventStatus {
    /// A server or command makes the change.
    Running,
    /// Everything is changed.
    #[default]
    Done,
    /// The change was interrupted, or someone stopped it.
    Stopped,
}

impl EventRow {
    /// Returns the row as it is to be read at the time `now`: with a status, and the time at which the
    /// change ended. A change that has given no sign of life for a minute is stopped.
    #[must_use]
    pub fn read_at(mut self, now: Timestamp) -> Self {
        let status = match self.finished_at {
            _ if self.status.is_none() => {
                self.finished_at = Some(self.at);
                EventStatus::Done
            }
            Some(seen_at)
                if seen_at <= now.minus(SILENCE) && self.status() == EventStatus::Running =>
            {
                EventStatus::Stopped
            }
            Some(_) | None => self.status(),
        };
        if status == EventStatus::Running {
            self.finished_at = None;
        }
        Self { status: Some(status.into_str().to_owned()), ..self }
    }

    /// Returns the status that the row has.
    pub fn status(&self) -> EventStatus {
        self.status.as_deref().and_then(|name| name.parse().ok()).unwrap_or_default()
    }
}

impl EventChangeRow {
    /// Returns the kind of the change, or `None` if only a newer version of Terse knows it.
    pub fn kind(&self) -> Option<ChangeKind> {
        self.kind.parse().ok()
    }
}

/// Kind of a row that says what a transaction of an event changed of one owner, if the event changed links
/// or keys of several owners. The subject of such a row is the owner's identifier, and `before` has the
/// subjects of the owner's changes, each between commas. Earlier versions stored none.
pub(super) const PART_OF_OWNER: &str = "link owner";
/// Maximum number of subjects per such row.
const MAX_PART: usize = 250;
/// Word before the owner's name in the subject of an event that selected links by owner.
pub const OWNER_SELECTOR: &str = "owner";
/// Word before the campaign in the subject of an event that selected links by campaign.
pub const CAMPAIGN_SELECTOR: &str = "campaign";
/// Word before the host in the subject of an event that selected links by host.
pub const HOST_SELECTOR: &str = "host";
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
    let changed = Expr::col(event::Column::Changed).add(changed);
    query::set::<event::Entity>(db, event_id, [(event::Column::Changed, changed)]).await
}

/// What a change in slices stores in its event with each of them.
#[derive(Debug)]
pub struct RunProgress {
    /// Identifies the run of the change. After an interruption, another one takes over.
    pub run: i64,
    /// How far it has come.
    pub status: EventStatus,
    /// What it left as it was, as JSON.
    pub skipped: Option<String>,
    /// Number of things that it left as they were.
    pub skipped_count: Option<i64>,
}

/// Returns the condition that the change of an event has a status.
fn has(status: EventStatus) -> SimpleExpr {
    event::Column::Status.eq(status.into_str())
}

/// Stores how far a run has come, which is its sign of life. Returns whether it may go on: not if the
/// change was stopped, or another run has taken over.
pub async fn advance(
    db: &impl ConnectionTrait,
    event_id: i64,
    RunProgress { run, status, skipped, skipped_count }: RunProgress,
    now: Timestamp,
) -> Result<bool, StoreError> {
    use event::Column;

    let update = event::Entity::update_many()
        .col_expr(Column::Status, Expr::value(status.into_str()))
        .col_expr(Column::FinishedAt, Expr::value(now))
        .col_expr(Column::Skipped, Expr::value(skipped))
        .col_expr(Column::SkippedCount, Expr::value(skipped_count))
        .filter(Column::Id.eq(event_id))
        .filter(has(EventStatus::Running))
        .filter(Column::InstanceId.eq(run));
    Ok(update.exec(db).await?.rows_affected > 0)
}

/// Stops a change that runs, after the slice in progress, or only one of its runs, which another may have
/// taken over. Returns whether it did run.
pub async fn stop(
    db: &impl ConnectionTrait,
    event_id: i64,
    run: Option<i64>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    use event::Column;

    let update = event::Entity::update_many()
        .col_expr(Column::Status, Expr::value(EventStatus::Stopped.into_str()))
        .col_expr(Column::FinishedAt, Expr::value(now))
        .filter(Column::Id.eq(event_id))
        .filter(has(EventStatus::Running))
        .filter(Condition::all().add_option(run.map(|run| Column::InstanceId.eq(run))));
    Ok(update.exec(db).await?.rows_affected > 0)
}

/// Returns the identifier of another event than `own` whose change an owner's key makes at the time `now`.
pub async fn other_running(
    db: &impl ConnectionTrait,
    owner_id: i64,
    own: Option<i64>,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    use event::Column;

    let others = event::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(has(EventStatus::Running))
        .filter(Column::FinishedAt.gt(now.minus(SILENCE)))
        .filter(Column::OwnerId.eq(owner_id))
        .filter(Column::ActorType.eq("owner_key"))
        .filter(Column::Id.ne(own.unwrap_or(0)));
    Ok(others.into_tuple().one(db).await?)
}

/// Makes a run take over a change that is stopped, or has given no sign of life for a minute.
pub async fn take_over(
    db: &impl ConnectionTrait,
    event_id: i64,
    run: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    use event::Column;

    let is_silent = has(EventStatus::Running).and(Column::FinishedAt.lte(now.minus(SILENCE)));
    event::Entity::update_many()
        .col_expr(Column::Status, Expr::value(EventStatus::Running.into_str()))
        .col_expr(Column::InstanceId, Expr::value(run))
        .filter(Column::Id.eq(event_id))
        .filter(has(EventStatus::Stopped).or(is_silent))
        .exec(db)
        .await?;
    Ok(())
}

/// Returns the last event of an action about an owner.
pub async fn last_about(
    db: &impl ConnectionTrait,
    action: &str,
    owner_id: i64,
) -> Result<Option<EventRow>, StoreError> {
    let events = event::Entity::find().filter(event::Column::Action.eq(action));
    let events = events.filter(event::Column::OwnerId.eq(owner_id));
    Ok(events.order_by_desc(event::Column::Id).one(db).await?)
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

/// Stores whose links or keys an event changed: the identifiers of what changed, by owner. An owner may be
/// stored several times.
pub async fn insert_parts(
    db: &impl ConnectionTrait,
    event_id: i64,
    parts: BTreeMap<i64, Vec<i64>>,
) -> Result<(), StoreError> {
    let rows = parts.iter().flat_map(|(owner_id, ids)| {
        ids.chunks(MAX_PART).map(|ids| EventChange {
            subject: owner_id.to_string(),
            before: ids.iter().fold(",".to_owned(), |list, id| format!("{list}{id},")),
            after: String::new(),
        })
    });
    insert_rows(db, event_id, PART_OF_OWNER, rows.collect()).await
}

/// Selects the rows that say what an event changed of an owner.
pub(super) fn parts_of(event_id: i64, owner_id: i64) -> Select<event_change::Entity> {
    let parts = event_change::Entity::find().filter(event_change::Column::EventId.eq(event_id));
    let parts = parts.filter(event_change::Column::Kind.eq(PART_OF_OWNER));
    parts.filter(event_change::Column::Subject.eq(owner_id.to_string()))
}

/// Returns whether an event is about an owner, or changed anything of the owner. With a link, returns
/// whether that was the owner's when the event deleted it.
pub async fn concerns(
    db: &impl ConnectionTrait,
    event: &EventRow,
    owner_id: i64,
    link_id: Option<i64>,
) -> Result<bool, StoreError> {
    if event.owner_id.is_some() {
        return Ok(event.owner_id == Some(owner_id));
    }
    let mut parts = parts_of(event.id, owner_id);
    if let Some(id) = link_id {
        parts = parts.filter(event_change::Column::Before.contains(format!(",{id},")));
    }
    Ok(parts.one(db).await?.is_some())
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

/// Returns the times of events, by their identifiers. The database limits their number to some thousands.
pub async fn times(
    db: &impl ConnectionTrait,
    event_ids: impl IntoIterator<Item = i64>,
) -> Result<HashMap<i64, Timestamp>, StoreError> {
    let events = event::Entity::find().filter(event::Column::Id.is_in(event_ids));
    let events: Vec<EventRow> = events.all(db).await?;
    Ok(events.into_iter().map(|event| (event.id, event.at)).collect())
}

/// Returns the changes that an event made, in the order in which it made them.
pub async fn changes_of(
    db: &impl ConnectionTrait,
    event_id: i64,
) -> Result<Vec<EventChangeRow>, StoreError> {
    let changes = event_change::Entity::find()
        .filter(event_change::Column::EventId.eq(event_id))
        .filter(event_change::Column::Kind.ne(PART_OF_OWNER));
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

/// Returns the identifier of the last change of each of these links, by their identifiers as text. The
/// database limits their number to some thousands.
pub async fn last_changes_of_links(
    db: &impl ConnectionTrait,
    links: impl IntoIterator<Item = &str>,
) -> Result<HashMap<String, i64>, StoreError> {
    use event_change::Column;

    let last = event_change::Entity::find()
        .select_only()
        // Rows of SQLite have their columns in alphabetical order.
        .column_as(Column::Id.max(), "last_id")
        .column(Column::Subject)
        .filter(Column::Kind.eq(ChangeKind::Link.into_str()))
        .filter(Column::Subject.is_in(links))
        .group_by(Column::Subject);
    let last: Vec<(i64, String)> = last.into_tuple().all(db).await?;
    Ok(last.into_iter().map(|(id, subject)| (subject, id)).collect())
}

/// Erases the values before and after every change of these links, owners or keys. For links, it also
/// removes campaigns and hosts from the subjects of events that changed any of them.
pub async fn erase_values(
    db: &impl ConnectionTrait,
    kind: ChangeKind,
    subjects: &[String],
) -> Result<(), StoreError> {
    for part in subjects.chunks(MAX_ROWS) {
        let of_subjects = event_change::Column::Subject.is_in(part);
        erase_changes(kind).filter(of_subjects).exec(db).await?;
        if kind == ChangeKind::Link {
            let changed = events_with_changes(kind.into_str(), part);
            erase_selectors(db, event::Column::Id.in_subquery(changed)).await?;
        }
    }
    Ok(())
}

/// Erases the values before and after every change of the domains of an owner, former ones included, and the
/// campaigns and hosts by which the owner's links were selected.
pub async fn erase_owner(db: &impl ConnectionTrait, owner_id: i64) -> Result<(), StoreError> {
    let is_about_owner = event::Column::OwnerId.eq(owner_id);
    let events = event::Entity::find().select_only().column(event::Column::Id);
    let events = QueryTrait::into_query(events.filter(is_about_owner.clone()));
    let of_owner = event_change::Column::EventId.in_subquery(events);
    erase_changes(ChangeKind::Domain).filter(of_owner).exec(db).await?;
    erase_selectors(db, is_about_owner).await
}

/// Erases the values before and after changes of this kind: all, if the query is not restricted.
fn erase_changes(kind: ChangeKind) -> UpdateMany<event_change::Entity> {
    event_change::Entity::update_many()
        .col_expr(event_change::Column::Before, Expr::value(None::<String>))
        .col_expr(event_change::Column::After, Expr::value(None::<String>))
        .filter(event_change::Column::Kind.eq(kind.into_str()))
}

/// Removes campaigns and hosts from the subjects of those of these events that changed selected links. The
/// subjects of others, such as the names of owners, may contain the same words.
async fn erase_selectors(db: &impl ConnectionTrait, events: SimpleExpr) -> Result<(), StoreError> {
    let names = |word: &str| event::Column::Subject.contains(format!("{word} "));
    event::Entity::update_many()
        .col_expr(event::Column::Subject, Expr::value("several links"))
        .filter(events)
        .filter(event::Column::Action.starts_with("link "))
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
    use event::Column;

    let set = |column, value: SimpleExpr| {
        let update = event::Entity::update_many().col_expr(column, value);
        update.filter(Column::OwnerId.eq(owner_id))
    };
    let is_old = Column::Subject.eq(old_name);
    set(Column::Subject, Expr::value(name)).filter(is_old).exec(db).await?;
    // The subject also contains the name if the operator selected links by their owner.
    let (old, new) = (format!("{OWNER_SELECTOR} {old_name}"), format!("{OWNER_SELECTOR} {name}"));
    let texts = [Expr::col(Column::Subject), Expr::value(old.clone()), Expr::value(new)];
    let subject = Func::cust("replace").args(texts).into();
    set(Column::Subject, subject).filter(Column::Subject.contains(old)).exec(db).await?;
    set(Column::Owner, Expr::value(name)).exec(db).await?;
    Ok(())
}

/// Returns the query for the identifiers of events that changed any of these subjects of one kind.
pub(super) fn events_with_changes(kind: &str, subjects: &[String]) -> SelectStatement {
    let changes = event_change::Entity::find().select_only().column(event_change::Column::EventId);
    let changes = changes
        .filter(event_change::Column::Kind.eq(kind))
        .filter(event_change::Column::Subject.is_in(subjects));
    QueryTrait::into_query(changes)
}

/// Returns the identifiers of all owners that have or had this name.
pub async fn owners_named(db: &impl ConnectionTrait, name: &str) -> Result<Vec<i64>, StoreError> {
    let owners = owner::Entity::find().select_only().column(owner::Column::Id);
    let mut ids: Vec<i64> =
        owners.filter(owner::Column::Name.eq(name)).into_tuple().all(db).await?;
    // Deleted owners are in events only, and the first owner is in none.
    let events = event::Entity::find().select_only().column(event::Column::OwnerId).distinct();
    let events = events.filter(event::Column::Owner.eq(name));
    let named: Vec<Option<i64>> = events.into_tuple().all(db).await?;
    ids.extend(named.into_iter().flatten());
    Ok(ids)
}

/// Returns the last name of an owner in the events, which a deleted owner keeps.
pub async fn last_name_of_owner(
    db: &impl ConnectionTrait,
    id: i64,
) -> Result<Option<String>, StoreError> {
    let events = event::Entity::find().select_only().column(event::Column::Owner);
    let events = events.filter(event::Column::OwnerId.eq(id)).order_by_desc(event::Column::Id);
    let found: Option<Option<String>> = events.into_tuple().one(db).await?;
    Ok(found.flatten())
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
    let ids = events_of_owner_keys(before).select_only().column(event::Column::Id);
    let ids = ids.order_by_asc(event::Column::At).order_by_asc(event::Column::Id).limit(limit);
    // The lock keeps another instance from deleting the same rows in another order.
    let ids: Vec<i64> = ids.lock_exclusive().into_tuple().all(db).await?;
    let are_of_events = event_change::Column::EventId.is_in(ids.iter().copied());
    event_change::Entity::delete_many().filter(are_of_events).exec(db).await?;
    event::Entity::delete_many().filter(event::Column::Id.is_in(ids)).exec(db).await?;
    Ok(())
}
