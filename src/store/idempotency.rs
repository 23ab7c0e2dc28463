//! Responses to requests with an `Idempotency-Key`, stored in the transaction of the request.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;
use std::time::Duration;

use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use sha2::{Digest as _, Sha256};

use super::dialect;
use super::entities::idempotency_key::{Column, Entity, Model};
use super::error::StoreError;
use super::installation;
use super::query::execute;
use crate::values::{IdempotencyKey, ShortCode, Timestamp};

/// Time for which a stored response is replayed.
pub const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Number of new responses for which [`make_room`] makes room.
const ROOM_FOR_NEW: u64 = 100;
/// Maximum number of responses that one statement deletes.
const MAX_DELETED: usize = 500;

/// SHA-256 hash of a request's operation and the values of its known fields.
pub type Fingerprint = [u8; 32];

/// Returns what is kept of a fingerprint once a link of the request is deleted: a hash with the
/// installation's secret, so that the table alone confirms no guess of what was erased. The second
/// half is zero, by which [`is_erased`] recognizes it.
fn erased(secret: &str, fingerprint: &[u8]) -> Fingerprint {
    let hash = Sha256::new_with_prefix(secret).chain_update(fingerprint).finalize();
    let mut erased = Fingerprint::default();
    erased.iter_mut().zip(hash).take(ERASED_LENGTH).for_each(|(to, byte)| *to = byte);
    erased
}

/// Number of bytes of an erased fingerprint that are not zero.
const ERASED_LENGTH: usize = 16;

fn is_erased(fingerprint: &[u8]) -> bool {
    fingerprint.iter().skip(ERASED_LENGTH).all(|byte| *byte == 0)
}

/// Whose idempotency keys are distinct from those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespace {
    /// Keys of the owner with this identifier.
    Owner(i64),
    /// Keys of the operator's programs.
    Operator,
}

impl Namespace {
    /// Returns the identifier of the owner, or 0 for the operator, which no owner has.
    const fn id(self) -> i64 {
        match self {
            Self::Owner(id) => id,
            Self::Operator => 0,
        }
    }
}

/// Data of a request with an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// Idempotency key.
    pub key: IdempotencyKey,
    /// Fingerprint of the request.
    pub fingerprint: Fingerprint,
    /// Base URL of the service in the response to this request.
    pub base_url: String,
    /// What stands before the code in the short URL, if it is not the base URL.
    pub origin: Option<String>,
    /// The link of a batch, whose links share key and fingerprint. `None`: the request is no batch.
    pub member: Option<BatchMember>,
}

/// A link of a batch, by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BatchMember {
    /// The batch creates it.
    Created(usize),
    /// It exists, and the batch changes it.
    Changed(usize),
}

impl IdempotentRequest {
    /// Returns the key under which the response is stored. A link of a batch has one of its own,
    /// which no client can send, because it contains a line feed. The batch itself, under the key of
    /// the request, keeps another request from using that key.
    pub(super) fn stored_key(&self) -> Cow<'_, str> {
        let key = self.key.as_str();
        match self.member {
            None => key.into(),
            Some(BatchMember::Created(position)) => format!("{key}\n{position}").into(),
            Some(BatchMember::Changed(position)) => format!("{key}\n{position}\nchanged").into(),
        }
    }
}

/// Data from which the server builds a response again. They lack the destination, because a
/// repeated request with the same fingerprint has the same destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// Fingerprint of the first request, or what is kept of it.
    pub fingerprint: Vec<u8>,
    /// Whether the request has the same fingerprint as the first one.
    pub is_of_request: bool,
    /// Short code of the link, identifier of the owner, name of the plan, or host of the domain.
    pub short_code: String,
    /// Base URL of the service in the response.
    pub base_url: String,
    /// What stands before the code in the short URL, if it is not the base URL. In place of it, a key
    /// or domain has what its response says that its request does not.
    pub origin: Option<String>,
    /// Time of creation of what the request created.
    pub created_at: Timestamp,
    /// Identifier of the API key that created the link, if the request created one.
    pub created_by: Option<i64>,
    /// The API key that the request created, if it created one.
    pub created_key: Option<DerivedKey>,
    /// Identifier of the event of the request, if it has one.
    pub event_id: Option<i64>,
}

/// An API key whose secret is derived, with HMAC-SHA256, from a nonce and the credential of the
/// request that created it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedKey {
    /// Identifier of the key.
    pub id: i64,
    /// The nonce.
    pub nonce: Vec<u8>,
}

impl StoredResponse {
    /// Returns whether [`compare`](Self::compare) needs the installation's secret.
    pub(super) fn needs_secret(&self, request: &IdempotentRequest) -> bool {
        is_erased(&self.fingerprint) != is_erased(&request.fingerprint)
    }

    /// Finds out whether the request has the same fingerprint as the first one, of which either may
    /// have only what is kept after a deletion.
    pub(super) fn compare(mut self, request: &IdempotentRequest, secret: Option<&str>) -> Self {
        let (stored, requested) = (&self.fingerprint[..], &request.fingerprint[..]);
        self.is_of_request = match secret {
            Some(secret) if is_erased(stored) => stored == erased(secret, requested),
            Some(secret) => requested == erased(secret, stored),
            None => stored == requested,
        };
        self
    }
}

/// Returns the cutoff for replays at `now`: the server replays only responses stored after it.
pub(super) fn replay_cutoff(now: Timestamp) -> Timestamp {
    now.minus(LIFETIME)
}

/// Locks the keys of the operator until the transaction ends. The keys of an owner are locked with
/// the owner's row.
pub async fn lock_operator(db: &impl ConnectionTrait) -> Result<(), StoreError> {
    dialect::lock(db, 8_386_658_464_824_649_842).await
}

/// Returns the unexpired response stored under the key of a request, or `None` if there is none.
///
/// Callers that then [`store`] a new response must hold the lock of the namespace, so that no
/// concurrent request uses the same key: the owner's row lock, or [`lock_operator`].
pub async fn find(
    db: &impl ConnectionTrait,
    namespace: Namespace,
    request: &IdempotentRequest,
    now: Timestamp,
) -> Result<Option<StoredResponse>, StoreError> {
    let request = std::slice::from_ref(request);
    Ok(find_all(db, namespace, request, now).await?.pop().map(|(_, stored)| stored))
}

/// Returns the unexpired responses stored under the keys of requests, each with its request. The database
/// limits the number of requests to some thousands.
pub async fn find_all<'r>(
    db: &impl ConnectionTrait,
    namespace: Namespace,
    requests: &'r [IdempotentRequest],
    now: Timestamp,
) -> Result<Vec<(&'r IdempotentRequest, StoredResponse)>, StoreError> {
    let by_key: HashMap<_, _> =
        requests.iter().map(|request| (request.stored_key(), request)).collect();
    let rows = Entity::of(namespace.id())
        .filter(Column::Key.is_in(by_key.keys().map(|key| &**key)))
        .filter(Column::CreatedAt.gt(replay_cutoff(now)));
    let mut found = Vec::new();
    for row in rows.all(db).await? {
        let Some(&request) = by_key.get(&*row.key) else { continue };
        let stored = StoredResponse::from(row);
        let secret = match stored.needs_secret(request) {
            true => Some(installation::secret(db).await?),
            false => None,
        };
        found.push((request, stored.compare(request, secret.as_deref())));
    }
    Ok(found)
}

/// Erases the fingerprints of requests that created or changed the links with these codes, which
/// belong to these owners. Their responses stay, so that a repeated request creates nothing. The
/// links of a batch share a fingerprint with it. Callers must hold the owners' row locks.
pub async fn erase_fingerprints(
    db: &impl ConnectionTrait,
    owners: &BTreeSet<i64>,
    codes: &[&str],
) -> Result<(), StoreError> {
    // The condition names the owners, because the table has an index of owners but none of codes.
    let of_owners = Entity::find()
        .select_only()
        .columns([Column::Fingerprint, Column::Id])
        .filter(Column::OwnerId.is_in(owners.iter().copied()));
    let of_links = of_owners.clone().filter(Column::ShortCode.is_in(codes.iter().copied()));
    let of_links: Vec<(Vec<u8>, i64)> = of_links.into_tuple().all(db).await?;
    let fingerprints = of_links.into_iter().map(|(fingerprint, _)| fingerprint);
    let fingerprints: BTreeSet<Vec<u8>> = fingerprints.filter(|one| !is_erased(one)).collect();
    if fingerprints.is_empty() {
        return Ok(());
    }
    let secret = installation::secret(db).await?;
    let rows = of_owners.filter(Column::Fingerprint.is_in(fingerprints));
    let mut ids: BTreeMap<Vec<u8>, Vec<i64>> = BTreeMap::new();
    for (fingerprint, id) in rows.into_tuple::<(Vec<u8>, i64)>().all(db).await? {
        ids.entry(fingerprint).or_default().push(id);
    }
    for (fingerprint, ids) in ids {
        let kept = erased(&secret, &fingerprint).to_vec();
        let rows = Entity::update_many().col_expr(Column::Fingerprint, Expr::value(kept));
        rows.filter(Column::Id.is_in(ids)).exec(db).await?;
    }
    Ok(())
}

impl From<Model> for StoredResponse {
    fn from(row: Model) -> Self {
        let Model {
            id: _,
            owner_id: _,
            key: _,
            fingerprint,
            short_code,
            base_url,
            created_at,
            api_key_id,
            nonce,
            origin,
            event_id,
        } = row;
        let created_by = api_key_id.filter(|_| nonce.is_none());
        let created_key = api_key_id.zip(nonce).map(|(id, nonce)| DerivedKey { id, nonce });
        Self {
            fingerprint,
            is_of_request: false,
            short_code,
            base_url,
            origin,
            created_at,
            created_by,
            created_key,
            event_id,
        }
    }
}

/// SQL that stores a response, or replaces an expired one with the same key.
pub(super) const STORE: &str = "
    INSERT INTO idempotency_keys
        (owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin,
            event_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (owner_id, key) DO UPDATE
        SET fingerprint = excluded.fingerprint, short_code = excluded.short_code,
            base_url = excluded.base_url, created_at = excluded.created_at,
            api_key_id = excluded.api_key_id, nonce = excluded.nonce,
            origin = excluded.origin, event_id = excluded.event_id";

/// SQL that stores a batch, or replaces an older row with the same key.
pub(super) static STORE_BATCH: LazyLock<String> =
    LazyLock::new(|| format!("{STORE} WHERE idempotency_keys.created_at < excluded.created_at"));

/// What a request created.
#[derive(Debug, Clone, Copy)]
pub enum Created<'a> {
    /// Nothing, or a QR code: it changed the link with this code.
    Link(&'a ShortCode),
    /// A key, and what the response says of it that the request does not.
    Key(&'a DerivedKey, &'a str),
    /// A domain with this host, and what the response says of it that the request does not.
    Domain(&'a str, &'a str),
    /// An owner with this identifier or a plan with this name, and the first key of the owner.
    Subject(&'a str, Option<&'a DerivedKey>),
    /// Nothing: a change, and what the response says of it that its event does not.
    Change(&'a str),
}

/// Stores a response and the identifier of the request's event. Callers must hold the lock of the
/// namespace, and [`find`] must have returned `None`.
pub async fn store(
    db: &impl ConnectionTrait,
    namespace: Namespace,
    request: &IdempotentRequest,
    created: Created<'_>,
    event_id: Option<i64>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let IdempotentRequest { key: _, fingerprint, base_url, origin, member: _ } = request;
    let (short_code, created_key, facts) = match created {
        Created::Link(code) => (code.as_str(), None, origin.as_deref()),
        Created::Key(key, facts) => ("", Some(key), Some(facts)),
        Created::Domain(host, facts) => (host, None, Some(facts)),
        Created::Subject(subject, key) => (subject, key, None),
        Created::Change(facts) => ("", None, Some(facts)),
    };
    // The request may name values of links that are deleted later, whose codes no row names.
    let fingerprint = match created {
        Created::Change(_) => erased(&installation::secret(db).await?, fingerprint),
        Created::Link(_) | Created::Key(..) | Created::Domain(..) | Created::Subject(..) => {
            *fingerprint
        }
    };
    let values = [
        namespace.id().into(),
        request.stored_key().into_owned().into(),
        fingerprint.to_vec().into(),
        short_code.into(),
        base_url.as_str().into(),
        now.into(),
        created_key.map(|key| key.id).into(),
        created_key.map(|key| key.nonce.clone()).into(),
        facts.into(),
        event_id.into(),
    ];
    execute(db, STORE, values).await
}

/// Deletes the oldest responses of an owner who has `max` or more. It makes room for many new ones,
/// because each deletion must sort all responses of the owner. Callers must hold the owner's row
/// lock.
pub async fn make_room(
    db: &impl ConnectionTrait,
    owner_id: i64,
    max: u64,
) -> Result<(), StoreError> {
    let stored = count(db, owner_id).await?;
    if stored < max {
        return Ok(());
    }
    let oldest = Entity::of(owner_id).select_only().column(Column::Id);
    let oldest = oldest.order_by_asc(Column::CreatedAt).order_by_asc(Column::Id);
    let ids: Vec<i64> = oldest.limit(stored - max + ROOM_FOR_NEW).into_tuple().all(db).await?;
    for ids in ids.chunks(MAX_DELETED) {
        Entity::delete_many().filter(Column::Id.is_in(ids.to_vec())).exec(db).await?;
    }
    Ok(())
}

/// Deletes up to `limit` expired responses.
pub async fn delete_expired(
    db: &impl ConnectionTrait,
    now: Timestamp,
    limit: u32,
) -> Result<(), StoreError> {
    // The outer condition repeats the inner one, because the statement may wait for a row that
    // another transaction replaces meanwhile.
    execute(
        db,
        "DELETE FROM idempotency_keys WHERE created_at <= $1 AND id IN (
             SELECT id FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)",
        [replay_cutoff(now).into(), i64::from(limit).into()],
    )
    .await
}

/// Returns the number of responses stored for an owner, expired ones included.
pub async fn count(db: &impl ConnectionTrait, owner_id: i64) -> Result<u64, StoreError> {
    Ok(Entity::of(owner_id).count(db).await?)
}

/// Deletes up to `limit` responses stored for an owner, and returns the number of deleted
/// responses.
pub async fn delete_of_owner(
    db: &impl ConnectionTrait,
    owner_id: i64,
    limit: u64,
) -> Result<u64, StoreError> {
    let ids = Entity::of(owner_id).select_only().column(Column::Id);
    let ids: Vec<i64> = ids.limit(limit).into_tuple().all(db).await?;
    Ok(Entity::delete_many().filter(Column::Id.is_in(ids)).exec(db).await?.rows_affected)
}

/// Returns whether any stored response has expired. Takes no lock.
pub async fn has_expired(db: &impl ConnectionTrait, now: Timestamp) -> Result<bool, StoreError> {
    let expired = Entity::find().filter(Column::CreatedAt.lte(replay_cutoff(now)));
    Ok(expired.one(db).await?.is_some())
}
