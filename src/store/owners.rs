//! Owners of keys and links.

use sea_orm::prelude::Expr;
use sea_orm::sea_query::LockType;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set,
};

use super::entities::owner::{ActiveModel, Column, Entity, Model};
use super::entities::plan;
use super::error::StoreError;
use crate::values::Timestamp;

/// Inserts an owner and returns its identifier.
///
/// # Errors
/// [`StoreError::Conflict`] if the name is in use, or if the database fails.
pub async fn insert(
    db: &impl ConnectionTrait,
    name: &str,
    plan: &str,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let row = ActiveModel {
        name: Set(name.to_owned()),
        plan: Set(plan.to_owned()),
        link_count: Set(0),
        suspended_reason: Set(None),
        created_at: Set(now.millis()),
        ..ActiveModel::default()
    };
    Ok(Entity::insert(row).exec(db).await?.last_insert_id)
}

/// Finds an owner by name.
///
/// # Errors
/// If the database fails.
pub async fn find(db: &impl ConnectionTrait, name: &str) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find().filter(Column::Name.eq(name)).one(db).await?)
}

/// Returns the name of an owner, or `None` if it does not exist.
///
/// # Errors
/// If the database fails.
pub async fn name_of(
    db: &impl ConnectionTrait,
    owner_id: i64,
) -> Result<Option<String>, StoreError> {
    Ok(Entity::find_by_id(owner_id).one(db).await?.map(|owner| owner.name))
}

/// Returns all owners in the order of their names.
///
/// # Errors
/// If the database fails.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<Model>, StoreError> {
    Ok(Entity::find().order_by_asc(Column::Name).all(db).await?)
}

/// Returns whether the database has any owner.
///
/// # Errors
/// If the database fails.
pub async fn any(db: &impl ConnectionTrait) -> Result<bool, StoreError> {
    Ok(Entity::find().one(db).await?.is_some())
}

/// Assigns a plan to an owner. Returns false if the owner does not exist.
///
/// # Errors
/// If the database fails.
pub async fn set_plan(
    db: &impl ConnectionTrait,
    name: &str,
    plan: &str,
) -> Result<bool, StoreError> {
    let result = Entity::update_many()
        .col_expr(Column::Plan, Expr::value(plan))
        .filter(Column::Name.eq(name))
        .exec(db)
        .await?;
    Ok(result.rows_affected > 0)
}

/// Returns the plan of an owner, or `None` if the owner does not exist.
///
/// # Errors
/// If the database fails.
pub async fn plan_of(
    db: &impl ConnectionTrait,
    owner_id: i64,
) -> Result<Option<plan::Model>, StoreError> {
    let found = Entity::find_by_id(owner_id).find_also_related(plan::Entity).one(db).await?;
    Ok(found.and_then(|(_, plan)| plan))
}

/// Locks the row of an owner until the transaction ends, so that no other transaction creates links
/// or stores responses for the owner.
///
/// # Errors
/// If the database fails.
pub async fn lock(db: &impl ConnectionTrait, owner_id: i64) -> Result<(), StoreError> {
    Entity::find_by_id(owner_id).lock(LockType::NoKeyUpdate).one(db).await?;
    Ok(())
}
