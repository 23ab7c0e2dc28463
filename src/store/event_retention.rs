//! The deletion of old events that owners' keys recorded. Those of operators stay.

use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};

use super::entities::event::{Column, Entity};
use super::entities::event_change;
use super::error::StoreError;
use crate::values::Timestamp;

/// Selects the events of owners' keys before a time. The type is a literal, because the planner
/// would not use the partial index otherwise.
fn expired(before: Timestamp) -> Select<Entity> {
    let of_owner_keys = Expr::cust("actor_type = 'owner_key'");
    Entity::find().filter(of_owner_keys).filter(Column::At.lt(before.millis()))
}

/// Returns whether any event of an owner's key is older than `before`. Takes no lock.
pub async fn has_expired(db: &impl ConnectionTrait, before: Timestamp) -> Result<bool, StoreError> {
    let any = expired(before).select_only().column(Column::Id).limit(1);
    Ok(any.into_tuple::<i64>().one(db).await?.is_some())
}

/// Deletes up to `limit` events of owners' keys that are older than `before`, with their changes.
pub async fn delete_expired(
    db: &impl ConnectionTrait,
    before: Timestamp,
    limit: u64,
) -> Result<(), StoreError> {
    // The lock keeps another instance from deleting the same rows in another order.
    let ids = expired(before).select_only().column(Column::Id).order_by_asc(Column::At);
    let ids = ids.order_by_asc(Column::Id).limit(limit).lock_exclusive();
    let ids: Vec<i64> = ids.into_tuple().all(db).await?;
    let changes = event_change::Entity::delete_many();
    let changes = changes.filter(event_change::Column::EventId.is_in(ids.iter().copied()));
    changes.exec(db).await?;
    Entity::delete_many().filter(Column::Id.is_in(ids)).exec(db).await?;
    Ok(())
}
