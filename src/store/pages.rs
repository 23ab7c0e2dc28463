//! Pages of an owner's links, newest first.

use sea_orm::{ConnectionTrait as _, DbBackend, FromQueryResult, Value};

use super::clicks::with_clicks;
use super::links::CountedLink;
use super::{Backend, Store, StoreError, rows, statement};

/// Which of an owner's links a list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those of this campaign.
    pub campaign: Option<String>,
    /// Only those that redirect, or only those that do not.
    pub active: Option<bool>,
}

impl Filter {
    /// The table, the condition and the order of a list: `$1` is the owner, `$2` the identifier that all
    /// are below, `$3` is for how many, `$4` the campaign where one is asked for. What else is asked for
    /// stands in the text, so that the index of those few is known to have them.
    fn links(&self, backend: DbBackend, of_qr: bool) -> String {
        let has_qr = if of_qr { " AND has_qr = 1" } else { "" };
        let active = match self.active {
            None => "",
            Some(true) => " AND is_active = 1",
            Some(false) => " AND is_active = 0",
        };
        let campaign = if self.campaign.is_some() { " AND campaign = $4" } else { "" };
        let index = self.index(of_qr);
        let (hint, bound, order) = match (backend, index) {
            // As the index has them: a thousand identifiers are one entry in it.
            (DbBackend::Postgres, OF_CAMPAIGNS) => {
                (String::new(), " AND id >> 10 <= ($2 - 1) >> 10", "id >> 10 DESC, id DESC")
            }
            (DbBackend::Postgres, _) => (String::new(), "", "id DESC"),
            // SQLite keeps no figures here that it could choose by.
            _ => (format!(" INDEXED BY {index}"), "", "id DESC"),
        };
        format!(
            "links{hint}
             WHERE owner_id = $1 AND id < $2{bound}{has_qr}{campaign}{active} ORDER BY {order}"
        )
    }

    /// The index that leads to the fewest. Links are disabled by the operator, and are few.
    fn index(&self, of_qr: bool) -> &'static str {
        match (&self.campaign, self.active, of_qr) {
            (None, Some(false), _) => "links_disabled",
            (None, _, false) => "links_owner_id",
            (None, _, true) => "links_with_qr",
            (Some(_), Some(false), _) => "links_disabled_of_campaigns",
            (Some(_), _, false) => OF_CAMPAIGNS,
            (Some(_), _, true) => "links_with_qr_of_campaigns",
        }
    }

    /// Selects a page with all clicks.
    pub(super) fn count_page(&self, backend: DbBackend) -> String {
        let links = self.links(backend, CountedLink::OF_QR);
        let page = format!(
            "SELECT id, short_code, destination_url, campaign, is_active FROM {links} LIMIT $3"
        );
        with_clicks(&page, "DESC")
    }

    /// Selects a page of links with QR codes.
    pub(super) fn qr_page(&self, backend: DbBackend) -> String {
        let links = self.links(backend, QrLink::OF_QR);
        format!("SELECT id, short_code, destination_url, title FROM {links} LIMIT $3")
    }

    fn values(&self, owner_id: i64, before: i64, number: u32) -> Vec<Value> {
        let mut values = vec![owner_id.into(), before.into(), i64::from(number).into()];
        values.extend(self.campaign.clone().map(Value::from));
        values
    }
}

const OF_CAMPAIGNS: &str = "links_of_campaigns";

/// A link as a list shows it.
pub trait PageRow: Sized + Send + 'static {
    /// Whether the list is of links with a QR code alone.
    const OF_QR: bool;

    /// Where the list goes on after it.
    fn id(&self) -> i64;

    /// What its texts come to.
    fn bytes(&self) -> usize;

    /// At most `limit` of the owner's links below the identifier `before`, newest first.
    ///
    /// # Errors
    /// When the database fails.
    fn page(
        store: &Store,
        owner_id: i64,
        filter: &Filter,
        before: i64,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<Self>, StoreError>> + Send;
}

/// With all their clicks.
impl PageRow for CountedLink {
    const OF_QR: bool = false;

    fn id(&self) -> i64 {
        self.id
    }

    fn bytes(&self) -> usize {
        self.destination_url.len() + self.campaign.as_ref().map_or(0, String::len)
    }

    async fn page(
        store: &Store,
        owner_id: i64,
        filter: &Filter,
        before: i64,
        limit: u32,
    ) -> Result<Vec<Self>, StoreError> {
        let postgres = match store.kind() {
            Backend::Sqlite(sqlite) => {
                return sqlite.count_page(owner_id, filter, before, limit).await;
            }
            Backend::Postgres(postgres) => postgres,
        };
        let query = filter.count_page(DbBackend::Postgres);
        rows(postgres, &query, filter.values(owner_id, before, limit)).await
    }
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
}

impl PageRow for QrLink {
    const OF_QR: bool = true;

    fn id(&self) -> i64 {
        self.id
    }

    fn bytes(&self) -> usize {
        self.destination_url.len() + self.title.as_ref().map_or(0, String::len)
    }

    async fn page(
        store: &Store,
        owner_id: i64,
        filter: &Filter,
        before: i64,
        limit: u32,
    ) -> Result<Vec<Self>, StoreError> {
        let db = store.reader();
        let query = filter.qr_page(db.get_database_backend());
        rows(db, &query, filter.values(owner_id, before, limit)).await
    }
}

/// The identifiers of two of the owner's links below the identifier `before`, newest first, after so
/// many others; fewer where there are no more.
///
/// # Errors
/// When the database fails.
pub async fn two_after<T: PageRow>(
    store: &Store,
    owner_id: i64,
    filter: &Filter,
    before: i64,
    others: u32,
) -> Result<Vec<i64>, StoreError> {
    let db = store.reader();
    let links = filter.links(db.get_database_backend(), T::OF_QR);
    let query = format!("SELECT id FROM {links} LIMIT 2 OFFSET $3");
    let values = filter.values(owner_id, before, others);
    let found = db.query_all_raw(statement(db, &query, values)).await?;
    Ok(found.iter().map(|link| link.try_get_by_index(0)).collect::<Result<_, _>>()?)
}
