//! Queries for links with their clicks.

use std::sync::Arc;

use super::database::Postgres;
use crate::store::batcher::BatchResult;
use crate::store::dialect::SqlDialect;
use crate::store::error::{StoreError, absent_if_invalid};
use crate::store::link_pages::{LinkPage, LinkRange};
use crate::store::links::{LINK_COLUMNS, Link, LinkKey};
use crate::store::query::{row, rows};

impl Postgres {
    /// Finds a link with its clicks, pending ones included.
    pub(in crate::store) async fn find_with_clicks(
        &self,
        key: LinkKey,
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
        let LinkKey { owner_id, code } = key;
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
