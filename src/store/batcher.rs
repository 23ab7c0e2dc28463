//! Request coalescing: calls that arrive while a query runs share the next one.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::error::StoreError;

/// Result of one key. Several calls may share an error.
pub type BatchResult<V> = Result<V, Arc<StoreError>>;

type ResultSender<V> = oneshot::Sender<BatchResult<V>>;

/// Collector of the keys of concurrent calls, which looks up many of them in each query.
#[derive(Debug)]
pub(super) struct Batcher<K, V> {
    pending: Arc<Mutex<PendingCalls<K, V>>>,
    query_slots: Arc<Semaphore>,
    max_keys: usize,
    timeout: Duration,
}

/// Calls that wait for the next query.
#[derive(Debug)]
struct PendingCalls<K, V> {
    senders: HashMap<K, Vec<ResultSender<V>>>,
    /// The keys of `senders` in FIFO order.
    order: VecDeque<K>,
}

impl<K, V> Batcher<K, V>
where
    K: Clone + Eq + Hash + Send + 'static,
    V: Clone + Send + 'static,
{
    /// Creates a batcher that runs at most `max_queries` concurrent queries, each with at most
    /// `max_keys` keys. A call waits for its result for at most `timeout`.
    pub(super) fn new(max_queries: u16, max_keys: usize, timeout: Duration) -> Self {
        let pending = PendingCalls { senders: HashMap::new(), order: VecDeque::new() };
        Self {
            pending: Arc::new(Mutex::new(pending)),
            query_slots: Arc::new(Semaphore::new(usize::from(max_queries))),
            max_keys,
            timeout,
        }
    }

    /// Returns the value of `key`, which a query reads after this call begins.
    ///
    /// `query` takes distinct keys and returns their results in the same order. All calls of one
    /// batcher must pass the same function, since any of them may run it for the others.
    ///
    /// # Errors
    /// The query's error for the key, [`StoreError::Busy`] after the timeout, or
    /// [`StoreError::Unavailable`] if the query panicked.
    pub(super) async fn call<Q, F>(&self, key: K, query: Q) -> BatchResult<V>
    where
        Q: Fn(Vec<K>) -> F + Send + Sync + 'static,
        F: Future<Output = Vec<BatchResult<V>>> + Send + 'static,
    {
        let (sender, result) = oneshot::channel();
        let slot = {
            let mut pending = self.pending.lock();
            pending.push(key, sender);
            Arc::clone(&self.query_slots).try_acquire_owned()
        };
        if let Ok(slot) = slot {
            // The queries run in a task, since this call may be cancelled while others wait.
            tokio::spawn(run_queries(Arc::clone(&self.pending), slot, self.max_keys, query));
        }
        let result = timeout(self.timeout, result).await.map_err(|_| StoreError::Busy)?;
        result.map_err(|_| StoreError::Unavailable)?
    }
}

impl<K: Clone + Eq + Hash, V> PendingCalls<K, V> {
    fn push(&mut self, key: K, sender: ResultSender<V>) {
        if let Some(senders) = self.senders.get_mut(&key) {
            senders.push(sender);
        } else {
            self.order.push_back(key.clone());
            self.senders.insert(key, vec![sender]);
        }
    }

    /// Removes and returns the oldest keys. It drops keys whose callers have all been cancelled.
    fn take(&mut self, max_keys: usize) -> (Vec<K>, Vec<Vec<ResultSender<V>>>) {
        let (mut keys, mut senders) = (Vec::new(), Vec::new());
        while keys.len() < max_keys
            && let Some(key) = self.order.pop_front()
        {
            let mut waiting = self.senders.remove(&key).unwrap_or_default();
            waiting.retain(|sender| !sender.is_closed());
            if !waiting.is_empty() {
                keys.push(key);
                senders.push(waiting);
            }
        }
        (keys, senders)
    }
}

/// Runs one query after another until no call waits.
async fn run_queries<K, V, Q, F>(
    pending: Arc<Mutex<PendingCalls<K, V>>>,
    slot: OwnedSemaphorePermit,
    max_keys: usize,
    query: Q,
) where
    K: Clone + Eq + Hash,
    V: Clone,
    Q: Fn(Vec<K>) -> F,
    F: Future<Output = Vec<BatchResult<V>>>,
{
    loop {
        let (keys, senders) = {
            let mut pending = pending.lock();
            let batch = pending.take(max_keys);
            if batch.0.is_empty() {
                // The slot becomes free under the lock. Otherwise a call could find neither a free
                // slot nor a query to join.
                drop(slot);
                return;
            }
            batch
        };
        // A panic drops the senders of this query; the calls that wait for the next one go on.
        let results = AssertUnwindSafe(async { query(keys).await }).catch_unwind().await;
        for (senders, result) in senders.into_iter().zip(results.unwrap_or_default()) {
            for sender in senders {
                // This fails if the caller was cancelled.
                let _ = sender.send(result.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use tokio::task::yield_now;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// Doubles keys; fails on 0 and panics on negative ones.
    #[derive(Debug, Clone)]
    struct Doubler {
        /// Each query waits for a permit.
        permits: Arc<Semaphore>,
        queries: Arc<Mutex<Vec<Vec<i32>>>>,
    }

    impl Doubler {
        fn new(permits: usize) -> Self {
            Self { permits: Arc::new(Semaphore::new(permits)), queries: Arc::default() }
        }

        async fn run(self, keys: Vec<i32>) -> Vec<BatchResult<i32>> {
            self.queries.lock().push(keys.clone());
            self.permits.acquire().await.unwrap().forget();
            assert!(keys.iter().all(|key| *key >= 0), "a negative key");
            let double = |key| match key {
                0 => Err(Arc::new(StoreError::Conflict)),
                _ => Ok(2 * key),
            };
            keys.into_iter().map(double).collect()
        }

        async fn call(&self, batcher: &Batcher<i32, i32>, key: i32) -> Result<i32, String> {
            let doubler = self.clone();
            let result = batcher.call(key, move |keys| doubler.clone().run(keys)).await;
            result.map_err(|error| error.to_string())
        }

        fn queries(&self) -> Vec<Vec<i32>> {
            self.queries.lock().clone()
        }
    }

    #[tokio::test]
    async fn panicking_query_frees_its_slot_and_fails_its_callers() {
        let batcher = Batcher::new(2, 1, LONG);
        let doubler = Doubler::new(5);
        // The last two wait behind queries that panic.
        let keys = [-1, -2, -3, 1, 2];
        let results = join_all(keys.map(|key| doubler.call(&batcher, key))).await;
        let unavailable = Err(StoreError::Unavailable.to_string());
        assert_eq!(results[..3], vec![unavailable; 3]);
        assert_eq!(results[3..], [Ok(2), Ok(4)]);
        yield_now().await;
        assert_eq!(batcher.query_slots.available_permits(), 2);
    }

    #[tokio::test]
    async fn cancelled_query_frees_its_slot() {
        let batcher = Arc::new(Batcher::new(1, 1, LONG));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let other = Arc::clone(&batcher);
        std::thread::spawn(move || {
            runtime.block_on(async {
                let call = Doubler::new(0);
                timeout(Duration::from_millis(1), call.call(&other, 1)).await.unwrap_err();
            });
        })
        .join()
        .unwrap();
        assert_eq!(Doubler::new(1).call(&batcher, 2).await, Ok(4));
    }

    #[tokio::test]
    async fn failing_key_does_not_fail_other_keys() {
        let (batcher, doubler) = (Batcher::new(1, 10, LONG), Doubler::new(1));
        let results = join_all([1, 0, 2].map(|key| doubler.call(&batcher, key))).await;
        assert_eq!(results, [Ok(2), Err(StoreError::Conflict.to_string()), Ok(4)]);
        assert_eq!(doubler.queries(), [[1, 0, 2]]);
    }

    #[tokio::test]
    async fn keys_are_queried_in_fifo_order_and_joined() {
        let (batcher, doubler) = (Batcher::new(1, 3, LONG), Doubler::new(9));
        let keys = [1, 2, 3, 4, 1, 5, 4, 6, 7];
        let results = join_all(keys.map(|key| doubler.call(&batcher, key))).await;
        assert_eq!(results, keys.map(|key| Ok(2 * key)));
        assert_eq!(doubler.queries(), [vec![1, 2, 3], vec![4, 5, 6], vec![7]]);
    }

    #[tokio::test]
    async fn cancelled_callers_are_skipped() {
        let (batcher, doubler) = (Batcher::new(1, 3, LONG), Doubler::new(2));
        assert!(doubler.call(&batcher, 1).now_or_never().is_none());
        assert_eq!(doubler.call(&batcher, 2).await, Ok(4));
        assert_eq!(doubler.queries(), [[2]]);
    }

    #[tokio::test]
    async fn call_ends_after_its_timeout() {
        let (batcher, doubler) = (Batcher::new(1, 3, Duration::from_millis(10)), Doubler::new(0));
        let busy = Err(StoreError::Busy.to_string());
        assert_eq!(doubler.call(&batcher, 1).await, busy);
        // The query still runs, and this call is not part of it.
        assert_eq!(doubler.call(&batcher, 2).await, busy);
        doubler.permits.add_permits(2);
        assert_eq!(doubler.call(&batcher, 3).await, Ok(6));
        assert_eq!(doubler.queries(), [[1], [3]]);
    }
}
