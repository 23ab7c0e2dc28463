//! Operator keys: authentication and administration.

use std::sync::Arc;

use rand::Rng;
use serde_json::{Value, json};

use super::Error;
use super::changes::{Action, Actor, Change, Changed, Subject};
use super::idempotency::{Fingerprint, Namespace, StoredResponse, audit_of, fingerprint};
use super::keys::{self, LAST_USE_PRECISION, NewSecret, RepeatableRequest};
use super::page::{FoundPage, PageRequest};
use crate::store::events::{ChangeKind, EventChange};
use crate::store::idempotency::Created;
use crate::store::{Connection, Durability, Store, StoreError, operator_keys};
use crate::values::{ApiKey, KeyHash, Name, OperatorKey, OperatorRole, Timestamp};

pub use crate::store::entities::operator_key::Model as OperatorInfo;

/// Identifier, name and role of a valid operator key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorCredentials {
    /// Identifier of the key.
    pub id: i64,
    /// Name of the key.
    pub name: Arc<str>,
    /// Role of the key.
    pub role: OperatorRole,
}

/// An operator key to create.
#[derive(Debug, Clone)]
pub struct NewOperatorKey {
    /// Name, which the history shows.
    pub name: Name,
    /// Role.
    pub role: OperatorRole,
    /// Time from which the key is invalid. `None`: it does not expire.
    pub expires_at: Option<Timestamp>,
}

impl NewOperatorKey {
    /// Returns the fingerprint of a request that creates the key.
    pub fn fingerprint(&self, change: &Change) -> Fingerprint {
        let Self { name, role, expires_at } = self;
        let expires_at = expires_at.map(|time| time.millis().to_string());
        let own = [Some(name.as_str()), Some(role.into_str()), expires_at.as_deref()];
        fingerprint("operator-keys", &[own, audit_of(change)].concat())
    }
}

/// A new operator key, with its secret.
#[derive(Debug, Clone)]
pub struct CreatedOperatorKey {
    /// The key.
    pub info: OperatorInfo,
    /// Its secret.
    pub secret: OperatorKey,
}

/// Creates an operator key. The database stores only the hash of its secret. After a dry run, the
/// returned key does not exist.
///
/// A repeated request returns the key that its first transmission has created, and changes nothing.
///
/// # Errors
/// [`Error::OperatorExists`] if a key that is not revoked has the name; [`Error::ExpiryPassed`], unless a
/// command makes the change; [`Error::KeyReused`]; [`Error::SecretUnavailable`]; or if the database fails.
pub async fn add(
    store: &Store,
    new: &NewOperatorKey,
    repeatable: Option<RepeatableRequest<'_>>,
    change: &Change,
    rng: &mut impl Rng,
) -> Result<Changed<CreatedOperatorKey>, Error> {
    let derived = &NewSecret::generate(repeatable, rng);
    let secret = &OperatorKey::from_api_key(&derived.key);
    let (namespace, request) = (Namespace::Operator, repeatable.map(|of| of.request));
    let added = change.apply(store, Action::OperatorAdd, async |mut transaction| {
        if let Some(RepeatableRequest { credential, .. }) = repeatable
            && let Some(first) = transaction.earlier_response(namespace, request).await?
        {
            let created =
                created_before(&transaction.db, first, credential, new, change.now).await?;
            return transaction.done(created);
        }
        // An operator at a shell may add a key that has expired, and sees a warning.
        if !matches!(change.actor, Actor::Command(_)) {
            keys::check_expiry(new.expires_at, None, change.now)?;
        }
        let name = new.name.as_str();
        let mut info = OperatorInfo {
            id: 0,
            name: name.to_owned(),
            hash: secret.hash().as_bytes().to_vec(),
            role: new.role.into_str().to_owned(),
            created_at: change.now,
            revoked_at: None,
            last_used_at: None,
            hint: Some(secret.hint().to_owned()),
            expires_at: new.expires_at,
        };
        let inserted = operator_keys::insert(&transaction.db, &info).await;
        let exists = |error| Error::of_write(error, Error::OperatorExists(name.to_owned()));
        info.id = inserted.map_err(exists)?;
        let after = json!({
            "name": name, "role": info.role,
            "expires_at": info.expires_at.map(Timestamp::millis), "revoked_at": null
        });
        let values = vec![EventChange::between(info.id, &Value::Null, &after)];
        let (subject, kind) = (Subject::new(name), ChangeKind::OperatorKey);
        transaction.record_values(&subject, kind, values).await?;
        let (id, derived) = (info.id.to_string(), derived.derived(info.id));
        let created = Created::Subject(&id, derived.as_ref());
        transaction.store_response(namespace, request, created).await?;
        transaction.done(CreatedOperatorKey { info, secret: secret.clone() })
    });
    added.await
}

/// Returns the operator key that an earlier transmission of the request has created, as it was then. Callers
/// must hold the lock of the namespace.
///
/// # Errors
/// [`Error::SecretUnavailable`].
async fn created_before(
    db: &impl Connection,
    first: StoredResponse,
    credential: &str,
    new: &NewOperatorKey,
    now: Timestamp,
) -> Result<CreatedOperatorKey, Error> {
    let derived = first.created_key.ok_or(Error::KeyReused)?;
    let secret = OperatorKey::from_api_key(&ApiKey::derive(credential, &derived.nonce));
    // Only the same credential gives the same secret.
    let found = operator_keys::find(db, secret.hash()).await?;
    let found = found.filter(|key| key.id == derived.id && is_valid(key, now));
    let found = found.ok_or(Error::SecretUnavailable)?;
    let info = OperatorInfo { expires_at: new.expires_at, last_used_at: None, ..found };
    Ok(CreatedOperatorKey { info, secret })
}

fn is_valid(key: &OperatorInfo, now: Timestamp) -> bool {
    key.revoked_at.is_none() && key.expires_at.is_none_or(|time| time > now)
}

/// Returns all operator keys, revoked ones included, oldest first.
pub async fn list(store: &Store) -> Result<Vec<OperatorInfo>, Error> {
    Ok(operator_keys::list(store.reader()).await?)
}

/// Returns an operator key by its identifier.
pub async fn get(store: &Store, id: i64) -> Result<Option<OperatorInfo>, Error> {
    Ok(operator_keys::get(store.reader(), id).await?)
}

/// Returns a page of all operator keys, revoked ones included, newest first.
pub async fn page(store: &Store, request: PageRequest) -> Result<FoundPage<OperatorInfo>, Error> {
    let keys = operator_keys::page(store.reader(), request.position.0, request.rows()).await?;
    Ok(FoundPage::cut(keys, request.limit, |key: &OperatorInfo| key.id))
}

/// How a change names an operator key.
#[derive(Debug, Clone, Copy)]
pub enum OperatorRef<'a> {
    /// The newest key with this name.
    Name(&'a str),
    /// The key with this identifier.
    Id(i64),
}

/// Revokes an operator key permanently. Servers reject it at once.
///
/// # Errors
/// [`Error::OperatorNotFound`] or [`Error::OwnKey`].
pub async fn revoke(
    store: &Store,
    key: OperatorRef<'_>,
    change: &Change,
) -> Result<Changed, Error> {
    let revoked = change.apply(store, Action::OperatorRevoke, async |mut transaction| {
        let db = &transaction.db;
        let (found, name) = match key {
            OperatorRef::Name(name) => {
                (operator_keys::lock_named(db, name).await?, name.to_owned())
            }
            OperatorRef::Id(id) => (operator_keys::lock(db, id).await?, id.to_string()),
        };
        let key = found.ok_or(Error::OperatorNotFound(name))?;
        if matches!(change.actor, Actor::OperatorKey { id, .. } if id == key.id) {
            return Err(Error::OwnKey);
        }
        if key.revoked_at.is_none() {
            operator_keys::revoke(&transaction.db, key.id, change.now).await?;
            let revoked =
                |at: Option<Timestamp>| json!({ "revoked_at": at.map(Timestamp::millis) });
            let values = EventChange::between(key.id, &revoked(None), &revoked(Some(change.now)));
            let (subject, kind) = (Subject::new(key.name), ChangeKind::OperatorKey);
            transaction.record_values(&subject, kind, vec![values]).await?;
        }
        transaction.done(())
    });
    revoked.await
}

/// Returns the credentials of an operator key, or `None` if the key is unknown, revoked or expired. Unlike
/// API keys, operator keys are not cached: their requests are few, and a revocation holds at once.
pub async fn authenticate(
    store: &Store,
    hash: KeyHash,
) -> Result<Option<OperatorCredentials>, Error> {
    let found = operator_keys::find(store.reader(), hash).await?;
    let now = store.now();
    let Some(key) = found.filter(|key| is_valid(key, now)) else { return Ok(None) };
    let Ok(role) = key.role.parse() else { return Ok(None) };
    record_use(store, &key, now);
    Ok(Some(OperatorCredentials { id: key.id, name: key.name.into(), role }))
}

/// Records that a key is used, in a spawned task. The request does not wait for the task, and
/// succeeds even if the task fails.
fn record_use(store: &Store, key: &OperatorInfo, now: Timestamp) {
    if key.last_used_at.is_some_and(|last| now.millis() - last.millis() < LAST_USE_PRECISION) {
        return;
    }
    let (store, id) = (store.clone(), key.id);
    tokio::spawn(async move {
        if let Err(error) = store_last_use(&store, id, now).await {
            tracing::debug!(%error, operator = id, "last use of an operator key not recorded");
        }
    });
}

async fn store_last_use(store: &Store, id: i64, now: Timestamp) -> Result<(), StoreError> {
    let transaction = store.begin(Durability::ProcessDeath).await?;
    operator_keys::set_last_use(&transaction, id, now).await?;
    transaction.commit().await
}
