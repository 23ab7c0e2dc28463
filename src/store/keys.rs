//! API keys: their hashes, labels and times.

use sea_orm::prelude::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, Set};

use super::entities::api_key::{ActiveModel, Column, Entity, Model};
use super::entities::owner;
use super::error::StoreError;
use crate::values::{KeyHash, KeyScope, Timestamp};

/// Inserts a key, of which it stores only the hash, and returns its identifier.
///
/// # Errors
/// If the database fails.
pub async fn insert(
    db: &impl ConnectionTrait,
    owner_id: i64,
    hash: KeyHash,
    label: Option<&str>,
    scope: KeyScope,
    expires_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let row = ActiveModel {
        owner_id: Set(owner_id),
        hash: Set(hash.as_bytes().to_vec()),
        label: Set(label.map(str::to_owned)),
        scope: Set(scope.as_str().to_owned()),
        created_at: Set(now.millis()),
        expires_at: Set(expires_at.map(Timestamp::millis)),
        revoked_at: Set(None),
        last_used_at: Set(None),
        ..ActiveModel::default()
    };
    Ok(Entity::insert(row).exec(db).await?.last_insert_id)
}

/// Finds a key by its hash, also if it has expired or is revoked, and its owner.
///
/// # Errors
/// If the database fails.
pub async fn find(
    db: &impl ConnectionTrait,
    hash: KeyHash,
) -> Result<Option<(Model, owner::Model)>, StoreError> {
    let key = Entity::find().filter(Column::Hash.eq(hash.as_bytes()));
    let found = key.find_also_related(owner::Entity).one(db).await?;
    Ok(found.and_then(|(key, owner)| Some((key, owner?))))
}

/// Returns all keys of an owner, oldest first.
///
/// # Errors
/// If the database fails.
pub async fn list(db: &impl ConnectionTrait, owner_id: i64) -> Result<Vec<Model>, StoreError> {
    let keys = Entity::of(owner_id);
    Ok(keys.order_by_asc(Column::Id).all(db).await?)
}

/// Revokes a key and returns the identifier of its owner, or `None` if the key does not exist. A
/// key that is already revoked keeps the time of its first revocation.
///
/// # Errors
/// If the database fails.
pub async fn revoke(
    db: &impl ConnectionTrait,
    id: i64,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let Some(key) = Entity::find_by_id(id).one(db).await? else { return Ok(None) };
    Entity::update_many()
        .col_expr(Column::RevokedAt, Expr::value(now.millis()))
        .filter(Column::Id.eq(id))
        .filter(Column::RevokedAt.is_null())
        .exec(db)
        .await?;
    Ok(Some(key.owner_id))
}

/// Sets the time of the last use of a key.
///
/// # Errors
/// If the database fails.
pub async fn touch(db: &impl ConnectionTrait, id: i64, now: Timestamp) -> Result<(), StoreError> {
    Entity::update_many()
        .col_expr(Column::LastUsedAt, Expr::value(now.millis()))
        .filter(Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}
