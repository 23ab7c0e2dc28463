//! The queue of link creations that wait for a transaction.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rand::Rng;
use tokio::sync::{Notify, oneshot};

use super::fair_queue::FairQueue;
use crate::domain::Error;
use crate::domain::idempotency::{Idempotent, replay};
use crate::store::StoreError;
use crate::store::create_links::{CreateOutcome, NewLink, PlanLimit};
use crate::store::links::NewProperties;
use crate::values::ShortCode;

/// Memory in bytes of a pending creation without its texts.
const REQUEST_BYTES: usize = 4 << 10;
/// Maximum number of copies of each text in memory. There are three: as received, as parsed and as
/// written to the database. A response under an idempotency key needs two more.
const COPIES: usize = 5;
/// Maximum time that a request waits for its transaction to begin.
pub(super) const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

/// The result of a creation.
pub(super) type CreateResult = Result<Idempotent<ShortCode>, Error>;

/// A link to create, and the responder of its request.
#[derive(Debug)]
pub(super) struct PendingCreate {
    pub(super) link: NewLink,
    pub(super) responder: Responder,
}

/// Sends the response to the request of a pending creation.
#[derive(Debug)]
pub(super) struct Responder {
    /// Error of the requested custom code, if it is invalid. A plan without custom codes ignores
    /// it.
    custom_error: Option<Error>,
    /// Number of failed attempts to lock the owner.
    owner_lookups: u32,
    enqueued_at: Instant,
    /// Size in bytes of the requested custom code, which may be long if it is invalid.
    custom_code_bytes: usize,
    sender: oneshot::Sender<CreateResult>,
}

/// The queue, which serves owners in rotation. For each owner it is FIFO, except for creations that
/// the worker puts back.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<QueueState>,
    /// Wakes the worker when the queue gets its first creation or is closed.
    wake: Notify,
    /// Maximum memory of all pending creations in bytes.
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct QueueState {
    pending: FairQueue<PendingCreate>,
    is_closed: bool,
}

/// Result of [`Queue::take`].
pub(super) enum Dequeued {
    Batch(Vec<PendingCreate>),
    /// The queue is empty.
    Empty,
    /// The queue is empty and closed.
    Closed,
}

impl Queue {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { state: Mutex::default(), wake: Notify::new(), max_bytes }
    }

    /// Appends a creation. If the queue is full, the creation displaces the newest ones of owners
    /// who have more in the queue, whose requests get [`StoreError::Busy`].
    ///
    /// # Errors
    /// [`StoreError::Busy`] if the queue is closed, or full without such an owner.
    pub(super) fn add(&self, pending: PendingCreate) -> Result<(), StoreError> {
        let (owner_id, bytes) = (pending.link.owner_id, pending.bytes());
        let (has_room, removed) = {
            let mut state = self.lock();
            // After `close`, the worker may have exited.
            if state.is_closed {
                return Err(StoreError::Busy);
            }
            let (has_room, removed) = state.pending.make_room(owner_id, bytes, self.max_bytes);
            if has_room {
                if state.pending.is_empty() {
                    self.wake.notify_one();
                }
                state.pending.push_back(owner_id, bytes, pending);
            }
            (has_room, removed)
        };
        respond_all(removed, StoreError::Busy);
        if has_room { Ok(()) } else { Err(StoreError::Busy) }
    }

    /// Removes and returns the next creations, at most `max`. It drops creations whose requests
    /// were cancelled, and responds to late requests with [`StoreError::Busy`].
    pub(super) fn take(&self, max: usize) -> Dequeued {
        let mut batch: Vec<PendingCreate> = {
            let mut state = self.lock();
            if state.pending.is_empty() {
                return if state.is_closed { Dequeued::Closed } else { Dequeued::Empty };
            }
            std::iter::from_fn(|| state.pending.pop()).take(max).collect()
        };
        let now = Instant::now();
        batch.retain(|pending| !pending.responder.sender.is_closed());
        respond_all(batch.extract_if(.., |pending| pending.is_late(now)), StoreError::Busy);
        Dequeued::Batch(batch)
    }

    /// Waits until a creation is added or the queue is closed.
    pub(super) async fn changed(&self) {
        self.wake.notified().await;
    }

    /// Puts creations back at the front of their owners' queues, because their transaction was
    /// aborted.
    pub(super) fn requeue_first(&self, all: Vec<PendingCreate>) {
        let mut state = self.lock();
        for pending in all.into_iter().rev() {
            state.pending.push_front(pending.link.owner_id, pending.bytes(), pending);
        }
    }

    /// Puts creations without an outcome at the end of their owners' queues. At the front, they
    /// would delay other creations, because each transaction may decide only one of them.
    pub(super) fn requeue_last(&self, undecided: Vec<PendingCreate>) {
        let mut state = self.lock();
        for pending in undecided {
            state.pending.push_back(pending.link.owner_id, pending.bytes(), pending);
        }
    }

    /// Responds with [`StoreError::Busy`] to all requests that are late at the time `now`.
    pub(super) fn expire(&self, now: Instant) {
        let late = self.lock().pending.extract_if(|pending| pending.is_late(now));
        respond_all(late, StoreError::Busy);
    }

    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.wake.notify_one();
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.lock().pending.bytes()
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // No code under the lock panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingCreate {
    /// Returns the maximum memory in bytes that the creation takes.
    fn bytes(&self) -> usize {
        let NewProperties { destination_host, link } = &self.link.properties;
        let texts = link.text_bytes() + destination_host.len();
        REQUEST_BYTES + COPIES * texts + self.responder.custom_code_bytes
    }

    /// Returns whether the request has waited for at least [`QUEUE_TIMEOUT`].
    fn is_late(&self, now: Instant) -> bool {
        now.duration_since(self.responder.enqueued_at) >= QUEUE_TIMEOUT
    }
}

impl Responder {
    /// Creates the responder of a request that is about to be queued.
    pub(super) fn new(
        custom_error: Option<Error>,
        custom_code_bytes: usize,
        sender: oneshot::Sender<CreateResult>,
    ) -> Self {
        Self {
            custom_error,
            owner_lookups: 0,
            enqueued_at: Instant::now(),
            custom_code_bytes,
            sender,
        }
    }

    pub(super) fn send(self, result: CreateResult) {
        // The request may have been cancelled.
        let _ = self.sender.send(result);
    }
}

/// Responds to all requests with the same error.
pub(super) fn respond_all(all: impl IntoIterator<Item = PendingCreate>, error: StoreError) {
    let error = Arc::new(error);
    for pending in all {
        pending.responder.send(Err(Error::Store(Arc::clone(&error))));
    }
}

/// Maximum number of attempts to lock an owner. An attempt fails while the owner's plan changes.
const MAX_OWNER_LOOKUPS: u32 = 3;

impl PendingCreate {
    /// Responds to the request and returns `None`, or returns the creation if it must be retried.
    pub(super) fn respond(mut self, outcome: CreateOutcome) -> Option<Self> {
        let custom_error = self.responder.custom_error.take();
        let response = match outcome {
            CreateOutcome::Created(code) => Ok(Idempotent::Executed(code)),
            CreateOutcome::Replay { stored, is_invalid } => {
                match (replay(stored), custom_error) {
                    // The error of an invalid code takes precedence over that of a reused key.
                    (Err(Error::KeyReused), Some(error @ Error::Invalid(_))) if is_invalid => {
                        Err(error)
                    }
                    (replayed, _) => replayed.map(Idempotent::Replayed),
                }
            }
            CreateOutcome::CustomCodeInUse => Err(Error::CodeInUse),
            CreateOutcome::ExternalIdInUse(code) => {
                Err(Error::ExternalIdInUse { short_code: Some(code.to_string()) })
            }
            CreateOutcome::CustomCodeInvalid => Err(custom_error.unwrap_or(Error::CodeReserved)),
            CreateOutcome::CustomCodesNotAllowed => Err(Error::CustomCodesNotAllowed),
            CreateOutcome::PlanLimitReached(PlanLimit::Links) => Err(Error::PlanLimitReached),
            CreateOutcome::PlanLimitReached(PlanLimit::LinksPerDay) => {
                let retry_after = self.link.properties.link.created_at.seconds_to_midnight();
                Err(Error::DailyLimitReached { retry_after })
            }
            CreateOutcome::OwnerUnavailable
                if self.responder.owner_lookups >= MAX_OWNER_LOOKUPS =>
            {
                Err(StoreError::OwnerUnavailable.into())
            }
            CreateOutcome::OwnerUnavailable
            | CreateOutcome::GeneratedCodeInUse
            | CreateOutcome::Retry => {
                self.responder.owner_lookups +=
                    u32::from(outcome == CreateOutcome::OwnerUnavailable);
                self.responder.custom_error = custom_error;
                return Some(self);
            }
        };
        self.responder.send(response);
        None
    }

    /// Replaces the generated code by a new one, because the old one may be in use.
    pub(super) fn with_new_code(mut self, rng: &mut impl Rng) -> Self {
        self.link.generated_code = ShortCode::generate(rng);
        self
    }
}
