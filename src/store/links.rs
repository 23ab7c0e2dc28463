//! Links: their properties, and queries for single ones.

use std::collections::HashSet;

use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryResult,
    QuerySelect,
};

use super::entities::link::{Column, Entity, Model};
use super::error::StoreError;
use crate::values::{ShortCode, Timestamp};

/// Links per statement of [`existing`].
const MAX_IDS: usize = 1_000;

/// What a link has besides an owner and a code, and besides clicks: each way to create a link takes
/// these.
#[derive(Debug, Clone)]
pub struct LinkProperties {
    /// Where it leads.
    pub destination_url: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its campaign, if it has one.
    pub campaign: Option<String>,
    /// Whether it redirects.
    pub is_active: bool,
    /// Whether its QR code is enabled.
    pub has_qr: bool,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A link with its clicks at one moment, as statistics, lists and exports show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The identifier.
    pub id: i64,
    /// The owner.
    pub owner_id: i64,
    /// The code.
    pub short_code: String,
    /// The destination.
    pub destination_url: String,
    /// The title, if it has one.
    pub title: Option<String>,
    /// The campaign, if it has one.
    pub campaign: Option<String>,
    /// Whether it redirects.
    pub is_active: bool,
    /// Whether its QR code is enabled.
    pub has_qr: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// All clicks up to [`MAX_CLICKS`](super::clicks::MAX_CLICKS), pending ones included; 0 in lists that do not show them.
    pub clicks: i64,
}

/// The columns of [`Link`] but its clicks, in the order in which [`decode_link`] reads them.
pub(super) const LINK_COLUMNS: &str = "id, owner_id, short_code, destination_url, title, campaign,
    is_active, has_qr, created_at";

/// Follows [`LINK_COLUMNS`] on SQLite: the clicks of `links`, without pending ones.
pub(super) const COUNTED_CLICKS: &str = ",
    COALESCE((SELECT count FROM click_counts WHERE link_id = links.id), 0)
        + COALESCE((SELECT count FROM recent_counts WHERE link_id = links.id), 0)";

/// Decodes a row of [`LINK_COLUMNS`] and the clicks, by position: names cost a fifth of a list.
macro_rules! decode_link {
    ($row:ident, $get:ident) => {
        $crate::store::links::Link {
            id: $row.$get(0)?,
            owner_id: $row.$get(1)?,
            short_code: $row.$get(2)?,
            destination_url: $row.$get(3)?,
            title: $row.$get(4)?,
            campaign: $row.$get(5)?,
            is_active: $row.$get(6).map(|flag: i32| flag == 1)?,
            has_qr: $row.$get(7).map(|flag: i32| flag == 1)?,
            created_at: $row.$get(8).map($crate::values::Timestamp::from_millis)?,
            clicks: $row
                .$get(9)
                .map(|clicks: i64| clicks.min($crate::store::clicks::MAX_CLICKS))?,
        }
    };
}
pub(super) use decode_link;

/// From PostgreSQL: SQLite's rows are decoded without SeaORM.
impl FromQueryResult for Link {
    fn from_query_result(row: &QueryResult, _: &str) -> Result<Self, DbErr> {
        Ok(decode_link!(row, try_get_by_index))
    }
}

/// What a redirect needs of a link.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct TargetRow {
    /// The link.
    pub link_id: i64,
    /// Where it leads.
    pub destination_url: String,
    /// 1 while it redirects.
    pub is_active: i32,
}

/// Names a link: of one owner, or of any.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LinkKey {
    /// The owner; none for a link of any owner.
    pub owner_id: Option<i64>,
    /// The code.
    pub code: ShortCode,
}

/// Finds the link of any owner.
///
/// # Errors
/// If the database fails.
pub async fn find(
    db: &impl ConnectionTrait,
    code: &ShortCode,
) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find().filter(Column::ShortCode.eq(code.as_str())).one(db).await?)
}

/// Returns which of these links exist.
///
/// # Errors
/// If the database fails.
pub async fn existing(db: &impl ConnectionTrait, ids: &[i64]) -> Result<HashSet<i64>, StoreError> {
    let mut existing = HashSet::new();
    for part in ids.chunks(MAX_IDS) {
        let part = part.iter().copied();
        let found = Entity::find().select_only().column(Column::Id).filter(Column::Id.is_in(part));
        existing.extend(found.into_tuple::<i64>().all(db).await?);
    }
    Ok(existing)
}

/// Finds the owner's link and locks its row until the transaction ends.
///
/// # Errors
/// If the database fails.
pub async fn lock_owned(
    db: &impl ConnectionTrait,
    owner_id: i64,
    code: &ShortCode,
) -> Result<Option<Model>, StoreError> {
    let link = Entity::of(owner_id).filter(Column::ShortCode.eq(code.as_str()));
    Ok(link.lock_exclusive().one(db).await?)
}

/// The QR settings of a link, as columns.
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

/// Enables a link's QR code and stores its settings.
///
/// # Errors
/// If the database fails.
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

/// Enables or disables the link of any owner; false if it does not exist.
///
/// # Errors
/// If the database fails.
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
