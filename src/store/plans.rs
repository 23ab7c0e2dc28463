//! Plans: the limits of owners, and whether they may have custom codes.

use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, QueryOrder, QuerySelect, Set};

use super::entities::plan::{ActiveModel, Column, Entity, Model};
use super::error::StoreError;

/// Finds a plan.
pub async fn find(db: &impl ConnectionTrait, name: &str) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find_by_id(name).one(db).await?)
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
    Entity::insert(all_columns(plan)).exec_without_returning(db).await?;
    Ok(())
}

/// Updates a plan.
///
/// # Errors
/// If the plan does not exist, or if the database fails.
pub async fn update(db: &impl ConnectionTrait, plan: Model) -> Result<(), StoreError> {
    all_columns(plan).update(db).await?;
    Ok(())
}

fn all_columns(plan: Model) -> ActiveModel {
    let Model { name, max_links, custom_codes, requests, burst, links_per_day } = plan;
    ActiveModel {
        name: Set(name),
        max_links: Set(max_links),
        custom_codes: Set(custom_codes),
        requests: Set(requests),
        burst: Set(burst),
        links_per_day: Set(links_per_day),
    }
}
