//! Answers that are kept under a client's key, in the transaction that made what they tell of.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use super::entities::idempotency_key::{Column, Entity, Model};
use super::{Durability, Store, StoreError, execute};
use crate::values::{IdempotencyKey, Moment, ShortCode};

/// How long an answer is given again.
pub const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// What was asked for, as SHA-256: whoever asks for something else under the same key is told so.
pub type Fingerprint = [u8; 32];

/// A key, and what is asked for under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyed {
    /// The key.
    pub key: IdempotencyKey,
    /// What is asked for.
    pub fingerprint: Fingerprint,
}

/// An answer to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Where what was made is.
    pub location: String,
    /// Its body.
    pub body: String,
}

/// An answer that was given, and to what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// What was asked for.
    pub fingerprint: Vec<u8>,
    /// What was answered.
    pub answer: Answer,
}

/// Says what will be answered when a link has got its code.
#[derive(Clone)]
pub struct Describe(pub Arc<dyn Fn(&ShortCode) -> Answer + Send + Sync>);

impl std::fmt::Debug for Describe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Describe(…)")
    }
}

/// The moment since which answers are given again at `now`.
pub(super) fn oldest(now: Moment) -> Moment {
    now.minus(LIFETIME)
}

/// What was answered to the owner under that key. Whoever goes on to [`keep`] one has locked the owner,
/// so that nobody else uses the key meanwhile.
///
/// # Errors
/// When the database fails.
pub async fn find(
    db: &impl ConnectionTrait,
    owner_id: i64,
    key: &IdempotencyKey,
    now: Moment,
) -> Result<Option<Kept>, StoreError> {
    let row = Entity::find()
        .filter(Column::OwnerId.eq(owner_id))
        .filter(Column::Name.eq(key.as_str()))
        .filter(Column::CreatedAt.gt(oldest(now).millis()))
        .one(db)
        .await?;
    Ok(row.map(|Model { fingerprint, status, location, body, .. }| {
        let status = u16::try_from(status).unwrap_or_default();
        Kept { fingerprint, answer: Answer { status, location, body } }
    }))
}

/// How an answer is kept, in place of one under the same key that is too old.
pub(super) const KEEP: &str = "
    INSERT INTO idempotency_keys
        (owner_id, name, fingerprint, status, location, body, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (owner_id, name) DO UPDATE
        SET fingerprint = excluded.fingerprint, status = excluded.status,
            location = excluded.location, body = excluded.body, created_at = excluded.created_at";

/// Keeps an answer. The owner is locked, and nothing is there that [`find`] would have found.
///
/// # Errors
/// When the database fails.
pub async fn keep(
    db: &impl ConnectionTrait,
    owner_id: i64,
    keyed: &Keyed,
    answer: &Answer,
    now: Moment,
) -> Result<(), StoreError> {
    let Answer { status, location, body } = answer;
    execute(
        db,
        KEEP,
        [
            owner_id.into(),
            keyed.key.as_str().into(),
            keyed.fingerprint.to_vec().into(),
            i32::from(*status).into(),
            location.as_str().into(),
            body.as_str().into(),
            now.millis().into(),
        ],
    )
    .await?;
    Ok(())
}

/// Deletes up to `limit` answers that are too old to be given again; returns how many there were.
///
/// # Errors
/// When the database fails.
pub async fn sweep(store: &Store, now: Moment, limit: u32) -> Result<u64, StoreError> {
    let transaction = store.begin(Durability::ProcessDeath).await?;
    // Asked twice: a row that was waited for may have been renewed.
    let swept = execute(
        &transaction,
        "DELETE FROM idempotency_keys WHERE created_at <= $1 AND id IN (
             SELECT id FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)",
        [oldest(now).millis().into(), i64::from(limit).into()],
    )
    .await?;
    transaction.commit().await?;
    Ok(swept)
}

/// Whether there are answers that are too old, asked without keeping anyone from writing.
///
/// # Errors
/// When the database fails.
pub async fn any_old(db: &impl ConnectionTrait, now: Moment) -> Result<bool, StoreError> {
    let old = Entity::find().filter(Column::CreatedAt.lte(oldest(now).millis()));
    Ok(old.one(db).await?.is_some())
}
