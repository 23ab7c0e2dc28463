//! The creation of links. Several requests share a transaction, but each gets its own response.
//!
//! One worker creates links in batches. While the worker waits for the database, the next batch
//! fills. The size of batches thus grows with the load, and no request waits for a timer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt as _};
use rand::Rng;
use tokio::sync::oneshot;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::create_link::{CreateLink, LinkCreator};
use super::properties::LinkEdit;
use super::queue::{CreateResult, Dequeued, PendingCreate, Queue, Responder, respond_all};
use super::rules::LinkRules;
use crate::domain::Error;
use crate::domain::idempotency::{Idempotent, Namespace, earlier_response, stored_response};
use crate::metrics::Metrics;
use crate::store::create_links::{CreateOutcome, NewLink};
use crate::store::idempotency::{BatchMember, IdempotentRequest};
use crate::store::links::NewProperties;
use crate::store::{Attempts, Store, StoreError, WritePermit};
use crate::values::{ShortCode, Timestamp};

/// Maximum number of links per transaction. It is small because clicks on SQLite wait for the
/// transaction.
const MAX_BATCH: usize = 256;
/// Interval at which late requests time out if a transaction hangs.
const EXPIRY_INTERVAL: Duration = Duration::from_secs(1);
/// Interval at which a request checks whether the database still completes commits.
const STALL_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum time of a request, including its transaction.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);

/// Handle that accepts requests for links. All clones feed the same [`CreatorWorker`].
#[derive(Debug, Clone)]
pub struct Creator {
    shared: Arc<CreatorState>,
}

#[derive(Debug)]
struct CreatorState {
    queue: Queue,
    store: Store,
    rules: LinkRules,
    metrics: Arc<Metrics>,
}

impl Creator {
    /// Returns the rules for the properties of links.
    pub fn rules(&self) -> &LinkRules {
        &self.shared.rules
    }

    /// Returns the store of the links.
    pub(super) fn store(&self) -> &Store {
        &self.shared.store
    }

    /// Creates a creator and its worker. The queue between them takes at most `capacity` bytes.
    pub fn new(
        store: Store,
        rules: LinkRules,
        metrics: Arc<Metrics>,
        capacity: usize,
    ) -> (Self, CreatorWorker) {
        let queue = Queue::new(capacity);
        let shared = Arc::new(CreatorState { queue, store, rules, metrics });
        let worker =
            CreatorWorker { shared: Arc::clone(&shared), is_full_logged: AtomicBool::new(false) };
        (Self { shared }, worker)
    }

    /// Creates a link for the owner. Returns the link's code once the link is durable across a
    /// power loss.
    ///
    /// If the call is dropped before its transaction begins, it creates nothing. Requests with the
    /// same idempotency key create only one link.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::DestinationBlocked`], [`Error::ExpiryPassed`],
    /// [`Error::KeyReused`], [`Error::CodeReserved`], [`Error::CodeInUse`], [`Error::ExternalIdInUse`],
    /// [`Error::CustomCodesNotAllowed`], [`Error::PlanLimitReached`], [`Error::DailyLimitReached`], or if the database fails or too many requests wait for it.
    pub async fn create(
        &self,
        by: LinkCreator,
        request: &CreateLink,
        idempotent: Option<IdempotentRequest>,
        now: Timestamp,
        rng: &mut impl Rng,
    ) -> Result<Idempotent, Error> {
        let CreatorState { store, rules, .. } = &*self.shared;
        let LinkCreator { owner_id, key_id } = by;
        if let Err(error) = request.check(store, rules, owner_id, now).await {
            // The link may have been created while the service had another base URL, or before its
            // destination was blocked or its expiry passed. If so, the response is replayed. Boxed
            // because this future is rarely needed and large.
            let stored = stored_response(store.reader(), owner_id, idempotent.as_ref(), now);
            let stored = Box::pin(stored).await?;
            let is_conflict = matches!(error, Error::ExpiryPassed | Error::ColoursTooClose { .. });
            return match stored {
                Some(Ok(response)) => Ok(Idempotent::Replayed(response)),
                // The reuse of an idempotency key comes first among conflicts.
                Some(Err(reused)) if is_conflict => Err(reused),
                Some(Err(_)) | None => Err(error),
            };
        }
        let (custom_code, custom_error) = request.custom_code();
        let link = NewLink {
            owner_id,
            custom_code,
            demands_custom_code: request.demands_custom_code,
            generated_code: ShortCode::generate(rng),
            properties: NewProperties {
                destination_host: request.destination.host().to_owned(),
                link: request.properties(Some(key_id), now),
            },
            idempotent,
        };
        store.check_commits()?;
        let (sender, response) = oneshot::channel();
        let custom_code_bytes = request.custom_code.as_ref().map_or(0, String::len);
        let responder = Responder::new(custom_error, custom_code_bytes, sender);
        let _pending = PendingGauge::new(&self.shared.metrics);
        self.shared.queue.add(PendingCreate { link, responder })?;
        self.wait_for(response).await
    }

    /// Waits for the response of the worker, which responds to every request unless the process
    /// ends, or the commit of the transaction neither succeeds nor fails.
    async fn wait_for(&self, mut response: oneshot::Receiver<CreateResult>) -> CreateResult {
        let enqueued_at = Instant::now();
        loop {
            match timeout(STALL_INTERVAL, &mut response).await {
                Ok(result) => return result.unwrap_or(Err(StoreError::Unavailable.into())),
                Err(_) if enqueued_at.elapsed() > RESPONSE_TIMEOUT => {
                    return Err(StoreError::Busy.into());
                }
                Err(_) => self.shared.store.check_commits()?,
            }
        }
    }

    /// Times out requests that wait too long while a transaction hangs, because
    /// [`CreatorWorker::run`] cannot respond meanwhile. It runs until it is dropped.
    pub async fn expire_late(self) {
        let mut ticks = interval(EXPIRY_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.shared.queue.expire(Instant::now());
        }
    }

    /// Lets [`CreatorWorker::run`] end once its queue is empty.
    pub fn close(&self) {
        self.shared.queue.close();
    }
}

/// Guard that counts one creation in the metric of pending creations until it is dropped.
struct PendingGauge<'a>(&'a Metrics);

impl<'a> PendingGauge<'a> {
    fn new(metrics: &'a Metrics) -> Self {
        metrics.link_creations_pending.inc();
        Self(metrics)
    }
}

impl Drop for PendingGauge<'_> {
    fn drop(&mut self) {
        self.0.link_creations_pending.dec();
    }
}

/// The only task that creates links. On SQLite it blocks its thread while it writes.
#[derive(Debug)]
pub struct CreatorWorker {
    shared: Arc<CreatorState>,
    /// Whether the log has reported that the disk is full since the last success.
    is_full_logged: AtomicBool,
}

impl CreatorWorker {
    /// Creates links until the creator is closed and the queue is empty.
    pub async fn run(self, mut rng: impl Rng) {
        while let Some((permit, batch)) = self.next().await {
            self.create_all(permit, batch, &mut rng).await;
        }
    }

    /// Waits for the next batch and for the permit of its transaction. Returns `None` once the
    /// queue is closed and empty. Requests stay in the queue until there is a permit, so that they
    /// can time out.
    async fn next(&self) -> Option<(WritePermit, Vec<PendingCreate>)> {
        loop {
            let Ok(permit) = self.shared.store.acquire_permit().await else { continue };
            match self.shared.queue.take(MAX_BATCH) {
                Dequeued::Batch(batch) => return Some((permit, batch)),
                Dequeued::Closed => return None,
                Dequeued::Empty => {}
            }
            drop(permit);
            self.shared.queue.changed().await;
        }
    }

    /// Creates links in one transaction, and responds to their requests. If the database rejects
    /// the data of a link, it creates each link in a transaction of its own.
    async fn create_all(&self, permit: WritePermit, batch: Vec<PendingCreate>, rng: &mut impl Rng) {
        let queue = &self.shared.queue;
        let (mut permit, mut parts) = (Some(permit), vec![batch]);
        while let Some(part) = parts.pop().filter(|part| !part.is_empty()) {
            let result = self.create_together(permit.take(), &part).await;
            let part = part.into_iter();
            match result {
                Ok(outcomes) => {
                    self.is_full_logged.store(false, Ordering::Relaxed);
                    let undecided = part
                        .zip(outcomes)
                        .filter_map(|(pending, outcome)| pending.respond(outcome))
                        .map(|pending| pending.with_new_code(rng));
                    queue.requeue_last(undecided.collect());
                }
                // No link was created. The same requests return to the front of the queue, each
                // with its original deadline.
                Err(StoreError::Retryable(_)) => {
                    queue.requeue_first(part.chain(parts.drain(..).rev().flatten()).collect());
                }
                Err(StoreError::InvalidData(_)) if part.len() > 1 => {
                    parts.extend(part.rev().map(|pending| vec![pending]));
                }
                Err(error) => {
                    // A line per request would fill the disk further.
                    if matches!(error, StoreError::DiskFull)
                        && !self.is_full_logged.swap(true, Ordering::Relaxed)
                    {
                        tracing::error!(%error, "links cannot be created");
                    }
                    respond_all(part, error);
                }
            }
        }
    }

    /// Creates links in one transaction. Returns their outcomes once the links are durable across a
    /// power loss.
    async fn create_together(
        &self,
        mut permit: Option<WritePermit>,
        batch: &[PendingCreate],
    ) -> Result<Vec<CreateOutcome>, StoreError> {
        let CreatorState { store, metrics, .. } = &*self.shared;
        let links: Vec<&NewLink> = batch.iter().map(|pending| &pending.link).collect();
        let started = Instant::now();
        let mut attempts = Attempts::default();
        let outcomes = loop {
            match store.create_links(&links, permit.take()).await {
                Err(error) if attempts.may_retry(Some(&error)).await => {}
                result => break result?,
            }
        };
        store.flush()?;
        let created =
            outcomes.iter().filter(|outcome| matches!(outcome, CreateOutcome::Created(_)));
        metrics.links_created.inc_by(created.count() as u64);
        metrics.link_batches.inc();
        metrics.link_commit_seconds.observe(started.elapsed().as_secs_f64());
        Ok(outcomes)
    }
}

/// Maximum number of links of one batch in the queue. Other creations of the same owner wait for
/// them, and those of other owners for a transaction with them. With half as many, batches create
/// fewer links per second than 16 connections with single creations do.
const MAX_QUEUED: usize = 32;

/// A link of a batch.
#[derive(Debug)]
pub struct BatchLink {
    /// Position in the batch, from 0.
    pub position: usize,
    /// The link to create.
    pub link: CreateLink,
    /// The changes of the link that has the external identifier already. `None`: the link fails then.
    pub edit: Option<LinkEdit>,
}

impl Creator {
    /// Creates links of an owner as if each had a request of its own, and returns them with their
    /// results, in order. Once `stop` is cancelled, it creates no more.
    ///
    /// `idempotent` has the idempotency key of the whole batch. If the batch is repeated, it creates
    /// only links that do not exist yet.
    ///
    /// # Errors
    /// [`Error::KeyReused`] if another request has the idempotency key; or if the database fails
    /// before the first link.
    pub async fn create_batch<R: Rng + Clone + Send + 'static>(
        &self,
        by: LinkCreator,
        links: Vec<BatchLink>,
        idempotent: Option<IdempotentRequest>,
        stop: &CancellationToken,
        now: Timestamp,
        rng: R,
    ) -> Result<Vec<(BatchLink, Result<Idempotent, Error>)>, Error> {
        let mut idempotent = idempotent;
        if let Some(request) = &mut idempotent {
            let (reader, namespace) = (self.shared.store.reader(), Namespace::Owner(by.owner_id));
            if let Some(first) = earlier_response(reader, namespace, request, now).await? {
                // The links to come keep no more of the request than those that exist.
                let kept = first.fingerprint.try_into();
                request.fingerprint = kept.unwrap_or(request.fingerprint);
            }
        }
        let create = |link: BatchLink| {
            let (creator, stop, mut rng) = (self.clone(), stop.clone(), rng.clone());
            let member = Some(BatchMember::Created(link.position));
            let idempotent = idempotent.clone().map(|all| IdempotentRequest { member, ..all });
            async move {
                if stop.is_cancelled() {
                    return (link, Err(StoreError::OwnerUnavailable.into()));
                }
                let result = creator.create(by, &link.link, idempotent, now, &mut rng).await;
                (link, result)
            }
        };
        let results: Vec<_> = stream::iter(links).map(create).buffered(MAX_QUEUED).collect().await;
        let is_reused = |(_, result): &(_, _)| matches!(result, Err(Error::KeyReused));
        if results.iter().any(is_reused) { Err(Error::KeyReused) } else { Ok(results) }
    }
}

#[cfg(test)]
mod tests {
    use rand::rand_core::UnwrapErr;
    use rand::rngs::SysRng;

    use super::*;
    use crate::domain::links::LinkValues;
    use crate::domain::links::queue::{CreateResult, QUEUE_TIMEOUT};
    use crate::domain::{Addresses, owners};
    use crate::values::{BaseUrl, Destination, IdempotencyKey, Name, ServiceUrls, Title};

    const BY: LinkCreator = LinkCreator { owner_id: 1, key_id: 1 };

    fn request() -> CreateLink {
        CreateLink::new(Destination::parse("https://example.org/").unwrap())
    }

    /// Creates a store with one owner, whose identifier is 1.
    async fn store_with_owner(directory: &std::path::Path) -> Store {
        let store = Store::new_in(directory).await;
        let name = Name::parse("owner").unwrap();
        let mut rng = UnwrapErr(SysRng);
        owners::add_first(&store, &name, Timestamp::now(), &mut rng).await.unwrap();
        store
    }

    fn creator_on(store: &Store) -> (Creator, CreatorWorker) {
        let service = ServiceUrls::new(BaseUrl::parse("http://127.0.0.1:8080").unwrap(), &[]);
        let addresses = Arc::new(Addresses::new(service));
        let rules = LinkRules { addresses, blocklist: Arc::default(), contact: None };
        let metrics = Arc::new(Metrics::new().unwrap());
        Creator::new(store.clone(), rules, metrics, 1 << 20)
    }

    #[tokio::test]
    async fn cancelled_request_is_skipped() {
        let directory = tempfile::tempdir().unwrap();
        let store = store_with_owner(directory.path()).await;
        let (now, mut rng) = (Timestamp::now(), UnwrapErr(SysRng));

        let (creator, worker) = creator_on(&store);
        let (cancelled, completed) = (request(), request());
        let mut other = rng;
        let mut first = Box::pin(creator.create(BY, &cancelled, None, now, &mut rng));
        tokio::select! {
            biased;
            _ = &mut first => panic!("no worker runs yet"),
            () = std::future::ready(()) => drop(first),
        }
        let second = creator.create(BY, &completed, None, now, &mut other);
        let close = async {
            tokio::task::yield_now().await;
            creator.close();
        };
        let (created, ..) = tokio::join!(second, worker.run(UnwrapErr(SysRng)), close);
        created.unwrap();
        assert_eq!(owners::list(&store).await.unwrap()[0].owner.link_count, 1);
    }

    #[tokio::test]
    async fn concurrent_requests_under_one_key_share_a_response() {
        let directory = tempfile::tempdir().unwrap();
        let store = store_with_owner(directory.path()).await;
        let now = Timestamp::now();

        let (creator, worker) = creator_on(&store);
        let (same, other) = (
            request(),
            CreateLink {
                values: LinkValues {
                    title: Some(Title::parse("other").ok()),
                    ..LinkValues::default()
                },
                ..request()
            },
        );
        let create = |request| {
            let key = IdempotencyKey::parse(b"key").unwrap();
            let fingerprint = CreateLink::fingerprint(request);
            let base_url = "http://127.0.0.1:8080".to_owned();
            let idempotent =
                IdempotentRequest { key, fingerprint, base_url, origin: None, member: None };
            let creator = creator.clone();
            async move {
                let mut rng = UnwrapErr(SysRng);
                creator.create(BY, request, Some(idempotent), now, &mut rng).await
            }
        };
        let all = (0..20).map(|number| create(if number % 4 == 3 { &other } else { &same }));
        let close = async {
            tokio::task::yield_now().await;
            creator.close();
        };
        let all = futures_util::future::join_all(all);
        let (results, ..) = tokio::join!(all, worker.run(UnwrapErr(SysRng)), close);
        let count =
            |is: fn(&CreateResult) -> bool| results.iter().filter(|result| is(result)).count();
        let executed = count(|result| matches!(result, Ok(Idempotent::Executed(_))));
        let replayed = count(|result| matches!(result, Ok(Idempotent::Replayed(_))));
        let rejected = count(|result| matches!(result, Err(Error::KeyReused)));
        assert_eq!((executed, replayed, rejected), (1, 14, 5));
        assert_eq!(creator.shared.metrics.link_batches.get(), 1);
    }

    #[tokio::test]
    async fn late_request_times_out_behind_a_hanging_transaction() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new_in(directory.path()).await;
        // No worker runs, as if a transaction hung.
        let (creator, _worker) = creator_on(&store);
        let (request, mut rng) = (request(), UnwrapErr(SysRng));
        let mut created = Box::pin(creator.create(BY, &request, None, Timestamp::now(), &mut rng));
        for (waited, is_late) in [(QUEUE_TIMEOUT / 2, false), (QUEUE_TIMEOUT, true)] {
            tokio::select! {
                biased;
                _ = &mut created => panic!("the response came too early"),
                () = std::future::ready(()) => creator.shared.queue.expire(Instant::now() + waited),
            }
            assert_eq!(creator.shared.queue.bytes() == 0, is_late);
        }
        let result = created.await;
        assert!(matches!(&result, Err(Error::Store(error)) if matches!(**error, StoreError::Busy)));
    }
}
