//! What owners' requests are known by.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rand::Rng;

use super::owners::named;
use super::{AdminError, Caches, Error};
use crate::store::entities::api_key::Model;
use crate::store::{Connection, Durability, Store, StoreError, changes, keys, owners};
use crate::values::{ApiKey, KeyHash, Moment};

/// How often a key's last use is written, in milliseconds: it is for people to find keys that
/// nobody uses, and not worth a write at each request.
const LAST_USE_PRECISION: i64 = 60_000;

/// A key as its owner's operator sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// What it is revoked by.
    pub id: i64,
    /// What it is for.
    pub label: Option<String>,
    /// When it was made.
    pub created_at: Moment,
    /// From when on it is invalid.
    pub expires_at: Option<Moment>,
    /// Since when it is invalid.
    pub revoked_at: Option<Moment>,
    /// When it was used last, to the minute.
    pub last_used_at: Option<Moment>,
}

impl From<Model> for KeyInfo {
    fn from(row: Model) -> Self {
        let Model {
            id,
            owner_id: _,
            hash: _,
            label,
            created_at,
            expires_at,
            revoked_at,
            last_used_at,
        } = row;
        Self {
            id,
            label,
            created_at: Moment::from_millis(created_at),
            expires_at: expires_at.map(Moment::from_millis),
            revoked_at: revoked_at.map(Moment::from_millis),
            last_used_at: last_used_at.map(Moment::from_millis),
        }
    }
}

/// A key that has been looked up and was not revoked then.
#[derive(Debug)]
pub struct KnownKey {
    id: i64,
    owner_id: i64,
    expires_at: Option<i64>,
    last_used_at: AtomicI64,
}

/// Finds out whose key it is; none for one that is unknown, revoked or expired.
///
/// # Errors
/// When the key is not in the cache and the database fails.
pub async fn authenticate(
    store: &Store,
    caches: &Caches,
    key: &ApiKey,
    now: Moment,
) -> Result<Option<i64>, Error> {
    let hash = key.hash();
    let known = match caches.keys.get(&hash) {
        Some(known) => known,
        // Rare, and several times as large as the rest of what each request allocates.
        None => match Box::pin(look_up(store, caches, hash)).await? {
            Some(known) => known,
            None => return Ok(None),
        },
    };
    if known.expires_at.is_some_and(|expires_at| expires_at <= now.millis()) {
        return Ok(None);
    }
    note_use(store, &known, now);
    Ok(Some(known.owner_id))
}

async fn look_up(
    store: &Store,
    caches: &Caches,
    hash: KeyHash,
) -> Result<Option<Arc<KnownKey>>, StoreError> {
    let ticket = caches.keys.ticket();
    let Some(row) = keys::find(store.reader(), hash).await? else { return Ok(None) };
    if row.revoked_at.is_some() {
        return Ok(None);
    }
    let known = Arc::new(KnownKey {
        id: row.id,
        owner_id: row.owner_id,
        expires_at: row.expires_at,
        last_used_at: AtomicI64::new(row.last_used_at.unwrap_or(0)),
    });
    caches.keys.insert(ticket, hash, Arc::clone(&known));
    Ok(Some(known))
}

/// Writes the last use beside the request that is under way, which does not wait for it and does
/// not fail with it.
fn note_use(store: &Store, key: &Arc<KnownKey>, now: Moment) {
    let before = key.last_used_at.load(Ordering::Relaxed);
    if now.millis() - before < LAST_USE_PRECISION {
        return;
    }
    let is_first = key
        .last_used_at
        .compare_exchange(before, now.millis(), Ordering::Relaxed, Ordering::Relaxed)
        .is_ok();
    if is_first {
        let (store, id) = (store.clone(), key.id);
        tokio::spawn(async move {
            if let Err(error) = write_use(&store, id, now).await {
                tracing::debug!(%error, key = id, "last use of a key not written");
            }
        });
    }
}

async fn write_use(store: &Store, id: i64, now: Moment) -> Result<(), StoreError> {
    let transaction = store.begin(Durability::ProcessDeath).await?;
    keys::touch(&transaction, id, now).await?;
    transaction.commit().await
}

/// Makes a key in a transaction of the caller's; returns its identifier and itself.
pub(super) async fn create(
    db: &impl Connection,
    owner_id: i64,
    label: Option<&str>,
    expires_at: Option<Moment>,
    now: Moment,
    rng: &mut impl Rng,
) -> Result<(i64, ApiKey), AdminError> {
    let key = ApiKey::generate(rng);
    let id = keys::insert(db, owner_id, key.hash(), label, expires_at, now).await?;
    Ok((id, key))
}

/// Makes another key for an owner; returns its identifier and itself, which is never shown again.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], or when the database fails.
pub async fn add(
    store: &Store,
    owner: &str,
    label: Option<&str>,
    expires_at: Option<Moment>,
    now: Moment,
    rng: &mut impl Rng,
) -> Result<(i64, ApiKey), AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let owner = named(db, owner).await?;
    let created = create(db, owner.id, label, expires_at, now, rng).await?;
    transaction.commit().await?;
    Ok(created)
}

/// All keys of an owner, oldest first.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], or when the database fails.
pub async fn list(store: &Store, owner: &str) -> Result<Vec<KeyInfo>, AdminError> {
    let db = store.reader();
    let owner = named(db, owner).await?;
    Ok(keys::list(db, owner.id).await?.into_iter().map(KeyInfo::from).collect())
}

/// Revokes a key for good; running servers refuse it within a second. Returns its owner's name.
///
/// # Errors
/// [`AdminError::NoSuchKey`], or when the database fails.
pub async fn revoke(store: &Store, id: i64, now: Moment) -> Result<String, AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let owner_id = keys::revoke(db, id, now).await?.ok_or(AdminError::NoSuchKey(id))?;
    // A key has an owner: the database sees to it.
    let owner = owners::name_of(db, owner_id).await?.unwrap_or_default();
    changes::announce(db, &changes::Change::Keys, now).await?;
    transaction.commit().await?;
    Ok(owner)
}
