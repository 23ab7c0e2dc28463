//! What owners' requests are known by.

use sea_orm::prelude::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, Set};

use super::entities::api_key::{ActiveModel, Column, Entity, Model};
use super::error::StoreError;
use crate::values::{KeyHash, Timestamp};

/// Keeps a new key's hash; returns the key's identifier.
///
/// # Errors
/// When the database fails.
pub async fn insert(
    db: &impl ConnectionTrait,
    owner_id: i64,
    hash: KeyHash,
    label: Option<&str>,
    expires_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let row = ActiveModel {
        owner_id: Set(owner_id),
        hash: Set(hash.as_bytes().to_vec()),
        label: Set(label.map(str::to_owned)),
        created_at: Set(now.millis()),
        expires_at: Set(expires_at.map(Timestamp::millis)),
        revoked_at: Set(None),
        last_used_at: Set(None),
        ..ActiveModel::default()
    };
    Ok(Entity::insert(row).exec(db).await?.last_insert_id)
}

/// The key of that hash, whatever its state.
///
/// # Errors
/// When the database fails.
pub async fn find(db: &impl ConnectionTrait, hash: KeyHash) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find().filter(Column::Hash.eq(hash.as_bytes())).one(db).await?)
}

/// All keys of an owner, oldest first.
///
/// # Errors
/// When the database fails.
pub async fn list(db: &impl ConnectionTrait, owner_id: i64) -> Result<Vec<Model>, StoreError> {
    let keys = Entity::of(owner_id);
    Ok(keys.order_by_asc(Column::Id).all(db).await?)
}

/// Revokes a key, which keeps the time of its first revocation; returns its owner's identifier, none
/// where there is no such key.
///
/// # Errors
/// When the database fails.
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

/// Notes that a key has been used.
///
/// # Errors
/// When the database fails.
pub async fn touch(db: &impl ConnectionTrait, id: i64, now: Timestamp) -> Result<(), StoreError> {
    Entity::update_many()
        .col_expr(Column::LastUsedAt, Expr::value(now.millis()))
        .filter(Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}
