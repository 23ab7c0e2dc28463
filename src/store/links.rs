//! Short codes and where they lead.

use std::collections::HashSet;
use std::sync::Arc;

use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
};

use super::entities::link::{Column, Entity, Model};
use super::{Backend, Store, StoreError, row};
use crate::values::ShortCode;

/// Links that are asked for by one statement.
const PART: usize = 1_000;

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct TargetRow {
    /// The link.
    pub link_id: i64,
    /// Where it leads.
    pub destination_url: String,
    /// 1 while it redirects.
    pub is_active: i32,
}

/// Where the link of that code leads, whoever's it is.
///
/// # Errors
/// When the database fails; one failure may hit several who ask at the same time.
pub async fn target(store: &Store, code: &ShortCode) -> Result<Option<TargetRow>, Arc<StoreError>> {
    match store.kind() {
        Backend::Sqlite(sqlite) => Ok(sqlite.target(code)?),
        Backend::Postgres(postgres) => postgres.target(code).await,
    }
}

/// The link of that code, whoever's it is.
///
/// # Errors
/// When the database fails.
pub async fn find(
    db: &impl ConnectionTrait,
    code: &ShortCode,
) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find().filter(Column::ShortCode.eq(code.as_str())).one(db).await?)
}

/// Which of these links there are.
///
/// # Errors
/// When the database fails.
pub async fn existing(
    db: &impl ConnectionTrait,
    wanted: &[i64],
) -> Result<HashSet<i64>, StoreError> {
    let mut there = HashSet::new();
    for part in wanted.chunks(PART) {
        let part = part.iter().copied();
        let found = Entity::find().select_only().column(Column::Id).filter(Column::Id.is_in(part));
        there.extend(found.into_tuple::<i64>().all(db).await?);
    }
    Ok(there)
}

/// The owner's link of that code, which nobody else changes until the transaction ends.
///
/// # Errors
/// When the database fails.
pub async fn lock_owned(
    db: &impl ConnectionTrait,
    owner_id: i64,
    code: &ShortCode,
) -> Result<Option<Model>, StoreError> {
    let link = Entity::of(owner_id).filter(Column::ShortCode.eq(code.as_str()));
    Ok(link.lock_exclusive().one(db).await?)
}

/// A link with all its clicks: those added up and those that still wait in the ledger, as they are at
/// one moment.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct CountedLink {
    /// Where a walk goes on.
    pub id: i64,
    /// The code.
    pub short_code: String,
    /// Where it leads.
    pub destination_url: String,
    /// Its campaign, if it has one.
    pub campaign: Option<String>,
    /// All clicks.
    pub clicks: i64,
    /// 1 while it redirects.
    pub is_active: i32,
}

/// The owner's link of that code, with all its clicks.
///
/// # Errors
/// When the database fails.
pub async fn count_one(
    store: &Store,
    owner_id: i64,
    code: &ShortCode,
) -> Result<Option<CountedLink>, StoreError> {
    let postgres = match store.kind() {
        Backend::Sqlite(sqlite) => return sqlite.count_one(owner_id, code).await,
        Backend::Postgres(postgres) => postgres,
    };
    row(
        postgres,
        // Of one link alone its own rows of the ledger are added up.
        "SELECT id, short_code, destination_url, campaign, is_active,
             CAST(COALESCE((SELECT count FROM click_counts WHERE link_id = links.id), 0)
                 + COALESCE((SELECT SUM(count) FROM clicks WHERE link_id = links.id), 0)
                 AS bigint) AS clicks
         FROM links WHERE owner_id = $1 AND short_code = $2",
        [owner_id.into(), code.as_str().into()],
    )
    .await
}

/// How a link's QR code is drawn, as the database keeps it.
#[derive(Debug)]
pub struct QrColumns {
    /// `L`, `M`, `Q` or `H`
    pub error_correction: &'static str,
    /// In modules.
    pub margin: i32,
    /// `#rrggbb`
    pub foreground: String,
    /// `#rrggbb`
    pub background: String,
}

/// Enables a link's QR code and keeps how it is drawn.
///
/// # Errors
/// When the database fails.
pub async fn enable_qr(
    db: &impl ConnectionTrait,
    link_id: i64,
    columns: QrColumns,
) -> Result<(), StoreError> {
    let QrColumns { error_correction, margin, foreground, background } = columns;
    Entity::update_many()
        .col_expr(Column::HasQr, Expr::value(1))
        .col_expr(Column::QrErrorCorrection, Expr::value(error_correction))
        .col_expr(Column::QrMargin, Expr::value(margin))
        .col_expr(Column::QrForeground, Expr::value(foreground))
        .col_expr(Column::QrBackground, Expr::value(background))
        .filter(Column::Id.eq(link_id))
        .exec(db)
        .await?;
    Ok(())
}

/// Enables or disables a link, whoever's it is; false where there is no such link.
///
/// # Errors
/// When the database fails.
pub async fn set_active(
    db: &impl ConnectionTrait,
    code: &ShortCode,
    active: bool,
) -> Result<bool, StoreError> {
    let result = Entity::update_many()
        .col_expr(Column::IsActive, Expr::value(i32::from(active)))
        .filter(Column::ShortCode.eq(code.as_str()))
        .exec(db)
        .await?;
    Ok(result.rows_affected > 0)
}
