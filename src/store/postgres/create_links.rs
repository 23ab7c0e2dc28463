//! Creates many links in one transaction, which locks their owners only for a short time, and stores
//! the responses to requests with idempotency keys.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use std::time::Duration;

use sea_orm::sqlx::{self, PgConnection, Row as _};

use super::connector::statement_error;
use super::database::Postgres;
use super::dedicated::Session;
use super::lease::Lease;
use super::link_columns;
use crate::store::create_links::{
    Allowance, CreateOutcome, CustomCodeRequest, NewLink, creation_day, creation_month,
};
use crate::store::dialect::SqlDialect;
use crate::store::error::StoreError;
use crate::store::idempotency::{IdempotentRequest, StoredResponse, replay_cutoff};
use crate::store::links::property_names;
use crate::store::subscriptions::Subscriptions;
use crate::store::usage::creation_month_sql;
use crate::store::webhook_deliveries::CREATED_COLUMNS;
use crate::values::{ShortCode, Timestamp, WebhookType};

/// Idle time after which the connection for creations is pinged before its next use.
///
/// It is short because creations on a broken connection are not retried: their requests return 503.
const PING_AFTER_IDLE: Duration = Duration::from_millis(100);

impl Postgres {
    /// Creates links in one transaction. It retries until it has a connection, but does not retry a
    /// statement, because a failed statement may have created the links.
    pub(in crate::store) async fn create_links(
        &self,
        links: &[&NewLink],
        subscriptions: &Subscriptions,
    ) -> Result<Vec<CreateOutcome>, StoreError> {
        self.check_commits()?;
        let mut dedicated = self.shared.creation_connection.lock().await;
        let mut attempt = 1;
        let (lease, mut session) = loop {
            let lease = self.lease()?;
            match lease.with_deadline(dedicated.take(&lease, PING_AFTER_IDLE)).await {
                Ok(session) => break (lease, session),
                Err(error) if self.should_retry(&error, attempt).await => attempt += 1,
                Err(error) => return Err(error.into()),
            }
        };
        let work = async {
            create(&mut session, &lease, links, subscriptions).await.map_err(statement_error)
        };
        let outcomes = lease.with_deadline(work).await?;
        dedicated.put_back(&lease, session);
        Ok(outcomes)
    }
}

async fn create(
    Session { connection, process_id }: &mut Session,
    lease: &Lease,
    links: &[&NewLink],
    subscriptions: &Subscriptions,
) -> Result<Vec<CreateOutcome>, sqlx::Error> {
    let connector = &lease.pools.connector;
    let has_keys = links.iter().any(|link| link.idempotent.is_some());
    let is_persistent = !connector.is_pooled;
    let has_webhooks = links.iter().any(|link| subscriptions.has(link.owner_id));
    if is_persistent && !has_keys && !has_webhooks {
        let commit = lease.begin_commit(*process_id);
        let outcomes = insert_links(connection, links, is_persistent).await?;
        commit.succeeded();
        return Ok(outcomes);
    }
    let mut transaction = connector.begin(connection).await?;
    let outcomes = if has_keys {
        create_with_keys(&mut transaction, links, is_persistent).await?
    } else {
        insert_links(&mut transaction, links, is_persistent).await?
    };
    if has_webhooks {
        insert_deliveries(&mut transaction, links, &outcomes, subscriptions, is_persistent).await?;
    }
    lease.commit(transaction, *process_id).await?;
    Ok(outcomes)
}

static INSERT_DELIVERIES: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO webhook_deliveries ({CREATED_COLUMNS})
         SELECT created.webhook_id, $4, links.id, created.at, 'waiting', created.at, '[]', 0
         FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS created (webhook_id, code, at)
         JOIN links ON links.short_code = created.code"
    )
});

/// Inserts the deliveries that the owners of the created links want.
async fn insert_deliveries(
    db: &mut PgConnection,
    links: &[&NewLink],
    outcomes: &[CreateOutcome],
    subscriptions: &Subscriptions,
    is_persistent: bool,
) -> Result<(), sqlx::Error> {
    let (mut webhooks, mut codes, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for (link, outcome) in links.iter().zip(outcomes) {
        let CreateOutcome::Created(code) = outcome else { continue };
        for webhook_id in subscriptions.wanting(link.owner_id, WebhookType::LinkCreated) {
            webhooks.push(webhook_id);
            codes.push(code.as_str());
            times.push(link.properties.link.created_at.millis());
        }
    }
    if !webhooks.is_empty() {
        sqlx::query(INSERT_DELIVERIES.as_str())
            .bind(webhooks)
            .bind(codes)
            .bind(times)
            .bind(WebhookType::LinkCreated.into_str())
            .persistent(is_persistent)
            .execute(db)
            .await?;
    }
    Ok(())
}

/// Locks owners, so that no concurrent transaction uses their idempotency keys. It locks them in
/// the same order as the statement in [`INSERT`], so that the two cannot deadlock.
const LOCK_OWNERS: &str = "
    SELECT owners.id, plans.custom_codes
    FROM owners JOIN plans ON plans.name = owners.plan
    WHERE owners.id = ANY ($1) AND owners.suspended_reason IS NULL
    ORDER BY owners.id FOR NO KEY UPDATE OF owners";

const FIND_RESPONSES: &str = "
    SELECT requested.number, stored.fingerprint, stored.short_code, stored.base_url,
        stored.created_at, stored.origin, stored.api_key_id
    FROM unnest($1::bigint[], $2::text[], $3::bigint[]) WITH ORDINALITY
        AS requested (owner_id, key, oldest, number)
    JOIN idempotency_keys AS stored
        ON stored.owner_id = requested.owner_id AND stored.key = requested.key
        AND stored.created_at > requested.oldest";

const SECRET: &str = "SELECT secret FROM installation";

const STORE_RESPONSES: &str = "
    INSERT INTO idempotency_keys
        (owner_id, key, fingerprint, short_code, base_url, created_at, origin, api_key_id)
    SELECT * FROM unnest(
        $1::bigint[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[])
    ON CONFLICT (owner_id, key) DO UPDATE
        SET fingerprint = excluded.fingerprint, short_code = excluded.short_code,
            base_url = excluded.base_url, created_at = excluded.created_at,
            api_key_id = excluded.api_key_id, nonce = NULL, origin = excluded.origin, event_id = NULL";

/// Creates the links whose idempotency keys are new, and stores their responses. Returns the
/// outcomes of all links in order.
async fn create_with_keys(
    db: &mut PgConnection,
    links: &[&NewLink],
    is_persistent: bool,
) -> Result<Vec<CreateOutcome>, sqlx::Error> {
    let custom_codes = lock_owners(db, links, is_persistent).await?;
    let mut replayed = find_responses(db, links, is_persistent).await?;
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
        insert_links(db, &new_links, is_persistent).await?
    };
    store_responses(db, &new_links, &outcomes, is_persistent).await?;
    let mut outcomes: HashMap<usize, CreateOutcome> = new.into_iter().zip(outcomes).collect();
    let outcome = |(index, link): (usize, &&NewLink)| {
        if let Some(stored) = replayed.remove(&index) {
            let custom_codes = custom_codes.get(&link.owner_id).is_some_and(|allowed| *allowed);
            return link.replay(stored, custom_codes);
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
async fn find_responses(
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
    let oldest = |link: &NewLink| replay_cutoff(link.properties.link.created_at).millis();
    let rows = sqlx::query(FIND_RESPONSES)
        .bind(keyed.iter().map(|(_, link, _)| link.owner_id).collect::<Vec<_>>())
        .bind(keyed.iter().map(|(.., key)| &**key).collect::<Vec<_>>())
        .bind(keyed.iter().map(|(_, link, _)| oldest(link)).collect::<Vec<_>>())
        .persistent(is_persistent)
        .fetch_all(&mut *db)
        .await?;
    let (mut stored, mut secret) = (HashMap::new(), None::<String>);
    for row in rows {
        let number: i64 = row.try_get(0)?;
        // PostgreSQL numbers rows from 1.
        let keyed = usize::try_from(number - 1).ok().and_then(|position| keyed.get(position));
        let Some((index, link, key)) = keyed else { continue };
        let response = StoredResponse {
            fingerprint: row.try_get(1)?,
            is_of_request: false,
            short_code: row.try_get(2)?,
            base_url: row.try_get(3)?,
            created_at: Timestamp::from_millis(row.try_get(4)?),
            origin: row.try_get(5)?,
            created_by: row.try_get(6)?,
            created_key: None,
            event_id: None,
        };
        let Some(request) = &link.idempotent else { continue };
        if response.needs_secret(request) && secret.is_none() {
            secret = Some(sqlx::query_scalar(SECRET).fetch_one(&mut *db).await?);
        }
        let needed = secret.as_deref().filter(|_| response.needs_secret(request));
        let response = response.compare(request, needed);
        if request.stored_key() == *key {
            stored.insert(*index, response);
        } else if !response.is_of_request {
            stored.entry(*index).or_insert(response);
        }
    }
    Ok(stored)
}

/// Stores responses for the links that were created.
async fn store_responses(
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
    let created_at = |link: &NewLink| link.properties.link.created_at.millis();
    sqlx::query(STORE_RESPONSES)
        .bind(rows.iter().map(|(link, ..)| link.owner_id).collect::<Vec<_>>())
        .bind(rows.iter().map(|(.., key, _)| &**key).collect::<Vec<_>>())
        .bind(rows.iter().map(|(_, request, ..)| &request.fingerprint[..]).collect::<Vec<_>>())
        .bind(rows.iter().map(|(.., code)| *code).collect::<Vec<_>>())
        .bind(rows.iter().map(|(_, request, ..)| request.base_url.as_str()).collect::<Vec<_>>())
        .bind(rows.iter().map(|(link, ..)| created_at(link)).collect::<Vec<_>>())
        .bind(rows.iter().map(|(_, request, ..)| request.origin.as_deref()).collect::<Vec<_>>())
        .bind(rows.iter().map(|(link, ..)| link.properties.link.created_by).collect::<Vec<_>>())
        .persistent(is_persistent)
        .execute(db)
        .await?;
    Ok(())
}

/// Creates links in one round trip to the database.
///
/// It locks owners in the order of their identifiers and inserts codes in the order of their bytes,
/// so that concurrent statements cannot deadlock. It skips an owner who is suspended, or whose plan
/// changes while it waits for the lock. Of several links with the same code, it creates the first.
static INSERT: LazyLock<String> = LazyLock::new(|| insert_sql(" (short_code)"));

/// As [`INSERT`], also if external identifiers are in use, which costs a look into every unique index.
static INSERT_WITH_EXTERNAL_IDS: LazyLock<String> = LazyLock::new(|| insert_sql(""));

fn insert_sql(conflict: &str) -> String {
    let (names, requested) = (property_names(""), property_names("requested."));
    let arrays = link_columns::parameters(10);
    // The owner's last link may be a little newer, so its day may be the next one. A day further in
    // the future comes from a clock that was wrong.
    let is_same_day = "owners.created_day BETWEEN $6::bigint AND $6::bigint + 1";
    let month = creation_month_sql(SqlDialect::Postgres, "$7::bigint", "$8::bigint");
    let created_before = format!("CASE WHEN {is_same_day} THEN owners.created_today ELSE 0 END");
    format!(
        "WITH allowed AS MATERIALIZED (
            SELECT owners.id, plans.custom_codes,
                COALESCE(plans.max_links, 9223372036854775807) - owners.link_count AS links,
                COALESCE(plans.links_per_day, 9223372036854775807) - {created_before} AS links_today,
                owners.created_month, owners.created_in_month, {month} AS month
            FROM owners JOIN plans ON plans.name = owners.plan
            WHERE owners.id = ANY ($1) AND owners.suspended_reason IS NULL
            ORDER BY owners.id FOR NO KEY UPDATE OF owners
        ), created AS (
            INSERT INTO links (owner_id, short_code, {names})
            SELECT requested.owner_id,
                CASE WHEN allowed.custom_codes THEN COALESCE(requested.custom, requested.generated)
                    ELSE requested.generated END COLLATE \"C\" AS short_code,
                {requested}
            FROM unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::bigint[], $9::boolean[], {arrays})
                WITH ORDINALITY
                AS requested (owner_id, generated, custom, has_invalid_code, owner_ordinal,
                    is_refused_without_custom_codes, {names}, number)
            JOIN allowed ON allowed.id = requested.owner_id
            WHERE requested.owner_ordinal <= LEAST(allowed.links, allowed.links_today)
                AND NOT CASE WHEN allowed.custom_codes THEN requested.has_invalid_code
                    ELSE requested.is_refused_without_custom_codes END
            ORDER BY short_code, requested.number
            ON CONFLICT{conflict} DO NOTHING
            RETURNING owner_id, short_code, external_id
        ), counted AS (
            UPDATE owners SET link_count = link_count + created.links,
                created_today = {created_before} + created.links,
                created_day = CASE WHEN {is_same_day} THEN owners.created_day ELSE $6::bigint END,
                created_month = allowed.month, created_in_month = created.links +
                    CASE WHEN owners.created_month = allowed.month THEN owners.created_in_month ELSE 0 END
            FROM (SELECT owner_id, COUNT(*) AS links FROM created GROUP BY owner_id) AS created
            JOIN allowed ON allowed.id = created.owner_id
            WHERE owners.id = created.owner_id
        ), kept AS (
            INSERT INTO usage_months (month, owner_id, links_created)
            SELECT created_month, id, created_in_month FROM allowed
            WHERE created_month <> month AND created_in_month > 0
                AND id IN (SELECT owner_id FROM created)
            ORDER BY id
            ON CONFLICT (month, owner_id)
                DO UPDATE SET links_created = usage_months.links_created + excluded.links_created
        )
        SELECT
            (SELECT COALESCE(array_agg(id ORDER BY id), '{{}}') FROM allowed),
            (SELECT COALESCE(array_agg(custom_codes ORDER BY id), '{{}}') FROM allowed),
            (SELECT COALESCE(array_agg(links ORDER BY id), '{{}}') FROM allowed),
            (SELECT COALESCE(array_agg(links_today ORDER BY id), '{{}}') FROM allowed),
            (SELECT COALESCE(array_agg(short_code), '{{}}') FROM created),
            (SELECT COALESCE(array_agg(owner_id), '{{}}') FROM created),
            (SELECT COALESCE(array_agg(external_id), '{{}}') FROM created)"
    )
}

/// Finds the codes of the links that have external identifiers.
const FIND_EXTERNAL_IDS: &str = "
    SELECT links.owner_id, links.external_id, links.short_code
    FROM unnest($1::bigint[], $2::text[]) AS requested (owner_id, external_id)
    JOIN links ON links.owner_id = requested.owner_id
        AND links.external_id = requested.external_id COLLATE \"C\"";

/// The result of [`INSERT`].
struct CreatedCodes {
    /// Allowances by owner identifier. Owners that [`INSERT`] did not lock are missing.
    allowed: HashMap<i64, Allowance>,
    /// Owners and external identifiers of the created links, by their codes.
    codes: HashMap<String, (i64, Option<String>)>,
}

/// Creates links and returns their outcomes in the same order.
async fn insert_links(
    connection: &mut PgConnection,
    links: &[&NewLink],
    is_persistent: bool,
) -> Result<Vec<CreateOutcome>, sqlx::Error> {
    let ordinals = ordinals_per_owner(links);
    let custom = |link: &NewLink| match &link.custom_code {
        CustomCodeRequest::Requested(code) => Some(code.as_str().to_owned()),
        CustomCodeRequest::None | CustomCodeRequest::Invalid => None,
    };
    let month = creation_month(links);
    let has_external_ids = links.iter().any(|link| link.properties.link.external_id.is_some());
    let sql = if has_external_ids { &INSERT_WITH_EXTERNAL_IDS } else { &INSERT };
    let query = sqlx::query(sql.as_str())
        .bind(column(links, |link| link.owner_id))
        .bind(column(links, |link| link.generated_code.as_str().to_owned()))
        .bind(column(links, custom))
        .bind(column(links, |link| link.custom_code == CustomCodeRequest::Invalid))
        .bind(&ordinals)
        .bind(creation_day(links))
        .bind(month.number())
        .bind(month.next().number())
        .bind(column(links, |link| {
            link.demands_custom_code && link.custom_code != CustomCodeRequest::None
        }));
    let properties: Vec<_> = links.iter().map(|link| &link.properties).collect();
    let query = link_columns::bind(query, &properties).persistent(is_persistent);
    let row = query.fetch_one(&mut *connection).await?;
    let (ids, custom_codes): (Vec<i64>, Vec<bool>) = (row.try_get(0)?, row.try_get(1)?);
    let (remaining_links, remaining_links_today): (Vec<i64>, Vec<i64>) =
        (row.try_get(2)?, row.try_get(3)?);
    let (codes, owners): (Vec<String>, Vec<i64>) = (row.try_get(4)?, row.try_get(5)?);
    let external_ids: Vec<Option<String>> = row.try_get(6)?;
    let allowed = custom_codes.into_iter().zip(remaining_links).zip(remaining_links_today);
    let allowed =
        allowed.map(|((custom_codes, links), today)| Allowance::new(custom_codes, links, today));
    let created = CreatedCodes {
        allowed: ids.into_iter().zip(allowed).collect(),
        codes: codes.into_iter().zip(owners.into_iter().zip(external_ids)).collect(),
    };
    let mut outcomes = created.outcomes(links, &ordinals);
    if has_external_ids {
        find_external_ids(connection, links, &mut outcomes, is_persistent).await?;
    }
    Ok(outcomes)
}

/// Corrects the outcomes of links that were not created although their codes are free.
async fn find_external_ids(
    db: &mut PgConnection,
    links: &[&NewLink],
    outcomes: &mut [CreateOutcome],
    is_persistent: bool,
) -> Result<(), sqlx::Error> {
    let in_use = |outcome: &CreateOutcome| {
        matches!(outcome, CreateOutcome::CustomCodeInUse | CreateOutcome::GeneratedCodeInUse)
    };
    let refused = links.iter().zip(outcomes.iter()).filter(|(_, outcome)| in_use(outcome));
    let refused = refused.filter_map(|(link, _)| {
        Some((link.owner_id, link.properties.link.external_id.as_deref()?))
    });
    let (owners, external_ids): (Vec<i64>, Vec<&str>) = refused.unzip();
    if owners.is_empty() {
        return Ok(());
    }
    let find = sqlx::query(FIND_EXTERNAL_IDS).bind(owners).bind(external_ids);
    let rows = find.persistent(is_persistent).fetch_all(db).await?;
    let found = rows.iter().map(|row| Ok(((row.try_get(0)?, row.try_get(1)?), row.try_get(2)?)));
    let found = found.collect::<Result<HashMap<(i64, String), String>, sqlx::Error>>()?;
    for (link, outcome) in links.iter().zip(outcomes).filter(|(_, outcome)| in_use(outcome)) {
        let external_id = link.properties.link.external_id.clone();
        let holder = external_id.and_then(|id| found.get(&(link.owner_id, id)));
        if let Some(code) = holder {
            *outcome = CreateOutcome::ExternalIdInUse(ShortCode::from_stored(code));
        }
    }
    Ok(())
}

fn column<T>(links: &[&NewLink], value: impl Fn(&NewLink) -> T) -> Vec<T> {
    links.iter().map(|link| value(link)).collect()
}

/// Numbers the links of each owner from 1.
fn ordinals_per_owner(links: &[&NewLink]) -> Vec<i64> {
    let mut last: HashMap<i64, i64> = HashMap::new();
    let mut ordinal = |link: &&NewLink| {
        let last = last.entry(link.owner_id).or_default();
        *last += 1;
        *last
    };
    links.iter().map(&mut ordinal).collect()
}

impl CreatedCodes {
    /// Returns the outcomes of all links in order, by the same rules as [`INSERT`].
    fn outcomes(mut self, links: &[&NewLink], ordinals: &[i64]) -> Vec<CreateOutcome> {
        let mut created: HashMap<i64, i64> = HashMap::new();
        let mut outcomes = Vec::with_capacity(links.len());
        for (link, ordinal) in links.iter().zip(ordinals) {
            let outcome = self.outcome(link, *ordinal);
            if matches!(outcome, CreateOutcome::Created(_)) {
                *created.entry(link.owner_id).or_default() += 1;
            }
            outcomes.push(outcome);
        }
        // Earlier links whose codes were in use leave room under the plan's limit.
        for (link, outcome) in links.iter().zip(&mut outcomes) {
            let room = self.allowed.get(&link.owner_id).map_or(0, |allowed| allowed.links);
            let created = created.get(&link.owner_id).copied().unwrap_or(0);
            if matches!(outcome, CreateOutcome::PlanLimitReached(_)) && created < room {
                *outcome = CreateOutcome::Retry;
            }
        }
        outcomes
    }

    fn outcome(&mut self, link: &NewLink, ordinal: i64) -> CreateOutcome {
        let Some(allowed) = self.allowed.get(&link.owner_id) else {
            return CreateOutcome::OwnerUnavailable;
        };
        let code = match link.code(allowed.custom_codes) {
            Ok(code) => code,
            Err(refusal) => return refusal.into(),
        };
        if ordinal > allowed.links {
            CreateOutcome::PlanLimitReached(allowed.limit)
        } else if self.codes.get(code.as_str()).is_some_and(|(owner_id, external_id)| {
            *owner_id == link.owner_id && *external_id == link.properties.link.external_id
        }) {
            self.codes.remove(code.as_str());
            CreateOutcome::Created(ShortCode::clone(code))
        } else {
            link.code_in_use(code)
        }
    }
}
