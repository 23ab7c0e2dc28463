//! Operator keys: authentication and administration.

use std::sync::Arc;

use rand::Rng;
use serde_json::{Value, json};

use super::Error;
use super::changes::{Action, Change, Changed, Subject};
use super::keys::LAST_USE_PRECISION;
use crate::store::events::{ChangeKind, EventChange};
use crate::store::{Durability, Store, StoreError, operator_keys};
use crate::values::{KeyHash, Name, OperatorKey, OperatorRole, Timestamp};

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

/// Creates an operator key, and returns it. The database stores only the hash of the key. After a
/// dry run, the returned key does not exist.
///
/// # Errors
/// [`Error::OperatorExists`] if a key that is not revoked has the name, or if the database fails.
pub async fn add(
    store: &Store,
    name: &Name,
    role: OperatorRole,
    change: &Change,
    rng: &mut impl Rng,
) -> Result<Changed<OperatorKey>, Error> {
    let key = &OperatorKey::generate(rng);
    let added = change.apply(store, Action::OperatorAdd, async |mut transaction| {
        let (db, text) = (&transaction.db, name.as_str());
        let id = match operator_keys::insert(db, text, key, role, change.now).await {
            Ok(id) => id,
            Err(StoreError::Conflict) => return Err(Error::OperatorExists(text.to_owned())),
            Err(error) => return Err(error.into()),
        };
        let after = json!({
            "name": text, "role": role.into_str(), "expires_at": null, "revoked_at": null
        });
        let values = vec![EventChange::between(id, &Value::Null, &after)];
        transaction.record_values(&Subject::new(text), ChangeKind::OperatorKey, values).await?;
        transaction.done(key.clone())
    });
    added.await
}

/// Returns all operator keys, revoked ones included, oldest first.
pub async fn list(store: &Store) -> Result<Vec<OperatorInfo>, Error> {
    Ok(operator_keys::list(store.reader()).await?)
}

/// Revokes the operator key with this name permanently. Servers reject it at once.
///
/// # Errors
/// [`Error::OperatorNotFound`].
pub async fn revoke(store: &Store, name: &str, change: &Change) -> Result<Changed, Error> {
    let revoked = change.apply(store, Action::OperatorRevoke, async |mut transaction| {
        let key = operator_keys::lock_named(&transaction.db, name).await?;
        let key = key.ok_or_else(|| Error::OperatorNotFound(name.to_owned()))?;
        if key.revoked_at.is_none() {
            operator_keys::revoke(&transaction.db, key.id, change.now).await?;
            let revoked =
                |at: Option<Timestamp>| json!({ "revoked_at": at.map(Timestamp::millis) });
            let values = EventChange::between(key.id, &revoked(None), &revoked(Some(change.now)));
            let (subject, kind) = (Subject::new(name), ChangeKind::OperatorKey);
            transaction.record_values(&subject, kind, vec![values]).await?;
        }
        transaction.done(())
    });
    revoked.await
}

/// Returns the credentials of an operator key, or `None` if the key is unknown or revoked. Unlike
/// API keys, operator keys are not cached: their requests are few, and a revocation holds at once.
pub async fn authenticate(
    store: &Store,
    hash: KeyHash,
) -> Result<Option<OperatorCredentials>, Error> {
    let found = operator_keys::find(store.reader(), hash).await?;
    let Some(key) = found.filter(|key| key.revoked_at.is_none()) else { return Ok(None) };
    let Ok(role) = key.role.parse() else { return Ok(None) };
    record_use(store, &key, store.now());
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
