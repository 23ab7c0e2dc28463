//! Operator keys: their hashes, roles and times.

use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, ExprTrait as _, NotSet, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::entities::operator_key::{ActiveModel, Column, Entity, Model};
use super::error::StoreError;
use super::query::set;
use crate::values::{KeyHash, Timestamp};

/// Inserts a key and returns its new identifier. It ignores the identifier in `key`.
///
/// # Errors
/// [`StoreError::Conflict`] if a key that is not revoked has the name, or if the database fails.
pub async fn insert(db: &impl ConnectionTrait, key: &Model) -> Result<i64, StoreError> {
    let row = ActiveModel { id: NotSet, ..key.clone().into() };
    Ok(Entity::insert(row).exec(db).await?.last_insert_id)
}

/// Returns at most `limit` keys whose identifiers are below `before`, newest first.
pub async fn page(
    db: &impl ConnectionTrait,
    before: i64,
    limit: u64,
) -> Result<Vec<Model>, StoreError> {
    let keys = Entity::find().filter(Column::Id.lt(before));
    Ok(keys.order_by_desc(Column::Id).limit(limit).all(db).await?)
}

/// Finds a key by its identifier. The key may be revoked.
pub async fn get(db: &impl ConnectionTrait, id: i64) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find_by_id(id).one(db).await?)
}

/// Finds a key by its identifier, and locks it until the transaction ends.
pub async fn lock(db: &impl ConnectionTrait, id: i64) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find_by_id(id).lock_exclusive().one(db).await?)
}

/// Finds a key by its hash. The key may be revoked.
pub async fn find(db: &impl ConnectionTrait, hash: KeyHash) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find().filter(Column::Hash.eq(hash.as_bytes())).one(db).await?)
}

/// Returns all keys, revoked ones included, oldest first.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<Model>, StoreError> {
    Ok(Entity::find().order_by_asc(Column::Id).all(db).await?)
}

/// Finds the newest key with this name, and locks it until the transaction ends.
pub async fn lock_named(
    db: &impl ConnectionTrait,
    name: &str,
) -> Result<Option<Model>, StoreError> {
    let keys = Entity::find().filter(Column::Name.eq(name)).order_by_desc(Column::Id);
    Ok(keys.limit(1).lock_exclusive().one(db).await?)
}

/// Returns whether a key is neither revoked nor expired, and prevents its revocation until the
/// transaction ends.
pub async fn hold(db: &impl ConnectionTrait, id: i64, now: Timestamp) -> Result<bool, StoreError> {
    let is_not_expired = Column::ExpiresAt.is_null().or(Column::ExpiresAt.gt(now));
    let valid = Entity::find_by_id(id).filter(Column::RevokedAt.is_null()).filter(is_not_expired);
    Ok(valid.lock_shared().one(db).await?.is_some())
}

/// Revokes a key.
pub async fn revoke(db: &impl ConnectionTrait, id: i64, now: Timestamp) -> Result<(), StoreError> {
    set::<Entity>(db, id, [(Column::RevokedAt, Expr::value(now))]).await
}

/// Sets the time of the last use of a key.
pub async fn set_last_use(
    db: &impl ConnectionTrait,
    id: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    set::<Entity>(db, id, [(Column::LastUsedAt, Expr::value(now))]).await
}
