//! Responses to requests with an `Idempotency-Key`, stored in the transaction of the request.

use std::time::Duration;

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::entities::idempotency_key::{Column, Entity, Model};
use super::error::StoreError;
use super::query::execute;
use crate::values::{IdempotencyKey, ShortCode, Timestamp};

/// Time for which a stored response is replayed.
pub const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Number of new responses for which [`make_room`] makes room.
const SPARE: u64 = 100;
/// Maximum number of responses that one statement deletes.
const MAX_DELETED: usize = 500;

/// SHA-256 hash of a request's operation and the values of its known fields.
pub type Fingerprint = [u8; 32];

/// Data of a request with an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// Idempotency key.
    pub key: IdempotencyKey,
    /// Fingerprint of the request.
    pub fingerprint: Fingerprint,
    /// Base URL of the short URL in the response to this request.
    pub base_url: String,
}

/// Data from which the server builds a response again. They lack the destination, because a
/// repeated request with the same fingerprint has the same destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// Fingerprint of the first request.
    pub fingerprint: Vec<u8>,
    /// Short code of the link.
    pub short_code: String,
    /// Base URL of the short URL in the response.
    pub base_url: String,
}

/// Returns the cutoff for replays at `now`: the server replays only responses stored after it.
pub(super) fn replay_cutoff(now: Timestamp) -> Timestamp {
    now.minus(LIFETIME)
}

/// Returns the unexpired response stored for this owner and key, or `None` if there is none.
///
/// Callers that then [`store`] a new response must hold the owner's row lock, so that no concurrent
/// request uses the same key.
///
/// # Errors
/// If the database fails.
pub async fn find(
    db: &impl ConnectionTrait,
    owner_id: i64,
    key: &IdempotencyKey,
    now: Timestamp,
) -> Result<Option<StoredResponse>, StoreError> {
    let stored = Entity::of(owner_id)
        .filter(Column::Key.eq(key.as_str()))
        .filter(Column::CreatedAt.gt(replay_cutoff(now).millis()))
        .one(db)
        .await?;
    Ok(stored.map(|Model { fingerprint, short_code, base_url, .. }| StoredResponse {
        fingerprint,
        short_code,
        base_url,
    }))
}

/// SQL that stores a response, or replaces an expired one with the same key.
pub(super) const STORE: &str = "
    INSERT INTO idempotency_keys (owner_id, key, fingerprint, short_code, base_url, created_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (owner_id, key) DO UPDATE
        SET fingerprint = excluded.fingerprint, short_code = excluded.short_code,
            base_url = excluded.base_url, created_at = excluded.created_at";

/// Stores a response. Callers must hold the owner's row lock, and [`find`] must have returned
/// `None`.
///
/// # Errors
/// If the database fails.
pub async fn store(
    db: &impl ConnectionTrait,
    owner_id: i64,
    request: &IdempotentRequest,
    short_code: &ShortCode,
    now: Timestamp,
) -> Result<(), StoreError> {
    let IdempotentRequest { key, fingerprint, base_url } = request;
    let values = [
        owner_id.into(),
        key.as_str().into(),
        fingerprint.to_vec().into(),
        short_code.as_str().into(),
        base_url.as_str().into(),
        now.millis().into(),
    ];
    execute(db, STORE, values).await?;
    Ok(())
}

/// Deletes the oldest responses of an owner who has `max` or more. It makes room for many new ones,
/// because each deletion must sort all responses of the owner. Callers must hold the owner's row
/// lock.
///
/// # Errors
/// If the database fails.
pub async fn make_room(
    db: &impl ConnectionTrait,
    owner_id: i64,
    max: u64,
) -> Result<(), StoreError> {
    let stored = count(db, owner_id).await?;
    if stored < max {
        return Ok(());
    }
    let oldest = Entity::of(owner_id).select_only().column(Column::Id);
    let oldest = oldest.order_by_asc(Column::CreatedAt).order_by_asc(Column::Id);
    let ids: Vec<i64> = oldest.limit(stored - max + SPARE).into_tuple().all(db).await?;
    for ids in ids.chunks(MAX_DELETED) {
        Entity::delete_many().filter(Column::Id.is_in(ids.to_vec())).exec(db).await?;
    }
    Ok(())
}

/// Deletes up to `limit` expired responses.
///
/// # Errors
/// If the database fails.
pub async fn delete_expired(
    db: &impl ConnectionTrait,
    now: Timestamp,
    limit: u32,
) -> Result<(), StoreError> {
    // The outer condition repeats the inner one, because the statement may wait for a row that
    // another transaction replaces meanwhile.
    execute(
        db,
        "DELETE FROM idempotency_keys WHERE created_at <= $1 AND id IN (
             SELECT id FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)",
        [replay_cutoff(now).millis().into(), i64::from(limit).into()],
    )
    .await?;
    Ok(())
}

/// Returns the number of responses stored for an owner, expired ones included.
///
/// # Errors
/// If the database fails.
pub async fn count(db: &impl ConnectionTrait, owner_id: i64) -> Result<u64, StoreError> {
    Ok(Entity::of(owner_id).count(db).await?)
}

/// Deletes up to `limit` responses stored for an owner, and returns the number of deleted
/// responses.
///
/// # Errors
/// If the database fails.
pub async fn delete_of_owner(
    db: &impl ConnectionTrait,
    owner_id: i64,
    limit: u64,
) -> Result<u64, StoreError> {
    let ids = Entity::of(owner_id).select_only().column(Column::Id);
    let ids: Vec<i64> = ids.limit(limit).into_tuple().all(db).await?;
    Ok(Entity::delete_many().filter(Column::Id.is_in(ids)).exec(db).await?.rows_affected)
}

/// Returns whether any stored response has expired. Takes no lock.
///
/// # Errors
/// If the database fails.
pub async fn has_expired(db: &impl ConnectionTrait, now: Timestamp) -> Result<bool, StoreError> {
    let expired = Entity::find().filter(Column::CreatedAt.lte(replay_cutoff(now).millis()));
    Ok(expired.one(db).await?.is_some())
}
