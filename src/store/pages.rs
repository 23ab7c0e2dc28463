//! Pages of an owner's links, newest first.

use sea_orm::{ConnectionTrait as _, DbBackend, FromQueryResult, Value};

use super::links::CountedLink;
use super::{Kind, Store, StoreError, rows};

/// Which of an owner's links a list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those of this campaign.
    pub campaign: Option<String>,
    /// Only those that redirect, or only those that do not.
    pub active: Option<bool>,
}

impl Filter {
    /// The condition and the order of a page: `$1` is the owner, `$2` the identifier that all are
    /// below, `$3` how many there may be, `$4` the campaign where one is asked for. What else is asked
    /// for stands in the text, so that the index of those few is known to have them.
    /// With `plus` before its columns SQLite looks for no index by them.
    fn page(&self, backend: DbBackend, plus: &str) -> String {
        let active = match self.active {
            None => String::new(),
            Some(active) => format!(" AND {plus}is_active = {}", i32::from(active)),
        };
        // As PostgreSQL's index has them: a thousand identifiers are one entry in it.
        let (campaign, order) = match (&self.campaign, backend) {
            (None, _) => (String::new(), "id DESC"),
            (Some(_), DbBackend::Postgres) => (
                " AND campaign = $4 AND id >> 10 <= ($2 - 1) >> 10".to_owned(),
                "id >> 10 DESC, id DESC",
            ),
            (Some(_), _) => (format!(" AND {plus}campaign = $4"), "id DESC"),
        };
        format!("owner_id = $1 AND id < $2{campaign}{active} ORDER BY {order} LIMIT $3")
    }

    /// Selects a page with all clicks. The page comes first and is counted then, so that no plan
    /// counts what it does not show.
    pub(super) fn count_page(&self, backend: DbBackend) -> String {
        let page = self.page(backend, "");
        format!(
            "WITH page AS (
                 SELECT id, short_code, destination_url, campaign, is_active FROM links WHERE {page}
             )
             SELECT page.id, short_code, destination_url, campaign, is_active,
                 CAST(COALESCE((SELECT count FROM click_counts WHERE link_id = page.id), 0)
                     + COALESCE((SELECT count FROM recent_counts WHERE link_id = page.id), 0)
                     + COALESCE(waiting.count, 0) AS bigint) AS clicks
             FROM page
             LEFT JOIN (SELECT link_id, SUM(count) AS count FROM clicks GROUP BY link_id) AS waiting
                 ON waiting.link_id = page.id
             ORDER BY page.id DESC"
        )
    }

    /// Selects a page of links with QR codes, by their own index: they are few.
    pub(super) fn qr_page(&self, backend: DbBackend) -> String {
        let page = self.page(backend, if backend == DbBackend::Sqlite { "+" } else { "" });
        format!(
            "SELECT id, short_code, destination_url, title, has_qr FROM links
             WHERE has_qr = 1 AND {page}"
        )
    }

    fn values(&self, owner_id: i64, before: i64, limit: u32) -> Vec<Value> {
        let mut values = vec![owner_id.into(), before.into(), i64::from(limit).into()];
        values.extend(self.campaign.clone().map(Value::from));
        values
    }
}

/// At most `limit` of the owner's links below the identifier `before`, newest first, with all
/// their clicks.
///
/// # Errors
/// When the database fails.
pub async fn count(
    store: &Store,
    owner_id: i64,
    filter: &Filter,
    before: i64,
    limit: u32,
) -> Result<Vec<CountedLink>, StoreError> {
    let postgres = match store.kind() {
        Kind::Sqlite(sqlite) => return sqlite.count_page(owner_id, filter, before, limit).await,
        Kind::Postgres(postgres) => postgres,
    };
    let query = filter.count_page(DbBackend::Postgres);
    rows(postgres, &query, filter.values(owner_id, before, limit)).await
}

/// A link whose QR code is enabled.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct QrLink {
    /// Where a walk goes on.
    pub id: i64,
    /// The code.
    pub short_code: String,
    /// Where it leads.
    pub destination_url: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// 1
    pub has_qr: i32,
}

/// At most `limit` of the owner's links with a QR code below the identifier `before`, newest first.
///
/// # Errors
/// When the database fails.
pub async fn qr(
    store: &Store,
    owner_id: i64,
    filter: &Filter,
    before: i64,
    limit: u32,
) -> Result<Vec<QrLink>, StoreError> {
    let db = store.reader();
    let query = filter.qr_page(db.get_database_backend());
    rows(db, &query, filter.values(owner_id, before, limit)).await
}
