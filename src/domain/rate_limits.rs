//! Rate limits of owners and of clients. They live in the memory of one instance: each instance has
//! its own.
//!
//! All limits use the generic cell rate algorithm, which needs one number per owner or client.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash, RandomState};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::state::keyed::{HashMapStateStore, KeyedStateStore, ShrinkableKeyedStateStore};
use governor::{Quota, RateLimiter};
use parking_lot::{Mutex, RwLock};
use strum::VariantArray as _;
use strum_macros::{IntoStaticStr, VariantArray};
use tokio::time::{MissedTickBehavior, interval};

use crate::values::{Rate, RateLimit, client_network};

/// Interval at which limits forget owners and clients. Together with the longest window
/// of a client's limit, it is far below the ten minutes for which addresses may stay in memory.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(60);

/// Forgets owners and clients whose limits have refilled. It runs until it is dropped.
pub async fn run(owners: Arc<OwnerLimits>, clients: Arc<ClientLimits>) {
    let mut ticks = interval(CLEANUP_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        owners.forget_refilled();
        clients.forget_refilled();
    }
}

/// A limiter with a state per key.
type Limiter<K, S> = RateLimiter<K, S, DefaultClock, StateInformationMiddleware>;

/// Decision of a rate limit about one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateDecision {
    /// The limit.
    pub limit: RateLimit,
    /// Whether the limit allows the request.
    pub is_allowed: bool,
    /// Number of further requests that the limit allows now.
    pub remaining: u32,
    /// Time until the limit allows one more request than now: exact if it rejected this one, otherwise an
    /// upper bound.
    pub next_in: Duration,
}

impl RateDecision {
    /// Counts a request with this key, and decides about it. The limiter must have this limit.
    fn from_limiter<K: Hash, S: KeyedStateStore<K>>(
        limiter: &Limiter<K, S>,
        key: &K,
        limit: RateLimit,
    ) -> Self {
        match limiter.check_key(key) {
            Ok(state) => Self {
                limit,
                is_allowed: true,
                remaining: state.remaining_burst_capacity(),
                next_in: limit.rate.interval(),
            },
            Err(state) => Self {
                limit,
                is_allowed: false,
                remaining: 0,
                next_in: state.wait_time_from(limiter.clock().now()),
            },
        }
    }

    /// Returns [`Self::next_in`] in whole seconds, rounded up and at least 1.
    pub fn next_in_seconds(&self) -> u64 {
        whole_seconds(self.next_in)
    }

    /// Returns the window of the limit in whole seconds, rounded up and at least 1.
    pub fn window_in_seconds(&self) -> u64 {
        whole_seconds(self.limit.window())
    }
}

fn whole_seconds(time: Duration) -> u64 {
    let is_partial = time.subsec_nanos() > 0;
    (time.as_secs() + u64::from(is_partial)).max(1)
}

/// Creates a limiter with this limit, which stores its states in `state`.
fn limiter<K: Hash, S: KeyedStateStore<K>>(limit: RateLimit, state: S) -> Limiter<K, S> {
    let burst = limit.burst.non_zero();
    // No interval is 0, because a rate has at most a million requests per second.
    let quota = Quota::with_period(limit.rate.interval())
        .unwrap_or_else(|| Quota::per_second(burst))
        .allow_burst(burst);
    RateLimiter::new(quota, state, DefaultClock::default())
}

/// A limiter of all owners who have the same limit, by their identifiers.
type OwnerLimiter = Limiter<i64, HashMapStateStore<i64>>;

/// The rate limits of all owners. After a change of an owner's limit, the owner starts with the
/// whole new limit.
#[derive(Debug, Default)]
pub struct OwnerLimits {
    limiters: RwLock<HashMap<RateLimit, Arc<OwnerLimiter>>>,
}

impl OwnerLimits {
    /// Counts a request of an owner with this limit, and decides about it.
    pub fn check(&self, owner_id: i64, limit: RateLimit) -> RateDecision {
        let known = self.limiters.read().get(&limit).cloned();
        let limiter = known.unwrap_or_else(|| {
            let new = || Arc::new(limiter(limit, HashMapStateStore::default()));
            Arc::clone(self.limiters.write().entry(limit).or_insert_with(new))
        });
        RateDecision::from_limiter(&limiter, &owner_id, limit)
    }

    /// Forgets the owners whose limits have refilled.
    fn forget_refilled(&self) {
        self.limiters.write().retain(|_, limiter| {
            limiter.retain_recent();
            limiter.shrink_to_fit();
            !limiter.is_empty()
        });
    }
}

/// A limit on what a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum ClientLimit {
    /// Requests for codes that no link has.
    UnknownCodes,
    /// API requests without a valid key.
    FailedKeys,
    /// Requests for QR images that the server has to draw.
    QrImages,
}

/// The rate limits of all clients. A client is an IPv4 address, or an IPv6 network with a prefix of
/// 64 bits, the smallest network that providers assign to a customer.
///
/// Instead of addresses, the limits store keyed hashes, whose key lives only in memory.
#[derive(Debug)]
pub struct ClientLimits {
    limiters: BTreeMap<ClientLimit, ClientLimiter>,
    hasher: RandomState,
}

#[derive(Debug)]
struct ClientLimiter {
    limit: RateLimit,
    limiter: Limiter<u64, ClientTable>,
}

impl ClientLimiter {
    fn new(rate: Rate) -> Self {
        let limit = RateLimit::new(rate, None);
        Self { limit, limiter: limiter(limit, ClientTable::default()) }
    }
}

impl ClientLimits {
    /// Creates limits with these rates. `None`: no limit.
    pub fn new(rate_of: impl Fn(ClientLimit) -> Option<Rate>) -> Self {
        let limiter = |limit: &ClientLimit| Some((*limit, ClientLimiter::new(rate_of(*limit)?)));
        let limiters = ClientLimit::VARIANTS.iter().filter_map(limiter).collect();
        Self { limiters, hasher: RandomState::new() }
    }

    /// Counts a request of the client whose address `find_address` returns, and decides about it.
    /// Returns `None` if there is no limit, or if the client has no address.
    pub fn check(
        &self,
        limit: ClientLimit,
        find_address: impl FnOnce() -> Option<IpAddr>,
    ) -> Option<RateDecision> {
        let ClientLimiter { limit, limiter } = self.limiters.get(&limit)?;
        let key = self.hasher.hash_one(client_network(find_address()?));
        Some(RateDecision::from_limiter(limiter, &key, *limit))
    }

    /// Forgets the clients whose limits have refilled.
    fn forget_refilled(&self) {
        for limiter in self.limiters.values() {
            limiter.limiter.retain_recent();
        }
    }
}

/// Number of parts, each with a lock of its own.
const SHARDS: usize = 64;
/// Number of slots per set. A key may be in each slot of one set.
const SLOTS: usize = 16;
/// Maximum number of keys: 16 MiB of slots.
const MAX_KEYS: usize = 1 << 20;
/// Number of sets per shard.
const SETS: usize = MAX_KEYS / SHARDS / SLOTS;

/// A key, and the time in nanoseconds at which its limit has refilled. Both are 0 in a free slot.
type Slot = [u64; 2];

/// A table of states that never has more than [`MAX_KEYS`] keys.
///
/// If a set is full, a new key replaces the one whose limit has refilled most. An exhausted key
/// thus stays until all 16 keys of its set are exhausted. To reset a limit, a client with many
/// addresses would need more requests than it gains. Keys must be hashes that clients cannot
/// predict, so that clients cannot choose the set.
///
/// The operating system allocates the memory of slots only when they are first used.
#[derive(Debug)]
struct ClientTable {
    shards: Vec<Mutex<Vec<Slot>>>,
}

impl Default for ClientTable {
    fn default() -> Self {
        let shard = || Mutex::new(vec![[0; 2]; SETS * SLOTS]);
        Self { shards: std::iter::repeat_with(shard).take(SHARDS).collect() }
    }
}

impl StateStore for ClientTable {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, key: &u64, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        // A key of 0 would look like a free slot.
        let key = (*key).max(1);
        let (shard, set) = (key as usize % SHARDS, key as usize / SHARDS % SETS);
        let mut slots = self.shards[shard].lock();
        let slots = &mut slots[set * SLOTS..(set + 1) * SLOTS];
        let known = slots.iter().position(|[other, _]| *other == key);
        let (result, state) = decide(known.map(|index| Nanos::new(slots[index][1])))?;
        let slot = match known {
            Some(index) => Some(&mut slots[index]),
            None => slots.iter_mut().min_by_key(|[_, state]| *state),
        };
        if let Some(slot) = slot {
            *slot = [key, state.as_u64()];
        }
        Ok(result)
    }
}

impl ShrinkableKeyedStateStore<u64> for ClientTable {
    fn retain_recent(&self, drop_below: Nanos) {
        for shard in &self.shards {
            for slot in shard.lock().iter_mut() {
                // Free slots are not written, so that they take no memory.
                if slot[0] != 0 && slot[1] <= drop_below.as_u64() {
                    *slot = [0; 2];
                }
            }
        }
    }

    fn len(&self) -> usize {
        let count =
            |shard: &Mutex<Vec<Slot>>| shard.lock().iter().filter(|slot| slot[0] != 0).count();
        self.shards.iter().map(count).sum()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::values::RequestCount;

    fn allowed_of_owner(limits: &OwnerLimits, owner: i64, limit: RateLimit) -> usize {
        (0..20).filter(|_| limits.check(owner, limit).is_allowed).count()
    }

    #[test]
    fn each_owner_has_a_burst_of_each_limit() {
        let limits = OwnerLimits::default();
        let slow = RateLimit::new("3/h".parse().unwrap(), None);
        let burst = RateLimit::new("3/h".parse().unwrap(), RequestCount::new(7).ok());
        assert_eq!(limits.check(1, slow).remaining, 2);
        assert_eq!(allowed_of_owner(&limits, 1, slow), 2);
        assert_eq!(allowed_of_owner(&limits, 2, slow), 3);
        assert_eq!(allowed_of_owner(&limits, 1, burst), 7);
        // Nothing has refilled yet.
        limits.forget_refilled();
        assert_eq!(allowed_of_owner(&limits, 1, slow), 0);
        let decision = limits.check(1, slow);
        assert!((1_195..=1_200).contains(&decision.next_in_seconds()), "{decision:?}");
    }

    #[test]
    fn refilled_owners_are_forgotten() {
        let limits = OwnerLimits::default();
        let fast = RateLimit::new("1000000/s".parse().unwrap(), None);
        assert_eq!(allowed_of_owner(&limits, 1, fast), 20);
        std::thread::sleep(std::time::Duration::from_millis(5));
        limits.forget_refilled();
        assert!(limits.limiters.read().is_empty());
    }

    fn limits(rate: &str) -> ClientLimits {
        let rate = rate.parse().ok();
        ClientLimits::new(|limit| rate.filter(|_| limit == ClientLimit::UnknownCodes))
    }

    fn allowed(limits: &ClientLimits, address: &str, requests: usize) -> usize {
        let find = || address.parse().ok();
        let check = |_: &usize| limits.check(ClientLimit::UnknownCodes, find);
        (0..requests).filter(|request| check(request).unwrap().is_allowed).count()
    }

    #[test]
    fn client_is_an_address_or_an_ipv6_network() {
        let limits = limits("3/h");
        for address in ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1"] {
            assert_eq!(allowed(&limits, address, 9), 3, "{address}");
        }
        for address in ["192.0.2.1", "::ffff:192.0.2.2", "2001:db8::ffff:1", "2001:db8:0:1::"] {
            assert_eq!(allowed(&limits, address, 9), 0, "{address}");
        }
    }

    #[test]
    fn check_without_a_rate_or_an_address_returns_no_decision() {
        let limits = limits("3/h");
        assert_eq!(limits.check(ClientLimit::UnknownCodes, || None), None);
        assert_eq!(
            limits.check(ClientLimit::QrImages, || panic!("the address is not needed")),
            None
        );
    }

    /// Each of the other clients sends one request; together they fill the table several times.
    #[test]
    fn exhausted_client_stays_exhausted_while_the_table_overflows() {
        let limits = limits("5/h");
        assert_eq!(allowed(&limits, "192.0.2.1", 9), 5);
        for number in 0..3 * MAX_KEYS as u32 {
            let other = Ipv4Addr::from_bits(0x0a00_0000 + number).into();
            assert!(limits.check(ClientLimit::UnknownCodes, || Some(other)).unwrap().is_allowed);
        }
        assert_eq!(allowed(&limits, "192.0.2.1", 9), 0);
        let table = &limits.limiters[&ClientLimit::UnknownCodes];
        assert!(table.limiter.len() <= MAX_KEYS, "{}", table.limiter.len());
    }

    #[test]
    fn refilled_clients_are_forgotten() {
        let limits = limits("1000000/s");
        allowed(&limits, "192.0.2.1", 9);
        let table = &limits.limiters[&ClientLimit::UnknownCodes];
        assert_eq!(table.limiter.len(), 1);
        std::thread::sleep(std::time::Duration::from_millis(5));
        limits.forget_refilled();
        assert!(table.limiter.is_empty());
    }
}
