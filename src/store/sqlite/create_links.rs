//! Creates the links of several requests in one transaction.

use std::collections::HashMap;
use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension as _};

use super::Sqlite;
use super::connection::is_busy;
use super::links::{holder_of_external_id, insert};
use super::writer::TransactionPermit;
use crate::store::create_links::{Allowance, CreateOutcome, NewLink, creation_day, creation_month};
use crate::store::dialect::SqlDialect;
use crate::store::error::StoreError;
use crate::store::idempotency::{self, IdempotentRequest, StoredResponse};
use crate::store::subscriptions::Subscriptions;
use crate::store::usage::CountCreated;
use crate::store::webhook_deliveries::CREATED_COLUMNS;
use crate::values::{Month, WebhookType};

impl Sqlite {
    /// Creates links in one transaction, and returns their outcomes in the same order. The links survive a
    /// crash of the process at once, and a power loss after a flush. It fails at once if another process is writing or, without
    /// a permit, if another transaction holds the permit.
    pub(in crate::store) async fn create_links(
        &self,
        links: &[&NewLink],
        subscriptions: &Subscriptions,
        permit: Option<TransactionPermit>,
    ) -> Result<Vec<CreateOutcome>, StoreError> {
        self.check_file()?;
        // Checked before the commit: if the flush failed afterwards, requests would return 503
        // although their links exist.
        self.writer().flusher().check()?;
        let Some(_permit) = permit.or_else(|| self.writer().try_permit()) else {
            return Err(StoreError::Retryable("another transaction is next".into()));
        };
        let created =
            self.writer().lock().await?.transaction(|db| create_all(db, links, subscriptions));
        created.map_err(|error| {
            // The transaction has not begun, so it can be retried.
            if is_busy(&error) { StoreError::Retryable(error.into()) } else { error.into() }
        })
    }
}

/// State of an owner during one transaction.
struct OwnerState {
    allowance: Allowance,
    /// Number of links that this transaction has created for the owner.
    created: i64,
    /// The day to which the links of this transaction count.
    day: i64,
    /// Number of links that earlier transactions have created on that day.
    created_before: i64,
    /// The month of the owner's last link.
    month: i64,
}

fn create_all(
    db: &Connection,
    links: &[&NewLink],
    subscriptions: &Subscriptions,
) -> rusqlite::Result<Vec<CreateOutcome>> {
    let (day, month) = (creation_day(links), creation_month(links));
    let mut owners: HashMap<i64, Option<OwnerState>> = HashMap::new();
    let mut outcomes = Vec::with_capacity(links.len());
    for link in links {
        let owner = match owners.get_mut(&link.owner_id) {
            Some(owner) => owner,
            None => owners.entry(link.owner_id).or_insert(find_owner(db, link.owner_id, day)?),
        };
        outcomes.push(match owner {
            Some(owner) => create(db, link, owner, subscriptions)?,
            None => CreateOutcome::OwnerUnavailable,
        });
    }
    for (id, owner) in owners {
        if let Some(owner) = owner.filter(|owner| owner.created > 0) {
            let months = month.number()..=month.next().number();
            if !months.contains(&owner.month) {
                keep_created(db, id, month)?;
            }
            count_created(db, id, owner.created, month)?;
            db.prepare_cached(
                "UPDATE owners SET created_day = ?2, created_today = ?3 WHERE id = ?1",
            )?
            .execute((id, owner.day, owner.created_before + owner.created))?;
        }
    }
    Ok(outcomes)
}

static INSERT_DELIVERY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO webhook_deliveries ({CREATED_COLUMNS})
         VALUES (?1, ?2, ?3, ?4, 'waiting', ?4, '[]', 0)"
    )
});

static COUNT_CREATED: LazyLock<CountCreated> =
    LazyLock::new(|| CountCreated::new(SqlDialect::Sqlite));

/// Keeps the number of links that the owner has created in an earlier month, unless the owner creates
/// links in that month still.
pub(super) fn keep_created(db: &Connection, owner: i64, month: Month) -> rusqlite::Result<()> {
    let (number, next) = (month.number(), month.next().number());
    db.prepare_cached(&COUNT_CREATED.keep)?.execute((owner, number, next))?;
    Ok(())
}

/// Counts links that the owner creates while the clock shows a month, after [`keep_created`].
pub(super) fn count_created(
    db: &Connection,
    owner: i64,
    links: i64,
    month: Month,
) -> rusqlite::Result<()> {
    let (number, next) = (month.number(), month.next().number());
    db.prepare_cached(&COUNT_CREATED.count)?.execute((links, number, next, owner))?;
    Ok(())
}

fn create(
    db: &Connection,
    link: &NewLink,
    owner: &mut OwnerState,
    subscriptions: &Subscriptions,
) -> rusqlite::Result<CreateOutcome> {
    if let Some(request) = &link.idempotent
        && let Some(stored) = find_response(db, link, request)?
    {
        return Ok(link.replay(stored, owner.allowance.custom_codes));
    }
    let code = match link.code(owner.allowance.custom_codes) {
        Ok(code) => code,
        Err(refusal) => return Ok(refusal.into()),
    };
    if owner.created >= owner.allowance.links {
        return Ok(CreateOutcome::PlanLimitReached(owner.allowance.limit));
    }
    if !insert(db, link.owner_id, code, &link.properties)? {
        let holder = holder_of_external_id(db, link.owner_id, &link.properties)?;
        return Ok(holder.map_or_else(|| link.code_in_use(code), CreateOutcome::ExternalIdInUse));
    }
    owner.created += 1;
    // The deliveries have identifiers of their own.
    let link_id = db.last_insert_rowid();
    for webhook_id in subscriptions.wanting(link.owner_id, WebhookType::LinkCreated) {
        let created_at = link.properties.link.created_at.millis();
        let row = (webhook_id, WebhookType::LinkCreated.into_str(), link_id, created_at);
        db.prepare_cached(&INSERT_DELIVERY)?.execute(row)?;
    }
    if let Some(request) = &link.idempotent {
        let store = |sql: &str, key: &str, code: &str| {
            db.prepare_cached(sql)?.execute((
                link.owner_id,
                key,
                request.fingerprint,
                code,
                &request.base_url,
                link.properties.link.created_at.millis(),
                link.properties.link.created_by,
                None::<&[u8]>,
                &request.origin,
                None::<i64>,
            ))
        };
        store(idempotency::STORE, &request.stored_key(), code.as_str())?;
        if request.member.is_some() {
            store(&idempotency::STORE_BATCH, request.key.as_str(), "")?;
        }
    }
    Ok(CreateOutcome::Created(code.clone()))
}

/// Returns the state of an owner before this transaction creates links on `day`, or `None` if the
/// owner does not exist or is suspended.
fn find_owner(db: &Connection, owner_id: i64, day: i64) -> rusqlite::Result<Option<OwnerState>> {
    db.prepare_cached(
        "SELECT plans.custom_codes, plans.max_links, owners.link_count, plans.links_per_day,
             owners.created_day, owners.created_today, owners.created_month
         FROM owners JOIN plans ON plans.name = owners.plan
         WHERE owners.id = ?1 AND owners.suspended_reason IS NULL",
    )?
    .query_one([owner_id], |row| {
        let (max_links, link_count): (Option<i64>, i64) = (row.get(1)?, row.get(2)?);
        let links = max_links.unwrap_or(i64::MAX).saturating_sub(link_count);
        let (per_day, last_day, created): (Option<i64>, i64, i64) =
            (row.get(3)?, row.get(4)?, row.get(5)?);
        // The owner's last link may be a little newer, so its day may be the next one. A day
        // further in the future comes from a clock that was wrong.
        let is_same_day = (day..=day + 1).contains(&last_day);
        let (day, created_before) = if is_same_day { (last_day, created) } else { (day, 0) };
        let links_today = per_day.unwrap_or(i64::MAX).saturating_sub(created_before);
        let allowance = Allowance::new(row.get(0)?, links, links_today);
        Ok(OwnerState { allowance, created: 0, day, created_before, month: row.get(6)? })
    })
    .optional()
}

/// Returns the response stored for a link, or that of another request if this has used the key of
/// the link's batch.
fn find_response(
    db: &Connection,
    link: &NewLink,
    request: &IdempotentRequest,
) -> rusqlite::Result<Option<StoredResponse>> {
    let oldest = idempotency::replay_cutoff(link.properties.link.created_at).millis();
    let mut find = db.prepare_cached(
        "SELECT fingerprint, short_code, base_url, created_at, origin, api_key_id FROM idempotency_keys
         WHERE owner_id = ?1 AND key = ?2 AND created_at > ?3",
    )?;
    let mut find = |key: &str| -> rusqlite::Result<_> {
        let stored = find.query_one((link.owner_id, key, oldest), |row| {
            Ok(StoredResponse {
                fingerprint: row.get(0)?,
                is_of_request: false,
                short_code: row.get(1)?,
                base_url: row.get(2)?,
                created_at: row.get(3)?,
                origin: row.get(4)?,
                created_by: row.get(5)?,
                created_key: None,
                event_id: None,
            })
        });
        let Some(stored) = stored.optional()? else { return Ok(None) };
        let secret = match stored.needs_secret(request) {
            true => Some(db.query_one("SELECT secret FROM installation", [], |row| row.get(0))?),
            false => None::<String>,
        };
        Ok(Some(stored.compare(request, secret.as_deref())))
    };
    let own = find(&request.stored_key())?;
    if own.is_some() || request.member.is_none() {
        return Ok(own);
    }
    let batch = find(request.key.as_str())?;
    Ok(batch.filter(|batch| !batch.is_of_request))
}
