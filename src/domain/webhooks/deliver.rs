//! The deliverer, which sends what changes have stored. One of the instances delivers: the one that holds the
//! lease. An attempt that a crash interrupts is made again.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt as _};
use parking_lot::Mutex;
use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::send::{Message, Outcome, Sender};
use super::{Attempt, Delivery, DeliveryId, FAILING, GONE, Webhook, asked_before, store_asked};
use crate::domain::idempotency::IdempotentRequest;
use crate::domain::periodic_task::PeriodicTask;
use crate::domain::{Error, Realm};
use crate::metrics::Metrics;
use crate::store::invalidations::{self, Invalidation};
use crate::store::webhook_deliveries::{self, DELIVERED, ERASED, FAILED, WAITING};
use crate::store::webhooks::{self, ClickedLink};
use crate::store::{Durability, Store, StoreError, Transaction};
use crate::values::{Timestamp, WebhookType};

/// Interval between two looks for deliveries that are due.
const INTERVAL: Duration = Duration::from_millis(250);
/// Time for which an instance holds the lease without extending it.
const LEASE: Duration = Duration::from_secs(15);
/// Interval at which it extends the lease, or tries to take it.
const LEASE_INTERVAL: Duration = Duration::from_secs(3);
/// Interval between two counts of waiting deliveries.
const COUNT_INTERVAL: Duration = Duration::from_secs(5);
/// Time without a lease after which older deliveries are not sent any more, as from a restored backup.
const MAX_GAP: Duration = Duration::from_secs(HOUR);
/// Maximum number of attempts at a time per webhook.
const MAX_PER_WEBHOOK: usize = 4;
/// Maximum number of webhooks with attempts at a time.
const MAX_BUSY: usize = 64;
/// Maximum number of those among them whose last attempt failed, so that receivers that never respond leave
/// room for the others.
const MAX_BUSY_FAILING: usize = 32;
/// Number of deliveries of a webhook that are read at a time, if its last attempt succeeded.
const READ_PER_WEBHOOK: i64 = 16;
/// Maximum number of waiting deliveries of a webhook.
const MAX_WAITING: i64 = 10_000;
/// Maximum number of clicked links per transaction and per delivery, so that no delivery has more than 128 KiB
/// even if all codes and external identifiers have 255 characters of four bytes.
const MAX_CLICKED: (usize, usize) = (10_000, 60);
/// Minimum seconds between two deliveries about the clicks of a link.
const CLICKS_INTERVAL: u64 = 10;
/// Seconds after each failed attempt until the next one.
const DELAYS: [u64; 9] =
    [5, 5 * 60, 30 * 60, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/// Seconds for which deliveries fail before their webhook is disabled.
const MAX_FAILING: u64 = 5 * 24 * HOUR;
const HOUR: u64 = 60 * 60;
const DAY: Duration = Duration::from_secs(24 * HOUR);

/// Makes the data of deliveries.
pub trait Describe: Send + Sync + 'static {
    /// Returns the data of a delivery, or `None` if what it is about was deleted.
    fn describe(
        &self,
        delivery: &Delivery,
    ) -> impl Future<Output = Result<Option<Value>, Error>> + Send;
}

/// Sends deliveries.
pub struct Deliverer<D> {
    store: Store,
    sender: Sender,
    describer: D,
    metrics: Arc<Metrics>,
    /// Duration of a second of the schedule, which tests shorten.
    second: Duration,
    instance_id: i64,
    /// Time until which this instance holds the lease.
    leased_until: Mutex<Option<Instant>>,
    /// Webhooks with attempts in progress, and whether their last ones failed.
    busy: Mutex<HashMap<i64, bool>>,
    /// Whether the server stops, so that it must not take the lease again.
    is_closed: AtomicBool,
    /// Wakes the deliverer when a webhook has no more attempts in progress.
    wake: Notify,
}

/// When a deliverer did something last.
#[derive(Default)]
struct Rounds {
    leased: Option<Instant>,
    counted: Option<Instant>,
    clicks_at: Option<Timestamp>,
}

/// Returns whether something is due again that is done at an interval.
fn is_due(last: Option<Instant>, interval: Duration) -> bool {
    last.is_none_or(|last| last.elapsed() >= interval)
}

impl<D: Describe> Deliverer<D> {
    /// Creates a deliverer. `second` is the duration of a second of its schedule.
    pub fn new(
        store: Store,
        sender: Sender,
        describer: D,
        metrics: Arc<Metrics>,
        second: Duration,
    ) -> Arc<Self> {
        let instance_id = UnwrapErr(SysRng).random_range(1..=i64::MAX);
        let (leased_until, busy, wake) = (Mutex::default(), Mutex::default(), Notify::new());
        let deliverer = Self {
            store,
            sender,
            describer,
            metrics,
            second,
            instance_id,
            leased_until,
            busy,
            is_closed: AtomicBool::new(false),
            wake,
        };
        Arc::new(deliverer)
    }

    /// Sends deliveries until it is dropped.
    pub async fn run(self: Arc<Self>) {
        let warning = "webhooks cannot be read; their deliveries wait";
        let mut task = PeriodicTask::new(INTERVAL, "webhooks", warning);
        let mut rounds = Rounds::default();
        loop {
            tokio::select! {
                () = task.tick() => {}
                () = self.wake.notified() => {}
            }
            task.report(self.round(&mut rounds).await);
            // Only the instance that delivers counts them.
            if !self.is_leased() {
                self.report_waiting(0, Duration::ZERO);
            }
        }
    }

    /// Lets another instance deliver.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn release(&self) -> Result<(), StoreError> {
        self.is_closed.store(true, Ordering::Relaxed);
        if !self.is_leased() {
            return Ok(());
        }
        let db = self.store.begin(Durability::ProcessDeath).await?;
        webhooks::release(&db, self.instance_id, self.store.now()).await?;
        db.commit().await?;
        *self.leased_until.lock() = None;
        Ok(())
    }

    async fn round(self: &Arc<Self>, rounds: &mut Rounds) -> Result<(), StoreError> {
        if self.is_closed.load(Ordering::Relaxed) || !self.store.has_subscriptions() {
            return Ok(());
        }
        if is_due(rounds.leased, LEASE_INTERVAL) {
            rounds.leased = Some(Instant::now());
            rounds.clicks_at = self.lease().await?;
        }
        if !self.is_leased() {
            return Ok(());
        }
        let now = self.store.now();
        let next_clicks = |last: Timestamp| last.plus(self.seconds(CLICKS_INTERVAL));
        if rounds.clicks_at.is_none_or(|last| next_clicks(last) <= now) {
            rounds.clicks_at = Some(now);
            self.tell_clicks().await?;
        }
        if is_due(rounds.counted, COUNT_INTERVAL) {
            rounds.counted = Some(Instant::now());
            self.count_waiting(now).await?;
        }
        let busy = self.busy.lock().clone();
        let mut free = MAX_BUSY.saturating_sub(busy.len());
        let failing = busy.values().filter(|is_failing| **is_failing).count();
        let mut free_for_failing = MAX_BUSY_FAILING.saturating_sub(failing);
        if free == 0 {
            return Ok(());
        }
        let db = self.store.reader();
        for webhook in webhook_deliveries::due_webhooks(db, now, busy.into_keys()).await? {
            let has_succeeded = webhook.has_succeeded();
            let is_failing = has_succeeded == Some(false);
            if free == 0 || (is_failing && free_for_failing == 0) {
                continue;
            }
            free -= 1;
            free_for_failing -= usize::from(is_failing);
            self.busy.lock().insert(webhook.webhook_id, is_failing);
            let limit = if has_succeeded == Some(true) { READ_PER_WEBHOOK } else { 1 };
            tokio::spawn(Arc::clone(self).deliver_all(webhook.webhook_id, limit));
        }
        Ok(())
    }

    fn seconds(&self, number: u64) -> Duration {
        self.second.saturating_mul(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn is_leased(&self) -> bool {
        self.leased_until.lock().is_some_and(|until| until > Instant::now())
    }

    /// Takes or extends the lease, and returns when `links.clicked` was last made.
    async fn lease(&self) -> Result<Option<Timestamp>, StoreError> {
        let (asked_at, now) = (Instant::now(), self.store.now());
        let held = webhooks::lease(self.store.reader()).await?;
        if held.is_some_and(|lease| lease.holder != self.instance_id && lease.expires_at > now) {
            *self.leased_until.lock() = None;
            return Ok(None);
        }
        let db = self.store.begin(Durability::ProcessDeath).await?;
        let acquired = webhooks::acquire(&db, self.instance_id, now, now.plus(LEASE)).await?;
        if let Some(before) = acquired
            && before.expires_at.millis() > 0
            && before.expires_at.plus(MAX_GAP) < now
        {
            let count = webhook_deliveries::fail_older(&db, now.minus(DAY)).await?;
            tracing::warn!(count, "deliveries of webhooks older than a day are not sent any more");
        }
        db.commit().await?;
        *self.leased_until.lock() = acquired.map(|_| asked_at + LEASE);
        Ok(acquired.map(|before| before.clicks_at))
    }

    /// Stores deliveries about the links that were clicked.
    async fn tell_clicks(&self) -> Result<(), StoreError> {
        if !webhooks::any_clicked(self.store.reader()).await? {
            return Ok(());
        }
        let mut after = Some(0);
        while let Some(last) = after.filter(|_| self.is_leased()) {
            after = self.tell_clicks_after(last).await?;
        }
        Ok(())
    }

    /// Stores deliveries about the clicked links that follow one, and returns the last of them if there may be
    /// more.
    async fn tell_clicks_after(&self, after: i64) -> Result<Option<i64>, StoreError> {
        let (db, now) = (self.store.begin(Durability::ProcessDeath).await?, self.store.now());
        let mut clicked = webhooks::take_clicked(&db, now, after, MAX_CLICKED.0).await?;
        let last = clicked.last().filter(|_| clicked.len() == MAX_CLICKED.0);
        let last = last.map(|link| link.link_id);
        clicked.sort_by_key(|link| link.owner_id);
        let subscriptions = self.store.subscriptions(&db).await?;
        let of_same_owner = |a: &ClickedLink, b: &ClickedLink| a.owner_id == b.owner_id;
        let mut new = Vec::new();
        for links in clicked.chunk_by(of_same_owner).flat_map(|all| all.chunks(MAX_CLICKED.1)) {
            let owner_id = links.first().map_or(0, |link| link.owner_id);
            let ids: Vec<i64> = links.iter().map(|link| link.link_id).collect();
            let kind = WebhookType::LinksClicked;
            new.extend(subscriptions.wanting(owner_id, kind).map(|webhook_id| Delivery {
                content: Some(json!(ids).to_string()),
                ..Delivery::new(webhook_id, kind, now, Some(now))
            }));
        }
        webhook_deliveries::insert(&db, &new).await?;
        db.commit().await?;
        Ok(last)
    }

    /// Counts the waiting deliveries, and drops those above the limit.
    async fn count_waiting(&self, now: Timestamp) -> Result<(), StoreError> {
        let (mut waiting, mut oldest) = (0, now);
        for counted in webhook_deliveries::count_waiting(self.store.reader()).await? {
            waiting += counted.count.min(MAX_WAITING);
            oldest = oldest.min(counted.oldest);
            if counted.count > MAX_WAITING {
                let db = self.store.begin(Durability::ProcessDeath).await?;
                let (id, surplus) = (counted.webhook_id, counted.count - MAX_WAITING);
                let dropped = webhook_deliveries::drop_waiting(&db, id, surplus).await?;
                webhooks::add_dropped(&db, id, i64::try_from(dropped).unwrap_or(0)).await?;
                db.commit().await?;
                self.count("dropped", dropped);
            }
        }
        let age = u64::try_from(now.millis() - oldest.millis()).unwrap_or(0);
        self.report_waiting(waiting.unsigned_abs(), Duration::from_millis(age));
        Ok(())
    }

    /// Sets the metrics of waiting deliveries.
    fn report_waiting(&self, count: u64, age: Duration) {
        self.metrics.webhooks_waiting.set(count);
        self.metrics.webhooks_oldest.set(age.as_secs());
    }

    fn count(&self, result: &str, number: u64) {
        self.metrics.webhook_deliveries.with_label_values(&[result]).inc_by(number);
    }

    /// Attempts at most `limit` deliveries of one webhook, until one fails.
    async fn deliver_all(self: Arc<Self>, webhook_id: i64, limit: i64) {
        let (deliverer, has_failed) = (&self, &AtomicBool::new(false));
        let (db, now) = (self.store.reader(), self.store.now());
        // After an error, the next round tries again.
        let due = webhook_deliveries::due(db, webhook_id, now, limit).await;
        let ids = due.unwrap_or_else(|_| {
            has_failed.store(true, Ordering::Relaxed);
            Vec::new()
        });
        let attempts = stream::iter(ids).for_each_concurrent(MAX_PER_WEBHOOK, |id| async move {
            if has_failed.load(Ordering::Relaxed) || !deliverer.is_leased() {
                return;
            }
            match deliverer.deliver(webhook_id, id).await {
                Ok(has_succeeded) => has_failed.fetch_or(!has_succeeded, Ordering::Relaxed),
                Err(error) => {
                    tracing::debug!(%error, webhook_id, "delivery of a webhook failed");
                    has_failed.swap(true, Ordering::Relaxed)
                }
            };
        });
        attempts.await;
        self.busy.lock().remove(&webhook_id);
        // Those that fail wait for the next round, so that many of them do not make many rounds.
        if !has_failed.load(Ordering::Relaxed) {
            self.wake.notify_one();
        }
    }

    /// Attempts a delivery, unless it does not wait any more. Returns `false` if the attempt failed.
    async fn deliver(&self, webhook_id: i64, id: i64) -> Result<bool, Error> {
        // First, because a change may end the delivery while it waits. Nothing closes the semaphore.
        let permit = self.sender.permit().await.ok();
        let db = self.store.reader();
        let Some(webhook) = webhooks::find(db, webhook_id).await? else {
            let db = self.store.begin(Durability::ProcessDeath).await?;
            webhook_deliveries::delete_of(&db, webhook_id, MAX_WAITING.unsigned_abs()).await?;
            db.commit().await?;
            return Ok(true);
        };
        if !webhook.is_enabled {
            let db = self.store.begin(Durability::ProcessDeath).await?;
            webhook_deliveries::fail_waiting(&db, webhook_id).await?;
            db.commit().await?;
            return Ok(true);
        }
        let delivery = webhook_deliveries::find(db, webhook_id, id).await?;
        let Some(delivery) = delivery.filter(|delivery| delivery.status == WAITING) else {
            return Ok(true);
        };
        let Some(data) = self.describer.describe(&delivery).await? else {
            let db = self.store.begin(Durability::ProcessDeath).await?;
            webhook_deliveries::erase(&db, id).await?;
            self.count(ERASED, 1);
            db.commit().await?;
            return Ok(true);
        };
        let message = message(&delivery, &data);
        let outcome = self.sender.send(&webhook, &message, &self.store).await;
        drop(permit);
        let has_succeeded = outcome.has_succeeded();
        self.record(&webhook, id, outcome).await?;
        Ok(has_succeeded)
    }

    /// Records the result of an attempt.
    async fn record(&self, webhook: &Webhook, id: i64, outcome: Outcome) -> Result<(), StoreError> {
        let (now, has_succeeded) = (self.store.now(), outcome.has_succeeded());
        let db = self.store.begin(Durability::ProcessDeath).await?;
        // Before the delivery, in the order in which changes of the webhook lock them.
        if let Some(webhook) = lock_unmoved(&db, webhook).await? {
            webhooks::record_attempt(&db, webhook.id, now, has_succeeded).await?;
            let is_failing = !has_succeeded
                && webhook
                    .failing_since
                    .is_some_and(|since| since.plus(self.seconds(MAX_FAILING)) <= now);
            if outcome.is_gone() || is_failing {
                let reason = if is_failing { FAILING } else { GONE };
                disable(&db, &webhook, reason, now).await?;
            }
        }
        let Some(before) = webhook_deliveries::lock(&db, webhook.id, id).await? else {
            return Ok(());
        };
        let is_waiting = before.status == WAITING;
        let mut after = before.with_attempt(outcome.attempt);
        let next = self.delay(after.attempt_count, outcome.retry_after).filter(|_| is_waiting);
        let result = match (has_succeeded, next) {
            (true, _) => DELIVERED,
            (false, Some(_)) => WAITING,
            (false, None) => FAILED,
        };
        if after.status != ERASED {
            result.clone_into(&mut after.status);
            after.next_attempt_at = next.filter(|_| result == WAITING).map(|delay| now.plus(delay));
        }
        webhook_deliveries::update(&db, &after).await?;
        db.commit().await?;
        self.count(if result == WAITING { "repeated" } else { result }, 1);
        Ok(())
    }

    /// Returns the time until the next attempt after this many, at least what the receiver asks for, or
    /// `None` if there is none.
    fn delay(&self, attempts: i64, retry_after: Option<Duration>) -> Option<Duration> {
        let index = usize::try_from(attempts - 1).ok()?;
        let delay = self.seconds(*DELAYS.get(index)?);
        let delay = delay.mul_f64(UnwrapErr(SysRng).random_range(0.9..=1.1));
        Some(delay.max(retry_after.unwrap_or_default().min(DAY)))
    }
}

/// Ends waiting deliveries that are older than a day, because they may have been sent since a backup.
///
/// # Errors
/// If the database fails.
pub async fn end_old(store: &Store) -> Result<(), StoreError> {
    let db = store.begin(Durability::PowerLoss).await?;
    webhook_deliveries::fail_older(&db, store.now().minus(DAY)).await?;
    db.commit().await
}

/// Locks a webhook until the transaction ends, unless it has another URL by now, about which an attempt
/// says nothing.
async fn lock_unmoved(db: &Transaction, sent: &Webhook) -> Result<Option<Webhook>, StoreError> {
    let current = webhooks::lock(db, sent.id).await?;
    Ok(current.filter(|current| current.url == sent.url))
}

/// Disables a webhook, unless it is disabled, and ends its waiting deliveries.
async fn disable(
    db: &Transaction,
    webhook: &Webhook,
    reason: &'static str,
    now: Timestamp,
) -> Result<(), StoreError> {
    if webhooks::disable(db, webhook.id, reason).await? {
        tracing::info!(webhook_id = webhook.id, reason, "webhook disabled");
        webhook_deliveries::fail_waiting(db, webhook.id).await?;
        invalidations::publish(db, &Invalidation::Webhooks, now).await?;
    }
    Ok(())
}

fn message(delivery: &Delivery, data: &Value) -> Message {
    let timestamp = delivery.created_at.to_millis_text();
    let body = json!({ "type": delivery.kind, "timestamp": timestamp, "data": data });
    Message { id: DeliveryId::from_delivery(delivery), body: body.to_string() }
}

/// Sends a test to a webhook of an owner now, even to a disabled one, and returns the attempt, and whether
/// the request is a repetition. Nothing repeats the attempt but the request, if a crash interrupted it.
///
/// # Errors
/// [`Error::KeyReused`], [`Error::WebhookNotFound`], [`Error::WebhookDisabled`] if the operator has disabled
/// it, or if the database fails.
pub async fn test(
    store: &Store,
    sender: &Sender,
    owner_id: i64,
    id: i64,
    request: Option<&IdempotentRequest>,
) -> Result<(Attempt, bool), Error> {
    // First, because a change may stop or move the webhook while the test waits.
    let _permit = sender.tests.acquire(owner_id).await?;
    let webhook = &super::get(store, Realm::Owner(owner_id), id).await?.webhook;
    let (db, now) = (store.begin(Durability::ProcessDeath).await?, store.now());
    let first = asked_before(&db, webhook, request, now).await?.map(|(delivery, _)| delivery);
    if let Some(attempt) = first.as_ref().and_then(|first| first.attempts().into_iter().next()) {
        return Ok((attempt, true));
    }
    if webhook.disabled_reason.as_deref() == Some(super::BY_OPERATOR) {
        return Err(Error::WebhookDisabled);
    }
    let is_replay = first.is_some();
    let delivery = match first {
        Some(delivery) => delivery,
        None => {
            let new = Delivery::new(webhook.id, WebhookType::Test, now, None);
            let delivery = webhook_deliveries::insert_one(&db, new).await?;
            store_asked(&db, webhook, request, &delivery, now).await?;
            delivery
        }
    };
    db.commit().await?;
    let outcome = sender.send(webhook, &message(&delivery, &json!({})), store).await;
    let (attempt, has_succeeded) = (outcome.attempt.clone(), outcome.has_succeeded());
    let db = store.begin(Durability::ProcessDeath).await?;
    let now = store.now();
    match lock_unmoved(&db, webhook).await? {
        Some(webhook) if has_succeeded => {
            webhooks::record_attempt(&db, webhook.id, now, true).await?;
        }
        // It does not begin the five days after which a webhook is disabled.
        Some(before) => {
            let failed = Webhook { last_failure_at: Some(now), ..before.clone() };
            webhooks::update(&db, &before, &failed).await?;
        }
        None => {}
    }
    let mut delivery = delivery.with_attempt(outcome.attempt);
    if has_succeeded {
        DELIVERED.clone_into(&mut delivery.status);
    }
    webhook_deliveries::update(&db, &delivery).await?;
    db.commit().await?;
    Ok((attempt, is_replay))
}
