//! Imports: each has a connection of its own, and creates many links per transaction.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use sea_orm::prelude::async_trait::async_trait;
use sea_orm::sqlx::postgres::PgRow;
use sea_orm::sqlx::{self, PgConnection, PgTransaction, Row as _};

use super::commits::Commits;
use super::connector::{PgConnector, statement_error};
use super::database::Postgres;
use super::link_columns;
use super::server_info::process_id;
use crate::store::books_clock;
use crate::store::code_lookup::STORE_KIND;
use crate::store::dialect::SqlDialect;
use crate::store::error::{Attempts, StoreError};
use crate::store::import::{
    ExistingLink, IMPORT_ALLOWANCE, ImportLink, ImportOutcome, ImportWriter, UnresolvedLinks,
    code_kinds,
};
use crate::store::links::property_names;
use crate::store::usage::CountCreated;
use crate::values::Month;

/// Maximum number of links per transaction. Other creations of the same owner wait for the
/// transaction.
const MAX_LINKS: usize = 1_000;

/// Serialises the transactions of imports, which could otherwise deadlock on short codes.
const LOCK_IMPORTS: &str = "SELECT pg_advisory_xact_lock(8386658464824649840)";

/// Locks the owner's row, as every creation of links does.
///
/// A later statement reads the plan. If this statement waited while another transaction assigned a
/// plan, a join in it would combine the new owner row with the plan from the old snapshot.
const LOCK_OWNER: &str = "SELECT FROM owners WHERE id = $1 FOR NO KEY UPDATE";

const FIND_EXISTING: &str = "
    SELECT short_code, owner_id, destination_url FROM links WHERE short_code = ANY ($1::text[])";

const FIND_EXTERNAL_IDS: &str = "
    SELECT external_id FROM links
    WHERE owner_id = $1 AND external_id = ANY ($2::text[] COLLATE \"C\")";

static COUNT_CREATED: LazyLock<CountCreated> =
    LazyLock::new(|| CountCreated::new(SqlDialect::Postgres));

/// Inserts links, and returns the codes of the inserted ones. It skips a link whose external identifier
/// is in use, or whose code a concurrent creation has taken. Imported clicks are an opening balance, because their days are
/// unknown.
///
/// It inserts links in the order of their identifiers, which fills the pages of two indexes. Other
/// creations insert links in the order of their codes. If the two deadlock, PostgreSQL aborts one
/// transaction and Terse retries it.
static INSERT: LazyLock<String> = LazyLock::new(|| {
    let (names, arrays) = (property_names(""), link_columns::parameters(4));
    format!(
        "WITH input AS (
            SELECT * FROM unnest($2::text[], $3::bigint[], {arrays}) WITH ORDINALITY
                AS input (code, clicks, {names}, number)
        ), numbered AS MATERIALIZED (
            SELECT nextval(pg_get_serial_sequence('links', 'id')) AS id, ordered.*
            FROM (SELECT * FROM input ORDER BY number) AS ordered
        ), created AS (
            INSERT INTO links (id, owner_id, short_code, {names})
            SELECT id, $1, code, {names} FROM numbered ORDER BY id
            ON CONFLICT DO NOTHING
            RETURNING id, short_code
        ), counted AS (
            INSERT INTO click_counts (link_id, count, opening, closed)
            SELECT created.id, input.clicks, input.clicks, input.clicks FROM created
            JOIN input ON input.code COLLATE \"C\" = created.short_code WHERE input.clicks > 0
            ORDER BY created.id
        )
        SELECT short_code FROM created"
    )
});

/// Lets links answer to their folded codes, unless other links do so already. Returns the codes of
/// those that did not before.
const FOLD: &str = "
    WITH added AS (
        INSERT INTO folded_codes (link_id, folded)
        SELECT links.id, input.folded
        FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS input (code, folded, number)
        JOIN links ON links.short_code = input.code COLLATE \"C\"
        ORDER BY number ON CONFLICT DO NOTHING
        RETURNING link_id
    )
    SELECT short_code FROM added JOIN links ON links.id = link_id";

/// Finds the links whose codes in any letter case belong to other links.
const FIND_FOLDS_IN_USE: &str = "
    SELECT input.code FROM unnest($1::text[], $2::text[]) AS input (code, folded)
    JOIN links ON links.short_code = input.code COLLATE \"C\"
    JOIN folded_codes ON folded_codes.folded = input.folded COLLATE \"C\"
    WHERE folded_codes.link_id <> links.id";

/// Importer of the links of one owner.
#[derive(Debug)]
pub(in crate::store) struct PgImporter {
    connection: PgConnection,
    connector: PgConnector,
    commits: Arc<Commits>,
    owner_id: i64,
}

impl Postgres {
    /// Opens a connection for an import.
    pub(in crate::store) async fn importer(&self, owner_id: i64) -> Result<PgImporter, StoreError> {
        let connector = self.lease()?.pools.connector.clone();
        let connection = connector.connect().await.map_err(statement_error)?;
        let commits = Arc::clone(self.commits());
        Ok(PgImporter { connection, connector, commits, owner_id })
    }
}

#[async_trait(?Send)]
impl ImportWriter for PgImporter {
    async fn put(&mut self, links: &[ImportLink]) -> Result<Vec<ImportOutcome>, StoreError> {
        let links = &links[..MAX_LINKS.min(links.len())];
        let mut attempts = Attempts::default();
        loop {
            self.commits.check()?;
            let result = self.put_all(links).await;
            match result.map_err(|error| StoreError::from(statement_error(error))) {
                Err(error) if attempts.may_retry(Some(&error)).await => {}
                result => return result?.ok_or(StoreError::OwnerUnavailable),
            }
        }
    }

    /// Closes the connection. PostgreSQL has already flushed every commit.
    async fn finish(self: Box<Self>) -> Result<(), StoreError> {
        Ok(sqlx::Connection::close(self.connection).await.map_err(statement_error)?)
    }
}

impl PgImporter {
    /// Imports all `links` in one transaction, and returns their outcomes. Returns `None` if the
    /// owner is suspended or does not exist.
    async fn put_all(
        &mut self,
        links: &[ImportLink],
    ) -> Result<Option<Vec<ImportOutcome>>, sqlx::Error> {
        let Self { connection, connector, commits, owner_id } = self;
        let is_persistent = !connector.is_pooled;
        let query = |sql| sqlx::query(sql).persistent(is_persistent);
        let mut transaction = connector.begin(connection).await?;
        query(LOCK_IMPORTS).execute(&mut *transaction).await?;
        query(LOCK_OWNER).bind(*owner_id).execute(&mut *transaction).await?;
        let allowance =
            query(IMPORT_ALLOWANCE).bind(*owner_id).fetch_optional(&mut *transaction).await?;
        let Some(allowance) = allowance else { return Ok(None) };
        let allowance: i64 = allowance.try_get(0)?;
        for kind in code_kinds(links) {
            query(STORE_KIND).bind(kind.into_str()).execute(&mut *transaction).await?;
        }
        let mut unresolved = UnresolvedLinks::new(links, *owner_id);
        let mut created = 0;
        let mut outcomes = loop {
            if let Some(outcomes) = unresolved.resolved() {
                break outcomes;
            }
            let existing = query(FIND_EXISTING).bind(unresolved.codes());
            let mut existing_links = Vec::new();
            for row in existing.fetch_all(&mut *transaction).await? {
                existing_links.push(ExistingLink {
                    short_code: row.try_get(0)?,
                    owner_id: row.try_get(1)?,
                    destination_url: row.try_get(2)?,
                });
            }
            let chosen = unresolved.choose_links_to_create(existing_links, allowance - created);
            if chosen.is_empty() {
                continue;
            }
            let codes = insert(&mut transaction, is_persistent, *owner_id, links, &chosen).await?;
            let mut refused = Vec::new();
            for index in chosen {
                if codes.contains(links[index].code.as_str()) {
                    created += 1;
                    unresolved.mark(index, ImportOutcome::Created);
                } else {
                    refused.push(index);
                }
            }
            let external_id = |index: &usize| links[*index].properties.link.external_id.as_deref();
            refused.retain(|index| external_id(index).is_some());
            if !refused.is_empty() {
                let ids: Vec<_> = refused.iter().filter_map(external_id).collect();
                let find = query(FIND_EXTERNAL_IDS).bind(*owner_id).bind(ids);
                let taken = texts_of(&find.fetch_all(&mut *transaction).await?)?;
                for index in refused {
                    if external_id(&index).is_some_and(|id| taken.contains(id)) {
                        unresolved.mark(index, ImportOutcome::ExternalIdInUse);
                    }
                }
            }
        };
        let (folded, texts): (Vec<usize>, Vec<String>) = (0..links.len())
            .filter(|index| outcomes[*index].is_there())
            .filter_map(|index| Some((index, links[index].folded()?)))
            .unzip();
        if !folded.is_empty() {
            let codes: Vec<&str> = folded.iter().map(|index| links[*index].code.as_str()).collect();
            let fold = query(FOLD).bind(&codes).bind(&texts);
            let mut added = texts_of(&fold.fetch_all(&mut *transaction).await?)?;
            let find = query(FIND_FOLDS_IN_USE).bind(&codes).bind(&texts);
            let taken = texts_of(&find.fetch_all(&mut *transaction).await?)?;
            for index in folded {
                let code = links[index].code.as_str();
                // Of several rows with the same code, the first one has added the letter case.
                if added.remove(code) {
                    outcomes[index] = outcomes[index].with_case();
                } else if taken.contains(code) {
                    outcomes[index] = outcomes[index].without_case();
                }
            }
        }
        if created > 0 {
            let month = Month::from(books_clock::time(connector.clock.now()));
            let (number, next) = (month.number(), month.next().number());
            let keep = query(&COUNT_CREATED.keep).bind(*owner_id).bind(number).bind(next);
            keep.execute(&mut *transaction).await?;
            let count =
                query(&COUNT_CREATED.count).bind(created).bind(number).bind(next).bind(*owner_id);
            count.execute(&mut *transaction).await?;
        }
        let process_id = process_id(&mut transaction).await?;
        commits.run_or_cancel_wait(connector, process_id, transaction.commit()).await?;
        Ok(Some(outcomes))
    }
}

/// Inserts the chosen links, and returns the codes of the links that it created.
async fn insert(
    transaction: &mut PgTransaction<'_>,
    is_persistent: bool,
    owner_id: i64,
    links: &[ImportLink],
    chosen: &[usize],
) -> Result<HashSet<String>, sqlx::Error> {
    let chosen = || chosen.iter().map(|index| &links[*index]);
    let query = sqlx::query(INSERT.as_str())
        .persistent(is_persistent)
        .bind(owner_id)
        .bind(chosen().map(|link| link.code.as_str()).collect::<Vec<_>>())
        .bind(chosen().map(|link| link.clicks).collect::<Vec<_>>());
    let properties: Vec<_> = chosen().map(|link| &link.properties).collect();
    let query = link_columns::bind(query, &properties);
    texts_of(&query.fetch_all(&mut **transaction).await?)
}

/// Returns the texts in the first column of rows.
fn texts_of(rows: &[PgRow]) -> Result<HashSet<String>, sqlx::Error> {
    rows.iter().map(|row| row.try_get(0)).collect()
}
