//! The statement that creates links, and the outcome of each.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use sea_orm::sqlx::{self, PgConnection, Row as _};

use super::super::link_columns;
use crate::store::create_links::{
    Allowance, CreateOutcome, CustomCodeRequest, NewLink, creation_day, creation_month,
};
use crate::store::dialect::SqlDialect;
use crate::store::links::property_names;
use crate::store::usage::creation_month_sql;
use crate::values::ShortCode;

/// Creates links in one round trip to the database.
///
/// It locks owners in the order of their identifiers and inserts codes in the order of their bytes,
/// so that concurrent statements cannot deadlock. It skips an owner who is suspended, or whose plan
/// changes while it waits for the lock. Of several links with the same code, it creates the first.
static CREATE: LazyLock<String> = LazyLock::new(|| {
    let (names, requested) = (property_names(""), property_names("requested."));
    let arrays = link_columns::parameters(9);
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
            FROM unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::bigint[], {arrays})
                WITH ORDINALITY
                AS requested (owner_id, generated, custom, has_invalid_code, owner_ordinal, {names},
                    number)
            JOIN allowed ON allowed.id = requested.owner_id
            WHERE requested.owner_ordinal <= LEAST(allowed.links, allowed.links_today)
                AND NOT (allowed.custom_codes AND requested.has_invalid_code)
            ORDER BY short_code, requested.number
            ON CONFLICT (short_code) DO NOTHING
            RETURNING owner_id, short_code
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
            (SELECT COALESCE(array_agg(short_code), '{{}}') FROM created)"
    )
});

/// The result of [`CREATE`].
struct CreatedCodes {
    /// Allowances by owner identifier. Owners that [`CREATE`] did not lock are missing.
    allowed: HashMap<i64, Allowance>,
    codes: HashSet<String>,
}

/// Creates links and returns their outcomes in the same order.
pub(super) async fn create(
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
    let query = sqlx::query(CREATE.as_str())
        .bind(column(links, |link| link.owner_id))
        .bind(column(links, |link| link.generated_code.as_str().to_owned()))
        .bind(column(links, custom))
        .bind(column(links, |link| link.custom_code == CustomCodeRequest::Invalid))
        .bind(&ordinals)
        .bind(creation_day(links))
        .bind(month.number())
        .bind(month.next().number());
    let properties: Vec<_> = links.iter().map(|link| &link.properties).collect();
    let query = link_columns::bind(query, &properties).persistent(is_persistent);
    let row = query.fetch_one(connection).await?;
    let (ids, custom_codes): (Vec<i64>, Vec<bool>) = (row.try_get(0)?, row.try_get(1)?);
    let (remaining_links, remaining_links_today): (Vec<i64>, Vec<i64>) =
        (row.try_get(2)?, row.try_get(3)?);
    let codes: Vec<String> = row.try_get(4)?;
    let allowed = custom_codes.into_iter().zip(remaining_links).zip(remaining_links_today);
    let allowed =
        allowed.map(|((custom_codes, links), today)| Allowance::new(custom_codes, links, today));
    let created = CreatedCodes {
        allowed: ids.into_iter().zip(allowed).collect(),
        codes: codes.into_iter().collect(),
    };
    Ok(created.outcomes(links, &ordinals))
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
    /// Returns the outcomes of all links in order, by the same rules as [`CREATE`].
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
        let Some(code) = link.code(allowed.custom_codes) else {
            return CreateOutcome::CustomCodeInvalid;
        };
        if ordinal > allowed.links {
            CreateOutcome::PlanLimitReached(allowed.limit)
        } else if self.codes.remove(code.as_str()) {
            CreateOutcome::Created(ShortCode::clone(code))
        } else {
            link.code_in_use(code)
        }
    }
}
