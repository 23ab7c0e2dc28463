//! Webhooks: owners are told what happens to their links.
//!
//! `changes::outbox` stores a delivery in the transaction of a change, creations and rollups of clicks
//! store theirs, and [`deliver`] sends them.

pub mod deliver;
mod send;
mod signature;

use rand::Rng;
use serde_json::{Value, json};

use super::changes::{Action, Change, ChangeTransaction, Changed, Subject};
use super::idempotency::{
    Fingerprint, IdempotentRequest, Namespace, StoredResponse, audit_of, earlier_response,
    fingerprint, store_response,
};
use super::owner_lookup::OwnerRef;
use super::page::{FoundPage, PageRequest};
use super::version::Versioned;
use super::{Error, Realm};
use crate::store::entities::owner;
use crate::store::events::{ChangeKind, EventChange};
use crate::store::idempotency::Created;
use crate::store::invalidations::{self, Invalidation};
use crate::store::webhook_deliveries::{self, ERASED, WAITING};
use crate::store::{
    Connection, Durability, Store, Transaction, clicks, link_changes, owners, webhooks,
};
use crate::values::{Timestamp, WebhookType, WebhookUrl};

pub use self::send::Sender;
use self::signature::new_secret;
pub use crate::store::entities::link::Model as LinkRow;
pub use crate::store::subscriptions::types_of;
pub use crate::store::webhook_deliveries::{Attempt, Delivery, STATUSES};
pub use crate::store::webhooks::Webhook;

/// Maximum number of webhooks of an owner.
pub const MAX_WEBHOOKS: u64 = 10;
/// Reason for which the operator disabled a webhook, which its owner cannot enable again.
const BY_OPERATOR: &str = "operator";
/// Reason for which a webhook is disabled whose receiver returned 410.
const GONE: &str = "gone";
/// Reason for which a webhook is disabled whose deliveries have failed for days.
const FAILING: &str = "failing";
/// All reasons for which a webhook is disabled, except by its owner.
pub const DISABLED_REASONS: &[&str] = &[GONE, FAILING, BY_OPERATOR];

/// A webhook to create.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    /// Where it sends to.
    pub url: WebhookUrl,
    /// What it sends.
    pub types: Vec<WebhookType>,
    /// What it is for.
    pub description: Option<String>,
}

impl NewWebhook {
    /// Returns the fingerprint of a request that creates the webhook.
    pub fn fingerprint(&self, change: &Change) -> Fingerprint {
        let Self { url, types, description } = self;
        let types = stored_types(types);
        let own = [Some(url.url().as_str()), Some(types.as_str()), description.as_deref()];
        fingerprint("webhooks", &[own, audit_of(change)].concat())
    }

    fn row(&self, owner_id: i64, secret: String, now: Timestamp) -> Webhook {
        let Self { url, types, description } = self.clone();
        Webhook {
            id: 0,
            owner_id,
            url: url.url().to_string(),
            types: stored_types(&types),
            description,
            is_enabled: true,
            disabled_reason: None,
            secret,
            secret_at: now,
            previous_secret: None,
            created_at: now,
            last_success_at: None,
            last_failure_at: None,
            failing_since: None,
            dropped: 0,
        }
    }
}

fn stored_types(types: &[WebhookType]) -> String {
    types.iter().map(|kind| kind.into_str()).collect::<Vec<_>>().join(" ")
}

/// New values for a webhook. `None` keeps a value.
#[derive(Debug, Clone, Default)]
pub struct WebhookEdit {
    /// Where it sends to.
    pub url: Option<WebhookUrl>,
    /// What it sends.
    pub types: Option<Vec<WebhookType>>,
    /// What it is for. `Some(None)` removes it.
    pub description: Option<Option<String>>,
    /// Whether it sends anything.
    pub is_enabled: Option<bool>,
}

impl WebhookEdit {
    /// Returns the webhook with the new values.
    ///
    /// # Errors
    /// [`Error::WebhookDisabled`] if the operator has disabled it and it would be enabled.
    fn applied_to(self, webhook: &Webhook) -> Result<Webhook, Error> {
        let Self { url, types, description, is_enabled } = self;
        let mut webhook = webhook.clone();
        if let Some(url) = url.map(|url| url.url().to_string()).filter(|url| *url != webhook.url) {
            // The failures were those of another receiver.
            (webhook.url, webhook.failing_since) = (url, None);
        }
        if let Some(types) = types {
            webhook.types = stored_types(&types);
        }
        if let Some(description) = description {
            webhook.description = description;
        }
        if let Some(is_enabled) = is_enabled.filter(|new| *new != webhook.is_enabled) {
            if is_enabled && webhook.disabled_reason.as_deref() == Some(BY_OPERATOR) {
                return Err(Error::WebhookDisabled);
            }
            webhook = switched(&webhook, is_enabled, None);
        }
        Ok(webhook)
    }
}

/// Returns a webhook that is enabled, or disabled for a reason.
fn switched(webhook: &Webhook, is_enabled: bool, reason: Option<&str>) -> Webhook {
    let disabled_reason = reason.map(str::to_owned);
    Webhook { is_enabled, disabled_reason, failing_since: None, ..webhook.clone() }
}

/// A webhook, and the number of its waiting deliveries.
#[derive(Debug, Clone)]
pub struct WebhookInfo {
    /// The webhook.
    pub webhook: Webhook,
    /// Number of waiting deliveries.
    pub waiting: i64,
}

impl WebhookInfo {
    /// Counts the waiting deliveries of a webhook.
    async fn read(db: &impl Connection, webhook: Webhook) -> Result<Self, Error> {
        let waiting = webhook_deliveries::waiting(db, webhook.id).await?;
        Ok(Self { webhook, waiting })
    }
}

impl Versioned for WebhookInfo {
    fn writable(&self) -> Value {
        self.webhook.writable()
    }
}

impl Versioned for Webhook {
    fn writable(&self) -> Value {
        let Self { url, types, description, is_enabled, .. } = self;
        json!([url, types, description, is_enabled])
    }
}

/// A webhook with its secret, which was just made.
#[derive(Debug, Clone)]
pub struct RevealedWebhook {
    /// The webhook.
    pub info: WebhookInfo,
    /// Base URL of the first response, if this repeats it.
    pub first_base_url: Option<String>,
}

/// Returns a page of webhooks, newest first: those of one owner, or all.
///
/// # Errors
/// If the database fails.
pub async fn page(
    store: &Store,
    realm: Realm,
    page: PageRequest,
) -> Result<FoundPage<WebhookInfo>, Error> {
    let db = store.reader();
    let rows = webhooks::page(db, realm.owner_id(), page.position.0, page.rows()).await?;
    let found = FoundPage::cut(rows, page.limit, |webhook| webhook.id);
    let mut items = Vec::new();
    for webhook in found.items {
        items.push(WebhookInfo::read(db, webhook).await?);
    }
    Ok(FoundPage { items, next: found.next })
}

/// Returns the webhooks of the owner with this name, or of all owners, newest first, with the names of their
/// owners.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn list(store: &Store, owner: Option<&str>) -> Result<Vec<(WebhookInfo, String)>, Error> {
    let db = store.reader();
    let owner_id = match owner {
        Some(name) => Some(OwnerRef::from(name).find(db).await?.id),
        None => None,
    };
    let mut found = Vec::new();
    for webhook in webhooks::page(db, owner_id, i64::MAX, i64::MAX.unsigned_abs()).await? {
        let owner = owners::name_of(db, webhook.owner_id).await?.unwrap_or_default();
        found.push((WebhookInfo::read(db, webhook).await?, owner));
    }
    Ok(found)
}

/// Returns a webhook of a realm.
///
/// # Errors
/// [`Error::WebhookNotFound`].
pub async fn get(store: &Store, realm: Realm, id: i64) -> Result<WebhookInfo, Error> {
    let db = store.reader();
    let found = webhooks::find(db, id).await?;
    let webhook = found.filter(|webhook| realm.includes(Some(webhook.owner_id)));
    WebhookInfo::read(db, webhook.ok_or(Error::WebhookNotFound)?).await
}

/// Creates a webhook of an owner. A repeated request returns the webhook that its first transmission has
/// created, as it was then.
///
/// # Errors
/// [`Error::KeyReused`], [`Error::SecretUnavailable`] if the secret of a repeated request was replaced,
/// [`Error::WebhookLimitReached`], or if the database fails.
pub async fn create(
    store: &Store,
    owner_id: i64,
    new: &NewWebhook,
    request: Option<&IdempotentRequest>,
    change: &Change,
    rng: &mut impl Rng,
) -> Result<Changed<RevealedWebhook>, Error> {
    let secret = &new_secret(rng);
    let created = change.apply(store, Action::WebhookAdd, async |mut transaction| {
        let (owner, _) = transaction.authorize(owner_id).await?;
        if let Some((stored, base_url)) =
            revealed_before(&mut transaction, owner_id, request).await?
        {
            let webhook = Webhook {
                id: stored.id,
                ..new.row(owner_id, stored.secret.clone(), stored.secret_at)
            };
            let info = WebhookInfo { webhook, waiting: 0 };
            return transaction.done(RevealedWebhook { info, first_base_url: Some(base_url) });
        }
        if webhooks::count(&transaction.db, owner_id).await? >= MAX_WEBHOOKS {
            return Err(Error::WebhookLimitReached(MAX_WEBHOOKS));
        }
        let mut webhook = new.row(owner_id, secret.clone(), change.now);
        webhook.id = webhooks::insert(&transaction.db, &webhook).await?;
        record(&mut transaction, &owner, None, &webhook).await?;
        store_revealed(&mut transaction, &webhook, request).await?;
        let info = WebhookInfo { webhook, waiting: 0 };
        transaction.done(RevealedWebhook { info, first_base_url: None })
    });
    let created = created.await?;
    // The other servers follow by the log of invalidations.
    store.refresh_subscriptions().await?;
    Ok(created)
}

/// Replaces the secret of an owner's webhook. The former one also signs for another day. A repeated request
/// returns the same secret.
///
/// # Errors
/// [`Error::WebhookNotFound`], [`Error::KeyReused`], [`Error::SecretUnavailable`] if the secret of a
/// repeated request was replaced, or if the database fails.
pub async fn rotate(
    store: &Store,
    owner_id: i64,
    id: i64,
    request: Option<&IdempotentRequest>,
    change: &Change,
    rng: &mut impl Rng,
) -> Result<Changed<RevealedWebhook>, Error> {
    let secret = &new_secret(rng);
    let rotated = change.apply(store, Action::WebhookRotate, async |mut transaction| {
        let (owner, before) = lock_own(&transaction, owner_id, id).await?;
        if let Some((webhook, base_url)) =
            revealed_before(&mut transaction, owner_id, request).await?
        {
            let info = WebhookInfo::read(&transaction.db, webhook).await?;
            return transaction.done(RevealedWebhook { info, first_base_url: Some(base_url) });
        }
        let after = Webhook {
            secret: secret.clone(),
            secret_at: change.now,
            previous_secret: Some(before.secret.clone()),
            ..before.clone()
        };
        webhooks::update(&transaction.db, &before, &after).await?;
        record(&mut transaction, &owner, Some(&before), &after).await?;
        store_revealed(&mut transaction, &after, request).await?;
        let info = WebhookInfo::read(&transaction.db, after).await?;
        transaction.done(RevealedWebhook { info, first_base_url: None })
    });
    rotated.await
}

/// Returns the fingerprint of a request that replaces the secret of a webhook.
pub fn rotation_fingerprint(id: i64) -> Fingerprint {
    fingerprint("webhook secrets", &[Some(&id.to_string())])
}

/// Returns the webhook whose secret the first transmission of a request has revealed, and the base URL of
/// the response to it, and names its event again. Callers must hold the owner's row lock.
async fn revealed_before(
    transaction: &mut ChangeTransaction<'_>,
    owner_id: i64,
    request: Option<&IdempotentRequest>,
) -> Result<Option<(Webhook, String)>, Error> {
    let first = transaction.earlier_response(Namespace::Owner(owner_id), request).await?;
    let Some(first) = first else { return Ok(None) };
    let webhook = webhooks::find(&transaction.db, id_after(RESPONSE_SUBJECT, &first)?).await?;
    let is_same =
        |webhook: &Webhook| webhook.owner_id == owner_id && webhook.secret_at == first.created_at;
    let webhook = webhook.filter(is_same).ok_or(Error::SecretUnavailable)?;
    Ok(Some((webhook, first.base_url)))
}

/// Returns the identifier that the subject of a stored response has after `prefix`.
fn id_after(prefix: &str, stored: &StoredResponse) -> Result<i64, Error> {
    let id = stored.short_code.strip_prefix(prefix).and_then(|id| id.parse().ok());
    id.ok_or(Error::KeyReused)
}

/// What precedes the identifier of a webhook in a stored response. No short code contains a blank.
const RESPONSE_SUBJECT: &str = "webhook ";

async fn store_revealed(
    transaction: &mut ChangeTransaction<'_>,
    webhook: &Webhook,
    request: Option<&IdempotentRequest>,
) -> Result<(), Error> {
    let subject = format!("{RESPONSE_SUBJECT}{}", webhook.id);
    let (namespace, created) =
        (Namespace::Owner(webhook.owner_id), Created::Subject(&subject, None));
    Ok(transaction.store_response(namespace, request, created).await?)
}

/// Changes a webhook of an owner. Servers follow within a second.
///
/// # Errors
/// [`Error::WebhookNotFound`], [`Error::PreconditionFailed`], [`Error::WebhookDisabled`], or if the
/// database fails.
pub async fn edit(
    store: &Store,
    owner_id: i64,
    id: i64,
    edit: &WebhookEdit,
    change: &Change,
) -> Result<Changed<WebhookInfo>, Error> {
    let edited = change.apply(store, Action::WebhookEdit, async |mut transaction| {
        let (owner, before) = lock_own(&transaction, owner_id, id).await?;
        change.check(&before)?;
        let after = edit.clone().applied_to(&before)?;
        store_edit(&mut transaction, &owner, &before, &after).await?;
        let info = WebhookInfo::read(&transaction.db, after).await?;
        transaction.done(info)
    });
    edited.await
}

/// Deletes a webhook of an owner, with its deliveries.
///
/// # Errors
/// [`Error::WebhookNotFound`], [`Error::PreconditionFailed`], or if the database fails.
pub async fn delete(
    store: &Store,
    owner_id: i64,
    id: i64,
    change: &Change,
) -> Result<Changed, Error> {
    let deleted = change.apply(store, Action::WebhookRemove, async |mut transaction| {
        let (owner, webhook) = lock_own(&transaction, owner_id, id).await?;
        change.check(&webhook)?;
        let subject = Subject::from_owner(&owner, webhook.id.to_string());
        transaction.record(&subject, 1).await?;
        webhooks::delete(&transaction.db, webhook.id).await?;
        invalidations::publish(&transaction.db, &Invalidation::Webhooks, change.now).await?;
        transaction.done(())
    });
    deleted.await
}

/// Disables or enables any webhook, for the operator. Its owner cannot enable it again.
///
/// # Errors
/// [`Error::WebhookNotFound`], or if the database fails.
pub async fn switch(
    store: &Store,
    id: i64,
    is_enabled: bool,
    change: &Change,
) -> Result<Changed, Error> {
    let action = if is_enabled { Action::WebhookEnable } else { Action::WebhookDisable };
    let switched = change.apply_once(store, action, async |mut transaction| {
        let db = &transaction.db;
        let found = webhooks::find(db, id).await?.ok_or(Error::WebhookNotFound)?;
        let owner = owners::lock(db, found.owner_id).await?.ok_or(Error::WebhookNotFound)?;
        let before = webhooks::lock(db, id).await?.ok_or(Error::WebhookNotFound)?;
        let after = switched(&before, is_enabled, (!is_enabled).then_some(BY_OPERATOR));
        store_edit(&mut transaction, &owner, &before, &after).await?;
        transaction.done(())
    });
    switched.await
}

/// Locks an owner, whose key makes the change, and a webhook of that owner.
async fn lock_own(
    transaction: &ChangeTransaction<'_>,
    owner_id: i64,
    id: i64,
) -> Result<(owner::Model, Webhook), Error> {
    let (owner, _) = transaction.authorize(owner_id).await?;
    let found = webhooks::lock(&transaction.db, id).await?;
    let webhook = found.filter(|webhook| webhook.owner_id == owner_id);
    Ok((owner, webhook.ok_or(Error::WebhookNotFound)?))
}

/// Stores the new values of a webhook, and records the event, unless nothing changes.
async fn store_edit(
    transaction: &mut ChangeTransaction<'_>,
    owner: &owner::Model,
    before: &Webhook,
    after: &Webhook,
) -> Result<(), Error> {
    if recorded(before) == recorded(after) {
        return Ok(());
    }
    webhooks::update(&transaction.db, before, after).await?;
    if !after.is_enabled {
        webhook_deliveries::fail_waiting(&transaction.db, after.id).await?;
    }
    record(transaction, owner, Some(before), after).await
}

/// Returns the values that events record, without the secret.
fn recorded(webhook: &Webhook) -> Value {
    let Webhook { url, types, description, is_enabled, disabled_reason, .. } = webhook;
    let types: Vec<&str> = types.split(' ').collect();
    json!({
        "url": url, "types": types, "description": description, "is_enabled": is_enabled,
        "disabled_reason": disabled_reason,
    })
}

async fn record(
    transaction: &mut ChangeTransaction<'_>,
    owner: &owner::Model,
    before: Option<&Webhook>,
    after: &Webhook,
) -> Result<(), Error> {
    let now = transaction.change.now;
    invalidations::publish(&transaction.db, &Invalidation::Webhooks, now).await?;
    let values = EventChange::between(after.id, &json!(before.map(recorded)), &recorded(after));
    let subject = Subject::from_owner(owner, after.id.to_string());
    transaction.record_values(&subject, ChangeKind::Webhook, vec![values]).await?;
    Ok(())
}

/// Returns a page of the deliveries of a webhook in a realm, newest first.
///
/// # Errors
/// [`Error::WebhookNotFound`].
pub async fn deliveries(
    store: &Store,
    realm: Realm,
    id: i64,
    page: PageRequest,
) -> Result<FoundPage<Delivery>, Error> {
    get(store, realm, id).await?;
    let (db, now) = (store.reader(), store.now());
    let found = webhook_deliveries::page(db, id, page.position.0, page.rows(), now).await?;
    Ok(FoundPage::cut(found, page.limit, |delivery| delivery.id))
}

/// Lets the deliverer send a delivery of an owner's webhook again, and returns it, and whether the request is
/// a repetition, which returns the delivery as it was then.
///
/// # Errors
/// [`Error::KeyReused`], [`Error::WebhookNotFound`], [`Error::DeliveryNotFound`], [`Error::DeliveryErased`],
/// or [`Error::WebhookDisabled`], if the webhook is disabled for whatever reason.
pub async fn retry(
    store: &Store,
    owner_id: i64,
    id: i64,
    delivery: Option<DeliveryId>,
    request: Option<&IdempotentRequest>,
) -> Result<(Delivery, bool), Error> {
    let webhook = get(store, Realm::Owner(owner_id), id).await?.webhook;
    let delivery_id = delivery.ok_or(Error::DeliveryNotFound)?;
    let (db, now) = (store.begin(Durability::PowerLoss).await?, store.now());
    if let Some((first, at)) = asked_before(&db, &webhook, request, now).await? {
        let mut attempts = first.attempts();
        attempts.retain(|attempt| attempt.at < at.millis());
        let attempts = json!(attempts).to_string();
        let delivery = Delivery { attempts, next_attempt_at: Some(at), ..first };
        return Ok((Delivery { status: WAITING.to_owned(), ..delivery }, true));
    }
    let found = webhook_deliveries::lock(&db, id, delivery_id.id).await?;
    let found = found.filter(|found| DeliveryId::from_delivery(found) == delivery_id);
    let mut delivery = found.ok_or(Error::DeliveryNotFound)?;
    if delivery.status == ERASED {
        return Err(Error::DeliveryErased);
    }
    if !webhook.is_enabled {
        return Err(Error::WebhookDisabled);
    }
    WAITING.clone_into(&mut delivery.status);
    delivery.next_attempt_at = Some(now);
    webhook_deliveries::update(&db, &delivery).await?;
    store_asked(&db, &webhook, request, &delivery, now).await?;
    db.commit().await?;
    Ok((delivery, false))
}

/// Returns the fingerprint of a request that asks for a delivery to a webhook: a new one, or this one again.
pub fn delivery_fingerprint(id: i64, delivery: Option<DeliveryId>) -> Fingerprint {
    let delivery = delivery.map(|delivery| delivery.to_string());
    fingerprint("webhook deliveries", &[Some(&id.to_string()), delivery.as_deref()])
}

/// What precedes the identifier of a delivery in a stored response. No short code contains a blank.
const DELIVERY_SUBJECT: &str = "delivery ";

/// Returns the delivery that the first transmission of a request has asked for, and when. It locks the
/// owner's row, so that concurrent requests ask one after the other.
async fn asked_before(
    db: &Transaction,
    webhook: &Webhook,
    request: Option<&IdempotentRequest>,
    now: Timestamp,
) -> Result<Option<(Delivery, Timestamp)>, Error> {
    let Some(request) = request else { return Ok(None) };
    let owner_id = webhook.owner_id;
    owners::lock(db, owner_id).await?;
    let first = earlier_response(db, Namespace::Owner(owner_id), request, now).await?;
    let Some(first) = first else { return Ok(None) };
    let id = id_after(DELIVERY_SUBJECT, &first)?;
    let found = webhook_deliveries::lock(db, webhook.id, id).await?;
    Ok(Some((found.ok_or(Error::DeliveryNotFound)?, first.created_at)))
}

async fn store_asked(
    db: &Transaction,
    webhook: &Webhook,
    request: Option<&IdempotentRequest>,
    delivery: &Delivery,
    now: Timestamp,
) -> Result<(), Error> {
    let Some(request) = request else { return Ok(()) };
    let subject = format!("{DELIVERY_SUBJECT}{}", delivery.id);
    let (namespace, created) =
        (Namespace::Owner(webhook.owner_id), Created::Subject(&subject, None));
    Ok(store_response(db, namespace, request, created, None, now).await?)
}

/// Identifier of a delivery for receivers: that of its row, and its time. The time distinguishes it from
/// the delivery that had the number in a database that was replaced by a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryId {
    id: i64,
    created_at: Timestamp,
}

impl DeliveryId {
    const PREFIX: &str = "msg_";

    /// Returns the identifier of a delivery.
    pub fn from_delivery(delivery: &Delivery) -> Self {
        Self { id: delivery.id, created_at: delivery.created_at }
    }

    /// Parses an identifier. Returns `None` if no delivery has it.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, created_at) = text.strip_prefix(Self::PREFIX)?.split_once('_')?;
        let created_at = Timestamp::from_millis(created_at.parse().ok()?);
        let parsed = Self { id: id.parse().ok()?, created_at };
        (parsed.to_string() == text).then_some(parsed)
    }
}

impl std::fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}_{}", Self::PREFIX, self.id, self.created_at.millis())
    }
}

/// Finds the link that a delivery is about. Returns `None` if it is deleted.
///
/// # Errors
/// If the database fails.
pub async fn link_of(store: &Store, delivery: &Delivery) -> Result<Option<LinkRow>, Error> {
    let Some(id) = delivery.link_id else { return Ok(None) };
    let found = link_changes::with_ids(store.reader(), &[id]).await?.pop();
    Ok(found.filter(|link| link.owner_id.is_some()))
}

/// Returns the links that were clicked, without deleted ones, with their numbers of clicks.
///
/// # Errors
/// If the database fails.
pub async fn clicked(store: &Store, content: &Value) -> Result<Vec<(LinkRow, i64)>, Error> {
    let ids: Vec<i64> =
        content.as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
    let links = link_changes::with_ids(store.reader(), &ids).await?;
    let counts = clicks::counts(store.reader(), &ids).await?;
    let existing = links.into_iter().filter(|link| link.owner_id.is_some());
    let count = |link: &LinkRow| counts.get(&link.id).copied().unwrap_or(0);
    Ok(existing
        .map(|link| {
            let clicks = count(&link);
            (link, clicks)
        })
        .collect())
}
