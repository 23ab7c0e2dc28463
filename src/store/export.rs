//! Links with everything that is kept of them, to be taken elsewhere.

use sea_orm::{ConnectionTrait, FromQueryResult};

use super::clicks::with_clicks;
use super::{StoreError, rows, scalar};

/// A link as it is, with all its clicks.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct WholeLink {
    /// Where a walk goes on.
    pub id: i64,
    /// The code.
    pub short_code: String,
    /// Where it leads.
    pub destination_url: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its campaign, if it has one.
    pub campaign: Option<String>,
    /// All clicks.
    pub clicks: i64,
    /// 1 while it redirects.
    pub is_active: i32,
    /// 1 when its QR code is enabled.
    pub has_qr: i32,
    /// Milliseconds since the epoch.
    pub created_at: i64,
}

/// At most `limit` links above the identifier `after`, oldest first: the owner's, or everybody's.
///
/// # Errors
/// When the database fails.
pub async fn page(
    db: &impl ConnectionTrait,
    owner_id: Option<i64>,
    after: i64,
    limit: u32,
) -> Result<Vec<WholeLink>, StoreError> {
    // Two statements, so that each has the index that it needs.
    let whose = if owner_id.is_some() { "owner_id = $3" } else { "CAST($3 AS bigint) IS NULL" };
    let page = format!(
        "SELECT id, short_code, destination_url, title, campaign, is_active, has_qr, created_at
         FROM links WHERE {whose} AND id > $1 ORDER BY id LIMIT $2"
    );
    rows(db, &with_clicks(&page, "ASC"), [after.into(), i64::from(limit).into(), owner_id.into()])
        .await
}

/// How many links there are: the owner's, or everybody's.
///
/// # Errors
/// When the database fails.
pub async fn count(db: &impl ConnectionTrait, owner_id: Option<i64>) -> Result<i64, StoreError> {
    let sql = "SELECT CAST(COALESCE(SUM(link_count), 0) AS bigint) FROM owners
               WHERE id = $1 OR CAST($1 AS bigint) IS NULL";
    Ok(scalar(db, sql, [owner_id.into()]).await?.unwrap_or(0))
}
