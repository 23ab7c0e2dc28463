//! Many links at once, a statement for all of them, on a connection of their own.

use sea_orm::sqlx::{self, PgConnection, PgTransaction, Row as _};

use super::Postgres;
use super::dedicated::failed;
use super::pool::Route;
use crate::store::import::{Fate, Holder, ROOM, Undecided, Wanted};
use crate::store::{Attempts, StoreError};

/// Links a transaction: the owner's other creations wait for it.
const ROWS: usize = 1_000;

/// Two imports of the same codes would wait in a circle: one transaction at a time.
const TURN: &str = "SELECT pg_advisory_xact_lock(8386658464824649840)";

/// As every creation does before anything else. What the plan allows is read by a statement of its own
/// afterwards: where this one has waited for somebody who changed the owner's plan, it would join the
/// owner as it is now with plans as they were, and find nothing.
const LOCK_OWNER: &str = "SELECT FROM owners WHERE id = $1 FOR NO KEY UPDATE";

const HOLDERS: &str = "
    SELECT short_code, owner_id, destination_url FROM links WHERE short_code = ANY ($1::text[])";

/// The codes of those that were made: not of one that somebody else made since it was looked for.
/// They are put there in the order of their numbers, which fills the pages of two indexes, and not in
/// that of their codes, as whoever else makes links does. Where an import and creations want the same
/// codes at the same moment they may wait in a circle; PostgreSQL breaks it, and whom it chooses tries
/// again.
const INSERT: &str = "
    WITH input AS (
        SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[],
                $7::integer[], $8::integer[], $9::bigint[]) WITH ORDINALITY
            AS input (code, destination, title, campaign, clicks, is_active, has_qr, created_at, place)
    ), numbered AS MATERIALIZED (
        SELECT nextval(pg_get_serial_sequence('links', 'id')) AS id, ordered.*
        FROM (SELECT * FROM input ORDER BY place) AS ordered
    ), made AS (
        INSERT INTO links (id, owner_id, short_code, destination_url, title, campaign, is_active,
            has_qr, created_at)
        SELECT id, $1, code, destination, title, campaign, is_active, has_qr, created_at
        FROM numbered ORDER BY id
        ON CONFLICT (short_code) DO NOTHING
        RETURNING id, short_code
    ), counted AS (
        INSERT INTO click_counts (link_id, count)
        SELECT made.id, input.clicks FROM made
        JOIN input ON input.code COLLATE \"C\" = made.short_code WHERE input.clicks > 0
        ORDER BY made.id
    )
    SELECT short_code FROM made";

const COUNT: &str = "UPDATE owners SET link_count = link_count + $2 WHERE id = $1";

/// Where the links of one owner go.
#[derive(Debug)]
pub(in crate::store) struct Importer {
    connection: PgConnection,
    route: Route,
    owner_id: i64,
}

impl Postgres {
    pub(in crate::store) async fn importer(&self, owner_id: i64) -> Result<Importer, StoreError> {
        let route = self.access()?.up.route.clone();
        let connection = route.connect().await.map_err(failed)?;
        Ok(Importer { connection, route, owner_id })
    }
}

impl Importer {
    pub(in crate::store) async fn put(
        &mut self,
        links: &[Wanted],
    ) -> Result<Vec<Fate>, StoreError> {
        let links = &links[..ROWS.min(links.len())];
        let mut attempts = Attempts::default();
        loop {
            match self.transaction(links).await.map_err(|error| StoreError::from(failed(error))) {
                Err(error) if attempts.may_retry(&error).await => {}
                result => return result,
            }
        }
    }

    /// Each commit has been flushed.
    pub(in crate::store) async fn finish(self) -> Result<(), StoreError> {
        Ok(sqlx::Connection::close(self.connection).await.map_err(failed)?)
    }

    async fn transaction(&mut self, links: &[Wanted]) -> Result<Vec<Fate>, sqlx::Error> {
        let Self { connection, route, owner_id } = self;
        // What is prepared through a pooler is another's at the next transaction.
        let persistent = !route.is_pooled;
        let mut transaction = route.begin(connection).await?;
        sqlx::query(TURN).persistent(persistent).execute(&mut *transaction).await?;
        let lock = sqlx::query(LOCK_OWNER).persistent(persistent).bind(*owner_id);
        lock.execute(&mut *transaction).await?;
        let room = sqlx::query(ROOM).persistent(persistent).bind(*owner_id);
        let room: i64 = room.fetch_one(&mut *transaction).await?.try_get(0)?;
        let mut undecided = Undecided::of(links, *owner_id);
        let mut made = 0;
        let fates = loop {
            if let Some(fates) = undecided.decided() {
                break fates;
            }
            let query = sqlx::query(HOLDERS).persistent(persistent).bind(undecided.codes());
            let mut holders = Vec::new();
            for row in query.fetch_all(&mut *transaction).await? {
                holders.push(Holder {
                    short_code: row.try_get(0)?,
                    owner_id: row.try_get(1)?,
                    destination_url: row.try_get(2)?,
                });
            }
            let chosen = undecided.choose(holders, room - made);
            if chosen.is_empty() {
                continue;
            }
            let codes = insert(&mut transaction, persistent, *owner_id, links, &chosen).await?;
            for place in chosen {
                if codes.contains(links[place].code.as_str()) {
                    made += 1;
                    undecided.is_made(place);
                }
            }
        };
        if made > 0 {
            let count = sqlx::query(COUNT).persistent(persistent).bind(*owner_id).bind(made);
            count.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(fates)
    }
}

async fn insert(
    transaction: &mut PgTransaction<'_>,
    persistent: bool,
    owner_id: i64,
    links: &[Wanted],
    chosen: &[usize],
) -> Result<std::collections::HashSet<String>, sqlx::Error> {
    let chosen = || chosen.iter().map(|place| &links[*place]);
    let query = sqlx::query(INSERT)
        .persistent(persistent)
        .bind(owner_id)
        .bind(chosen().map(|link| link.code.as_str()).collect::<Vec<_>>())
        .bind(chosen().map(|link| link.destination.as_str()).collect::<Vec<_>>())
        .bind(chosen().map(|link| link.title.as_deref()).collect::<Vec<_>>())
        .bind(chosen().map(|link| link.campaign.as_deref()).collect::<Vec<_>>())
        .bind(chosen().map(|link| link.clicks).collect::<Vec<_>>())
        .bind(chosen().map(|link| i32::from(link.is_active)).collect::<Vec<_>>())
        .bind(chosen().map(|link| i32::from(link.has_qr)).collect::<Vec<_>>())
        .bind(chosen().map(|link| link.created_at.millis()).collect::<Vec<_>>());
    let rows = query.fetch_all(&mut **transaction).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}
