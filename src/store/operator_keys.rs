//! Operator keys: their hashes, roles and times.

use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set,
};

use super::entities::operator_key::{ActiveModel, Column, Entity, Model};
use super::error::StoreError;
use crate::values::{KeyHash, OperatorKey, OperatorRole, Timestamp};

/// Inserts a key and returns its identifier. The row holds only the hash and the hint of the key.
///
/// # Errors
/// [`StoreError::Conflict`] if a key that is not revoked has the name, or if the database fails.
pub async fn insert(
    db: &impl ConnectionTrait,
    name: &str,
    key: &OperatorKey,
    role: OperatorRole,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let row = ActiveModel {
        name: Set(name.to_owned()),
        hash: Set(key.hash().as_bytes().to_vec()),
        hint: Set(Some(key.hint().to_owned())),
        role: Set(role.into_str().to_owned()),
        created_at: Set(now),
        revoked_at: Set(None),
        last_used_at: Set(None),
        ..ActiveModel::default()
    };
    Ok(Entity::insert(row).exec(db).await?.last_insert_id)
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

/// Returns whether a key is not revoked, and prevents its revocation until the transaction ends.
pub async fn hold(db: &impl ConnectionTrait, id: i64) -> Result<bool, StoreError> {
    let valid = Entity::find_by_id(id).filter(Column::RevokedAt.is_null());
    Ok(valid.lock_shared().one(db).await?.is_some())
}

/// Revokes a key.
pub async fn revoke(db: &impl ConnectionTrait, id: i64, now: Timestamp) -> Result<(), StoreError> {
    set(db, id, Column::RevokedAt, now).await
}

/// Sets the time of the last use of a key.
pub async fn set_last_use(
    db: &impl ConnectionTrait,
    id: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    set(db, id, Column::LastUsedAt, now).await
}

async fn set(
    db: &impl ConnectionTrait,
    id: i64,
    column: Column,
    now: Timestamp,
) -> Result<(), StoreError> {
    let update = Entity::update_many().col_expr(column, Expr::value(now));
    update.filter(Column::Id.eq(id)).exec(db).await?;
    Ok(())
}
