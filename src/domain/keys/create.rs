//! The creation of API keys.

use rand::Rng;

use super::{KeyInfo, event_change};
use crate::domain::Error;
use crate::domain::changes::{Action, Actor, Change, ChangeTransaction, Changed, Subject};
use crate::domain::idempotency::{Fingerprint, FirstFacts, audit_of, fingerprint};
use crate::domain::owner_lookup::OwnerRef;
use crate::store::entities::{api_key, owner};
use crate::store::events::ChangeKind;
use crate::store::idempotency::{
    self, Created, DerivedKey, IdempotentRequest, Namespace, StoredResponse,
};
use crate::store::{Connection, Store, keys};
use crate::values::{ApiKey, KeyLabel, KeyScope, Timestamp};

/// Maximum number of an owner's valid keys: those that are neither revoked nor expired.
pub const MAX_VALID_KEYS: u64 = 100;
/// Number of bytes of a nonce, as many as HMAC-SHA256 returns.
const NONCE_BYTES: usize = 32;

/// A key to create.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Label.
    pub label: Option<KeyLabel>,
    /// Operations that the key allows.
    pub scope: KeyScope,
    /// Time from which the key is invalid. `None`: that of the key that creates it, if it has one.
    pub expires_at: Option<Timestamp>,
}

impl NewKey {
    /// Returns the fingerprint of a request that creates the key. `operation` names the operation and
    /// the owner, unless it is the caller's.
    pub fn fingerprint(&self, operation: &str, change: &Change) -> Fingerprint {
        let Self { label, scope, expires_at } = self;
        let expires_at = expires_at.map(|time| time.millis().to_string());
        let own =
            [label.as_ref().map(KeyLabel::as_str), Some(scope.stored()), expires_at.as_deref()];
        fingerprint(operation, &[own, audit_of(change)].concat())
    }
}

/// The owner of a new key.
#[derive(Debug, Clone)]
pub enum KeyOwner<'a> {
    /// The owner whom an operator chooses.
    Chosen(OwnerRef<'a>),
    /// The owner with this identifier, whose own key makes the change.
    Own(i64),
}

/// A request that a client may repeat to get the same key again.
#[derive(Debug, Clone, Copy)]
pub struct RepeatableRequest<'a> {
    /// Whose idempotency key the request has.
    pub namespace: Namespace,
    /// Idempotency key and fingerprint.
    pub request: &'a IdempotentRequest,
    /// The credential of the request, from which the secret of the key is derived. The database
    /// contains only a hash of it, so a copy of the database does not reveal the secret.
    pub credential: &'a str,
}

/// A key, and its secret.
#[derive(Debug, Clone)]
pub struct CreatedKey {
    /// The key.
    pub info: KeyInfo,
    /// Its secret.
    pub secret: ApiKey,
    /// The base URL of the first response, if an earlier transmission of the request has created the
    /// key.
    pub first_base_url: Option<String>,
}

/// The secret of a new key, and the nonce from which it was derived.
#[derive(Debug)]
pub(in crate::domain) struct NewSecret {
    pub(in crate::domain) key: ApiKey,
    nonce: Option<Vec<u8>>,
}

impl NewSecret {
    /// Generates a secret, which can be derived again if the request may be repeated.
    pub(in crate::domain) fn generate(
        repeatable: Option<RepeatableRequest<'_>>,
        rng: &mut impl Rng,
    ) -> Self {
        let Some(RepeatableRequest { credential, .. }) = repeatable else {
            return Self { key: ApiKey::generate(rng), nonce: None };
        };
        let mut nonce = vec![0; NONCE_BYTES];
        rng.fill_bytes(&mut nonce);
        Self { key: ApiKey::derive(credential, &nonce), nonce: Some(nonce) }
    }

    /// Returns from what the secret of the key with this identifier can be derived again, if it can.
    pub(in crate::domain) fn derived(&self, id: i64) -> Option<DerivedKey> {
        self.nonce.clone().map(|nonce| DerivedKey { id, nonce })
    }

    /// Returns the row to insert for the key.
    pub(in crate::domain) fn row(
        &self,
        owner: &owner::Model,
        NewKey { label, scope, expires_at }: &NewKey,
        now: Timestamp,
    ) -> api_key::Model {
        api_key::Model {
            id: 0,
            owner_id: owner.id,
            hash: self.key.hash().as_bytes().to_vec(),
            label: label.as_ref().map(|label| label.as_str().to_owned()),
            scope: scope.stored().to_owned(),
            created_at: now,
            expires_at: *expires_at,
            revoked_at: None,
            last_used_at: None,
            hint: Some(self.key.hint().to_owned()),
        }
    }
}

/// Creates an API key for an owner. The database stores only the hash of its secret. After a dry
/// run, the returned key does not exist.
///
/// A repeated request returns the key that its first transmission has created, and changes nothing.
///
/// # Errors
/// [`Error::OwnerNotFound`]; [`Error::KeyReused`]; [`Error::SecretUnavailable`] if a repeated
/// request cannot get its key again; [`Error::ExpiryPassed`], unless a command makes the change;
/// [`Error::ScopeAboveKey`]; [`Error::ExpiryAfterKey`]; [`Error::KeyLimitReached`]; or if the database
/// fails.
pub async fn create(
    store: &Store,
    owner: KeyOwner<'_>,
    new: &NewKey,
    repeatable: Option<RepeatableRequest<'_>>,
    change: &Change,
    rng: &mut impl Rng,
) -> Result<Changed<CreatedKey>, Error> {
    let secret = &NewSecret::generate(repeatable, rng);
    let created = change.apply(store, Action::KeyAdd, async |mut transaction| {
        let (owner, author) = match &owner {
            KeyOwner::Chosen(owner) => {
                // Before the owner, as all creations of the operator lock them.
                if repeatable.is_some() {
                    idempotency::lock_operator(&transaction.db).await?;
                }
                (owner.lock(&transaction.db).await?, None)
            }
            KeyOwner::Own(id) => transaction.authorize(*id).await?,
        };
        if let Some(repeatable @ RepeatableRequest { namespace, request, .. }) = repeatable
            && let Some(first) = transaction.earlier_response(namespace, Some(request)).await?
        {
            let (db, now) = (&transaction.db, change.now);
            let created = created_before(db, first, repeatable, new, now).await?;
            return transaction.done(created);
        }
        let info = insert(&transaction, &owner, author.as_ref(), new, secret).await?;
        let values = vec![event_change(None, &info.key)];
        let subject = Subject::from_owner(&owner, info.key.id.to_string());
        transaction.record_values(&subject, ChangeKind::Key, values).await?;
        if let (Some(repeatable), Some(created)) = (repeatable, secret.derived(info.key.id)) {
            let RepeatableRequest { namespace, request, .. } = repeatable;
            let expires_at = info.key.expires_at.map(Timestamp::millis);
            let facts = FirstFacts { owner: info.owner.clone(), expires_at, is_default: false };
            let created = Created::Key(&created, &facts.to_text());
            transaction.store_response(namespace, Some(request), created).await?;
        }
        transaction.done(CreatedKey { info, secret: secret.key.clone(), first_base_url: None })
    });
    created.await
}

/// Returns the key that an earlier transmission of the request has created, as it was then. Callers must hold
/// the lock of the namespace.
///
/// # Errors
/// [`Error::KeyReused`] or [`Error::SecretUnavailable`].
pub(in crate::domain) async fn created_before(
    db: &impl Connection,
    first: StoredResponse,
    RepeatableRequest { namespace, credential, .. }: RepeatableRequest<'_>,
    new: &NewKey,
    now: Timestamp,
) -> Result<CreatedKey, Error> {
    let facts = FirstFacts::from_stored(&first);
    let StoredResponse { base_url, created_key, .. } = first;
    let derived = created_key.ok_or(Error::KeyReused)?;
    let secret = ApiKey::derive(credential, &derived.nonce);
    // Only the same credential gives the same secret.
    let found = keys::find(db, secret.hash()).await?.filter(|(key, ..)| key.id == derived.id);
    let (key, owner, _) = found.ok_or(Error::SecretUnavailable)?;
    if !key.is_valid(now) {
        return Err(Error::SecretUnavailable);
    }
    // A response to an owner that an earlier version stored has no facts. Owners' keys expire with their
    // authors.
    let inherited = key.expires_at.filter(|_| namespace != Namespace::Operator);
    let unrecorded = new.expires_at.or(inherited);
    let expires_at =
        facts.as_ref().map_or(unrecorded, |facts| facts.expires_at.map(Timestamp::from_millis));
    let label = new.label.as_ref().map(|label| label.as_str().to_owned());
    let key = api_key::Model { label, expires_at, last_used_at: None, ..key };
    let info = KeyInfo::new(key, &owner, now);
    let info = KeyInfo { owner: facts.map_or(info.owner, |facts| facts.owner), ..info };
    Ok(CreatedKey { info, secret, first_base_url: Some(base_url) })
}

/// Inserts a key. Callers must hold the owner's row lock. `author` is the key that creates it.
///
/// # Errors
/// [`Error::ScopeAboveKey`], [`Error::ExpiryPassed`], [`Error::ExpiryAfterKey`],
/// [`Error::KeyLimitReached`], or if the database fails.
pub(in crate::domain) async fn insert(
    transaction: &ChangeTransaction<'_>,
    owner: &owner::Model,
    author: Option<&api_key::Model>,
    new: &NewKey,
    secret: &NewSecret,
) -> Result<KeyInfo, Error> {
    let (db, change) = (&transaction.db, transaction.change);
    let mut key = secret.row(owner, new, change.now);
    key.expires_at = key.expires_at.or(author.and_then(|key| key.expires_at));
    check_scope(&key, author)?;
    // An operator at a shell may add a key that has expired, and sees a warning.
    if !matches!(change.actor, Actor::Command(_)) {
        check_expiry(key.expires_at, author, change.now)?;
    }
    check_limit(db, None, &key, change.now).await?;
    key.id = keys::insert(db, &key).await?;
    Ok(KeyInfo::new(key, owner, change.now))
}

/// Checks that the owner may have a key that becomes valid. `before` is the key as it was. Callers
/// must hold the owner's row lock.
///
/// # Errors
/// [`Error::KeyLimitReached`].
pub(super) async fn check_limit(
    db: &impl Connection,
    before: Option<&api_key::Model>,
    after: &api_key::Model,
    now: Timestamp,
) -> Result<(), Error> {
    let becomes_valid = after.is_valid(now) && !before.is_some_and(|key| key.is_valid(now));
    if becomes_valid && keys::count_valid(db, after.owner_id, now).await? >= MAX_VALID_KEYS {
        return Err(Error::KeyLimitReached(MAX_VALID_KEYS));
    }
    Ok(())
}

/// Checks that a key may do no more than the one that creates or changes it.
///
/// # Errors
/// [`Error::ScopeAboveKey`].
pub(super) fn check_scope(
    key: &api_key::Model,
    author: Option<&api_key::Model>,
) -> Result<(), Error> {
    let scope = |key: &api_key::Model| KeyScope::from_stored(&key.scope);
    let is_below = |author| Some(scope(author)?.includes(scope(key)?));
    if author.is_none_or(|author| is_below(author) == Some(true)) {
        Ok(())
    } else {
        Err(Error::ScopeAboveKey)
    }
}

/// Checks that a new time of expiry is in the future, and not after that of the key that sets it.
///
/// # Errors
/// [`Error::ExpiryPassed`] or [`Error::ExpiryAfterKey`].
pub(in crate::domain) fn check_expiry(
    expires_at: Option<Timestamp>,
    author: Option<&api_key::Model>,
    now: Timestamp,
) -> Result<(), Error> {
    if expires_at.is_some_and(|time| time <= now) {
        return Err(Error::ExpiryPassed);
    }
    let latest = author.and_then(|key| key.expires_at);
    if latest.is_some_and(|latest| expires_at.is_none_or(|time| time > latest)) {
        return Err(Error::ExpiryAfterKey);
    }
    Ok(())
}
