//! Lookups of redirect targets that are missing from the cache.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use sea_orm::FromQueryResult;

use super::database::Postgres;
use super::pool::PoolKind;
use crate::store::batcher::BatchResult;
use crate::store::links::{TARGET_COLUMNS, TARGET_TABLES, TargetRow};
use crate::store::query::rows;
use crate::values::ShortCode;

/// Query for the targets of several codes. The parameter is one text with the codes separated by
/// commas, because SeaORM binds arrays only with an additional feature.
static FIND: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT short_code, {TARGET_COLUMNS} FROM {TARGET_TABLES}
         WHERE short_code = ANY (string_to_array($1, ','))"
    )
});

#[derive(FromQueryResult)]
struct CodeRow {
    short_code: String,
    #[sea_orm(nested)]
    target: TargetRow,
}

impl Postgres {
    /// Finds the target of a short code. Concurrent calls share a query.
    pub(in crate::store) async fn target(
        &self,
        code: &ShortCode,
    ) -> BatchResult<Option<TargetRow>> {
        let db = self.with_pool(PoolKind::Lookups);
        self.shared.lookups.call(code.clone(), move |codes| find(db.clone(), codes)).await
    }
}

async fn find(db: Postgres, codes: Vec<ShortCode>) -> Vec<BatchResult<Option<TargetRow>>> {
    let list = codes.iter().map(ShortCode::as_str).collect::<Vec<_>>().join(",");
    let found: Result<Vec<CodeRow>, _> = rows(&db, &FIND, [list.into()]).await;
    match found {
        Ok(found) => {
            let by_code = found.into_iter().map(|row| (row.short_code, row.target));
            let mut targets: HashMap<String, TargetRow> = by_code.collect();
            codes.iter().map(|code| Ok(targets.remove(code.as_str()))).collect()
        }
        Err(error) => vec![Err(Arc::new(error)); codes.len()],
    }
}
