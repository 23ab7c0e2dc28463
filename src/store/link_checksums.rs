//! Checksums of links on SQLite, by which a redirect notices damage. On PostgreSQL, whose pages have
//! checksums, these functions do nothing.

use std::sync::LazyLock;

use sea_orm::{ConnectionTrait, FromQueryResult, IdenStatic as _, UpdateMany};

use super::dialect::SqlDialect;
use super::entities::link::{Entity, PROVEN};
use super::error::StoreError;
use super::query::{execute, numbers, rows, scalar};

/// SQL that computes the checksum of a row.
static CHECKSUM: LazyLock<String> =
    LazyLock::new(|| format!("link_checksum({})", PROVEN.map(|column| column.as_str()).join(", ")));

/// A link whose checksum is missing or wrong.
#[derive(Debug, Clone, FromQueryResult)]
pub struct UnprovenLink {
    /// Identifier of the link.
    pub id: i64,
    /// Short code.
    pub short_code: String,
    /// The checksum, which is wrong.
    pub checksum: Option<i64>,
}

/// Updates links and their checksums.
///
/// # Errors
/// [`StoreError::Damaged`] if a row does not match its checksum; the new checksum would hide that.
pub(super) async fn update(
    db: &impl ConnectionTrait,
    ids: &[i64],
    update: UpdateMany<Entity>,
) -> Result<(), StoreError> {
    if SqlDialect::from_connection(db).has_checksums() {
        let ids = numbers(ids);
        let damaged = format!(
            "SELECT short_code FROM links WHERE id IN ({ids}) AND checksum <> {} LIMIT 1",
            *CHECKSUM
        );
        if let Some(code) = scalar::<String>(db, &damaged, []).await? {
            return Err(StoreError::DamagedLink(code));
        }
    }
    update.exec(db).await?;
    set(db, ids).await
}

/// Sets the checksums of links.
pub async fn set(db: &impl ConnectionTrait, ids: &[i64]) -> Result<(), StoreError> {
    if SqlDialect::from_connection(db).has_checksums() {
        let sql =
            format!("UPDATE links SET checksum = {} WHERE id IN ({})", *CHECKSUM, numbers(ids));
        execute(db, &sql, []).await?;
    }
    Ok(())
}

/// Sets the checksums of all links.
pub(super) async fn set_all(db: &impl ConnectionTrait) -> Result<(), StoreError> {
    if SqlDialect::from_connection(db).has_checksums() {
        execute(db, &format!("UPDATE links SET checksum = {}", *CHECKSUM), []).await?;
    }
    Ok(())
}

/// Returns up to `limit` links after the one with the identifier `after` whose checksum is missing or
/// wrong, oldest first.
pub async fn unproven(
    db: &impl ConnectionTrait,
    after: i64,
    limit: u32,
) -> Result<Vec<UnprovenLink>, StoreError> {
    if !SqlDialect::from_connection(db).has_checksums() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT id, short_code, checksum
         FROM links WHERE id > {after} AND checksum IS NOT {} ORDER BY id LIMIT {limit}",
        *CHECKSUM
    );
    rows(db, &sql, []).await
}
