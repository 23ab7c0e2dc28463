//! API keys: their hashes, labels and times.

use std::collections::HashMap;

use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, ExprTrait as _, NotSet, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
};

use super::entities::api_key::{ActiveModel, Column, Entity, Model};
use super::entities::{owner, plan};
use super::error::StoreError;
use super::events::{self, ChangeKind};
use super::query::{self, set};
use crate::values::{KeyHash, Timestamp};

/// Maximum number of keys per statement.
const MAX_KEYS: usize = 1_000;

/// Inserts a key and returns its new identifier. It ignores the identifier in `key`.
pub async fn insert(db: &impl ConnectionTrait, key: &Model) -> Result<i64, StoreError> {
    let row = ActiveModel { id: NotSet, ..key.clone().into() };
    Ok(Entity::insert(row).exec(db).await?.last_insert_id)
}

/// Returns the number of an owner's keys that are neither revoked nor expired.
pub async fn count_valid(
    db: &impl ConnectionTrait,
    owner_id: i64,
    now: Timestamp,
) -> Result<u64, StoreError> {
    let is_not_expired = Column::ExpiresAt.is_null().or(Column::ExpiresAt.gt(now));
    let valid = Entity::of(owner_id).filter(Column::RevokedAt.is_null()).filter(is_not_expired);
    Ok(valid.count(db).await?)
}

/// Returns the number of keys of all owners with this stored scope that are not revoked.
pub async fn count_usable(db: &impl ConnectionTrait, scope: &str) -> Result<u64, StoreError> {
    let usable = Entity::find().filter(Column::Scope.eq(scope)).filter(Column::RevokedAt.is_null());
    Ok(usable.count(db).await?)
}

/// Returns the identifier of the owner of a key.
pub async fn owner_of(db: &impl ConnectionTrait, id: i64) -> Result<Option<i64>, StoreError> {
    let owner_id = Entity::find_by_id(id).select_only().column(Column::OwnerId);
    Ok(owner_id.into_tuple().one(db).await?)
}

/// Finds a key by its hash, with its owner and the owner's plan. The key may be expired or revoked.
pub async fn find(
    db: &impl ConnectionTrait,
    hash: KeyHash,
) -> Result<Option<(Model, owner::Model, plan::Model)>, StoreError> {
    let key = Entity::find().filter(Column::Hash.eq(hash.as_bytes()));
    let key = key.find_also_related(owner::Entity).find_also(owner::Entity, plan::Entity);
    let found = key.one(db).await?;
    Ok(found.and_then(|(key, owner, plan)| Some((key, owner?, plan?))))
}

/// Returns when the keys of these owners were last used. Owners whose keys were never used are missing.
pub async fn last_uses(
    db: &impl ConnectionTrait,
    owner_ids: &[i64],
) -> Result<HashMap<i64, Timestamp>, StoreError> {
    let mut uses = HashMap::new();
    for part in owner_ids.chunks(MAX_KEYS) {
        let keys = Entity::find().select_only().column(Column::OwnerId);
        // The rows of SQLite have their columns in the order of the names.
        let keys = keys.column_as(Column::LastUsedAt.max(), "used_at").group_by(Column::OwnerId);
        let keys = keys.filter(Column::OwnerId.is_in(part.iter().copied()));
        let keys = keys.filter(Column::LastUsedAt.is_not_null());
        let found: Vec<(i64, Timestamp)> = keys.into_tuple().all(db).await?;
        uses.extend(found);
    }
    Ok(uses)
}

/// Returns all keys of an owner, oldest first.
pub async fn list(db: &impl ConnectionTrait, owner_id: i64) -> Result<Vec<Model>, StoreError> {
    let keys = Entity::of(owner_id);
    Ok(keys.order_by_asc(Column::Id).all(db).await?)
}

/// Returns all keys of an owner, oldest first, and locks them until the transaction ends.
pub async fn lock_all(db: &impl ConnectionTrait, owner_id: i64) -> Result<Vec<Model>, StoreError> {
    let keys = Entity::of(owner_id).order_by_asc(Column::Id);
    Ok(keys.lock_exclusive().all(db).await?)
}

/// Returns at most `limit` keys of an owner whose identifiers are below `before`, newest first.
pub async fn page(
    db: &impl ConnectionTrait,
    owner_id: i64,
    before: i64,
    limit: u64,
) -> Result<Vec<Model>, StoreError> {
    let keys = Entity::of(owner_id).filter(Column::Id.lt(before));
    Ok(keys.order_by_desc(Column::Id).limit(limit).all(db).await?)
}

/// Finds a key of an owner by its identifier.
pub async fn get(
    db: &impl ConnectionTrait,
    owner_id: i64,
    id: i64,
) -> Result<Option<Model>, StoreError> {
    Ok(Entity::of(owner_id).filter(Column::Id.eq(id)).one(db).await?)
}

/// Finds a key of any owner, and its owner, by the key's identifier.
pub async fn get_any(
    db: &impl ConnectionTrait,
    id: i64,
) -> Result<Option<(Model, owner::Model)>, StoreError> {
    let found = Entity::find_by_id(id).find_also_related(owner::Entity).one(db).await?;
    Ok(found.and_then(|(key, owner)| Some((key, owner?))))
}

/// Finds a key and its owner by the key's identifier, and locks the key until the transaction ends.
pub async fn lock(
    db: &impl ConnectionTrait,
    id: i64,
) -> Result<Option<(Model, owner::Model)>, StoreError> {
    let Some(key) = Entity::find_by_id(id).lock_exclusive().one(db).await? else {
        return Ok(None);
    };
    let owner = owner::Entity::find_by_id(key.owner_id).one(db).await?;
    Ok(owner.map(|owner| (key, owner)))
}

/// Returns the labels of the keys with these identifiers.
pub async fn labels(
    db: &impl ConnectionTrait,
    ids: &[i64],
) -> Result<Vec<(i64, Option<String>)>, StoreError> {
    let mut labels = Vec::new();
    for part in ids.chunks(MAX_KEYS) {
        let keys = Entity::find().select_only().columns([Column::Id, Column::Label]);
        let keys = keys.filter(Column::Id.is_in(part.iter().copied()));
        labels.extend(keys.into_tuple::<(i64, Option<String>)>().all(db).await?);
    }
    Ok(labels)
}

/// Revokes those of the keys with these identifiers that are not revoked.
pub async fn revoke(
    db: &impl ConnectionTrait,
    ids: &[i64],
    now: Timestamp,
) -> Result<(), StoreError> {
    for part in ids.chunks(MAX_KEYS) {
        Entity::update_many()
            .col_expr(Column::RevokedAt, Expr::value(now))
            .filter(Column::Id.is_in(part.iter().copied()))
            .filter(Column::RevokedAt.is_null())
            .exec(db)
            .await?;
    }
    Ok(())
}

/// Stores the columns of `after` that differ from `before`.
pub async fn update(
    db: &impl ConnectionTrait,
    before: &Model,
    after: &Model,
) -> Result<(), StoreError> {
    query::update(db, after.id, before, after).await
}

/// Returns the number of an owner's keys, revoked and expired ones included.
pub async fn count(db: &impl ConnectionTrait, owner_id: i64) -> Result<u64, StoreError> {
    Ok(Entity::of(owner_id).count(db).await?)
}

/// Deletes up to `limit` keys of an owner with what events have of them, and returns the number of
/// deleted keys.
pub async fn delete_of_owner(
    db: &impl ConnectionTrait,
    owner_id: i64,
    limit: u64,
) -> Result<u64, StoreError> {
    let ids = Entity::of(owner_id).select_only().column(Column::Id);
    let ids: Vec<i64> = ids.limit(limit).into_tuple().all(db).await?;
    let subjects: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let deleted = Entity::delete_many().filter(Column::Id.is_in(ids)).exec(db).await?;
    // The deletion has waited for changes of these keys, whose values are visible now.
    events::erase_values(db, ChangeKind::Key, &subjects).await?;
    Ok(deleted.rows_affected)
}

/// Sets the time of the last use of a key.
pub async fn set_last_use(
    db: &impl ConnectionTrait,
    id: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    set::<Entity>(db, id, [(Column::LastUsedAt, Expr::value(now))]).await
}
