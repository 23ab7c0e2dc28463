//! Queries for links: lookups of redirect targets that are missing from the cache, statistics and pages.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use super::database::Postgres;
use super::pool::PoolKind;
use crate::store::batcher::BatchResult;
use crate::store::code_lookup::{CodeLookup, FoundTarget, Match, Matches};
use crate::store::dialect::SqlDialect;
use crate::store::error::{StoreError, absent_if_invalid};
use crate::store::link_pages::{LinkPage, LinkRange};
use crate::store::links::{LINK_COLUMNS, Link, LinkRef, TARGET_COLUMNS, TARGET_TABLES};
use crate::store::query::{row, rows};
use crate::values::ShortCode;

/// Query for the targets of several codes. The parameter is one text with a code per line, because
/// SeaORM binds arrays only with an additional feature. No code contains a line break.
static FIND: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT short_code, CAST(NULL AS text) AS folded, {TARGET_COLUMNS} FROM {TARGET_TABLES}
         WHERE short_code = ANY (string_to_array($1, E'\\n'))"
    )
});

/// As [`FIND`], and also for folded codes, which the second parameter lists.
static FIND_FOLDED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{} UNION ALL SELECT short_code, folded, {TARGET_COLUMNS}
         FROM {TARGET_TABLES} JOIN folded_codes ON folded_codes.link_id = links.id
         WHERE folded = ANY (string_to_array($2, E'\\n'))",
        *FIND
    )
});

impl Postgres {
    /// Finds the link that a path means. Concurrent calls share a query.
    pub(in crate::store) async fn target(
        &self,
        lookup: &CodeLookup,
    ) -> BatchResult<Option<FoundTarget>> {
        let db = self.with_pool(PoolKind::Lookups);
        self.shared.lookups.call(lookup.clone(), move |lookups| find(db.clone(), lookups)).await
    }
}

async fn find(db: Postgres, lookups: Vec<CodeLookup>) -> Vec<BatchResult<Option<FoundTarget>>> {
    match matches(&db, &lookups).await {
        Ok(matches) => lookups.iter().map(|lookup| Ok(matches.choose(lookup))).collect(),
        Err(StoreError::InvalidData(_)) => {
            let mut results = Vec::with_capacity(lookups.len());
            for lookup in &lookups {
                results.push(find_each(&db, lookup).await.map_err(Arc::new));
            }
            results
        }
        Err(error) => vec![Err(Arc::new(error)); lookups.len()],
    }
}

/// Finds the link of a lookup with a query per code. If the encoding of the database lacks a
/// character of a code, no link has the code.
async fn find_each(db: &Postgres, lookup: &CodeLookup) -> Result<Option<FoundTarget>, StoreError> {
    let CodeLookup { codes, folded, owner_id } = lookup;
    let only = |codes, folded| CodeLookup { codes, folded, owner_id: *owner_id };
    let codes = codes.iter().map(|code| only(vec![code.clone()], Vec::new()));
    let folded = folded.iter().map(|folded| only(Vec::new(), vec![folded.clone()]));
    for one in codes.chain(folded) {
        let found = matches(db, std::slice::from_ref(&one)).await.map(|all| all.choose(&one));
        if let Some(found) = absent_if_invalid(found)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the rows that match one of the lookups.
async fn matches(db: &Postgres, lookups: &[CodeLookup]) -> Result<Matches, StoreError> {
    let codes: Vec<&str> =
        lookups.iter().flat_map(|lookup| lookup.codes.iter().map(ShortCode::as_str)).collect();
    let folded: HashSet<&str> =
        lookups.iter().flat_map(|lookup| lookup.folded.iter().map(String::as_str)).collect();
    let codes = codes.join("\n").into();
    let found: Vec<Match> = if folded.is_empty() {
        rows(db, &FIND, [codes]).await?
    } else {
        let folded = folded.into_iter().collect::<Vec<_>>().join("\n").into();
        rows(db, &FIND_FOLDED, [codes, folded]).await?
    };
    Ok(Matches::new(found))
}

impl Postgres {
    /// Finds a link with its clicks, pending ones included.
    pub(in crate::store) async fn find_with_clicks(
        &self,
        key: LinkRef,
    ) -> BatchResult<Option<Link>> {
        // The query selects the link first, and then sums the pending clicks of only this link.
        let sql = format!(
            "WITH found AS (
                 SELECT {LINK_COLUMNS} FROM links
                 WHERE short_code = $1 AND owner_id IS NOT NULL
                     AND (owner_id = $2 OR CAST($2 AS bigint) IS NULL)
             )
             SELECT found.*,
                 CAST(COALESCE((SELECT count FROM click_counts WHERE link_id = found.id), 0)
                     + COALESCE((SELECT SUM(count) FROM pending_clicks WHERE link_id = found.id), 0)
                     AS bigint) AS clicks
             FROM found"
        );
        let LinkRef { owner_id, code } = key;
        let values = [code.as_str().into(), owner_id.into()];
        absent_if_invalid(row(self, &sql, values).await).map_err(Arc::new)
    }

    /// Reads a page of links.
    pub(in crate::store) async fn page(&self, page: LinkPage) -> Result<Vec<Link>, StoreError> {
        if !page.with_clicks {
            let (sql, values) = page.select(SqlDialect::Postgres, ", CAST(0 AS bigint)");
            return rows(self, &sql, values).await;
        }
        let order = match page.range {
            LinkRange::Before { .. } | LinkRange::BeforeOfAll { .. } => "DESC",
            LinkRange::After { .. } => "ASC",
        };
        let (selected, values) = page.select(SqlDialect::Postgres, "");
        // A subquery selects the page first, so that no query plan counts clicks of other links.
        let sql = format!(
            "WITH page AS ({selected})
             SELECT page.*,
                 CAST(COALESCE((SELECT count FROM click_counts WHERE link_id = page.id), 0)
                     + COALESCE(pending.count, 0) AS bigint)
             FROM page
             LEFT JOIN (SELECT link_id, SUM(count) AS count FROM pending_clicks GROUP BY link_id)
                 AS pending ON pending.link_id = page.id
             ORDER BY page.id {order}"
        );
        rows(self, &sql, values).await
    }
}
