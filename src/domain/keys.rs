//! API keys: authentication and administration.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rand::Rng;

use super::cache::{HeapSize, VersionedCache};
use super::owners::named;
use super::{AdminError, Error};
use crate::store::entities::api_key::Model;
use crate::store::{Durability, Store, StoreError, changes, keys, owners};
use crate::values::{ApiKey, KeyHash, KeyScope, Timestamp};

/// Precision of a key's last use in milliseconds. Operators need it only to find unused keys, which
/// is not worth a write per request.
const LAST_USE_PRECISION: i64 = 60_000;

/// An API key as the operator sees it, without its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// Identifier, by which an operator revokes the key.
    pub id: i64,
    /// Label that the operator chose.
    pub label: Option<String>,
    /// What the key may be used for.
    pub scope: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time from which the key is invalid, if it expires.
    pub expires_at: Option<Timestamp>,
    /// Time of revocation, if the key is revoked.
    pub revoked_at: Option<Timestamp>,
    /// Time of the last use with a precision of a minute, if the key was used.
    pub last_used_at: Option<Timestamp>,
}

impl From<Model> for KeyInfo {
    fn from(row: Model) -> Self {
        let Model {
            id,
            owner_id: _,
            hash: _,
            label,
            scope,
            created_at,
            expires_at,
            revoked_at,
            last_used_at,
        } = row;
        Self {
            id,
            label,
            scope,
            created_at: Timestamp::from_millis(created_at),
            expires_at: expires_at.map(Timestamp::from_millis),
            revoked_at: revoked_at.map(Timestamp::from_millis),
            last_used_at: last_used_at.map(Timestamp::from_millis),
        }
    }
}

/// A cached API key, which was not revoked when it was read from the database.
#[derive(Debug)]
pub struct CachedKey {
    credentials: Credentials,
    expires_at: Option<i64>,
    last_used_at: AtomicI64,
}

impl HeapSize for CachedKey {}

/// Cache of API keys by hash.
pub type KeyCache = VersionedCache<KeyHash, CachedKey>;

/// What a valid key says about the client that sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credentials {
    /// Identifier of the key.
    pub key_id: i64,
    /// Identifier of the key's owner.
    pub owner_id: i64,
    /// What the key may be used for.
    pub scope: KeyScope,
    /// Whether the owner is suspended.
    pub is_suspended: bool,
}

/// Returns the credentials of a key, or `None` if the key is unknown, revoked or expired.
///
/// # Errors
/// If the key is not cached and the database fails.
pub async fn authenticate(
    store: &Store,
    cache: &KeyCache,
    key: &ApiKey,
    now: Timestamp,
) -> Result<Option<Credentials>, Error> {
    let hash = key.hash();
    let cached = match cache.get(&hash) {
        Some(cached) => cached,
        // Boxed because it is rarely needed, and larger than all other allocations of a request.
        None => match Box::pin(look_up(store, cache, hash)).await? {
            Some(cached) => cached,
            None => return Ok(None),
        },
    };
    if cached.expires_at.is_some_and(|expires_at| expires_at <= now.millis()) {
        return Ok(None);
    }
    record_use(store, &cached, now);
    Ok(Some(cached.credentials))
}

/// Reads a key from the database and caches it. Returns `None` if it is unknown or revoked.
async fn look_up(
    store: &Store,
    cache: &KeyCache,
    hash: KeyHash,
) -> Result<Option<Arc<CachedKey>>, StoreError> {
    let version = cache.begin_read();
    let row = keys::find(store.reader(), hash).await?;
    let Some((row, owner)) = row.filter(|(row, _)| row.revoked_at.is_none()) else {
        return Ok(None);
    };
    let Some(scope) = KeyScope::from_stored(&row.scope) else { return Ok(None) };
    let key = Arc::new(CachedKey {
        credentials: Credentials {
            key_id: row.id,
            owner_id: row.owner_id,
            scope,
            is_suspended: owner.suspended_reason.is_some(),
        },
        expires_at: row.expires_at,
        last_used_at: AtomicI64::new(row.last_used_at.unwrap_or(0)),
    });
    cache.insert(version, hash, Arc::clone(&key));
    Ok(Some(key))
}

/// Records the key's last use in a spawned task. The request neither waits for it nor fails with
/// it.
fn record_use(store: &Store, key: &Arc<CachedKey>, now: Timestamp) {
    let last = key.last_used_at.load(Ordering::Relaxed);
    if now.millis() - last < LAST_USE_PRECISION {
        return;
    }
    let is_first = key
        .last_used_at
        .compare_exchange(last, now.millis(), Ordering::Relaxed, Ordering::Relaxed)
        .is_ok();
    if is_first {
        let (store, id) = (store.clone(), key.credentials.key_id);
        tokio::spawn(async move {
            if let Err(error) = write_use(&store, id, now).await {
                tracing::debug!(%error, key = id, "last use of a key not recorded");
            }
        });
    }
}

async fn write_use(store: &Store, id: i64, now: Timestamp) -> Result<(), StoreError> {
    let transaction = store.begin(Durability::ProcessDeath).await?;
    keys::touch(&transaction, id, now).await?;
    transaction.commit().await
}

/// Creates an API key for an owner, and returns its identifier and the key. The database stores
/// only its hash.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], or if the database fails.
pub async fn add(
    store: &Store,
    owner: &str,
    label: Option<&str>,
    scope: KeyScope,
    expires_at: Option<Timestamp>,
    now: Timestamp,
    rng: &mut impl Rng,
) -> Result<(i64, ApiKey), AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let (owner, key) = (named(db, owner).await?, ApiKey::generate(rng));
    let id = keys::insert(db, owner.id, key.hash(), label, scope, expires_at, now).await?;
    transaction.commit().await?;
    Ok((id, key))
}

/// Returns all keys of an owner, oldest first.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], or if the database fails.
pub async fn list(store: &Store, owner: &str) -> Result<Vec<KeyInfo>, AdminError> {
    let db = store.reader();
    let owner = named(db, owner).await?;
    Ok(keys::list(db, owner.id).await?.into_iter().map(KeyInfo::from).collect())
}

/// Revokes a key permanently and returns the name of its owner. Running servers reject the key
/// within a second.
///
/// # Errors
/// [`AdminError::NoSuchKey`], or if the database fails.
pub async fn revoke(store: &Store, id: i64, now: Timestamp) -> Result<String, AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let owner_id = keys::revoke(db, id, now).await?.ok_or(AdminError::NoSuchKey(id))?;
    // A foreign key guarantees that the owner exists.
    let owner = owners::name_of(db, owner_id).await?.unwrap_or_default();
    changes::publish(db, &changes::Change::Keys, now).await?;
    transaction.commit().await?;
    Ok(owner)
}
