//! Plans: the limits of owners, and whether they may have custom codes.

use sea_orm::sea_query::LockType;
use sea_orm::{
    ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryOrder, QuerySelect,
};

use super::entities::plan::{Column, Entity, Model};
use super::error::StoreError;

/// Finds a plan.
pub async fn find(db: &impl ConnectionTrait, name: &str) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find_by_id(name).one(db).await?)
}

/// Returns whether a plan exists, and prevents its deletion until the transaction ends.
pub async fn hold(db: &impl ConnectionTrait, name: &str) -> Result<bool, StoreError> {
    Ok(Entity::find_by_id(name).lock(LockType::KeyShare).one(db).await?.is_some())
}

/// Finds a plan and locks its row until the transaction ends.
pub async fn lock(db: &impl ConnectionTrait, name: &str) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find_by_id(name).lock_exclusive().one(db).await?)
}

/// Returns all plans in the order of their names.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<Model>, StoreError> {
    Ok(Entity::find().order_by_asc(Column::Name).all(db).await?)
}

/// Inserts a plan.
///
/// # Errors
/// [`StoreError::Conflict`] if the name is in use, or if the database fails.
pub async fn insert(db: &impl ConnectionTrait, plan: Model) -> Result<(), StoreError> {
    Entity::insert(plan.into_active_model().reset_all()).exec_without_returning(db).await?;
    Ok(())
}

/// Deletes a plan.
///
/// # Errors
/// If an owner has the plan, or if the database fails.
pub async fn delete(db: &impl ConnectionTrait, name: &str) -> Result<(), StoreError> {
    Entity::delete_by_id(name).exec(db).await?;
    Ok(())
}

/// Updates a plan.
///
/// # Errors
/// If the plan does not exist, or if the database fails.
pub async fn update(db: &impl ConnectionTrait, plan: Model) -> Result<(), StoreError> {
    plan.into_active_model().reset_all().update(db).await?;
    Ok(())
}
