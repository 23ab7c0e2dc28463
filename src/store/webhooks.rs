//! Webhooks, the lease of the instance that delivers, and clicked links.

use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, ExprTrait as _, FromQueryResult, NotSet,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::entities::webhook::{ActiveModel, Column, Entity};
use super::error::StoreError;
use super::events::{self, ChangeKind};
use super::query::{self, execute, execute_counting, numbers, row, rows, scalar};
use super::webhook_deliveries;
use crate::values::Timestamp;

pub use super::entities::webhook::Model as Webhook;

/// Inserts a webhook and returns its new identifier. It ignores the identifier in `webhook`.
pub async fn insert(db: &impl ConnectionTrait, webhook: &Webhook) -> Result<i64, StoreError> {
    let row = ActiveModel { id: NotSet, ..webhook.clone().into() };
    Ok(Entity::insert(row).exec(db).await?.last_insert_id)
}

/// Returns the number of an owner's webhooks.
pub async fn count(db: &impl ConnectionTrait, owner_id: i64) -> Result<u64, StoreError> {
    Ok(Entity::of(owner_id).count(db).await?)
}

/// Returns at most `limit` webhooks with identifiers below `before`, newest first, of one owner or of all.
pub async fn page(
    db: &impl ConnectionTrait,
    owner_id: Option<i64>,
    before: i64,
    limit: u64,
) -> Result<Vec<Webhook>, StoreError> {
    let webhooks = owner_id.map_or_else(Entity::find, Entity::of).filter(Column::Id.lt(before));
    Ok(webhooks.order_by_desc(Column::Id).limit(limit).all(db).await?)
}

/// Finds a webhook.
pub async fn find(db: &impl ConnectionTrait, id: i64) -> Result<Option<Webhook>, StoreError> {
    Ok(Entity::find_by_id(id).one(db).await?)
}

/// Finds a webhook and locks its row until the transaction ends.
pub async fn lock(db: &impl ConnectionTrait, id: i64) -> Result<Option<Webhook>, StoreError> {
    Ok(Entity::find_by_id(id).lock_exclusive().one(db).await?)
}

/// Stores the columns of `after` that differ from `before`.
pub async fn update(
    db: &impl ConnectionTrait,
    before: &Webhook,
    after: &Webhook,
) -> Result<(), StoreError> {
    query::update(db, after.id, before, after).await
}

/// Records the result of an attempt: its time, and whether it succeeded.
pub async fn record_attempt(
    db: &impl ConnectionTrait,
    id: i64,
    at: Timestamp,
    has_succeeded: bool,
) -> Result<(), StoreError> {
    let sql = if has_succeeded {
        "UPDATE webhooks SET last_success_at = $1, failing_since = NULL WHERE id = $2"
    } else {
        "UPDATE webhooks SET last_failure_at = $1, failing_since = COALESCE(failing_since, $1)
         WHERE id = $2"
    };
    execute(db, sql, [at.into(), id.into()]).await
}

/// Disables a webhook for a reason, unless it is disabled. Returns whether it was enabled.
pub async fn disable(db: &impl ConnectionTrait, id: i64, reason: &str) -> Result<bool, StoreError> {
    let disabled = Entity::update_many()
        .col_expr(Column::IsEnabled, Expr::value(false))
        .col_expr(Column::DisabledReason, Expr::value(reason))
        .filter(Column::Id.eq(id))
        .filter(Column::IsEnabled.eq(true));
    Ok(disabled.exec(db).await?.rows_affected > 0)
}

/// Adds to the number of dropped deliveries.
pub async fn add_dropped(db: &impl ConnectionTrait, id: i64, count: i64) -> Result<(), StoreError> {
    let dropped = Expr::col(Column::Dropped).add(count);
    query::set::<Entity>(db, id, [(Column::Dropped, dropped)]).await
}

/// Deletes a webhook, its deliveries, and what events have of it.
pub async fn delete(db: &impl ConnectionTrait, id: i64) -> Result<(), StoreError> {
    webhook_deliveries::delete_of(db, id, u64::MAX).await?;
    Entity::delete_by_id(id).exec(db).await?;
    events::erase_values(db, ChangeKind::Webhook, &[id.to_string()]).await
}

/// Deletes up to `limit` deliveries of an owner's webhooks, or else one of the webhooks. Returns whether
/// there was any.
pub async fn delete_of_owner(
    db: &impl ConnectionTrait,
    owner_id: i64,
    limit: u64,
) -> Result<bool, StoreError> {
    let first = Entity::of(owner_id).order_by_asc(Column::Id).one(db).await?;
    let Some(webhook) = first else { return Ok(false) };
    if webhook_deliveries::delete_of(db, webhook.id, limit).await? == 0 {
        delete(db, webhook.id).await?;
    }
    Ok(true)
}

/// The lease by which one instance delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct DeliveryLease {
    /// The instance that holds it.
    pub holder: i64,
    /// Time until which it holds it.
    pub expires_at: Timestamp,
    /// Time at which `links.clicked` was last made.
    pub clicks_at: Timestamp,
}

/// Returns the lease.
pub async fn lease(db: &impl ConnectionTrait) -> Result<Option<DeliveryLease>, StoreError> {
    row(db, "SELECT holder, expires_at, clicks_at FROM webhook_lease WHERE id = 1", []).await
}

/// Takes or extends the lease until `expires_at`, unless another instance holds it. Returns the lease as it
/// was before, or `None` if another instance holds it.
pub async fn acquire(
    db: &impl ConnectionTrait,
    holder: i64,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<Option<DeliveryLease>, StoreError> {
    let free = lease(db).await?.filter(|lease| lease.holder == holder || lease.expires_at <= now);
    let Some(before) = free else { return Ok(None) };
    // The condition repeats what was read, because another instance may have taken it meanwhile.
    let taken = execute_counting(
        db,
        "UPDATE webhook_lease SET holder = $1, expires_at = $2
         WHERE id = 1 AND holder = $3 AND expires_at = $4",
        [holder.into(), expires_at.into(), before.holder.into(), before.expires_at.into()],
    )
    .await?;
    Ok((taken > 0).then_some(before))
}

/// Ends the lease of an instance.
pub async fn release(
    db: &impl ConnectionTrait,
    holder: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "UPDATE webhook_lease SET holder = 0, expires_at = $2 WHERE holder = $1";
    execute(db, sql, [holder.into(), now.into()]).await
}

/// A link that was clicked.
#[derive(Debug, Clone, Copy, FromQueryResult)]
pub struct ClickedLink {
    /// Identifier of the link.
    pub link_id: i64,
    /// Identifier of its owner.
    pub owner_id: i64,
}

/// Returns whether any links were clicked. Takes no lock.
pub async fn any_clicked(db: &impl ConnectionTrait) -> Result<bool, StoreError> {
    let first = scalar::<i64>(db, "SELECT link_id FROM webhook_clicks LIMIT 1", []).await?;
    Ok(first.is_some())
}

/// Removes and returns up to `limit` links that were clicked, in the order of their identifiers, after this
/// one, and records the time.
pub async fn take_clicked(
    db: &impl ConnectionTrait,
    now: Timestamp,
    after: i64,
    limit: usize,
) -> Result<Vec<ClickedLink>, StoreError> {
    execute(db, "UPDATE webhook_lease SET clicks_at = $1 WHERE id = 1", [now.into()]).await?;
    let sql =
        "SELECT link_id, owner_id FROM webhook_clicks WHERE link_id > $1 ORDER BY link_id LIMIT $2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let clicked: Vec<ClickedLink> = rows(db, sql, [after.into(), limit.into()]).await?;
    if !clicked.is_empty() {
        let ids = numbers(clicked.iter().map(|clicked| clicked.link_id));
        execute(db, &format!("DELETE FROM webhook_clicks WHERE link_id IN ({ids})"), []).await?;
    }
    Ok(clicked)
}
