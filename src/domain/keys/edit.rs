//! Changes of API keys, by the operator and by their owner's programs.

use super::create::{check_expiry, check_limit, check_scope};
use super::{KeyInfo, event_change};
use crate::domain::changes::{Action, Change, ChangeTransaction, Changed, Subject};
use crate::domain::{Error, Realm};
use crate::store::entities::api_key::Model;
use crate::store::entities::owner;
use crate::store::events::ChangeKind;
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
    fn applied_to(&self, key: &Model) -> Model {
        let Self { label, expires_at } = self;
        let mut key = key.clone();
        if let Some(label) = label {
            key.label = label.as_ref().map(|label| label.as_str().to_owned());
        }
        if let Some(expires_at) = expires_at {
            key.expires_at = *expires_at;
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

/// Changes a key of a realm. Running servers apply the change within a second. Returns the key as it is
/// afterwards. For the operator, a time of expiry may have passed: the key is then invalid at once.
///
/// # Errors
/// [`Error::KeyNotFound`], also if the key is revoked and the realm is an owner's;
/// [`Error::PreconditionFailed`];
/// [`Error::KeyLimitReached`] if the key becomes valid again; for an owner, [`Error::ScopeAboveKey`] if the
/// key may do more than the one that makes the change, [`Error::ExpiryPassed`], and
/// [`Error::ExpiryAfterKey`] if the key would outlive the one that makes the change; or if the database
/// fails.
pub async fn edit(
    store: &Store,
    realm: Realm,
    id: i64,
    edit: &KeyEdit,
    change: &Change,
) -> Result<Changed<KeyInfo>, Error> {
    let action = match realm {
        Realm::Everyone if edit.label.is_none() => Action::KeyExpire,
        Realm::Everyone | Realm::Owner(_) => Action::KeyEdit,
    };
    let edited = change.apply(store, action, async |mut transaction| {
        let (before, owner, author) = lock(&transaction, realm, id).await?;
        change.check(&before)?;
        check_scope(&before, author.as_ref())?;
        let after = edit.applied_to(&before);
        if after.expires_at != before.expires_at {
            if let Realm::Owner(_) = realm {
                check_expiry(after.expires_at, author.as_ref(), change.now)?;
            }
            check_limit(&transaction.db, Some(&before), &after, change.now).await?;
        }
        if after != before {
            keys::update(&transaction.db, &before, &after).await?;
            record(&mut transaction, &owner, &before, &after).await?;
        }
        transaction.done(KeyInfo::new(after, &owner, change.now))
    });
    edited.await
}

/// Revokes a key of an owner permanently. Running servers reject it within a second.
///
/// # Errors
/// [`Error::KeyNotFound`] if the owner has no such key or it is revoked; [`Error::PreconditionFailed`];
/// [`Error::OwnKey`]; or if the database fails.
pub async fn revoke_own(
    store: &Store,
    owner_id: i64,
    id: i64,
    change: &Change,
) -> Result<Changed, Error> {
    let revoked = change.apply(store, Action::KeyRevoke, async |mut transaction| {
        let (key, owner, _) = lock(&transaction, Realm::Owner(owner_id), id).await?;
        change.check(&key)?;
        if change.actor.owner_key_id() == Some(id) {
            return Err(Error::OwnKey);
        }
        keys::revoke(&transaction.db, &[id], change.now).await?;
        let after = Model { revoked_at: Some(change.now), ..key.clone() };
        record(&mut transaction, &owner, &key, &after).await?;
        transaction.done(())
    });
    revoked.await
}

/// Locks a key of a realm, which is not revoked if the realm is an owner's, and before it the owner. Returns
/// the key, its owner, and the owner's key that makes the change.
async fn lock(
    transaction: &ChangeTransaction<'_>,
    realm: Realm,
    id: i64,
) -> Result<(Model, owner::Model, Option<Model>), Error> {
    let db = &transaction.db;
    let author = match realm {
        Realm::Owner(owner_id) => transaction.authorize(owner_id).await?.1,
        Realm::Everyone => {
            if let Some(owner_id) = keys::owner_of(db, id).await? {
                owners::lock(db, owner_id).await?;
            }
            None
        }
    };
    let found = keys::lock(db, id).await?.filter(|(key, _)| match realm {
        Realm::Owner(owner_id) => key.owner_id == owner_id && key.revoked_at.is_none(),
        Realm::Everyone => true,
    });
    let (key, owner) = found.ok_or(Error::KeyNotFound(id))?;
    Ok((key, owner, author))
}

async fn record(
    transaction: &mut ChangeTransaction<'_>,
    owner: &owner::Model,
    before: &Model,
    after: &Model,
) -> Result<(), Error> {
    let now = transaction.change.now;
    invalidations::publish(&transaction.db, &Invalidation::Keys, now).await?;
    let subject = Subject::from_owner(owner, after.id.to_string());
    let values = vec![event_change(Some(before), after)];
    transaction.record_values(&subject, ChangeKind::Key, values).await?;
    Ok(())
}
