//! Those who wait for their links to be made.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, oneshot};

use crate::domain::Error;
use crate::domain::idempotency::Done;
use crate::store::StoreError;
use crate::store::creations::NewLink;
use crate::values::ShortCode;

/// What a request takes that waits, without its texts.
const REQUEST_BYTES: usize = 4 << 10;
/// Copies of a text: as it was wished, as it was understood, as it is put into the database, and both
/// again for the answer that is kept under a key.
const COPIES: usize = 5;
/// How long one waits for its transaction to begin.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// What somebody is told.
pub(super) type Created = Result<Done<ShortCode>, Error>;

/// A link to be, and who waits for it.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) who: Who,
    pub(super) link: NewLink,
}

#[derive(Debug)]
pub(super) struct Who {
    /// Why it cannot have the code that was asked for, where the plan lets one ask.
    pub(super) refusal: Option<Error>,
    since: Instant,
    /// What its request holds of the code that it asks for, which may be none.
    custom_bytes: usize,
    /// How often its owner was looked for in vain.
    pub(super) looks: u32,
    answer: oneshot::Sender<Created>,
}

/// In the order in which they came.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// There is something in it, or the end is near.
    wake: Notify,
    /// Bytes that those who wait may take.
    capacity: usize,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Waiting>,
    /// That they take.
    bytes: usize,
    /// No more will come.
    is_closed: bool,
}

/// What was to be had.
pub(super) enum Taken {
    Some(Vec<Waiting>),
    /// Nobody waits now.
    Nothing,
    /// Nobody waits, and no more will come.
    Closed,
}

impl Queue {
    pub(super) fn new(capacity: usize) -> Self {
        Self { state: Mutex::default(), wake: Notify::new(), capacity }
    }

    pub(super) fn add(&self, waiting: Waiting) -> Result<(), StoreError> {
        let mut state = self.lock();
        let bytes = state.bytes + waiting.bytes();
        // After the end nobody makes it.
        if state.is_closed || bytes > self.capacity {
            return Err(StoreError::Busy);
        }
        state.bytes = bytes;
        state.waiting.push_back(waiting);
        if state.waiting.len() == 1 {
            self.wake.notify_one();
        }
        Ok(())
    }

    /// Those who have waited longest, so many at most.
    pub(super) fn take(&self, most: usize) -> Taken {
        let mut state = self.lock();
        if state.waiting.is_empty() {
            return if state.is_closed { Taken::Closed } else { Taken::Nothing };
        }
        let count = state.waiting.len().min(most);
        let batch: Vec<Waiting> = state.waiting.drain(..count).collect();
        state.bytes -= bytes_of(&batch);
        Taken::Some(batch)
    }

    /// Returns when it is worth a look: somebody has come, or no more will.
    pub(super) async fn changed(&self) {
        self.wake.notified().await;
    }

    /// Lets those wait on who have not had their turn, before all others.
    pub(super) fn put_back(&self, all: Vec<Waiting>) {
        let mut state = self.lock();
        state.bytes += bytes_of(&all);
        for waiting in all.into_iter().rev() {
            state.waiting.push_front(waiting);
        }
    }

    /// Lets those wait once more who could not be decided, behind all others: each transaction may
    /// decide few of them.
    pub(super) fn wait_again(&self, undecided: Vec<Waiting>) {
        let mut state = self.lock();
        state.bytes += bytes_of(&undecided);
        state.waiting.extend(undecided);
    }

    /// Answers those who have waited too long.
    pub(super) fn answer_late(&self, now: Instant) {
        let late: VecDeque<Waiting> = {
            let mut state = self.lock();
            let (late, waiting) =
                state.waiting.drain(..).partition(|waiting| !waiting.is_in_time(now));
            state.waiting = waiting;
            state.bytes -= bytes_of(&late);
            late
        };
        answer_all(late.into_iter().map(|waiting| waiting.who), StoreError::Busy);
    }

    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.wake.notify_one();
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that panics runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Bytes that it takes at most.
    fn bytes(&self) -> usize {
        let NewLink { destination_url, title, campaign, .. } = &self.link;
        let texts = [Some(destination_url), title.as_ref(), campaign.as_ref()];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        REQUEST_BYTES + COPIES * texts + self.who.custom_bytes
    }

    pub(super) fn is_in_time(&self, now: Instant) -> bool {
        now.duration_since(self.who.since) < PATIENCE
    }
}

impl Who {
    pub(super) fn new(
        refusal: Option<Error>,
        custom_bytes: usize,
        answer: oneshot::Sender<Created>,
    ) -> Self {
        Self { refusal, since: Instant::now(), custom_bytes, looks: 0, answer }
    }

    /// Nobody waits any more.
    pub(super) fn is_gone(&self) -> bool {
        self.answer.is_closed()
    }

    pub(super) fn tell(self, answer: Created) {
        // Nobody may wait any more.
        let _ = self.answer.send(answer);
    }
}

fn bytes_of<'a>(all: impl IntoIterator<Item = &'a Waiting>) -> usize {
    all.into_iter().map(Waiting::bytes).sum()
}

pub(super) fn answer_all(all: impl Iterator<Item = Who>, error: StoreError) {
    let error = Arc::new(error);
    for who in all {
        who.tell(Err(Error::Store(Arc::clone(&error))));
    }
}
