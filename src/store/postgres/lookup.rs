//! Lookups of redirect targets that are missing from the cache.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use sea_orm::FromQueryResult;

use super::database::Postgres;
use super::pool::PoolKind;
use crate::store::batcher::BatchResult;
use crate::store::code_lookup::{CodeLookup, FoundTarget, Match, Matches};
use crate::store::links::{TARGET_COLUMNS, TARGET_TABLES, TargetRow};
use crate::store::query::rows;

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

#[derive(FromQueryResult)]
struct MatchRow {
    short_code: String,
    folded: Option<String>,
    #[sea_orm(nested)]
    target: TargetRow,
}

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
    let codes: Vec<&str> =
        lookups.iter().flat_map(|lookup| lookup.codes.iter().map(|code| code.as_str())).collect();
    let folded: HashSet<&str> =
        lookups.iter().flat_map(|lookup| lookup.folded.iter().map(String::as_str)).collect();
    let codes = codes.join("\n").into();
    let found: Result<Vec<MatchRow>, _> = if folded.is_empty() {
        rows(&db, &FIND, [codes]).await
    } else {
        let folded = folded.into_iter().collect::<Vec<_>>().join("\n").into();
        rows(&db, &FIND_FOLDED, [codes, folded]).await
    };
    match found {
        Ok(found) => {
            let matches = found.into_iter().map(|row| {
                let MatchRow { short_code, folded, target } = row;
                Match { short_code, folded, row: target }
            });
            let matches = Matches::new(matches);
            lookups.iter().map(|lookup| Ok(matches.choose(lookup))).collect()
        }
        Err(error) => vec![Err(Arc::new(error)); lookups.len()],
    }
}
