//! Owners of keys and links.

use sea_orm::prelude::Expr;
use sea_orm::sea_query::LockType;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, ExprTrait, NotSet, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect,
};

use super::click_days;
use super::entities::owner::{ActiveModel, Column, Entity, Model};
use super::entities::plan;
use super::error::StoreError;
use super::query::{self, MAX_READ, contains, set};
use super::usage;
use crate::values::Timestamp;

/// Inserts an owner, and returns it.
///
/// # Errors
/// [`StoreError::Conflict`] if the name is in use, or if the database fails.
pub async fn insert(
    db: &impl ConnectionTrait,
    name: &str,
    plan: &str,
    external_id: Option<&str>,
    now: Timestamp,
) -> Result<Model, StoreError> {
    let created_at = usage::time_now(&click_days::state(db).await?, now);
    let owner = Model::new(name, plan, external_id, created_at);
    let row = ActiveModel { id: NotSet, ..owner.clone().into() };
    let id = Entity::insert(row).exec(db).await?.last_insert_id;
    Ok(Model { id, ..owner })
}

/// Finds an owner by name. Returns `None` if no owner has the name.
pub async fn find(db: &impl ConnectionTrait, name: &str) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find().filter(Column::Name.eq(name)).one(db).await?)
}

/// Finds an owner by identifier. Returns `None` if no owner has the identifier.
pub async fn get(db: &impl ConnectionTrait, owner_id: i64) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find_by_id(owner_id).one(db).await?)
}

/// Returns the name of an owner, or `None` if the owner does not exist.
pub async fn name_of(
    db: &impl ConnectionTrait,
    owner_id: i64,
) -> Result<Option<String>, StoreError> {
    Ok(get(db, owner_id).await?.map(|owner| owner.name))
}

/// Returns all owners in the order of their names.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<Model>, StoreError> {
    Ok(Entity::find().order_by_asc(Column::Name).all(db).await?)
}

/// Conditions on the owners of a list. An owner must meet all of them.
#[derive(Debug, Clone, Default)]
pub struct OwnerFilter {
    /// Name.
    pub name: Option<String>,
    /// The operator's own identifier.
    pub external_id: Option<String>,
    /// Part of the name or of the external identifier. ASCII letters match in any case.
    pub text: Option<String>,
    /// Name of the plan.
    pub plan: Option<String>,
    /// Whether the owner is suspended.
    pub suspended: Option<bool>,
}

/// Returns at most `limit` owners whose identifiers are below `before` and that meet the conditions,
/// newest first, and the identifier of the last owner that it read if others follow. It reads at most
/// [`MAX_READ`] owners.
pub async fn page(
    db: &impl ConnectionTrait,
    filter: &OwnerFilter,
    before: i64,
    limit: u64,
) -> Result<(Vec<Model>, Option<i64>), StoreError> {
    let OwnerFilter { name, external_id, text, plan, suspended } = filter;
    // Both have an index, and without any condition the first owners suffice.
    let is_scan = name.is_none()
        && external_id.is_none()
        && (text.is_some() || plan.is_some() || suspended.is_some());
    let older = Entity::find().filter(Column::Id.lt(before)).order_by_desc(Column::Id);
    let last_read: Option<i64> = if is_scan {
        let ids = older.clone().select_only().column(Column::Id).offset(u64::from(MAX_READ) - 1);
        ids.limit(1).into_tuple().one(db).await?
    } else {
        None
    };
    let is_suspended = |suspended: &bool| match suspended {
        true => Column::SuspendedReason.is_not_null(),
        false => Column::SuspendedReason.is_null(),
    };
    let has_text = |text: &String| {
        let is_in = |column: Column| contains(column, text);
        Condition::any().add(is_in(Column::Name)).add(is_in(Column::ExternalId))
    };
    let conditions = Condition::all()
        .add_option(last_read.map(|id| Column::Id.gte(id)))
        .add_option(name.as_ref().map(|name| Column::Name.eq(name)))
        .add_option(external_id.as_ref().map(|id| Column::ExternalId.eq(id)))
        .add_option(text.as_ref().map(has_text))
        .add_option(plan.as_ref().map(|plan| Column::Plan.eq(plan)))
        .add_option(suspended.as_ref().map(is_suspended));
    Ok((older.filter(conditions).limit(limit).all(db).await?, last_read))
}

/// Returns the identifier of the owner with an external identifier.
pub async fn id_of_external_id(
    db: &impl ConnectionTrait,
    external_id: &str,
) -> Result<Option<i64>, StoreError> {
    let owner = Entity::find().filter(Column::ExternalId.eq(external_id));
    Ok(owner.select_only().column(Column::Id).into_tuple().one(db).await?)
}

/// Returns the number of owners who have a plan.
pub async fn count_on_plan(db: &impl ConnectionTrait, plan: &str) -> Result<u64, StoreError> {
    Ok(Entity::find().filter(Column::Plan.eq(plan)).count(db).await?)
}

/// Returns whether the database has an owner.
pub async fn any(db: &impl ConnectionTrait) -> Result<bool, StoreError> {
    Ok(Entity::find().one(db).await?.is_some())
}

/// Stores the columns of `after` that differ from `before`. The rows of links and keys do not change.
/// Callers must publish [`Invalidation::Owner`](super::invalidations::Invalidation::Owner).
///
/// # Errors
/// [`StoreError::Conflict`] if the name or the external identifier is in use, or if the database fails.
pub async fn update(
    db: &impl ConnectionTrait,
    before: &Model,
    after: &Model,
) -> Result<(), StoreError> {
    query::update(db, after.id, before, after).await
}

/// Adds `links`, which may be negative, to the stored number of an owner's links.
pub async fn add_to_link_count(
    db: &impl ConnectionTrait,
    owner_id: i64,
    links: i64,
) -> Result<(), StoreError> {
    set::<Entity>(db, owner_id, [(Column::LinkCount, Expr::col(Column::LinkCount).add(links))])
        .await
}

/// Deletes an owner who has no links, keys or stored responses.
///
/// # Errors
/// If the owner has any of them, or if the database fails.
pub async fn delete(db: &impl ConnectionTrait, owner_id: i64) -> Result<(), StoreError> {
    Entity::delete_by_id(owner_id).exec(db).await?;
    Ok(())
}

/// Returns the plan of an owner, or `None` if the owner does not exist.
pub async fn plan_of(
    db: &impl ConnectionTrait,
    owner_id: i64,
) -> Result<Option<plan::Model>, StoreError> {
    Ok(with_plan(db, owner_id).await?.map(|(_, plan)| plan))
}

/// Returns an owner with the owner's plan, or `None` if the owner does not exist.
pub async fn with_plan(
    db: &impl ConnectionTrait,
    owner_id: i64,
) -> Result<Option<(Model, plan::Model)>, StoreError> {
    let found = Entity::find_by_id(owner_id).find_also_related(plan::Entity).one(db).await?;
    Ok(found.and_then(|(owner, plan)| Some((owner, plan?))))
}

/// Finds an owner and locks the row until the transaction ends, so that no other transaction
/// creates links or stores responses for the owner.
pub async fn lock(db: &impl ConnectionTrait, owner_id: i64) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find_by_id(owner_id).lock(LockType::NoKeyUpdate).one(db).await?)
}

/// Finds an owner by name and locks the row as [`lock`] does.
pub async fn lock_named(
    db: &impl ConnectionTrait,
    name: &str,
) -> Result<Option<Model>, StoreError> {
    let owner = Entity::find().filter(Column::Name.eq(name));
    Ok(owner.lock(LockType::NoKeyUpdate).one(db).await?)
}
