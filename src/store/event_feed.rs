//! Events in the order in which they were recorded, for programs that follow them.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, ExprTrait, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::entities::event;
use super::error::StoreError;
use super::events::{
    ChangeKind, EventFilter, EventRow, about_owner, by_actor_type, events_with_changes,
};

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
            .in_subquery(events_with_changes(ChangeKind::Link.as_str(), &[id.to_string()]));
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
