//! Changes of API keys by the operator.

use super::create::check_limit;
use super::info::KeyInfo;
use crate::domain::changes::{Action, Change, Changed, Subject};
use crate::domain::{Error, Realm};
use crate::store::entities::api_key::Model;
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Store, keys, owners};
use crate::values::{KeyLabel, Timestamp};

/// New values for a key. `None` keeps a value, and `Some(None)` removes it.
#[derive(Debug, Clone, Default)]
pub struct KeyEdit {
    /// Label.
    pub label: Option<Option<KeyLabel>>,
    /// Time from which the key is invalid.
    pub expires_at: Option<Option<Timestamp>>,
}

impl KeyEdit {
    /// Returns the key with the new values.
    pub(super) fn applied_to(&self, key: &Model) -> Model {
        let Self { label, expires_at } = self;
        let mut key = key.clone();
        if let Some(label) = label {
            key.label = label.as_ref().map(|label| label.as_str().to_owned());
        }
        if let Some(expires_at) = expires_at {
            key.expires_at = expires_at.map(Timestamp::millis);
        }
        key
    }
}

/// Returns a key of a realm by its identifier, even if it is no longer valid.
///
/// # Errors
/// [`Error::KeyNotFound`].
pub async fn get(store: &Store, realm: Realm, id: i64) -> Result<KeyInfo, Error> {
    let found = keys::get_any(store.reader(), id).await?;
    let found = found.filter(|(key, _)| realm.includes(Some(key.owner_id)));
    let (key, owner) = found.ok_or(Error::KeyNotFound(id))?;
    Ok(KeyInfo::new(key, &owner, store.now()))
}

/// Changes a key of any owner. A time of expiry may have passed: the key is then invalid at once.
/// Running servers apply the change within a second. Returns the key as it is afterwards.
///
/// # Errors
/// [`Error::KeyNotFound`], [`Error::KeyLimitReached`] if the key becomes valid again, or if the
/// database fails.
pub async fn edit(
    store: &Store,
    id: i64,
    edit: &KeyEdit,
    change: &Change,
) -> Result<Changed<KeyInfo>, Error> {
    let action = if edit.label.is_none() { Action::KeyExpire } else { Action::KeyEdit };
    let edited = change.apply(store, action, async |mut transaction| {
        let db = &transaction.db;
        // Owners are locked before keys.
        if let Some(owner_id) = keys::owner_of(db, id).await? {
            owners::lock(db, owner_id).await?;
        }
        let (before, owner) = keys::lock(db, id).await?.ok_or(Error::KeyNotFound(id))?;
        let after = edit.applied_to(&before);
        if after.expires_at != before.expires_at {
            check_limit(db, Some(&before), &after, change.now).await?;
        }
        if after != before {
            keys::update(db, &after).await?;
            invalidations::publish(db, &Invalidation::Keys, change.now).await?;
            transaction.record(&Subject::from_owner(&owner, id.to_string()), 1).await?;
        }
        transaction.done(KeyInfo::new(after, &owner, change.now))
    });
    edited.await
}
