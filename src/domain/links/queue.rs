//! The queue of link creations that wait for a transaction, which is fair between owners.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rand::Rng;
use tokio::sync::{Notify, oneshot};

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
pub(super) type CreateResult = Result<Idempotent, Error>;

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
            let mut state = self.state.lock();
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
            let mut state = self.state.lock();
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
        let mut state = self.state.lock();
        for pending in all.into_iter().rev() {
            state.pending.push_front(pending.link.owner_id, pending.bytes(), pending);
        }
    }

    /// Puts creations without an outcome at the end of their owners' queues. At the front, they
    /// would delay other creations, because each transaction may decide only one of them.
    pub(super) fn requeue_last(&self, undecided: Vec<PendingCreate>) {
        let mut state = self.state.lock();
        for pending in undecided {
            state.pending.push_back(pending.link.owner_id, pending.bytes(), pending);
        }
    }

    /// Responds with [`StoreError::Busy`] to all requests that are late at the time `now`.
    pub(super) fn expire(&self, now: Instant) {
        let late = self.state.lock().pending.extract_if(|pending| pending.is_late(now));
        respond_all(late, StoreError::Busy);
    }

    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.wake.notify_one();
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.state.lock().pending.bytes()
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

/// A queue of items of several owners. It is FIFO for each owner and serves the owners in rotation,
/// so that an owner with many items does not delay the others.
#[derive(Debug)]
struct FairQueue<T> {
    owners: HashMap<i64, OwnerQueue<T>>,
    /// The owners with items, in the order in which they are served.
    rotation: VecDeque<i64>,
    bytes: usize,
}

/// The items of one owner, each with its size in bytes.
#[derive(Debug)]
struct OwnerQueue<T> {
    items: VecDeque<(usize, T)>,
    bytes: usize,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { owners: HashMap::new(), rotation: VecDeque::new(), bytes: 0 }
    }
}

impl<T> Default for OwnerQueue<T> {
    fn default() -> Self {
        Self { items: VecDeque::new(), bytes: 0 }
    }
}

impl<T> FairQueue<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.rotation.is_empty()
    }

    /// Returns the size of all items in bytes.
    #[cfg(test)]
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes room for an item of `bytes` bytes, so that all items together have at most `max_bytes`.
    /// Returns whether there is room, and the items that it removed for that: the newest ones of
    /// owners who have more in the queue than this one.
    pub(super) fn make_room(
        &mut self,
        owner_id: i64,
        bytes: usize,
        max_bytes: usize,
    ) -> (bool, Vec<T>) {
        let share = self.owners.get(&owner_id).map_or(0, |queue| queue.bytes) + bytes;
        let mut removed = Vec::new();
        while self.bytes + bytes > max_bytes {
            let Some(largest) = self.owners.values_mut().max_by_key(|queue| queue.bytes) else {
                return (false, removed);
            };
            let Some((last, _)) = largest.items.back() else { return (false, removed) };
            // Otherwise the owners would take the same room from each other forever.
            if largest.bytes - last < share {
                return (false, removed);
            }
            if let Some((last, item)) = largest.items.pop_back() {
                largest.bytes -= last;
                self.bytes -= last;
                removed.push(item);
            }
        }
        (true, removed)
    }

    /// Appends an item to its owner's queue.
    pub(super) fn push_back(&mut self, owner_id: i64, bytes: usize, item: T) {
        self.bytes += bytes;
        let queue = self.owners.entry(owner_id).or_default();
        if queue.items.is_empty() {
            self.rotation.push_back(owner_id);
        }
        queue.bytes += bytes;
        queue.items.push_back((bytes, item));
    }

    /// Puts an item at the front of its owner's queue.
    fn push_front(&mut self, owner_id: i64, bytes: usize, item: T) {
        self.bytes += bytes;
        let queue = self.owners.entry(owner_id).or_default();
        if queue.items.is_empty() {
            self.rotation.push_front(owner_id);
        }
        queue.bytes += bytes;
        queue.items.push_front((bytes, item));
    }

    /// Removes and returns the first item of the owner whose turn it is.
    pub(super) fn pop(&mut self) -> Option<T> {
        let owner_id = self.rotation.pop_front()?;
        let queue = self.owners.get_mut(&owner_id)?;
        let (bytes, item) = queue.items.pop_front()?;
        queue.bytes -= bytes;
        self.bytes -= bytes;
        if queue.items.is_empty() {
            self.owners.remove(&owner_id);
        } else {
            self.rotation.push_back(owner_id);
        }
        Some(item)
    }

    /// Removes and returns all items that meet the condition.
    pub(super) fn extract_if(&mut self, condition: impl Fn(&T) -> bool) -> Vec<T> {
        let mut extracted = Vec::new();
        for queue in self.owners.values_mut() {
            let items = std::mem::take(&mut queue.items);
            for (bytes, item) in items {
                if condition(&item) {
                    queue.bytes -= bytes;
                    self.bytes -= bytes;
                    extracted.push(item);
                } else {
                    queue.items.push_back((bytes, item));
                }
            }
        }
        self.owners.retain(|_, queue| !queue.items.is_empty());
        self.rotation.retain(|owner_id| self.owners.contains_key(owner_id));
        extracted
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MAX_BYTES: usize = 40;

    #[derive(Debug, Clone)]
    enum Action {
        /// An owner adds an item of this size.
        Add(i64, usize),
        /// A batch of at most this size is taken. If it fails, its items return to the queue.
        Take(usize, bool),
        /// The items with an even number are extracted.
        Extract,
    }

    fn actions() -> impl Strategy<Value = Vec<Action>> {
        let action = prop_oneof![
            8 => (0..4_i64, 1..9_usize).prop_map(|(owner, bytes)| Action::Add(owner.min(3), bytes)),
            3 => (1..8_usize, any::<bool>()).prop_map(|(max, fails)| Action::Take(max, fails)),
            1 => Just(Action::Extract),
        ];
        proptest::collection::vec(action, 1..120)
    }

    /// An item: its owner, its number and its size.
    type Item = (i64, usize, usize);

    /// Panics unless the batch is FIFO for each owner and serves all waiting owners alike.
    fn assert_fair(batch: &[Item], waiting: &HashMap<i64, VecDeque<usize>>) {
        let taken = |owner| batch.iter().filter(move |(other, ..)| *other == owner).count();
        for (owner, numbers) in waiting {
            let of_owner = batch.iter().filter(|(other, ..)| other == owner);
            let first: Vec<usize> = numbers.iter().copied().take(taken(*owner)).collect();
            assert_eq!(of_owner.map(|(_, number, _)| *number).collect::<Vec<_>>(), first);
            // An owner who still waits has been served as often as any other, apart from the last
            // round.
            if numbers.len() > taken(*owner) {
                let most = waiting.keys().map(|other| taken(*other)).max().unwrap_or(0);
                assert!(taken(*owner) + 1 >= most, "{batch:?} of {waiting:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn items_are_served_in_rotation_and_none_is_lost(actions in actions()) {
            let mut queue = FairQueue::<Item>::default();
            let mut waiting: HashMap<i64, VecDeque<usize>> = HashMap::new();
            let forget = |waiting: &mut HashMap<i64, VecDeque<usize>>, items: &[Item]| {
                for (owner, number, _) in items {
                    let numbers = waiting.get_mut(owner).unwrap();
                    let index = numbers.iter().position(|other| other == number).unwrap();
                    numbers.remove(index);
                }
            };
            for (number, action) in actions.into_iter().enumerate() {
                match action {
                    Action::Add(owner, bytes) => {
                        let before = queue.owners.get(&owner).map_or(0, |queue| queue.bytes);
                        let (has_room, removed) = queue.make_room(owner, bytes, MAX_BYTES);
                        prop_assert!(removed.iter().all(|(other, ..)| *other != owner));
                        forget(&mut waiting, &removed);
                        if has_room {
                            queue.push_back(owner, bytes, (owner, number, bytes));
                            waiting.entry(owner).or_default().push_back(number);
                        } else {
                            // Only an owner who has at least an equal share is rejected.
                            let others = queue.owners.iter().filter(|(other, _)| **other != owner);
                            let most = others.map(|(_, queue)| queue.bytes).max().unwrap_or(0);
                            prop_assert!(before + bytes + 8 >= most);
                        }
                    }
                    Action::Take(max, fails) => {
                        let batch: Vec<Item> = std::iter::from_fn(|| queue.pop()).take(max).collect();
                        let all: usize = waiting.values().map(VecDeque::len).sum();
                        prop_assert_eq!(batch.len(), max.min(all));
                        assert_fair(&batch, &waiting);
                        if fails {
                            for item in batch.into_iter().rev() {
                                queue.push_front(item.0, item.2, item);
                            }
                        } else {
                            forget(&mut waiting, &batch);
                        }
                    }
                    Action::Extract => {
                        let extracted = queue.extract_if(|(_, number, _)| number % 2 == 0);
                        prop_assert!(extracted.iter().all(|(_, number, _)| number % 2 == 0));
                        forget(&mut waiting, &extracted);
                        prop_assert!(waiting.values().flatten().all(|number| number % 2 == 1));
                    }
                }
                prop_assert!(queue.bytes() <= MAX_BYTES);
                prop_assert_eq!(queue.is_empty(), waiting.values().all(VecDeque::is_empty));
            }
            while let Some(item) = queue.pop() {
                forget(&mut waiting, &[item]);
            }
            prop_assert!(waiting.values().all(VecDeque::is_empty));
            prop_assert_eq!((queue.bytes(), queue.owners.len()), (0, 0));
        }
    }
}
