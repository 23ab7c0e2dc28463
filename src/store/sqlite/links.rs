//! Queries for redirects, creations, statistics and lists. They use `rusqlite` directly, because
//! SeaORM's conversion of rows would slow them down.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row};
use sea_orm::IdenStatic as _;

use super::Sqlite;
use super::checksum::{ProvenPositions, link_checksum, proven_count};
use super::connection::is_busy;
use super::readers::Readers;
use super::session::run_blocking;
use super::statement::bind;
use crate::store::batcher::BatchResult;
use crate::store::clicks::MAX_CLICKS;
use crate::store::code_lookup::{CodeLookup, FoundTarget, Match, Matches};
use crate::store::dialect::SqlDialect;
use crate::store::entities::link::{Column, PROVEN};
use crate::store::error::StoreError;
use crate::store::link_pages::LinkPage;
use crate::store::links::{
    COUNTED_CLICKS, LINK_COLUMNS, Link, LinkRef, NewProperties, PROPERTY_COLUMNS, PropertyReader,
    TARGET_COLUMNS, TARGET_TABLES, TargetRow, decode_link, property_names,
};
use crate::values::{MAX_CANDIDATES, ShortCode};

static INSERT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO links (owner_id, short_code, {}, checksum) VALUES (?, ?{}, ?)
         ON CONFLICT DO NOTHING",
        property_names(""),
        ", ?".repeat(PROPERTY_COLUMNS.len())
    )
});

/// Inserts a link. Returns false if the code or the external identifier is in use.
pub(super) fn insert(
    db: &Connection,
    owner_id: i64,
    code: &ShortCode,
    properties: &NewProperties,
) -> rusqlite::Result<bool> {
    let mut insert = db.prepare_cached(&INSERT)?;
    insert.raw_bind_parameter(1, owner_id)?;
    insert.raw_bind_parameter(2, code.as_str())?;
    for (index, (_, value)) in (3..).zip(&PROPERTY_COLUMNS) {
        match value {
            PropertyReader::Text(value) => insert.raw_bind_parameter(index, value(properties))?,
            PropertyReader::Int(value) => insert.raw_bind_parameter(index, value(properties))?,
            PropertyReader::BigInt(value) => insert.raw_bind_parameter(index, value(properties))?,
        }
    }
    insert.raw_bind_parameter(3 + PROPERTY_COLUMNS.len(), checksum(owner_id, code, properties))?;
    Ok(insert.raw_execute()? > 0)
}

/// Returns the code of the owner's link that has the external identifier of a new one, if there is one.
pub(super) fn holder_of_external_id(
    db: &Connection,
    owner_id: i64,
    properties: &NewProperties,
) -> rusqlite::Result<Option<ShortCode>> {
    let Some(external_id) = &properties.link.external_id else { return Ok(None) };
    let find = "SELECT short_code FROM links WHERE owner_id = ?1 AND external_id = ?2";
    let code = db.prepare_cached(find)?.query_one((owner_id, external_id), |row| row.get(0));
    Ok(code.optional()?.map(|code: String| ShortCode::from_stored(&code)))
}

fn checksum(owner_id: i64, code: &ShortCode, properties: &NewProperties) -> i64 {
    link_checksum(PROVEN.map(|column| {
        if let Column::ShortCode = column {
            ValueRef::Text(code.as_str().as_bytes())
        } else if let Column::OwnerId = column {
            ValueRef::Integer(owner_id)
        } else {
            property(properties, column.as_str())
        }
    }))
}

fn property<'a>(properties: &'a NewProperties, column: &str) -> ValueRef<'a> {
    let found = PROPERTY_COLUMNS.iter().find(|(name, _)| *name == column);
    match found.map(|(_, reader)| reader) {
        Some(PropertyReader::Text(read)) => read(properties).into(),
        Some(PropertyReader::Int(read)) => {
            read(properties).map_or(ValueRef::Null, |number| ValueRef::Integer(number.into()))
        }
        Some(PropertyReader::BigInt(read)) => {
            read(properties).map_or(ValueRef::Null, ValueRef::Integer)
        }
        None => ValueRef::Null,
    }
}

impl Sqlite {
    /// Finds the link that a path means. It reads on the writer's connection if that is free, and
    /// otherwise on a reader.
    pub(in crate::store) async fn target(
        &self,
        lookup: &CodeLookup,
    ) -> Result<Option<FoundTarget>, Arc<StoreError>> {
        self.readers.stall_detector().check()?;
        let found = if let Ok(_permit) = self.shared.inline_lookups.try_acquire() {
            match self.writer().try_read(|db| find_target(db, lookup)) {
                Some(Ok(found)) => Ok(found),
                // While another process is writing, the writer's connection fails, whereas a reader waits.
                Some(Err(_)) | None => self.readers.read(|db| find_target(db, lookup)),
            }
            .map_err(StoreError::from)?
        } else {
            let lookup = lookup.clone();
            let found = self.readers.read_blocking(move |db| find_target(db, &lookup)).await;
            found.map_err(StoreError::from)?
        };
        if found.is_none() {
            // The damage may hide the link.
            self.writer().file().check_damage().map_err(StoreError::from)?;
        }
        Ok(found)
    }

    pub(in crate::store) async fn find_with_clicks(
        &self,
        key: LinkRef,
    ) -> Result<Option<Link>, Arc<StoreError>> {
        self.readers.stall_detector().check()?;
        self.writer().file().check_damage().map_err(StoreError::from)?;
        let readers = self.readers.clone();
        let find = move |keys: Vec<LinkRef>| {
            let readers = readers.clone();
            let results = run_blocking(move || find_with_clicks(&readers, &keys));
            async move { results.await.unwrap_or_default() }
        };
        self.shared.stats.call(key, find).await
    }

    /// Reads a page of links.
    pub(in crate::store) async fn page(&self, page: LinkPage) -> Result<Vec<Link>, StoreError> {
        let read = move |db: &Connection| {
            // SQLite would sort and copy the rows of a join, so the pending clicks are added afterwards.
            let clicks = if page.with_clicks { COUNTED_CLICKS } else { ", 0, checksum" };
            let (sql, values) = page.select(SqlDialect::Sqlite, clicks);
            db.prepare_cached("BEGIN")?.execute([])?;
            let mut prepared = db.prepare_cached(&sql)?;
            bind(&mut prepared, &values)?;
            let mut links: Vec<Link> =
                prepared.raw_query().mapped(link_with_clicks).collect::<Result<_, _>>()?;
            if page.with_clicks {
                add_pending(db, links.iter_mut())?;
            }
            db.prepare_cached("COMMIT")?.execute([])?;
            Ok(links)
        };
        Ok(self.readers.read_blocking(read).await?)
    }
}

fn find_target(db: &Connection, lookup: &CodeLookup) -> rusqlite::Result<Option<FoundTarget>> {
    static FIND: LazyLock<String> = LazyLock::new(|| {
        let columns = &*MATCH_COLUMNS;
        format!("SELECT {columns}, NULL AS folded FROM {TARGET_TABLES} WHERE short_code = ?1")
    });
    // A lookup with fewer codes leaves parameters null, which equal no code.
    static FIND_ANY: LazyLock<String> = LazyLock::new(|| {
        let parameters = |first: usize| {
            let numbers = (first..first + MAX_CANDIDATES).map(|number| format!("?{number}"));
            numbers.collect::<Vec<_>>().join(", ")
        };
        let (codes, folded) = (parameters(1), parameters(1 + MAX_CANDIDATES));
        let columns = &*MATCH_COLUMNS;
        format!(
            "SELECT {columns}, NULL AS folded FROM {TARGET_TABLES} WHERE short_code IN ({codes})
             UNION ALL
             SELECT {columns}, folded
             FROM folded_codes JOIN links ON links.id = folded_codes.link_id
                 LEFT JOIN owners ON owners.id = links.owner_id
             WHERE folded IN ({folded})"
        )
    });
    let CodeLookup { codes, folded, owner_id: _ } = lookup;
    if let ([code], []) = (codes.as_slice(), folded.as_slice()) {
        let row = db.prepare_cached(&FIND)?.query_one([code.as_str()], target_row).optional()?;
        let row = row.map(|(_, _, row)| row).filter(|row| lookup.accepts(row));
        return Ok(row.map(|row| FoundTarget { code: code.clone(), row }));
    }
    let mut find = db.prepare_cached(&FIND_ANY)?;
    let nulls = || std::iter::repeat(None::<&str>);
    let codes = codes.iter().map(|code| Some(code.as_str())).chain(nulls()).take(MAX_CANDIDATES);
    let folded = folded.iter().map(|code| Some(code.as_str())).chain(nulls()).take(MAX_CANDIDATES);
    for (index, code) in (1..).zip(codes.chain(folded)) {
        find.raw_bind_parameter(index, code)?;
    }
    let matches = find.raw_query().mapped(|row| {
        let (short_code, folded, row) = target_row(row)?;
        Ok(Match { short_code, folded, row })
    });
    Ok(Matches::new(matches.collect::<Result<Vec<_>, _>>()?).choose(lookup))
}

/// The columns of [`TargetRow`], those that the checksum covers, and the checksum.
static MATCH_COLUMNS: LazyLock<String> = LazyLock::new(|| {
    let proven = PROVEN.map(|column| format!("links.{}", column.as_str())).join(", ");
    format!("{TARGET_COLUMNS}, {proven}, checksum, links.short_code AS code")
});

/// Position of the code in [`MATCH_COLUMNS`].
const CODE_AT: usize = 10 + PROVEN.len() + 1;

/// Decodes a row of [`MATCH_COLUMNS`] and the folded code that matches, if one does.
fn target_row(row: &Row<'_>) -> rusqlite::Result<(String, Option<String>, TargetRow)> {
    static PROVEN_AT: LazyLock<ProvenPositions> =
        LazyLock::new(|| ProvenPositions::find(&MATCH_COLUMNS));
    PROVEN_AT.check(row)?;
    let target = TargetRow {
        link_id: row.get(0)?,
        owner_id: row.get(1)?,
        destination_url: row.get(2)?,
        disabled_reason: row.get(3)?,
        suspended_reason: row.get(4)?,
        expires_at: row.get(5)?,
        forward_query: row.get(6)?,
        is_paused: row.get(7)?,
        fallback_url: row.get(8)?,
        owner_fallback_url: row.get(9)?,
    };
    Ok((row.get(CODE_AT)?, row.get(CODE_AT + 1)?, target))
}

/// Finds links with their clicks in one transaction, and returns one result per key in the same
/// order. If a row is damaged, only the result of its key is an error.
fn find_with_clicks(readers: &Readers, keys: &[LinkRef]) -> Vec<BatchResult<Option<Link>>> {
    match readers.read(|db| find_all_with_clicks(db, keys)) {
        Ok(found) => found.into_iter().map(Ok).collect(),
        // No retry in smaller parts, because the query for each part would wait as long again.
        Err(error) if is_busy(&error) => {
            let error = Arc::new(StoreError::Busy);
            keys.iter().map(|_| Err(Arc::clone(&error))).collect()
        }
        Err(_) if keys.len() > 1 => {
            let (first, second) = keys.split_at(keys.len() / 2);
            [first, second].into_iter().flat_map(|half| find_with_clicks(readers, half)).collect()
        }
        Err(error) => vec![Err(Arc::new(error.into()))],
    }
}

fn find_all_with_clicks(db: &Connection, keys: &[LinkRef]) -> rusqlite::Result<Vec<Option<Link>>> {
    db.prepare_cached("BEGIN")?.execute([])?;
    let mut counted = db.prepare_cached(&format!(
        "SELECT {LINK_COLUMNS}{COUNTED_CLICKS}
         FROM links
         WHERE short_code = ?1 AND owner_id IS NOT NULL AND (owner_id = ?2 OR ?2 IS NULL)"
    ))?;
    let mut links = keys
        .iter()
        .map(|LinkRef { owner_id, code }| {
            counted.query_one((code.as_str(), owner_id), link_with_clicks).optional()
        })
        .collect::<Result<Vec<_>, _>>()?;
    add_pending(db, links.iter_mut().flatten())?;
    db.prepare_cached("COMMIT")?.execute([])?;
    Ok(links)
}

/// Adds the pending clicks of these links to their `clicks` in memory. It scans `pending_clicks`
/// once for all of them, because the table has no index on `link_id`.
fn add_pending<'a>(
    db: &Connection,
    links: impl Iterator<Item = &'a mut Link>,
) -> rusqlite::Result<()> {
    let mut clicks: HashMap<i64, Vec<&mut i64>> = HashMap::new();
    for link in links {
        clicks.entry(link.id).or_default().push(&mut link.clicks);
    }
    let (Some(first), Some(last)) = (clicks.keys().min(), clicks.keys().max()) else {
        return Ok(());
    };
    let mut pending = db.prepare_cached(
        "SELECT link_id, count, proof FROM pending_clicks WHERE link_id BETWEEN ?1 AND ?2",
    )?;
    let mut rows = pending.query((first, last))?;
    while let Some(row) = rows.next()? {
        let link_id = row.get(0)?;
        let count = proven_count(link_id, row.get(1)?, row.get(2)?)?;
        for clicks in clicks.get_mut(&link_id).into_iter().flatten() {
            **clicks = (**clicks + count).min(MAX_CLICKS);
        }
    }
    Ok(())
}

fn link_with_clicks(row: &Row<'_>) -> rusqlite::Result<Link> {
    static PROVEN_AT: LazyLock<ProvenPositions> =
        LazyLock::new(|| ProvenPositions::find(&format!("{LINK_COLUMNS}, clicks, checksum")));
    PROVEN_AT.check(row)?;
    Ok(decode_link!(row, get))
}
