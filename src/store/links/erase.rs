//! Deletion of links. The row of a link stays, so that its code is never used again, but it loses
//! everything that the owner stored.

use std::collections::BTreeMap;

use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, Iterable as _, QueryFilter, QueryOrder, QuerySelect,
};

use crate::store::clicks::lock_rollups;
use crate::store::dialect::SqlDialect;
use crate::store::entities::link::{Column, Entity};
use crate::store::error::StoreError;
use crate::store::events::ChangeKind;
use crate::store::invalidations::{self, Invalidation};
use crate::store::query::{execute_counting, numbers};
use crate::store::{
    click_days, click_sums, events, idempotency, link_checksums, owners, range_sums, usage,
    webhook_deliveries,
};
use crate::values::{ShortCode, Timestamp};

/// Numbers of rows that the deletion of links has erased or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Erased {
    /// Links that existed. Links that were already deleted do not count.
    pub links: u64,
    /// Click counts of these links.
    pub click_counts: u64,
    /// Days of clicks of these links.
    pub click_days: u64,
}

/// Deletes the links with these identifiers for an event, and returns the numbers of rows. The
/// codes are retired: each row stays without owner, texts, clicks and QR settings, and the history
/// loses all values of the link. Links that are already deleted do not change.
///
/// The caller should pass at most a few hundred identifiers, because clicks on SQLite wait for the
/// transaction, and a statement has all of them.
pub async fn erase(
    db: &impl ConnectionTrait,
    event_id: i64,
    ids: &[i64],
    now: Timestamp,
) -> Result<Erased, StoreError> {
    lock_rollups(db).await?;
    let owners = super::lock_owners_of(db, ids).await?;
    let links = Entity::find()
        .select_only()
        .columns([Column::Id, Column::OwnerId, Column::ShortCode])
        .filter(Column::Id.is_in(ids.iter().copied()))
        .filter(Column::OwnerId.is_not_null())
        .order_by_asc(Column::Id)
        .lock_exclusive();
    let links: Vec<(i64, i64, String)> = links.into_tuple().all(db).await?;
    if links.is_empty() {
        return Ok(Erased::default());
    }
    let ids: Vec<i64> = links.iter().map(|(id, ..)| *id).collect();
    let codes: Vec<&str> = links.iter().map(|(.., code)| code.as_str()).collect();

    let of_owners: Vec<(i64, i64)> =
        links.iter().map(|(id, owner_id, _)| (*id, *owner_id)).collect();
    let unclosed = click_sums::unclosed_of_links(db, &ids, now).await?;
    range_sums::keep_deleted(db, &ids, now.day()).await?;
    click_days::remove_from_months(db, &of_owners, &unclosed).await?;
    erase_rows(db, event_id, &ids).await?;
    let click_days = click_days::delete(db, &ids).await?;
    let list = numbers(&ids);
    let mut click_counts = 0;
    for table in SqlDialect::from_connection(db).count_tables() {
        let delete = format!("DELETE FROM {table} WHERE link_id IN ({list})");
        click_counts += execute_counting(db, &delete, []).await?;
    }
    let subjects: Vec<String> = ids.iter().map(ToString::to_string).collect();
    events::erase_values(db, ChangeKind::Link, &subjects).await?;
    idempotency::erase_fingerprints(db, &owners, &codes).await?;
    webhook_deliveries::erase_links(db, &ids).await?;

    let mut per_owner: BTreeMap<i64, i64> = BTreeMap::new();
    for (_, owner_id, _) in &links {
        *per_owner.entry(*owner_id).or_default() += 1;
    }
    for (owner_id, count) in per_owner {
        owners::add_to_link_count(db, owner_id, -count).await?;
        if let Some(owner) = owners::get(db, owner_id).await? {
            usage::count_links(db, &owner, now, [0, count]).await?;
        }
    }
    let codes = codes.into_iter().map(ShortCode::from_stored);
    let published: Vec<Invalidation> = codes.map(Invalidation::Link).collect();
    invalidations::publish_all(db, &published, now).await?;
    Ok(Erased { links: links.len() as u64, click_counts, click_days })
}

/// Erases everything in the rows of the links except identifier, code and time of creation.
async fn erase_rows(
    db: &impl ConnectionTrait,
    event_id: i64,
    ids: &[i64],
) -> Result<(), StoreError> {
    let mut update = Entity::update_many().filter(Column::Id.is_in(ids.iter().copied()));
    for column in Column::iter() {
        if let Some(value) = column.purpose().erased {
            update = update.col_expr(column, Expr::value(value));
        }
    }
    let update = update.col_expr(Column::DeletedEvent, Expr::value(event_id));
    link_checksums::update(db, ids, update).await
}
