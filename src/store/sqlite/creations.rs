//! How links are made together.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _};

use super::inline::{Inline, is_busy};
use super::queue::Held;
use crate::store::StoreError;
use crate::store::creations::{Allowed, NewLink, Outcome};
use crate::store::idempotency::{self, Answer, Kept, Keyed};

/// Makes the links while the turn is held, to survive this process until they are flushed.
pub(super) async fn make(
    inline: &Inline,
    links: &[NewLink],
    held: Held,
) -> Result<Vec<Outcome>, StoreError> {
    let made = inline.take().await.transaction(|db| make_all(db, links));
    drop(held);
    made.map_err(|error| {
        // It has not begun, then.
        if is_busy(&error) { StoreError::Contended(error.into()) } else { error.into() }
    })
}

/// What an owner may do and has done in this transaction.
struct Owner {
    allowed: Allowed,
    made: i64,
}

fn make_all(db: &Connection, links: &[NewLink]) -> rusqlite::Result<Vec<Outcome>> {
    let mut owners: HashMap<i64, Option<Owner>> = HashMap::new();
    let mut outcomes = Vec::with_capacity(links.len());
    for link in links {
        let owner = match owners.get_mut(&link.owner_id) {
            Some(owner) => owner,
            None => owners.entry(link.owner_id).or_insert(find(db, link.owner_id)?),
        };
        outcomes.push(match owner {
            Some(owner) => make_one(db, link, owner)?,
            None => Outcome::NoOwner,
        });
    }
    let mut count =
        db.prepare_cached("UPDATE owners SET link_count = link_count + ?2 WHERE id = ?1")?;
    for (id, owner) in owners {
        if let Some(made) = owner.map(|owner| owner.made).filter(|made| *made > 0) {
            count.execute((id, made))?;
        }
    }
    Ok(outcomes)
}

fn make_one(db: &Connection, link: &NewLink, owner: &mut Owner) -> rusqlite::Result<Outcome> {
    if let Some((keyed, _)) = &link.keyed
        && let Some(kept) = find_kept(db, link, keyed)?
    {
        let is_refused = link.code(owner.allowed.custom_codes).is_none();
        return Ok(Outcome::Known { kept, is_refused });
    }
    let Some(code) = link.code(owner.allowed.custom_codes) else { return Ok(Outcome::Refused) };
    if owner.made >= owner.allowed.room {
        return Ok(Outcome::Full);
    }
    let inserted = db
        .prepare_cached(
            "INSERT INTO links (owner_id, short_code, destination_url, title, campaign, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (short_code) DO NOTHING",
        )?
        .execute((
            link.owner_id,
            code.as_str(),
            &link.destination_url,
            &link.title,
            &link.campaign,
            link.now.millis(),
        ))?;
    if inserted == 0 {
        return Ok(link.taken(code));
    }
    owner.made += 1;
    if let Some((keyed, describe)) = &link.keyed {
        keep(db, link, keyed, &(describe.0)(code))?;
    }
    Ok(Outcome::Made(code.clone()))
}

fn find(db: &Connection, owner_id: i64) -> rusqlite::Result<Option<Owner>> {
    db.prepare_cached(
        "SELECT plans.custom_codes, plans.max_links, owners.link_count
         FROM owners JOIN plans ON plans.name = owners.plan WHERE owners.id = ?1",
    )?
    .query_one([owner_id], |row| {
        let (max_links, link_count): (Option<i64>, i64) = (row.get(1)?, row.get(2)?);
        let room = max_links.unwrap_or(i64::MAX).saturating_sub(link_count);
        Ok(Owner { allowed: Allowed { custom_codes: row.get(0)?, room }, made: 0 })
    })
    .optional()
}

fn find_kept(db: &Connection, link: &NewLink, keyed: &Keyed) -> rusqlite::Result<Option<Kept>> {
    db.prepare_cached(
        "SELECT fingerprint, status, location, body FROM idempotency_keys
         WHERE owner_id = ?1 AND name = ?2 AND created_at > ?3",
    )?
    .query_one((link.owner_id, keyed.key.as_str(), idempotency::oldest(link.now).millis()), |row| {
        let answer = Answer { status: row.get(1)?, location: row.get(2)?, body: row.get(3)? };
        Ok(Kept { fingerprint: row.get(0)?, answer })
    })
    .optional()
}

fn keep(db: &Connection, link: &NewLink, keyed: &Keyed, answer: &Answer) -> rusqlite::Result<()> {
    db.prepare_cached(idempotency::KEEP)?.execute((
        link.owner_id,
        keyed.key.as_str(),
        keyed.fingerprint,
        answer.status,
        &answer.location,
        &answer.body,
        link.now.millis(),
    ))?;
    Ok(())
}
