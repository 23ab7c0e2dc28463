//! Responses to requests with an `Idempotency-Key`, stored in the transaction of the request.

use std::time::Duration;

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use super::entities::idempotency_key::{Column, Entity, Model};
use super::error::StoreError;
use super::query::execute;
use crate::values::{IdempotencyKey, ShortCode, Timestamp};

/// How long a response is replayed.
pub const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// A SHA-256 of everything that a request asks for.
pub type Fingerprint = [u8; 32];

/// A request with an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// The key.
    pub key: IdempotencyKey,
    /// What the request asks for.
    pub fingerprint: Fingerprint,
    /// The service's address in URLs of the response.
    pub base_url: String,
}

/// What a response cannot be built again without. It has no destination: that is part of the request,
/// which is the same if its fingerprint is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// What the request asked for.
    pub fingerprint: Vec<u8>,
    /// The link's code.
    pub short_code: String,
    /// The service's address in URLs of the response.
    pub base_url: String,
}

/// The time from which on responses are replayed at `now`.
pub(super) fn oldest(now: Timestamp) -> Timestamp {
    now.minus(LIFETIME)
}

/// Returns the response that is stored for this owner and key. Callers that will [`store`] a new one
/// must hold the owner's row lock, so that no concurrent request uses the same key.
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
        .filter(Column::CreatedAt.gt(oldest(now).millis()))
        .one(db)
        .await?;
    Ok(stored.map(|Model { fingerprint, short_code, base_url, .. }| StoredResponse {
        fingerprint,
        short_code,
        base_url,
    }))
}

/// Stores a response, in place of one under the same key that is too old to be replayed.
pub(super) const STORE: &str = "
    INSERT INTO idempotency_keys (owner_id, key, fingerprint, short_code, base_url, created_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (owner_id, key) DO UPDATE
        SET fingerprint = excluded.fingerprint, short_code = excluded.short_code,
            base_url = excluded.base_url, created_at = excluded.created_at";

/// Stores a response. Callers hold the owner's row lock, and [`find`] has found nothing.
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

/// Deletes up to `limit` responses that are too old to be replayed.
///
/// # Errors
/// If the database fails.
pub async fn delete_expired(
    db: &impl ConnectionTrait,
    now: Timestamp,
    limit: u32,
) -> Result<(), StoreError> {
    // The condition stands twice: the statement may have waited for a row that was renewed meanwhile.
    execute(
        db,
        "DELETE FROM idempotency_keys WHERE created_at <= $1 AND id IN (
             SELECT id FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)",
        [oldest(now).millis().into(), i64::from(limit).into()],
    )
    .await?;
    Ok(())
}

/// Whether there are responses to delete; takes no lock.
///
/// # Errors
/// If the database fails.
pub async fn has_expired(db: &impl ConnectionTrait, now: Timestamp) -> Result<bool, StoreError> {
    let expired = Entity::find().filter(Column::CreatedAt.lte(oldest(now).millis()));
    Ok(expired.one(db).await?.is_some())
}
