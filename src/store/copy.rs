//! A whole database into an empty one, of either kind.

use migration::SchemaStatus;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, FromQueryResult,
    IntoActiveModel, ModelTrait, QueryFilter, QueryOrder, QuerySelect, Value,
};
use serde::Serialize;

use super::database::Store;
use super::durability::Durability;
use super::entities::{api_key, click_count, click_writer, idempotency_key, link, owner, plan};
use super::error::StoreError;
use super::installation;
use super::query::{row, rows};

/// Rows a statement: at most 14 columns each, they stay below the 32,766 parameters that SQLite takes.
const BATCH: u64 = 1_000;

/// How far a copy is.
#[derive(Debug, Clone, Copy)]
pub struct CopyProgress {
    /// The table.
    pub table: &'static str,
    /// Rows copied so far.
    pub done: u64,
    /// Rows there are.
    pub total: u64,
}

/// What a database holds, to compare two of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Contents {
    /// Plans.
    pub plans: i64,
    /// Owners.
    pub owners: i64,
    /// Keys, revoked ones among them.
    pub keys: i64,
    /// Links.
    pub links: i64,
    /// Clicks of all links together.
    pub clicks: i128,
}

/// The upper and the lower halves of the counts are added up apart: all of them together may be more than
/// a database's integers hold.
const CONTENTS: &str = "SELECT
    (SELECT COUNT(*) FROM plans) AS plans,
    (SELECT COUNT(*) FROM owners) AS owners,
    (SELECT COUNT(*) FROM api_keys) AS keys,
    (SELECT COUNT(*) FROM links) AS links,
    counted.high AS clicks_high,
    counted.low AS clicks_low
    FROM (
        SELECT CAST(COALESCE(SUM(count >> 32), 0) AS bigint) AS high,
            CAST(COALESCE(SUM(count & 4294967295), 0) AS bigint) AS low
        FROM (
            SELECT count FROM click_counts
            UNION ALL SELECT count FROM recent_counts
            UNION ALL SELECT count FROM pending_clicks
        ) AS counts
    ) AS counted";

#[derive(FromQueryResult)]
struct ContentsRow {
    plans: i64,
    owners: i64,
    keys: i64,
    links: i64,
    clicks_high: i64,
    clicks_low: i64,
}

async fn contents(db: &impl ConnectionTrait) -> Result<Contents, StoreError> {
    let row = row(db, CONTENTS, []).await?;
    let ContentsRow { plans, owners, keys, links, clicks_high, clicks_low } =
        row.ok_or_else(|| StoreError::Copy("the database does not say what it holds".into()))?;
    let clicks = (i128::from(clicks_high) << 32) + i128::from(clicks_low);
    Ok(Contents { plans, owners, keys, links, clicks })
}

/// Copies everything of `from` into `to`, which must have a schema and no owners, in one
/// transaction: it is there whole or not at all. Returns what was copied.
///
/// # Errors
/// [`StoreError::Copy`] where the target is not empty or differs at the end, or when a database fails.
pub async fn copy(
    from: &Store,
    to: &Store,
    mut progress: impl FnMut(CopyProgress),
) -> Result<Contents, StoreError> {
    for store in [from, to] {
        // What a later program has added would be left out, or want to be filled.
        if migration::schema_status(store.reader()).await? == SchemaStatus::Newer {
            return Err(StoreError::Copy(
                "the database was migrated by a newer terse; use that version to copy it".into(),
            ));
        }
    }
    // One snapshot of the source, so that the tables agree however busy it is.
    let source = from.snapshot().await?;
    let target = to.begin(Durability::PowerLoss).await?;
    let db = &target;
    let before = contents(db).await?;
    if (before.owners, before.keys, before.links) != (0, 0, 0) {
        return Err(StoreError::Copy(
            "the target is not empty: it must have no owners yet; nothing was copied".into(),
        ));
    }
    let expected = contents(&source).await?;

    installation::set_secret(db, &installation::secret(&source).await?).await?;
    plan::Entity::delete_many().exec(db).await?;
    let plans = plan::Entity::find().all(&source).await?;
    plan::Entity::insert_many(plans.into_iter().map(fresh)).exec_without_returning(db).await?;

    copy_table::<owner::Entity>(&source, db, owner::Column::Id, |done| {
        progress(CopyProgress { table: "owners", done, total: unsigned(expected.owners) });
    })
    .await?;
    copy_table::<api_key::Entity>(&source, db, api_key::Column::Id, |done| {
        progress(CopyProgress { table: "keys", done, total: unsigned(expected.keys) });
    })
    .await?;
    copy_table::<link::Entity>(&source, db, link::Column::Id, |done| {
        progress(CopyProgress { table: "links", done, total: unsigned(expected.links) });
    })
    .await?;
    copy_table::<click_count::Entity>(&source, db, click_count::Column::LinkId, |_| {}).await?;
    // Who tries again at the copy is answered as before.
    copy_table::<idempotency_key::Entity>(&source, db, idempotency_key::Column::Id, |_| {}).await?;
    // So that clicks which a file holds for the source are known in the copy if they are there.
    copy_table::<click_writer::Entity>(&source, db, click_writer::Column::ProducerId, |_| {})
        .await?;
    copy_pending_clicks(&source, db).await?;
    if db.get_database_backend() == DbBackend::Postgres {
        continue_identities(db).await?;
    }

    let copied = contents(db).await?;
    if copied != expected {
        return Err(StoreError::Copy(format!(
            "the copy differs from its source ({copied:?} instead of {expected:?}); nothing was copied"
        )));
    }
    target.commit().await?;
    Ok(copied)
}

fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

/// An active model that inserts every column, the identifier among them.
fn fresh<M>(model: M) -> ActiveOf<M>
where
    M: ModelTrait + IntoActiveModel<ActiveOf<M>>,
{
    model.into_active_model().reset_all()
}

type ActiveOf<M> = <<M as ModelTrait>::Entity as EntityTrait>::ActiveModel;

async fn copy_table<E>(
    source: &impl ConnectionTrait,
    target: &impl ConnectionTrait,
    id: E::Column,
    mut progress: impl FnMut(u64),
) -> Result<(), StoreError>
where
    E: EntityTrait,
    E::Model: ModelTrait<Entity = E> + IntoActiveModel<E::ActiveModel> + FromQueryResult + Sync,
    E::ActiveModel: Send,
{
    let (mut last, mut done) = (Value::from(i64::MIN), 0);
    loop {
        let page = E::find().filter(id.gt(last)).order_by_asc(id).limit(BATCH).all(source).await?;
        let Some(newest) = page.last() else { return Ok(()) };
        last = newest.get(id);
        done += page.len() as u64;
        E::insert_many(page.into_iter().map(fresh)).exec_without_returning(target).await?;
        progress(done);
    }
}

/// What is not in its place in the source yet is in the target.
async fn copy_pending_clicks(
    source: &impl ConnectionTrait,
    target: &impl ConnectionTrait,
) -> Result<(), StoreError> {
    let waiting: Vec<click_count::Model> = rows(
        source,
        "SELECT link_id, CAST(SUM(count) AS bigint) AS count
         FROM (SELECT link_id, count FROM recent_counts
               UNION ALL SELECT link_id, count FROM pending_clicks) AS waiting
         GROUP BY link_id",
        [],
    )
    .await?;
    let add = OnConflict::column(click_count::Column::LinkId)
        .value(click_count::Column::Count, Expr::cust("click_counts.count + excluded.count"))
        .to_owned();
    for part in waiting.chunks(BATCH as usize) {
        let rows: Vec<click_count::ActiveModel> = part.iter().cloned().map(fresh).collect();
        click_count::Entity::insert_many(rows)
            .on_conflict(add.clone())
            .exec_without_returning(target)
            .await?;
    }
    Ok(())
}

/// Rows that bring their identifiers do not move PostgreSQL's own numbering on.
async fn continue_identities(db: &impl ConnectionTrait) -> Result<(), StoreError> {
    for table in ["owners", "api_keys", "links", "idempotency_keys"] {
        db.execute_unprepared(&format!(
            "SELECT setval(pg_get_serial_sequence('{table}', 'id'),
                 (SELECT COALESCE(MAX(id), 0) + 1 FROM {table}), false)"
        ))
        .await?;
    }
    Ok(())
}
