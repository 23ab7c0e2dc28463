//! How links are made together: in one statement, so that the owners' rows are locked for one round
//! trip and one flush to the disk.

mod keys;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use sea_orm::DbErr;
use sea_orm::sqlx::{self, PgConnection, Row as _};

use super::Postgres;
use super::dedicated::failed;
use super::pool::Route;
use crate::store::creations::{Allowed, Custom, NewLink, Outcome};
use crate::values::ShortCode;

/// For how long nobody may have come before the connection is asked whether it still leads anywhere:
/// links are not made twice, and those on one that has broken are answered 503.
const REST: Duration = Duration::from_millis(100);

/// Owners are locked in the order of their identifiers, codes are taken in the order of their bytes:
/// two that make links at once do not wait for each other in a circle. What an owner may do and has
/// is read from the row that is locked; a row whose plan was changed while it was waited for is left
/// out. Of several who want the same code in one statement the first gets it.
const MAKE: &str = "
    WITH allowed AS MATERIALIZED (
        SELECT owners.id, plans.custom_codes,
            COALESCE(plans.max_links, 9223372036854775807) - owners.link_count AS room
        FROM owners JOIN plans ON plans.name = owners.plan
        WHERE owners.id = ANY ($1) ORDER BY owners.id FOR NO KEY UPDATE OF owners
    ), made AS (
        INSERT INTO links (owner_id, short_code, destination_url, title, campaign, created_at)
        SELECT wish.owner_id,
            CASE WHEN allowed.custom_codes THEN COALESCE(wish.custom, wish.generated)
                ELSE wish.generated END COLLATE \"C\" AS short_code,
            wish.destination_url, wish.title, wish.campaign, wish.created_at
        FROM unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[],
                $7::text[], $8::bigint[], $9::bigint[]) WITH ORDINALITY
            AS wish (owner_id, generated, custom, refused, destination_url, title, campaign,
                created_at, place, number)
        JOIN allowed ON allowed.id = wish.owner_id
        WHERE wish.place <= allowed.room AND NOT (allowed.custom_codes AND wish.refused)
        ORDER BY short_code, wish.number
        ON CONFLICT (short_code) DO NOTHING
        RETURNING owner_id, short_code
    ), counted AS (
        UPDATE owners SET link_count = link_count + made.links
        FROM (SELECT owner_id, COUNT(*) AS links FROM made GROUP BY owner_id) AS made
        WHERE owners.id = made.owner_id
    )
    SELECT
        (SELECT COALESCE(array_agg(id ORDER BY id), '{}') FROM allowed),
        (SELECT COALESCE(array_agg(custom_codes ORDER BY id), '{}') FROM allowed),
        (SELECT COALESCE(array_agg(room ORDER BY id), '{}') FROM allowed),
        (SELECT COALESCE(array_agg(short_code), '{}') FROM made)";

impl Postgres {
    /// Makes links. It is tried again only where it had not begun.
    pub(in crate::store) async fn make(&self, links: &[NewLink]) -> Result<Vec<Outcome>, DbErr> {
        let mut lane = self.shared.creations.lock().await;
        let mut attempt = 1;
        let (access, mut connection) = loop {
            let access = self.access()?;
            match access.guard(lane.take(&access, REST)).await {
                Ok(connection) => break (access, connection),
                Err(error) if self.is_worth_retrying(&error, attempt).await => attempt += 1,
                Err(error) => return Err(error),
            }
        };
        let making = async { make(&mut connection, &access.up.route, links).await.map_err(failed) };
        let outcomes = access.guard(making).await?;
        lane.keep(&access, connection);
        Ok(outcomes)
    }
}

async fn make(
    connection: &mut PgConnection,
    route: &Route,
    links: &[NewLink],
) -> Result<Vec<Outcome>, sqlx::Error> {
    let all: Vec<&NewLink> = links.iter().collect();
    let has_keys = links.iter().any(|link| link.keyed.is_some());
    if !route.is_pooled && !has_keys {
        return make_here(connection, &all, true).await;
    }
    // Through a pooler what is prepared holds for as long as the server's connection is ours.
    let is_persistent = !route.is_pooled;
    let mut transaction = route.begin(connection).await?;
    let outcomes = if has_keys {
        keys::make(&mut transaction, &all, is_persistent).await?
    } else {
        make_here(&mut transaction, &all, is_persistent).await?
    };
    transaction.commit().await?;
    Ok(outcomes)
}

/// What the statement answers.
struct Made {
    allowed: HashMap<i64, Allowed>,
    codes: HashSet<String>,
}

async fn make_here(
    connection: &mut PgConnection,
    links: &[&NewLink],
    is_persistent: bool,
) -> Result<Vec<Outcome>, sqlx::Error> {
    let places = places(links);
    let custom = |link: &NewLink| match &link.custom {
        Custom::Wanted(code) => Some(code.as_str().to_owned()),
        Custom::None | Custom::Refused => None,
    };
    let refused = |link: &NewLink| link.custom == Custom::Refused;
    let row = sqlx::query(MAKE)
        .bind(column(links, |link| link.owner_id))
        .bind(column(links, |link| link.generated.as_str().to_owned()))
        .bind(column(links, custom))
        .bind(column(links, refused))
        .bind(column(links, |link| link.destination_url.clone()))
        .bind(column(links, |link| link.title.clone()))
        .bind(column(links, |link| link.campaign.clone()))
        .bind(column(links, |link| link.now.millis()))
        .bind(&places)
        .persistent(is_persistent)
        .fetch_one(connection)
        .await?;
    let (ids, custom_codes, rooms): (Vec<i64>, Vec<bool>, Vec<i64>) =
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let codes: Vec<String> = row.try_get(3)?;
    let allowed = custom_codes.into_iter().zip(rooms);
    let allowed = allowed.map(|(custom_codes, room)| Allowed { custom_codes, room });
    let made = Made {
        allowed: ids.into_iter().zip(allowed).collect(),
        codes: codes.into_iter().collect(),
    };
    Ok(made.outcomes(links, &places))
}

fn column<T>(links: &[&NewLink], of: impl Fn(&NewLink) -> T) -> Vec<T> {
    links.iter().map(|link| of(link)).collect()
}

/// Each one's place among its owner's.
fn places(links: &[&NewLink]) -> Vec<i64> {
    let mut last: HashMap<i64, i64> = HashMap::new();
    let mut place = |link: &&NewLink| {
        let last = last.entry(link.owner_id).or_default();
        *last += 1;
        *last
    };
    links.iter().map(&mut place).collect()
}

impl Made {
    /// What became of each, by the same rules as the statement's.
    fn outcomes(mut self, links: &[&NewLink], places: &[i64]) -> Vec<Outcome> {
        let mut made: HashMap<i64, i64> = HashMap::new();
        let mut outcomes = Vec::with_capacity(links.len());
        for (link, place) in links.iter().zip(places) {
            let outcome = self.outcome(link, *place);
            if matches!(outcome, Outcome::Made(_)) {
                *made.entry(link.owner_id).or_default() += 1;
            }
            outcomes.push(outcome);
        }
        // Places that were left by those who did not get their codes, or could not have any.
        for (link, outcome) in links.iter().zip(&mut outcomes) {
            let room = self.allowed.get(&link.owner_id).map_or(0, |allowed| allowed.room);
            if *outcome == Outcome::Full && made.get(&link.owner_id).copied().unwrap_or(0) < room {
                *outcome = Outcome::Undecided;
            }
        }
        outcomes
    }

    fn outcome(&mut self, link: &NewLink, place: i64) -> Outcome {
        let Some(allowed) = self.allowed.get(&link.owner_id) else { return Outcome::NoOwner };
        let Some(code) = link.code(allowed.custom_codes) else { return Outcome::Refused };
        if place > allowed.room {
            Outcome::Full
        } else if self.codes.remove(code.as_str()) {
            Outcome::Made(ShortCode::clone(code))
        } else {
            link.taken(code)
        }
    }
}
