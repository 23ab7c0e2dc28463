//! Queries for single links, and for their identifiers.

use std::collections::HashSet;

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::store::entities::link::{Column, Entity, Model};
use crate::store::error::{StoreError, absent_if_invalid};
use crate::values::ShortCode;

/// Maximum number of links per statement of [`existing`].
const MAX_IDS: usize = 1_000;

/// Finds a link of any owner.
pub async fn find(
    db: &impl ConnectionTrait,
    code: &ShortCode,
) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find().filter(Column::ShortCode.eq(code.as_str())).one(db).await?)
}

/// Returns the identifiers in `ids` for which a link exists.
pub async fn existing(db: &impl ConnectionTrait, ids: &[i64]) -> Result<HashSet<i64>, StoreError> {
    let mut existing = HashSet::new();
    for part in ids.chunks(MAX_IDS) {
        let part = part.iter().copied();
        let found = Entity::find().select_only().column(Column::Id).filter(Column::Id.is_in(part));
        existing.extend(found.into_tuple::<i64>().all(db).await?);
    }
    Ok(existing)
}

/// Returns the identifiers of at most `limit` links of an owner, oldest first.
pub async fn ids_of_owner(
    db: &impl ConnectionTrait,
    owner_id: i64,
    limit: u64,
) -> Result<Vec<i64>, StoreError> {
    let ids = Entity::of(owner_id).select_only().column(Column::Id).order_by_asc(Column::Id);
    Ok(ids.limit(limit).into_tuple().all(db).await?)
}

/// Finds a link of an owner.
pub async fn find_owned(
    db: &impl ConnectionTrait,
    owner_id: i64,
    code: &ShortCode,
) -> Result<Option<Model>, StoreError> {
    Ok(Entity::of(owner_id).filter(Column::ShortCode.eq(code.as_str())).one(db).await?)
}

/// Finds a link of an owner and locks its row until the transaction ends.
pub async fn lock_owned(
    db: &impl ConnectionTrait,
    owner_id: i64,
    code: &ShortCode,
) -> Result<Option<Model>, StoreError> {
    let link = Entity::of(owner_id).filter(Column::ShortCode.eq(code.as_str()));
    absent_if_invalid(link.lock_exclusive().one(db).await.map_err(StoreError::from))
}
