//! The creation of owners.

use rand::Rng;

use super::edit::event_change;
use super::{Owner, check_external_id, check_plan};
use crate::domain::Error;
use crate::domain::changes::{Action, Change, Changed, Subject};
use crate::domain::idempotency::{Fingerprint, audit_of, fingerprint};
use crate::domain::keys::{self, CreatedKey, KeyInfo, NewKey, NewSecret, RepeatableRequest};
use crate::domain::plans::UNLIMITED;
use crate::store::events::{self, ChangeKind};
use crate::store::idempotency::{Created, Namespace, StoredResponse};
use crate::store::{Connection, Durability, Store, keys as stored_keys, owners};
use crate::values::{ApiKey, ExternalId, KeyScope, Name, Timestamp};

/// An owner to create.
#[derive(Debug, Clone)]
pub struct NewOwner {
    /// Name.
    pub name: Name,
    /// Name of the plan.
    pub plan: String,
    /// The operator's own identifier.
    pub external_id: Option<ExternalId>,
    /// The first key. `None`: the owner gets none.
    pub key: Option<NewKey>,
}

impl NewOwner {
    /// Returns the fingerprint of a request that creates the owner.
    pub fn fingerprint(&self, change: &Change) -> Fingerprint {
        let Self { name, plan, external_id, key } = self;
        let key = key.as_ref().map(|key| key.fingerprint("owner key", change));
        let key = key.map(|hash| hash.map(|byte| format!("{byte:02x}")).concat());
        let own = [Some(name.as_str()), Some(plan.as_str()), key.as_deref()];
        let mut parts = [own, audit_of(change)].concat();
        // Earlier versions stored fingerprints of requests that had none.
        parts.extend(external_id.as_ref().map(|id| Some(id.as_str())));
        fingerprint("owners", &parts)
    }
}

/// A new owner, and the owner's first key.
#[derive(Debug, Clone)]
pub struct CreatedOwner {
    /// The owner.
    pub owner: Owner,
    /// The first key, unless none was requested.
    pub key: Option<CreatedKey>,
}

/// Creates an owner and the owner's first API key. The database stores only the hash of its secret.
/// After a dry run, the returned key does not exist.
///
/// A repeated request returns the owner and the key that its first transmission has created, and
/// changes nothing.
///
/// # Errors
/// [`Error::OwnerExists`]; [`Error::PlanNotFound`]; [`Error::KeyReused`];
/// [`Error::SecretUnavailable`] if a repeated request cannot get its key again;
/// [`Error::ExpiryPassed`], unless a command makes the change; or if the database fails.
pub async fn create(
    store: &Store,
    new: &NewOwner,
    repeatable: Option<RepeatableRequest<'_>>,
    change: &Change,
    rng: &mut impl Rng,
) -> Result<Changed<CreatedOwner>, Error> {
    let secret = &NewSecret::generate(repeatable, rng);
    let (namespace, request) = (Namespace::Operator, repeatable.map(|of| of.request));
    let created = change.apply(store, Action::OwnerAdd, async |mut transaction| {
        let now = change.now;
        if let Some(repeatable) = repeatable
            && let Some(first) = transaction.earlier_response(namespace, request).await?
        {
            let created = created_before(&transaction.db, first, repeatable, new, now).await?;
            return transaction.done(created);
        }
        let db = &transaction.db;
        let owner = insert(db, &new.name, &new.plan, new.external_id.as_ref(), now).await?;
        let key = match &new.key {
            Some(key) => {
                let info = keys::insert(&transaction, &owner, None, key, secret).await?;
                Some(CreatedKey { info, secret: secret.key.clone(), first_base_url: None })
            }
            None => None,
        };
        let (subject, values) =
            (Subject::from_owner(&owner, new.name.as_str()), event_change(None, &owner));
        let event_id = transaction.record_values(&subject, ChangeKind::Owner, vec![values]).await?;
        if let Some(key) = &key {
            let values = keys::event_change(None, &key.info.key);
            let db = &transaction.db;
            events::insert_changes(db, event_id, ChangeKind::Key, vec![values]).await?;
        }
        let derived = key.as_ref().and_then(|key| secret.derived(key.info.key.id));
        let id = owner.id.to_string();
        let created = Created::Subject(&id, derived.as_ref());
        transaction.store_response(namespace, request, created).await?;
        transaction.done(CreatedOwner { owner, key })
    });
    created.await
}

/// Returns the owner that an earlier transmission of the request has created, as it was then. The owner may
/// be deleted by now. Callers must hold the lock of the namespace.
///
/// # Errors
/// [`Error::KeyReused`], or [`Error::SecretUnavailable`] if the owner's key is gone.
async fn created_before(
    db: &impl Connection,
    first: StoredResponse,
    repeatable: RepeatableRequest<'_>,
    new: &NewOwner,
    now: Timestamp,
) -> Result<CreatedOwner, Error> {
    let id = first.short_code.parse().map_err(|_| Error::KeyReused)?;
    // The books' clock may be ahead of that of the request. A deleted owner has only the latter.
    let created_at = owners::get(db, id).await?.map_or(first.created_at, |owner| owner.created_at);
    let external_id = new.external_id.as_ref().map(ExternalId::as_str);
    let owner = Owner { id, ..Owner::new(new.name.as_str(), &new.plan, external_id, created_at) };
    let key = match &new.key {
        Some(key) => {
            let created = keys::created_before(db, first, repeatable, key, now).await?;
            let info = KeyInfo { owner: owner.name.clone(), ..created.info };
            Some(CreatedKey { info, ..created })
        }
        None => None,
    };
    Ok(CreatedOwner { owner, key })
}

/// Inserts an owner.
///
/// # Errors
/// [`Error::OwnerExists`], [`Error::PlanNotFound`] or [`Error::ExternalIdInUse`].
async fn insert(
    db: &impl Connection,
    name: &Name,
    plan: &str,
    external_id: Option<&ExternalId>,
    now: Timestamp,
) -> Result<Owner, Error> {
    check_plan(db, plan).await?;
    let external_id = external_id.map(ExternalId::as_str);
    check_external_id(db, external_id, 0).await?;
    let inserted = owners::insert(db, name.as_str(), plan, external_id, now).await;
    let exists = |error| Error::of_write(error, Error::OwnerExists(name.as_str().to_owned()));
    inserted.map_err(exists)
}

/// Creates the first owner of a new database, with the plan [`UNLIMITED`] and a key of the scope
/// [`KeyScope::Full`]. Returns the owner's API
/// key, or `None` if the database has an owner or had one. It records no event, because it is not a
/// change by an operator.
pub async fn add_first(
    store: &Store,
    name: &Name,
    now: Timestamp,
    rng: &mut impl Rng,
) -> Result<Option<ApiKey>, Error> {
    let reader = store.reader();
    if owners::any(reader).await? || events::any(reader, Action::OwnerDelete.into_str()).await? {
        return Ok(None);
    }
    let transaction = store.begin(Durability::PowerLoss).await?;
    let secret = NewSecret::generate(None, rng);
    let new = NewKey { label: None, scope: KeyScope::Full, expires_at: None };
    match insert(&transaction, name, UNLIMITED, None, now).await {
        Ok(owner) => {
            stored_keys::insert(&transaction, &secret.row(&owner, &new, now)).await?;
            transaction.commit().await?;
            Ok(Some(secret.key))
        }
        // Another process has created the first owner concurrently.
        Err(Error::OwnerExists(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
