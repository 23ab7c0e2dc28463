//! What owners may do.

use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, QueryOrder, QuerySelect, Set};

use super::entities::plan::{ActiveModel, Column, Entity, Model};
use super::error::StoreError;

/// The plan of that name.
///
/// # Errors
/// When the database fails.
pub async fn find(db: &impl ConnectionTrait, name: &str) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find_by_id(name).one(db).await?)
}

/// The plan of that name, which nobody else changes until the transaction ends.
///
/// # Errors
/// When the database fails.
pub async fn lock(db: &impl ConnectionTrait, name: &str) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find_by_id(name).lock_exclusive().one(db).await?)
}

/// All plans, by name.
///
/// # Errors
/// When the database fails.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<Model>, StoreError> {
    Ok(Entity::find().order_by_asc(Column::Name).all(db).await?)
}

/// Makes the plan.
///
/// # Errors
/// [`StoreError::Conflict`] where it exists, or when the database fails.
pub async fn insert(db: &impl ConnectionTrait, plan: Model) -> Result<(), StoreError> {
    let Model { name, max_links, custom_codes } = plan;
    let row =
        ActiveModel { name: Set(name), max_links: Set(max_links), custom_codes: Set(custom_codes) };
    Entity::insert(row).exec_without_returning(db).await?;
    Ok(())
}

/// Changes what the plan of that name allows.
///
/// # Errors
/// When the database fails, or there is no such plan.
pub async fn update(db: &impl ConnectionTrait, plan: Model) -> Result<(), StoreError> {
    let Model { name, max_links, custom_codes } = plan;
    let row =
        ActiveModel { name: Set(name), max_links: Set(max_links), custom_codes: Set(custom_codes) };
    row.update(db).await?;
    Ok(())
}
