//! API keys, as their owner's programs manage them.

use super::create::{check_expiry, check_limit};
use super::edit::KeyEdit;
use super::info::KeyInfo;
use crate::domain::Error;
use crate::domain::changes::{Action, Change, ChangeTransaction, Changed, Subject};
use crate::store::entities::api_key::Model;
use crate::store::entities::owner;
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Store, keys};

/// Changes a key of an owner. Running servers apply the change within a second. Returns the key as
/// it is afterwards.
///
/// # Errors
/// [`Error::KeyNotFound`] if the owner has no such key or it is revoked; [`Error::ExpiryPassed`];
/// [`Error::ExpiryAfterKey`] if the key would outlive the one that makes the change;
/// [`Error::KeyLimitReached`] if the key becomes valid again; or if the database fails.
pub async fn edit_own(
    store: &Store,
    owner_id: i64,
    id: i64,
    edit: &KeyEdit,
    change: &Change,
) -> Result<Changed<KeyInfo>, Error> {
    let edited = change.apply(store, Action::KeyEdit, async |mut transaction| {
        let (owner, author) = transaction.authorize(owner_id).await?;
        let before = lock(&transaction, owner_id, id).await?;
        let after = edit.applied_to(&before);
        if after.expires_at != before.expires_at {
            check_expiry(after.expires_at, author.as_ref(), change.now)?;
            check_limit(&transaction.db, Some(&before), &after, change.now).await?;
        }
        if after != before {
            keys::update(&transaction.db, &after).await?;
            record(&mut transaction, &owner, id).await?;
        }
        transaction.done(KeyInfo::new(after, &owner, change.now))
    });
    edited.await
}

/// Revokes a key of an owner permanently. Running servers reject it within a second.
///
/// # Errors
/// [`Error::KeyNotFound`] if the owner has no such key or it is revoked; [`Error::OwnKey`]; or if
/// the database fails.
pub async fn revoke_own(
    store: &Store,
    owner_id: i64,
    id: i64,
    change: &Change,
) -> Result<Changed, Error> {
    let revoked = change.apply(store, Action::KeyRevoke, async |mut transaction| {
        let (owner, _) = transaction.authorize(owner_id).await?;
        lock(&transaction, owner_id, id).await?;
        if change.actor.owner_key_id() == Some(id) {
            return Err(Error::OwnKey);
        }
        keys::revoke(&transaction.db, &[id], change.now).await?;
        record(&mut transaction, &owner, id).await?;
        transaction.done(())
    });
    revoked.await
}

/// Locks a key of an owner that is not revoked.
async fn lock(transaction: &ChangeTransaction<'_>, owner_id: i64, id: i64) -> Result<Model, Error> {
    let found = keys::lock(&transaction.db, id).await?.map(|(key, _)| key);
    let found = found.filter(|key| key.owner_id == owner_id && key.revoked_at.is_none());
    found.ok_or(Error::KeyNotFound(id))
}

async fn record(
    transaction: &mut ChangeTransaction<'_>,
    owner: &owner::Model,
    id: i64,
) -> Result<(), Error> {
    let now = transaction.change.now;
    invalidations::publish(&transaction.db, &Invalidation::Keys, now).await?;
    transaction.record(&Subject::from_owner(owner, id.to_string()), 1).await?;
    Ok(())
}
