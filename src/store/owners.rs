//! Who holds keys and links.

use sea_orm::prelude::Expr;
use sea_orm::sea_query::LockType;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set,
};

use super::entities::owner::{ActiveModel, Column, Entity, Model};
use super::entities::plan;
use super::error::StoreError;
use crate::values::Timestamp;

/// Makes an owner; returns its identifier.
///
/// # Errors
/// [`StoreError::Conflict`] where the name is taken, or when the database fails.
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
        created_at: Set(now.millis()),
        ..ActiveModel::default()
    };
    Ok(Entity::insert(row).exec(db).await?.last_insert_id)
}

/// The owner of that name.
///
/// # Errors
/// When the database fails.
pub async fn find(db: &impl ConnectionTrait, name: &str) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find().filter(Column::Name.eq(name)).one(db).await?)
}

/// The name of the owner of that identifier.
///
/// # Errors
/// When the database fails.
pub async fn name_of(
    db: &impl ConnectionTrait,
    owner_id: i64,
) -> Result<Option<String>, StoreError> {
    Ok(Entity::find_by_id(owner_id).one(db).await?.map(|owner| owner.name))
}

/// All owners, by name.
///
/// # Errors
/// When the database fails.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<Model>, StoreError> {
    Ok(Entity::find().order_by_asc(Column::Name).all(db).await?)
}

/// Whether there is an owner at all.
///
/// # Errors
/// When the database fails.
pub async fn any(db: &impl ConnectionTrait) -> Result<bool, StoreError> {
    Ok(Entity::find().one(db).await?.is_some())
}

/// Puts the owner on another plan; false where there is no such owner.
///
/// # Errors
/// When the database fails.
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

/// What the owner may do now.
///
/// # Errors
/// When the database fails.
pub async fn plan_of(
    db: &impl ConnectionTrait,
    owner_id: i64,
) -> Result<Option<plan::Model>, StoreError> {
    let found = Entity::find_by_id(owner_id).find_also_related(plan::Entity).one(db).await?;
    Ok(found.and_then(|(_, plan)| plan))
}

/// Keeps others from doing anything under the owner's keys until the transaction ends.
///
/// # Errors
/// When the database fails.
pub async fn lock(db: &impl ConnectionTrait, owner_id: i64) -> Result<(), StoreError> {
    Entity::find_by_id(owner_id).lock(LockType::NoKeyUpdate).one(db).await?;
    Ok(())
}
