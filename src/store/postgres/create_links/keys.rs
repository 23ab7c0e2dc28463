//! Creation of links with idempotency keys.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use sea_orm::sqlx::{self, PgConnection, Row as _};

use super::insert;
use crate::store::create_links::{CreateOutcome, NewLink};
use crate::store::idempotency::{IdempotentRequest, StoredResponse, replay_cutoff};
use crate::values::Timestamp;

/// Locks owners, so that no concurrent transaction uses their idempotency keys. It locks them in
/// the same order as the statement in [`insert`], so that the two cannot deadlock.
const LOCK_OWNERS: &str = "
    SELECT owners.id, plans.custom_codes
    FROM owners JOIN plans ON plans.name = owners.plan
    WHERE owners.id = ANY ($1) AND owners.suspended_reason IS NULL
    ORDER BY owners.id FOR NO KEY UPDATE OF owners";

const FIND: &str = "
    SELECT requested.number, stored.fingerprint, stored.short_code, stored.base_url,
        stored.created_at, stored.origin
    FROM unnest($1::bigint[], $2::text[], $3::bigint[]) WITH ORDINALITY
        AS requested (owner_id, key, oldest, number)
    JOIN idempotency_keys AS stored
        ON stored.owner_id = requested.owner_id AND stored.key = requested.key
        AND stored.created_at > requested.oldest";

const STORE: &str = "
    INSERT INTO idempotency_keys
        (owner_id, key, fingerprint, short_code, base_url, created_at, origin)
    SELECT * FROM unnest(
        $1::bigint[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::bigint[], $7::text[])
    ON CONFLICT (owner_id, key) DO UPDATE
        SET fingerprint = excluded.fingerprint, short_code = excluded.short_code,
            base_url = excluded.base_url, created_at = excluded.created_at,
            api_key_id = NULL, nonce = NULL, origin = excluded.origin";

/// Creates the links whose idempotency keys are new, and stores their responses. Returns the
/// outcomes of all links in order.
pub(super) async fn create(
    db: &mut PgConnection,
    links: &[&NewLink],
    is_persistent: bool,
) -> Result<Vec<CreateOutcome>, sqlx::Error> {
    let custom_codes = lock_owners(db, links, is_persistent).await?;
    let mut replayed = find(db, links, is_persistent).await?;
    let (mut new, mut undecided) = (Vec::new(), HashSet::new());
    let (mut requests, mut members) = (HashMap::new(), HashSet::new());
    for (index, link) in links.iter().enumerate() {
        // Links of an owner whose row could not be locked get the outcome `OwnerUnavailable`.
        if !custom_codes.contains_key(&link.owner_id) || replayed.contains_key(&index) {
            continue;
        }
        let is_first = link.idempotent.as_ref().is_none_or(|request| {
            let key = (link.owner_id, &request.key);
            let first = requests.entry(key).or_insert(&request.fingerprint);
            *first == &request.fingerprint && members.insert((key, request.member))
        });
        if is_first {
            new.push(index);
        } else {
            // If several requests have the same new key, this transaction creates only the links of
            // the first.
            undecided.insert(index);
        }
    }
    let new_links: Vec<&NewLink> = new.iter().map(|index| links[*index]).collect();
    let outcomes = if new_links.is_empty() {
        Vec::new()
    } else {
        insert::create(db, &new_links, is_persistent).await?
    };
    store(db, &new_links, &outcomes, is_persistent).await?;
    let mut outcomes: HashMap<usize, CreateOutcome> = new.into_iter().zip(outcomes).collect();
    let outcome = |(index, link): (usize, &&NewLink)| {
        if let Some(stored) = replayed.remove(&index) {
            let custom_codes = custom_codes.get(&link.owner_id).is_some_and(|allowed| *allowed);
            return CreateOutcome::Replay { stored, is_invalid: link.code(custom_codes).is_none() };
        }
        let missing = if undecided.contains(&index) {
            CreateOutcome::Retry
        } else {
            CreateOutcome::OwnerUnavailable
        };
        outcomes.remove(&index).unwrap_or(missing)
    };
    Ok(links.iter().enumerate().map(outcome).collect())
}

/// Locks the owners, and returns by owner identifier whether the plan allows custom codes. Owners
/// that it could not lock are missing.
async fn lock_owners(
    db: &mut PgConnection,
    links: &[&NewLink],
    is_persistent: bool,
) -> Result<HashMap<i64, bool>, sqlx::Error> {
    let owners: Vec<i64> = links.iter().map(|link| link.owner_id).collect();
    let query = sqlx::query(LOCK_OWNERS).bind(owners).persistent(is_persistent);
    let rows = query.fetch_all(db).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

/// Returns the stored responses by the indexes of the links in `links`. For a link whose batch has
/// the key of another request, it is the response to that request.
async fn find(
    db: &mut PgConnection,
    links: &[&NewLink],
    is_persistent: bool,
) -> Result<HashMap<usize, StoredResponse>, sqlx::Error> {
    let mut keyed: Vec<(usize, &NewLink, Cow<'_, str>)> = Vec::new();
    let requests = links.iter().enumerate().filter_map(|(index, link)| {
        link.idempotent.as_ref().map(|request| (index, *link, request))
    });
    for (index, link, request) in requests.clone() {
        keyed.push((index, link, request.stored_key()));
    }
    for (index, link, request) in requests.filter(|(.., request)| request.member.is_some()) {
        keyed.push((index, link, request.key.as_str().into()));
    }
    let oldest = |link: &NewLink| replay_cutoff(link.properties.created_at).millis();
    let rows = sqlx::query(FIND)
        .bind(keyed.iter().map(|(_, link, _)| link.owner_id).collect::<Vec<_>>())
        .bind(keyed.iter().map(|(.., key)| &**key).collect::<Vec<_>>())
        .bind(keyed.iter().map(|(_, link, _)| oldest(link)).collect::<Vec<_>>())
        .persistent(is_persistent)
        .fetch_all(db)
        .await?;
    let mut stored = HashMap::new();
    for row in rows {
        let number: i64 = row.try_get(0)?;
        // PostgreSQL numbers rows from 1.
        let keyed = usize::try_from(number - 1).ok().and_then(|position| keyed.get(position));
        let Some((index, link, key)) = keyed else { continue };
        let response = StoredResponse {
            fingerprint: row.try_get(1)?,
            short_code: row.try_get(2)?,
            base_url: row.try_get(3)?,
            created_at: Timestamp::from_millis(row.try_get(4)?),
            origin: row.try_get(5)?,
            created_key: None,
        };
        let request = link.idempotent.as_ref();
        if request.is_some_and(|request| request.stored_key() == *key) {
            stored.insert(*index, response);
        } else if request.is_some_and(|request| response.fingerprint != request.fingerprint) {
            stored.entry(*index).or_insert(response);
        }
    }
    Ok(stored)
}

/// Stores responses for the links that were created.
async fn store(
    db: &mut PgConnection,
    links: &[&NewLink],
    outcomes: &[CreateOutcome],
    is_persistent: bool,
) -> Result<(), sqlx::Error> {
    let mut rows: Vec<(&NewLink, &IdempotentRequest, Cow<'_, str>, &str)> = Vec::new();
    let mut batches = HashSet::new();
    for (link, outcome) in links.iter().zip(outcomes) {
        if let (CreateOutcome::Created(code), Some(request)) = (outcome, &link.idempotent) {
            rows.push((link, request, request.stored_key(), code.as_str()));
            if request.member.is_some() && batches.insert((link.owner_id, &request.key)) {
                rows.push((link, request, request.key.as_str().into(), ""));
            }
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let created_at = |link: &NewLink| link.properties.created_at.millis();
    sqlx::query(STORE)
        .bind(rows.iter().map(|(link, ..)| link.owner_id).collect::<Vec<_>>())
        .bind(rows.iter().map(|(.., key, _)| &**key).collect::<Vec<_>>())
        .bind(rows.iter().map(|(_, request, ..)| &request.fingerprint[..]).collect::<Vec<_>>())
        .bind(rows.iter().map(|(.., code)| *code).collect::<Vec<_>>())
        .bind(rows.iter().map(|(_, request, ..)| request.base_url.as_str()).collect::<Vec<_>>())
        .bind(rows.iter().map(|(link, ..)| created_at(link)).collect::<Vec<_>>())
        .bind(rows.iter().map(|(_, request, ..)| request.origin.as_deref()).collect::<Vec<_>>())
        .persistent(is_persistent)
        .execute(db)
        .await?;
    Ok(())
}
