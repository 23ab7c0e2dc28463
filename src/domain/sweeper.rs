//! Deletion of expired rows.

use std::time::Duration;

use super::blocks;
use super::periodic_task::PeriodicTask;
use crate::store::{
    Durability, Store, StoreError, click_days, events, idempotency, invalidations,
    webhook_deliveries,
};
use crate::values::Timestamp;

const INTERVAL: Duration = Duration::from_secs(60);
/// Retention of the log of invalidations in milliseconds. An instance that has not polled the log for longer
/// clears its caches.
const CHANGE_RETENTION: i64 = 60 * 60 * 1000;
/// Maximum number of stored responses that one transaction deletes. Other writers wait for the
/// transaction.
const MAX_RESPONSES: u32 = 200;
/// Maximum number of events that one transaction deletes.
const MAX_EVENTS: u64 = 200;
/// Maximum number of deliveries of webhooks that one transaction deletes.
const MAX_DELIVERIES: u32 = 500;
/// Pause between two transactions, during which other writers can proceed.
const PAUSE: Duration = Duration::from_millis(20);

/// Deletes expired rows every minute, events of owners' keys after `keep_days` days. It runs until
/// it is dropped.
pub async fn run(store: Store, keep_days: u32) {
    let mut task = PeriodicTask::new(INTERVAL, "sweeper", "expired rows cannot be deleted");
    loop {
        task.tick().await;
        task.report(sweep(&store, keep_days).await);
    }
}

async fn sweep(store: &Store, keep_days: u32) -> Result<(), StoreError> {
    let now = store.now();
    let responses = delete_responses(store, now).await;
    let parts = blocks::sweep(store, now).await;
    let events = delete_events(store, keep_days).await;
    let deliveries = delete_deliveries(store, now).await;
    delete_invalidations(store, now).await.and(responses).and(parts).and(events).and(deliveries)
}

async fn delete_responses(store: &Store, now: Timestamp) -> Result<(), StoreError> {
    while idempotency::has_expired(store.reader(), now).await? {
        let transaction = store.begin(Durability::ProcessDeath).await?;
        idempotency::delete_expired(&transaction, now, MAX_RESPONSES).await?;
        transaction.commit().await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

async fn delete_deliveries(store: &Store, now: Timestamp) -> Result<(), StoreError> {
    while webhook_deliveries::has_expired(store.reader(), now).await? {
        let transaction = store.begin(Durability::ProcessDeath).await?;
        webhook_deliveries::delete_expired(&transaction, now, MAX_DELIVERIES).await?;
        transaction.commit().await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

async fn delete_events(store: &Store, keep_days: u32) -> Result<(), StoreError> {
    let before = click_days::kept_since(store.reader(), keep_days).await?;
    while events::has_expired(store.reader(), before).await? {
        let transaction = store.begin(Durability::ProcessDeath).await?;
        events::delete_expired(&transaction, before, MAX_EVENTS).await?;
        transaction.commit().await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

async fn delete_invalidations(store: &Store, now: Timestamp) -> Result<(), StoreError> {
    let before = Timestamp::from_millis(now.millis() - CHANGE_RETENTION);
    let transaction = store.begin(Durability::ProcessDeath).await?;
    invalidations::delete_before(&transaction, before).await?;
    transaction.commit().await
}
