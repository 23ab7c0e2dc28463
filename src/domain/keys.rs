//! API keys: authentication and administration.

mod create;
mod edit;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use strum_macros::IntoStaticStr;

use super::cache::{HeapSize, VersionedCache};
use super::changes::{Action, Change, Changed, Subject};
use super::error::first_ten;
use super::owner_lookup::OwnerRef;
use super::page::{FoundPage, PageRequest};
use super::version::Versioned;
use super::{Error, plans};
use crate::store::entities::owner;
use crate::store::events::{ChangeKind, EventChange};
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Durability, Store, StoreError, Transaction, keys, owners};
use crate::values::{ApiKey, KeyHash, KeyScope, RateLimit, Timestamp};

pub use self::create::{CreatedKey, KeyOwner, NewKey, RepeatableRequest, create};
pub(super) use self::create::{NewSecret, check_expiry, created_before, insert};
pub use self::edit::{KeyEdit, edit, get, revoke_own};
pub use crate::store::entities::api_key::Model as Key;

/// Precision in milliseconds of the time at which a key was last used. Operators need it only to
/// find unused keys, so it is not worth a write per request.
pub(super) const LAST_USE_PRECISION: i64 = 60_000;
/// Interval between two checks of a key in use, which end its use within a second together with the
/// invalidation of the cache.
const VALIDITY_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// A cached API key. It was not revoked when the server read it from the database.
#[derive(Debug)]
pub struct CachedKey {
    /// Owner and scope of the key.
    pub credentials: Credentials,
    expires_at: Option<Timestamp>,
    last_used_at: AtomicI64,
}

impl HeapSize for CachedKey {
    fn heap_size(&self) -> u64 {
        let label = self.credentials.label.as_ref().map_or(0, |label| label.len());
        (self.credentials.owner.len() + label) as u64
    }
}

/// Cache of API keys by hash.
pub type KeyCache = VersionedCache<KeyHash, CachedKey>;

/// Owner and scope of a valid key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Identifier of the key.
    pub key_id: i64,
    /// Label of the key, if it has one.
    pub label: Option<Arc<str>>,
    /// Identifier of the key's owner.
    pub owner_id: i64,
    /// Name of the key's owner.
    pub owner: Arc<str>,
    /// Operations that the key allows.
    pub scope: KeyScope,
    /// Whether the key's owner is suspended.
    pub is_owner_suspended: bool,
    /// Limit of the owner's requests with any key, if the owner's plan has one.
    pub request_limit: Option<RateLimit>,
}

/// Returns the credentials of a key, or `None` if the key is unknown, revoked or expired.
///
/// # Errors
/// If the key is not cached and the database fails.
pub async fn authenticate(
    store: &Store,
    cache: &KeyCache,
    hash: KeyHash,
) -> Result<Option<Credentials>, Error> {
    let key = valid_key(store, cache, hash).await?;
    Ok(key.map(|key| {
        record_use(store, &key, store.now());
        key.credentials.clone()
    }))
}

/// Returns once a key is no longer valid, or its owner is suspended. While the database fails, the
/// key stays valid.
pub async fn wait_until_invalid(store: &Store, cache: &KeyCache, hash: KeyHash) {
    loop {
        tokio::time::sleep(VALIDITY_CHECK_INTERVAL).await;
        if let Ok(key) = valid_key(store, cache, hash).await
            && key.is_none_or(|key| key.credentials.is_owner_suspended)
        {
            return;
        }
    }
}

/// Returns a key from the cache or the database, or `None` if it is unknown, revoked or expired.
async fn valid_key(
    store: &Store,
    cache: &KeyCache,
    hash: KeyHash,
) -> Result<Option<Arc<CachedKey>>, Error> {
    let key = match cache.get(&hash) {
        Some(cached) => Some(cached),
        // Boxed because it is rarely needed, and larger than all other allocations of a request.
        None => Box::pin(look_up(store, cache, hash)).await?,
    };
    let now = store.now();
    Ok(key.filter(|key| key.expires_at.is_none_or(|expires_at| expires_at > now)))
}

/// Reads a key from the database and caches it. Returns `None` if the key is unknown or revoked.
pub async fn look_up(
    store: &Store,
    cache: &KeyCache,
    hash: KeyHash,
) -> Result<Option<Arc<CachedKey>>, Error> {
    let version = cache.begin_read();
    let row = keys::find(store.reader(), hash).await?;
    let Some((row, owner, plan)) = row.filter(|(row, ..)| row.revoked_at.is_none()) else {
        return Ok(None);
    };
    let Some(scope) = KeyScope::from_stored(&row.scope) else { return Ok(None) };
    let key = Arc::new(CachedKey {
        credentials: Credentials {
            key_id: row.id,
            label: row.label.as_deref().map(Arc::from),
            owner_id: row.owner_id,
            owner: owner.name.as_str().into(),
            scope,
            is_owner_suspended: owner.suspended_reason.is_some(),
            request_limit: plans::request_limit(&plan),
        },
        expires_at: row.expires_at,
        last_used_at: AtomicI64::new(row.last_used_at.map_or(0, Timestamp::millis)),
    });
    cache.insert(version, hash, Arc::clone(&key));
    Ok(Some(key))
}

/// Records that a key is used, in a spawned task. The request does not wait for the task, and
/// succeeds even if the task fails.
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
            if let Err(error) = store_last_use(&store, id, now).await {
                tracing::debug!(%error, key = id, "last use of a key not recorded");
            }
        });
    }
}

async fn store_last_use(store: &Store, id: i64, now: Timestamp) -> Result<(), StoreError> {
    let transaction = store.begin(Durability::ProcessDeath).await?;
    keys::set_last_use(&transaction, id, now).await?;
    transaction.commit().await
}

/// Returns the number of keys that may do more since the last `applied` migrations: those of the scope that
/// was called `full`, and is called `edit`, because it allows changes of links too.
///
/// # Errors
/// If the database fails.
pub async fn count_widened(store: &Store, applied: usize) -> Result<u64, Error> {
    if !migration::includes(applied, "m1_0011_contract") {
        return Ok(0);
    }
    Ok(keys::count_usable(store.reader(), KeyScope::Edit.stored()).await?)
}

/// Returns all keys of an owner, oldest first.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn list(store: &Store, owner: impl Into<OwnerRef<'_>>) -> Result<Vec<KeyInfo>, Error> {
    let db = store.reader();
    let owner = owner.into().find(db).await?;
    let (keys, now) = (keys::list(db, owner.id).await?, store.now());
    Ok(keys.into_iter().map(|key| KeyInfo::new(key, &owner, now)).collect())
}

/// Returns a page of the keys of an owner, newest first. An owner that does not exist has none.
pub async fn page(
    store: &Store,
    owner_id: i64,
    request: PageRequest,
) -> Result<FoundPage<KeyInfo>, Error> {
    let (db, now) = (store.reader(), store.now());
    let Some(owner) = owners::get(db, owner_id).await? else {
        return Ok(FoundPage { items: Vec::new(), next: None });
    };
    let keys = keys::page(db, owner_id, request.position.0, request.rows()).await?;
    let infos = keys.into_iter().map(|key| KeyInfo::new(key, &owner, now)).collect();
    Ok(FoundPage::cut(infos, request.limit, |info: &KeyInfo| info.key.id))
}

/// Finds a key by its text, even if it is no longer valid.
///
/// # Errors
/// [`Error::KeyUnknown`].
pub async fn find(store: &Store, key: &ApiKey) -> Result<KeyInfo, Error> {
    let found = keys::find(store.reader(), key.hash()).await?;
    let (key, owner, _) = found.ok_or(Error::KeyUnknown)?;
    Ok(KeyInfo::new(key, &owner, store.now()))
}

/// Which keys to revoke.
#[derive(Debug, Clone, Copy)]
pub enum KeySelection<'a> {
    /// The keys with these identifiers.
    Ids(&'a [i64]),
    /// All keys of the owner with this name.
    Owner(&'a str),
}

/// Revokes keys permanently. Returns all selected keys as they were before, each with the name of
/// its owner. Running servers reject the keys within a second. A key that was already revoked keeps
/// its time of revocation.
///
/// # Errors
/// [`Error::KeyNotFound`], [`Error::OwnerNotFound`] or [`Error::PreconditionFailed`]. After an error, no
/// key is revoked.
pub async fn revoke(
    store: &Store,
    selection: KeySelection<'_>,
    change: &Change,
) -> Result<Changed<Vec<KeyInfo>>, Error> {
    let revoked = change.apply(store, Action::KeyRevoke, async |mut transaction| {
        let (db, now) = (&transaction.db, change.now);
        let selected = lock_selected(db, selection).await?;
        selected.iter().try_for_each(|(key, _)| change.check(key))?;
        let ids: Vec<i64> = selected.iter().map(|(key, _)| key.id).collect();
        let valid = selected.iter().filter(|(key, _)| key.revoked_at.is_none());
        let values = valid
            .map(|(key, _)| event_change(Some(key), &Key { revoked_at: Some(now), ..key.clone() }));
        let values: Vec<EventChange> = values.collect();
        if !values.is_empty() {
            keys::revoke(db, &ids, now).await?;
            invalidations::publish(db, &Invalidation::Keys, now).await?;
            let text = match selection {
                KeySelection::Ids(_) => first_ten(ids.iter().map(ToString::to_string)),
                KeySelection::Owner(_) => format!("{} keys", values.len()),
            };
            let owners: BTreeSet<i64> = selected.iter().map(|(_, owner)| owner.id).collect();
            let subject = match selected.first() {
                Some((_, owner)) if owners.len() == 1 => Subject::from_owner(owner, text),
                Some(_) | None => Subject::new(text),
            };
            transaction.record_values(&subject, ChangeKind::Key, values).await?;
            let valid = selected.iter().filter(|(key, _)| key.revoked_at.is_none());
            let owned = valid.map(|(key, owner)| (key.id, Some(owner.id)));
            transaction.record_owners(&subject, owned).await?;
        }
        let infos = selected.into_iter().map(|(key, owner)| KeyInfo::new(key, &owner, now));
        transaction.done(infos.collect())
    });
    revoked.await
}

/// Locks selected keys, and returns each with its owner.
async fn lock_selected(
    db: &Transaction,
    selection: KeySelection<'_>,
) -> Result<Vec<(Key, owner::Model)>, Error> {
    match selection {
        KeySelection::Ids(ids) => {
            let mut selected = Vec::new();
            // Keys are locked in order, so that concurrent commands do not deadlock.
            for id in BTreeSet::from_iter(ids.iter().copied()) {
                selected.push(keys::lock(db, id).await?.ok_or(Error::KeyNotFound(id))?);
            }
            Ok(selected)
        }
        KeySelection::Owner(name) => {
            let owner = OwnerRef::from(name).find(db).await?;
            let keys = keys::lock_all(db, owner.id).await?;
            Ok(keys.into_iter().map(|key| (key, owner.clone())).collect())
        }
    }
}

/// An API key with its owner's name and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// The key.
    pub key: Key,
    /// Name of the owner.
    pub owner: String,
    /// State of the key at the time of the query.
    pub state: KeyState,
}

impl KeyInfo {
    pub(in crate::domain) fn new(key: Key, owner: &owner::Model, now: Timestamp) -> Self {
        let state = if key.revoked_at.is_some() {
            KeyState::Revoked
        } else if key.expires_at.is_some_and(|expires_at| expires_at <= now) {
            KeyState::Expired
        } else if owner.suspended_reason.is_some() {
            KeyState::OwnerSuspended
        } else {
            KeyState::Active
        };
        Self { key, owner: owner.name.clone(), state }
    }
}

/// Returns the change of a key, as events record it. `before` is `None` for a new one.
pub(in crate::domain) fn event_change(before: Option<&Key>, after: &Key) -> EventChange {
    let values = |key: &Key| {
        json!({
            "label": key.label, "scope": KeyScope::name_of_stored(&key.scope),
            "expires_at": key.expires_at.map(Timestamp::millis),
            "revoked_at": key.revoked_at.map(Timestamp::millis),
        })
    };
    EventChange::between(after.id, &json!(before.map(values)), &values(after))
}

impl Versioned for Key {
    fn writable(&self) -> Value {
        json!([self.label, self.expires_at.map(Timestamp::millis)])
    }
}

/// State of an API key. If several states apply, the key has the first of them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "kebab-case")]
pub enum KeyState {
    /// An operator revoked the key.
    Revoked,
    /// The key has expired.
    Expired,
    /// An operator suspended the key's owner.
    OwnerSuspended,
    /// Clients can use the key.
    Active,
}
