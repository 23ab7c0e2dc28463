//! Copies a whole database into an empty one. Each of the two may be SQLite or PostgreSQL.

use migration::SchemaStatus;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DbErr, EntityTrait, ExprTrait, FromQueryResult,
    IntoActiveModel, Iterable, ModelTrait, PrimaryKeyToColumn, QueryFilter, QueryOrder,
    QueryResult, QuerySelect, Value,
};
use serde::Serialize;

use super::clicks::LinkClicks;
use super::database::{Store, Transaction};
use super::dialect::SqlDialect;
use super::entities::{
    api_key, block_list, block_list_part, block_pattern, click_count, click_day, click_month,
    click_writer, deleted_click_day, domain, event, event_change, folded_code, idempotency_key,
    link, operator_key, owner, plan, usage_month, usage_request, webhook, webhook_click,
    webhook_delivery,
};
use super::error::StoreError;
use super::options::Durability;
use super::query::{row, rows};
use super::{blocks, click_days, code_lookup, installation, link_checksums};

/// Maximum number of rows per statement. With at most 18 columns, a statement has fewer parameters
/// than the 32,766 that SQLite allows.
const MAX_ROWS: u64 = 1_000;

/// Progress of a copy.
#[derive(Debug, Clone, Copy)]
pub struct CopyProgress {
    /// Name of the table that is being copied.
    pub table: &'static str,
    /// Number of rows copied so far.
    pub done: u64,
    /// Number of rows in the source.
    pub total: u64,
}

/// Numbers of rows and clicks in a database, by which [`copy`] compares the target with the source.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult, Serialize)]
pub struct DatabaseCounts {
    /// Number of plans.
    pub plans: i64,
    /// Number of owners.
    pub owners: i64,
    /// Number of API keys, revoked ones included.
    pub keys: i64,
    /// Number of operator keys, revoked ones included.
    pub operator_keys: i64,
    /// Number of domains.
    pub domains: i64,
    /// Number of links, deleted ones not included.
    pub links: i64,
    /// Number of deleted links, whose codes are never used again.
    pub retired_codes: i64,
    /// Number of events.
    pub events: i64,
    /// Number of changes of single links, owners and other things by the events.
    pub event_changes: i64,
    /// Number of rows of clicks by day.
    pub click_days: i64,
    /// Number of rows of clicks by month.
    pub click_months: i64,
    /// Number of rows of usage by owner and month.
    pub usage_months: i64,
    /// Sum of the clicks of all links.
    #[sea_orm(nested)]
    pub clicks: TotalClicks,
}

/// Returns what a database contains: `columns`, which are SQL, and the sum of the clicks of all links,
/// pending clicks included. `high` is the sum of the upper 32 bits of the counts, and `low` the sum of
/// the lower 32 bits, because the sum of all counts may exceed 64 bits.
///
/// It leaves out the pending clicks of deleted links, because the next rollup discards them.
pub(super) async fn with_clicks<R: FromQueryResult>(
    db: &impl ConnectionTrait,
    columns: &str,
) -> Result<R, StoreError> {
    let sql = format!(
        "SELECT {columns}, CAST(COALESCE(SUM(count >> 32), 0) AS bigint) AS high,
            CAST(COALESCE(SUM(count & 4294967295), 0) AS bigint) AS low
        FROM (
            SELECT count FROM click_counts
            UNION ALL SELECT count FROM recent_counts
            UNION ALL SELECT count FROM pending_clicks
            WHERE link_id NOT IN (SELECT id FROM links WHERE owner_id IS NULL)
        ) AS counts"
    );
    let missing = || StoreError::Copy("the database returned no numbers of rows".into());
    row(db, &sql, []).await?.ok_or_else(missing)
}

/// Sum of the clicks of all links, which may exceed 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TotalClicks(pub i128);

/// Reads the columns of [`with_clicks`].
impl FromQueryResult for TotalClicks {
    fn from_query_result(row: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        let column = |name| row.try_get::<i64>(prefix, name).map(i128::from);
        Ok(Self((column("high")? << 32) + column("low")?))
    }
}

async fn database_counts(db: &impl ConnectionTrait) -> Result<DatabaseCounts, StoreError> {
    let columns = "(SELECT COUNT(*) FROM plans) AS plans,
        (SELECT COUNT(*) FROM owners) AS owners,
        (SELECT COUNT(*) FROM api_keys) AS keys,
        (SELECT COUNT(*) FROM operator_keys) AS operator_keys,
        (SELECT COUNT(*) FROM domains) AS domains,
        (SELECT COUNT(*) FROM links WHERE owner_id IS NOT NULL) AS links,
        (SELECT COUNT(*) FROM links WHERE owner_id IS NULL) AS retired_codes,
        (SELECT COUNT(*) FROM events) AS events,
        (SELECT COUNT(*) FROM event_changes) AS event_changes,
        (SELECT COUNT(*) FROM click_days) AS click_days,
        (SELECT COUNT(*) FROM click_months) AS click_months,
        (SELECT COUNT(*) FROM usage_months) AS usage_months";
    with_clicks(db, columns).await
}

/// Copies all rows of `from` into `to` in one transaction, and returns their numbers. The target
/// must have a schema and no owners.
///
/// # Errors
/// [`StoreError::TargetNotEmpty`]; [`StoreError::Copy`] if the target differs from the source after the
/// copy; or if a database fails. After an error, the target is unchanged.
pub async fn copy(
    from: &Store,
    to: &Store,
    progress: impl FnMut(CopyProgress),
) -> Result<DatabaseCounts, StoreError> {
    for store in [from, to] {
        // The copy would lack columns and tables that a newer version of Terse has added.
        if migration::schema_status(store.reader()).await? == SchemaStatus::Newer {
            return Err(StoreError::Copy(
                "the database was migrated by a newer terse; use that version to copy it".into(),
            ));
        }
    }
    // All tables are read from one snapshot of the source, so that they are consistent with each
    // other.
    let source = from.snapshot().await?;
    let target = to.begin(Durability::PowerLoss).await?;
    let db = &target;
    let before = database_counts(db).await?;
    let keys = before.keys + before.operator_keys;
    let used = [before.owners, keys, before.links, before.retired_codes, before.events];
    if used.iter().any(|count| *count > 0) {
        return Err(StoreError::TargetNotEmpty);
    }
    let expected = database_counts(&source).await?;

    installation::set_secret(db, &installation::secret(&source).await?).await?;
    plan::Entity::delete_many().exec(db).await?;
    let copier = &mut Copier { source: &source, target: db, progress };
    copier.copy::<plan::Entity>(None).await?;
    copier.copy::<owner::Entity>(Some(("owners", expected.owners))).await?;
    copier.copy::<api_key::Entity>(Some(("keys", expected.keys))).await?;
    copier.copy::<operator_key::Entity>(None).await?;
    copier.copy::<domain::Entity>(None).await?;
    let links = expected.links + expected.retired_codes;
    copier.copy::<link::Entity>(Some(("links", links))).await?;
    link_checksums::set_all(db).await?;
    copier.copy::<folded_code::Entity>(None).await?;
    code_lookup::store_kinds(db, code_lookup::kinds(&source).await?).await?;
    copier.copy::<click_count::Entity>(None).await?;
    click_days::set_all(db, &click_days::state(&source).await?).await?;
    copier.copy::<click_day::Entity>(Some(("days", expected.click_days))).await?;
    copier.copy::<deleted_click_day::Entity>(None).await?;
    copier.copy::<click_month::Entity>(None).await?;
    copier.copy::<usage_month::Entity>(None).await?;
    copier.copy::<usage_request::Entity>(None).await?;
    // Clients that retry a request at the copy get the same response.
    copier.copy::<idempotency_key::Entity>(None).await?;
    // The copy must recognise spool files whose clicks the source has already stored.
    copier.copy::<click_writer::Entity>(None).await?;
    copier.copy::<event::Entity>(Some(("events", expected.events))).await?;
    copier.copy::<event_change::Entity>(None).await?;
    copier.copy::<webhook::Entity>(None).await?;
    copier.copy::<webhook_delivery::Entity>(None).await?;
    copier.copy::<webhook_click::Entity>(None).await?;
    copy_pending_clicks(&source, db).await?;
    block_pattern::Entity::delete_many().exec(db).await?;
    copier.copy::<block_pattern::Entity>(None).await?;
    copy_block_lists(&source, db).await?;
    continue_identifiers(db).await?;

    let copied = database_counts(db).await?;
    if copied != expected {
        let differences = differences(&copied, &expected);
        return Err(StoreError::Copy(format!(
            "the copy differs from its source ({differences}); nothing was copied"
        )));
    }
    target.commit().await?;
    Ok(copied)
}

/// Returns how the content of a copy differs from what is expected, such as `links: 10 instead of 12`.
pub(super) fn differences(copied: &impl Serialize, expected: &impl Serialize) -> String {
    let [copied, expected] = [serde_json::to_value(copied), serde_json::to_value(expected)]
        .map(|content| content.unwrap_or_default());
    let names = expected.as_object().into_iter().flat_map(|fields| fields.keys());
    let differing = names.filter(|name| copied[*name] != expected[*name]);
    let difference = |name| format!("{name}: {} instead of {}", copied[name], expected[name]);
    differing.map(difference).collect::<Vec<_>>().join(", ")
}

fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

/// Converts a row into an active model that inserts every column, including the identifier.
fn into_insert<M>(model: M) -> ActiveOf<M>
where
    M: ModelTrait + IntoActiveModel<ActiveOf<M>>,
{
    model.into_active_model().reset_all()
}

type ActiveOf<M> = <<M as ModelTrait>::Entity as EntityTrait>::ActiveModel;

/// What copies tables: the two databases, and what receives the progress.
struct Copier<'c, F> {
    source: &'c Transaction,
    target: &'c Transaction,
    progress: F,
}

impl<F: FnMut(CopyProgress)> Copier<'_, F> {
    /// Copies a table page by page, in the order of its primary key. If the table has a name and a
    /// number of rows to report, it reports the number of rows copied so far.
    async fn copy<E>(&mut self, reported: Option<(&'static str, i64)>) -> Result<(), StoreError>
    where
        E: EntityTrait,
        E::Model: ModelTrait<Entity = E> + IntoActiveModel<E::ActiveModel> + FromQueryResult + Sync,
        E::ActiveModel: Send,
    {
        let key: Vec<E::Column> = E::PrimaryKey::iter().map(|key| key.into_column()).collect();
        let (mut last, mut done) = (None::<Vec<Value>>, 0);
        loop {
            let mut page = E::find();
            if let Some(last) = last {
                let position = Expr::tuple(key.iter().copied().map(Expr::col));
                page = page.filter(position.gt(Expr::tuple(last.into_iter().map(Expr::value))));
            }
            for column in &key {
                page = page.order_by_asc(*column);
            }
            let page = page.limit(MAX_ROWS).all(self.source).await?;
            let Some(newest) = page.last() else { return Ok(()) };
            last = Some(key.iter().map(|column| newest.get(*column)).collect());
            done += page.len() as u64;
            let rows = page.into_iter().map(into_insert);
            E::insert_many(rows).exec_without_returning(self.target).await?;
            if let Some((table, total)) = reported {
                (self.progress)(CopyProgress { table, done, total: unsigned(total) });
            }
        }
    }
}

/// Adds the recent counts and pending clicks of the source to the click counts of the target.
async fn copy_pending_clicks(
    source: &impl ConnectionTrait,
    target: &impl ConnectionTrait,
) -> Result<(), StoreError> {
    let pending: Vec<LinkClicks> = rows(
        source,
        "SELECT link_id, CAST(SUM(count) AS bigint) AS count
         FROM (SELECT link_id, count FROM recent_counts
               UNION ALL SELECT link_id, count FROM pending_clicks
               WHERE link_id NOT IN (SELECT id FROM links WHERE owner_id IS NULL)) AS pending
         GROUP BY link_id",
        [],
    )
    .await?;
    let add = OnConflict::column(click_count::Column::LinkId)
        .value(click_count::Column::Count, Expr::cust("click_counts.count + excluded.count"))
        .value(click_count::Column::IsOpen, true)
        .to_owned();
    for part in pending.chunks(MAX_ROWS as usize) {
        let rows = part.iter().map(|&LinkClicks { link_id, count }| {
            into_insert(click_count::Model { link_id, count, opening: 0, closed: 0, is_open: true })
        });
        click_count::Entity::insert_many(rows)
            .on_conflict(add.clone())
            .exec_without_returning(target)
            .await?;
    }
    Ok(())
}

/// Lets the identifiers of new rows follow those of copied ones; inserts with explicit identifiers
/// do not. Those of owners follow deleted ones too, whose events would otherwise seem to be about new
/// owners.
async fn continue_identifiers(db: &impl ConnectionTrait) -> Result<(), StoreError> {
    let last = |table| format!("(SELECT COALESCE(MAX(id), 0) FROM {table})");
    let owners = "(SELECT id FROM owners UNION ALL SELECT owner_id FROM events) AS ids";
    let tables = [
        "api_keys",
        "operator_keys",
        "links",
        "idempotency_keys",
        "events",
        "event_changes",
        "webhooks",
        "webhook_deliveries",
    ];
    let all =
        tables.map(|table| (table, last(table))).into_iter().chain([("owners", last(owners))]);
    for (table, last) in all {
        for statement in SqlDialect::from_connection(db).continue_identifiers(table, &last) {
            db.execute_unprepared(&statement).await?;
        }
    }
    Ok(())
}

/// Number of parts of imported lists per statement.
const PAGE_PARTS: u64 = 16;

/// Replaces the imported lists in the target by the lists of the source. It does not copy parts of
/// imports that are not in force.
async fn copy_block_lists(
    source: &impl ConnectionTrait,
    target: &impl ConnectionTrait,
) -> Result<(), StoreError> {
    block_list::Entity::delete_many().exec(target).await?;
    block_list_part::Entity::delete_many().exec(target).await?;
    for list in blocks::lists(source).await? {
        let (import_id, mut next) = (list.import_id, 0);
        blocks::put_list(target, list).await?;
        loop {
            let parts = blocks::parts(source, import_id, next, PAGE_PARTS).await?;
            let Some(newest) = parts.last() else { break };
            next = newest.part + 1;
            blocks::insert_parts(target, parts).await?;
        }
    }
    Ok(())
}
