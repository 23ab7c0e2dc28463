//! Links that are asked for under keys: their owners are locked first, so that whoever looks for a
//! key sees what others have done under it.

use std::collections::{HashMap, HashSet};

use sea_orm::sqlx::{self, PgConnection, Row as _};

use super::make_here;
use crate::store::creations::{NewLink, Outcome};
use crate::store::idempotency::{Answer, Kept, Keyed, oldest};

const LOCK: &str = "
    SELECT owners.id, plans.custom_codes
    FROM owners JOIN plans ON plans.name = owners.plan
    WHERE owners.id = ANY ($1) ORDER BY owners.id FOR NO KEY UPDATE OF owners";

const FIND: &str = "
    SELECT wish.number, kept.fingerprint, kept.status, kept.location, kept.body
    FROM unnest($1::bigint[], $2::text[], $3::bigint[]) WITH ORDINALITY
        AS wish (owner_id, name, oldest, number)
    JOIN idempotency_keys AS kept ON kept.owner_id = wish.owner_id AND kept.name = wish.name
        AND kept.created_at > wish.oldest";

const KEEP: &str = "
    INSERT INTO idempotency_keys
        (owner_id, name, fingerprint, status, location, body, created_at)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::integer[], $5::text[],
        $6::text[], $7::bigint[])
    ON CONFLICT (owner_id, name) DO UPDATE
        SET fingerprint = excluded.fingerprint, status = excluded.status,
            location = excluded.location, body = excluded.body, created_at = excluded.created_at";

/// Makes those that were not made before; what is answered to them is kept with them.
pub(super) async fn make(
    db: &mut PgConnection,
    links: &[&NewLink],
    is_persistent: bool,
) -> Result<Vec<Outcome>, sqlx::Error> {
    let custom_codes = lock(db, links, is_persistent).await?;
    let mut known = find(db, links, is_persistent).await?;
    let (mut new, mut undecided, mut keys) = (Vec::new(), HashSet::new(), HashSet::new());
    for (number, link) in links.iter().enumerate() {
        // An owner who was not locked is looked for again.
        if !custom_codes.contains_key(&link.owner_id) || known.contains_key(&number) {
            continue;
        }
        let key = link.keyed.as_ref().map(|(keyed, _)| (link.owner_id, &keyed.key));
        if key.is_none_or(|key| keys.insert(key)) {
            new.push(number);
        } else {
            // What was kept under their key is too old now: one of them is made anew.
            undecided.insert(number);
        }
    }
    let to_make: Vec<&NewLink> = new.iter().map(|number| links[*number]).collect();
    let made = if to_make.is_empty() {
        Vec::new()
    } else {
        make_here(db, &to_make, is_persistent).await?
    };
    keep(db, &to_make, &made, is_persistent).await?;
    let mut made: HashMap<usize, Outcome> = new.into_iter().zip(made).collect();
    let outcome = |(number, link): (usize, &&NewLink)| {
        if let Some(kept) = known.remove(&number) {
            let custom_codes = custom_codes.get(&link.owner_id).is_some_and(|allowed| *allowed);
            return Outcome::Known { kept, is_refused: link.code(custom_codes).is_none() };
        }
        let missing =
            if undecided.contains(&number) { Outcome::Undecided } else { Outcome::NoOwner };
        made.remove(&number).unwrap_or(missing)
    };
    Ok(links.iter().enumerate().map(outcome).collect())
}

/// Locks the owners; which of them have custom codes.
async fn lock(
    db: &mut PgConnection,
    links: &[&NewLink],
    is_persistent: bool,
) -> Result<HashMap<i64, bool>, sqlx::Error> {
    let owners: Vec<i64> = links.iter().map(|link| link.owner_id).collect();
    let rows = sqlx::query(LOCK).bind(owners).persistent(is_persistent).fetch_all(db).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

/// What was answered before, by the places of the links.
async fn find(
    db: &mut PgConnection,
    links: &[&NewLink],
    is_persistent: bool,
) -> Result<HashMap<usize, Kept>, sqlx::Error> {
    let keyed: Vec<(usize, &NewLink, &Keyed)> = links
        .iter()
        .enumerate()
        .filter_map(|(number, link)| Some((number, *link, &link.keyed.as_ref()?.0)))
        .collect();
    let owners: Vec<i64> = keyed.iter().map(|(_, link, _)| link.owner_id).collect();
    let names: Vec<&str> = keyed.iter().map(|(_, _, keyed)| keyed.key.as_str()).collect();
    let since: Vec<i64> = keyed.iter().map(|(_, link, _)| oldest(link.now).millis()).collect();
    let query = sqlx::query(FIND).bind(owners).bind(names).bind(since);
    let rows = query.persistent(is_persistent).fetch_all(db).await?;
    let mut known = HashMap::new();
    for row in rows {
        let (place, status): (i64, i32) = (row.try_get(0)?, row.try_get(2)?);
        // Places count from 1.
        let place = usize::try_from(place - 1).ok().and_then(|place| keyed.get(place));
        let Some((number, ..)) = place else { continue };
        let answer = Answer {
            status: u16::try_from(status).unwrap_or_default(),
            location: row.try_get(3)?,
            body: row.try_get(4)?,
        };
        known.insert(*number, Kept { fingerprint: row.try_get(1)?, answer });
    }
    Ok(known)
}

/// Keeps the answers to what was made.
async fn keep(
    db: &mut PgConnection,
    links: &[&NewLink],
    made: &[Outcome],
    is_persistent: bool,
) -> Result<(), sqlx::Error> {
    let mut rows: Vec<(&NewLink, &Keyed, Answer)> = Vec::new();
    for (link, outcome) in links.iter().zip(made) {
        if let (Outcome::Made(code), Some((keyed, describe))) = (outcome, &link.keyed) {
            rows.push((link, keyed, (describe.0)(code)));
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(KEEP)
        .bind(rows.iter().map(|(link, ..)| link.owner_id).collect::<Vec<i64>>())
        .bind(rows.iter().map(|(_, keyed, _)| keyed.key.as_str()).collect::<Vec<&str>>())
        .bind(rows.iter().map(|(_, keyed, _)| &keyed.fingerprint[..]).collect::<Vec<&[u8]>>())
        .bind(rows.iter().map(|(.., answer)| i32::from(answer.status)).collect::<Vec<i32>>())
        .bind(rows.iter().map(|(.., answer)| answer.location.as_str()).collect::<Vec<&str>>())
        .bind(rows.iter().map(|(.., answer)| answer.body.as_str()).collect::<Vec<&str>>())
        .bind(rows.iter().map(|(link, ..)| link.now.millis()).collect::<Vec<i64>>())
        .persistent(is_persistent)
        .execute(db)
        .await?;
    Ok(())
}
