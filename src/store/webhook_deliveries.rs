//! Deliveries of webhooks. A change inserts them in its own transaction, and the deliverer sends them.

use std::time::Duration;

use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, NotSet, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect,
};
use serde::{Deserialize, Serialize};

use super::entities::webhook_delivery::{ActiveModel, Column, Entity};
use super::error::StoreError;
use super::query::{self, execute, execute_counting, numbers, rows, scalar, scalars};
use crate::values::{Timestamp, WebhookType};

pub use super::entities::webhook_delivery::Model as Delivery;

/// Status of a delivery that another attempt will be made for.
pub const WAITING: &str = "waiting";
/// Status of a delivery that a receiver has accepted.
pub const DELIVERED: &str = "delivered";
/// Status of a delivery for which no attempt will be made any more.
pub const FAILED: &str = "failed";
/// Status of a delivery about something that was deleted.
pub const ERASED: &str = "erased";
/// All statuses.
pub const STATUSES: &[&str] = &[WAITING, DELIVERED, FAILED, ERASED];

/// Time for which deliveries are stored.
const LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Maximum number of rows per statement.
const MAX_ROWS: usize = 1_000;
/// Number of attempts that a delivery has.
pub const MAX_SHOWN_ATTEMPTS: usize = 10;

/// An attempt of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Time of the attempt, in milliseconds since the Unix epoch.
    pub at: i64,
    /// Status of the response, if there was one.
    pub status_code: Option<u16>,
    /// What went wrong, or what a response to a failure said.
    pub error: Option<String>,
    /// Duration in milliseconds.
    pub milliseconds: i64,
}

impl Delivery {
    /// Returns a delivery that is not stored yet. Without the time of a first attempt, it waits for none.
    pub fn new(
        webhook_id: i64,
        kind: WebhookType,
        created_at: Timestamp,
        first_attempt_at: Option<Timestamp>,
    ) -> Self {
        let status = if first_attempt_at.is_some() { WAITING } else { FAILED };
        Self {
            id: 0,
            webhook_id,
            kind: kind.into_str().to_owned(),
            link_id: None,
            event_id: None,
            content: None,
            created_at,
            status: status.to_owned(),
            next_attempt_at: first_attempt_at,
            attempts: "[]".to_owned(),
            attempt_count: 0,
        }
    }

    /// Returns the row to insert, without the identifier.
    fn into_row(self) -> ActiveModel {
        ActiveModel { id: NotSet, ..self.into() }
    }

    /// Returns the last attempts, oldest first.
    pub fn attempts(&self) -> Vec<Attempt> {
        serde_json::from_str(&self.attempts).unwrap_or_default()
    }

    /// Returns the delivery after one more attempt.
    #[must_use]
    pub fn with_attempt(self, attempt: Attempt) -> Self {
        let mut attempts = self.attempts();
        attempts.push(attempt);
        let surplus = attempts.len().saturating_sub(MAX_SHOWN_ATTEMPTS);
        attempts.drain(..surplus);
        let attempts = serde_json::json!(attempts).to_string();
        Self { attempts, attempt_count: self.attempt_count + 1, ..self }
    }
}

/// SQL of the deliveries of `link.created`, whose columns both databases insert after links.
pub(super) const CREATED_COLUMNS: &str = "webhook_id, type, link_id, created_at, status,
    next_attempt_at, attempts, attempt_count";

/// Inserts deliveries. It ignores their identifiers.
pub async fn insert(db: &impl ConnectionTrait, new: &[Delivery]) -> Result<(), StoreError> {
    for part in new.chunks(MAX_ROWS) {
        let rows = part.iter().cloned().map(Delivery::into_row);
        Entity::insert_many(rows).exec_without_returning(db).await?;
    }
    Ok(())
}

/// Inserts one delivery and returns it with its new identifier.
pub async fn insert_one(db: &impl ConnectionTrait, new: Delivery) -> Result<Delivery, StoreError> {
    Ok(Entity::insert(new.into_row()).exec_with_returning(db).await?)
}

/// Deletes the waiting deliveries of an event to a webhook.
pub async fn delete_of_event(
    db: &impl ConnectionTrait,
    webhook_id: i64,
    event_id: i64,
) -> Result<(), StoreError> {
    let deleted = Entity::delete_many()
        .filter(Column::WebhookId.eq(webhook_id))
        .filter(Column::EventId.eq(event_id))
        .filter(Column::Status.eq(WAITING));
    deleted.exec(db).await?;
    Ok(())
}

/// Sets the time of the first attempts of the deliveries of an event to a webhook, and their content if
/// there is a new one.
pub async fn reschedule_event(
    db: &impl ConnectionTrait,
    webhook_id: i64,
    event_id: i64,
    at: Timestamp,
) -> Result<(), StoreError> {
    Entity::update_many()
        .col_expr(Column::NextAttemptAt, Expr::value(at))
        .filter(Column::WebhookId.eq(webhook_id))
        .filter(Column::EventId.eq(event_id))
        .filter(Column::Status.eq(WAITING))
        .filter(Column::AttemptCount.eq(0))
        .exec(db)
        .await?;
    Ok(())
}

/// Returns at most `limit` deliveries of a webhook with identifiers below `before`, newest first.
pub async fn page(
    db: &impl ConnectionTrait,
    webhook_id: i64,
    before: i64,
    limit: u64,
    now: Timestamp,
) -> Result<Vec<Delivery>, StoreError> {
    let stored = Column::CreatedAt.gt(now.minus(LIFETIME));
    let deliveries = Entity::of(webhook_id).filter(Column::Id.lt(before)).filter(stored);
    Ok(deliveries.order_by_desc(Column::Id).limit(limit).all(db).await?)
}

/// Finds a delivery of a webhook.
pub async fn find(
    db: &impl ConnectionTrait,
    webhook_id: i64,
    id: i64,
) -> Result<Option<Delivery>, StoreError> {
    Ok(Entity::of(webhook_id).filter(Column::Id.eq(id)).one(db).await?)
}

/// Finds a delivery of a webhook and locks its row until the transaction ends.
pub async fn lock(
    db: &impl ConnectionTrait,
    webhook_id: i64,
    id: i64,
) -> Result<Option<Delivery>, StoreError> {
    let delivery = Entity::of(webhook_id).filter(Column::Id.eq(id));
    Ok(delivery.lock_exclusive().one(db).await?)
}

/// Stores the status and the attempts of a delivery.
pub async fn update(db: &impl ConnectionTrait, delivery: &Delivery) -> Result<(), StoreError> {
    let values = [
        (Column::Status, Expr::value(delivery.status.as_str())),
        (Column::Content, Expr::value(delivery.content.clone())),
        (Column::NextAttemptAt, Expr::value(delivery.next_attempt_at)),
        (Column::Attempts, Expr::value(delivery.attempts.as_str())),
        (Column::AttemptCount, Expr::value(delivery.attempt_count)),
    ];
    query::set::<Entity>(db, delivery.id, values).await
}

/// A webhook with deliveries that are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct DueWebhook {
    /// Identifier of the webhook, which may be deleted.
    pub webhook_id: i64,
    /// Time of its last attempt that succeeded.
    pub last_success_at: Option<Timestamp>,
    /// Time of its last attempt that failed.
    pub last_failure_at: Option<Timestamp>,
}

impl DueWebhook {
    /// Returns whether the last attempt succeeded. `None`: there was none.
    pub fn has_succeeded(&self) -> Option<bool> {
        let is_new = self.last_success_at.or(self.last_failure_at).is_none();
        (!is_new).then_some(self.last_success_at > self.last_failure_at)
    }
}

/// Returns the webhooks with deliveries that are due, except those in `busy`: first the one whose last
/// attempt was made first.
pub async fn due_webhooks(
    db: &impl ConnectionTrait,
    now: Timestamp,
    busy: impl IntoIterator<Item = i64>,
) -> Result<Vec<DueWebhook>, StoreError> {
    let busy = numbers(std::iter::once(0).chain(busy));
    let sql = format!(
        "SELECT webhook_id, last_success_at, last_failure_at FROM (
             SELECT DISTINCT webhook_id FROM webhook_deliveries
             WHERE status = 'waiting' AND next_attempt_at <= $1 AND webhook_id NOT IN ({busy})
         ) AS due LEFT JOIN webhooks ON webhooks.id = webhook_id"
    );
    let mut due: Vec<DueWebhook> = rows(db, &sql, [now.into()]).await?;
    due.sort_unstable_by_key(|webhook| webhook.last_failure_at.max(webhook.last_success_at));
    Ok(due)
}

/// Returns at most `limit` deliveries of a webhook that are due, those that have waited longest.
pub async fn due(
    db: &impl ConnectionTrait,
    webhook_id: i64,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<i64>, StoreError> {
    let sql = "SELECT id FROM webhook_deliveries
         WHERE webhook_id = $1 AND status = 'waiting' AND next_attempt_at <= $2
         ORDER BY next_attempt_at, id LIMIT $3";
    scalars(db, sql, [webhook_id.into(), now.into(), limit.into()]).await
}

/// Ends all waiting deliveries of a webhook without another attempt.
pub async fn fail_waiting(db: &impl ConnectionTrait, webhook_id: i64) -> Result<(), StoreError> {
    let sql = "UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL
         WHERE webhook_id = $1 AND status = 'waiting'";
    execute(db, sql, [webhook_id.into()]).await
}

/// Ends the waiting deliveries of all webhooks that are older than `before`, without another attempt.
pub async fn fail_older(db: &impl ConnectionTrait, before: Timestamp) -> Result<u64, StoreError> {
    let sql = "UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL
         WHERE status = 'waiting' AND created_at < $1";
    execute_counting(db, sql, [before.into()]).await
}

/// Number of waiting deliveries of a webhook.
#[derive(Debug, Clone, Copy, FromQueryResult)]
pub struct WaitingCount {
    /// Identifier of the webhook.
    pub webhook_id: i64,
    /// Number of its waiting deliveries.
    pub count: i64,
    /// Time of the oldest change among them.
    pub oldest: Timestamp,
}

/// Returns the numbers of waiting deliveries by webhook.
pub async fn count_waiting(db: &impl ConnectionTrait) -> Result<Vec<WaitingCount>, StoreError> {
    let sql = "SELECT webhook_id, COUNT(*) AS count, MIN(created_at) AS oldest
         FROM webhook_deliveries WHERE status = 'waiting' GROUP BY webhook_id";
    rows(db, sql, []).await
}

/// Returns the number of waiting deliveries of a webhook.
pub async fn waiting(db: &impl ConnectionTrait, webhook_id: i64) -> Result<i64, StoreError> {
    let waiting = Entity::of(webhook_id).filter(Column::Status.eq(WAITING)).count(db).await?;
    Ok(i64::try_from(waiting).unwrap_or(i64::MAX))
}

/// Deletes `count` waiting deliveries of a webhook, those that lists show anyway first, and among them the
/// oldest. Returns the number of deleted ones.
pub async fn drop_waiting(
    db: &impl ConnectionTrait,
    webhook_id: i64,
    count: i64,
) -> Result<u64, StoreError> {
    let sql = "DELETE FROM webhook_deliveries WHERE id IN (
             SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'waiting'
             ORDER BY CASE WHEN type IN ('link.created', 'links.clicked') THEN 0 ELSE 1 END, id
             LIMIT $2)";
    execute_counting(db, sql, [webhook_id.into(), count.into()]).await
}

/// Erases a delivery about something that was deleted.
pub async fn erase(db: &impl ConnectionTrait, id: i64) -> Result<(), StoreError> {
    let sql = "UPDATE webhook_deliveries
         SET status = 'erased', content = NULL, next_attempt_at = NULL WHERE id = $1";
    execute(db, sql, [id.into()]).await
}

/// Erases the values of deliveries about these links, which are being deleted.
pub async fn erase_links(db: &impl ConnectionTrait, link_ids: &[i64]) -> Result<(), StoreError> {
    let ids = numbers(link_ids);
    let sql = format!(
        "UPDATE webhook_deliveries SET status = 'erased', content = NULL, next_attempt_at = NULL
         WHERE link_id IN ({ids})"
    );
    execute(db, &sql, []).await
}

/// Deletes up to `limit` deliveries of a webhook, and returns the number of deleted ones.
pub async fn delete_of(
    db: &impl ConnectionTrait,
    webhook_id: i64,
    limit: u64,
) -> Result<u64, StoreError> {
    let sql = "DELETE FROM webhook_deliveries WHERE id IN (
             SELECT id FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id LIMIT $2)";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    execute_counting(db, sql, [webhook_id.into(), limit.into()]).await
}

/// Returns whether the oldest delivery has been stored for long enough. Takes no lock.
pub async fn has_expired(db: &impl ConnectionTrait, now: Timestamp) -> Result<bool, StoreError> {
    let sql = "SELECT created_at FROM webhook_deliveries ORDER BY id LIMIT 1";
    let oldest: Option<Timestamp> = scalar(db, sql, []).await?;
    Ok(oldest.is_some_and(|oldest| oldest <= now.minus(LIFETIME)))
}

/// Deletes up to `limit` of the oldest deliveries, if they have been stored for long enough.
pub async fn delete_expired(
    db: &impl ConnectionTrait,
    now: Timestamp,
    limit: u32,
) -> Result<(), StoreError> {
    let sql = "DELETE FROM webhook_deliveries WHERE created_at <= $1 AND id IN (
             SELECT id FROM webhook_deliveries ORDER BY id LIMIT $2)";
    execute(db, sql, [now.minus(LIFETIME).into(), i64::from(limit).into()]).await
}
