//! Decisions of rate limits.

use std::hash::Hash;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::KeyedStateStore;
use governor::{Quota, RateLimiter};

use crate::values::RateLimit;

/// A limiter with a state per key.
pub(super) type Limiter<K, S> = RateLimiter<K, S, DefaultClock, StateInformationMiddleware>;

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
    pub(super) fn from_limiter<K: Hash, S: KeyedStateStore<K>>(
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
    #[must_use]
    pub fn next_in_seconds(&self) -> u64 {
        whole_seconds(self.next_in)
    }

    /// Returns the window of the limit in whole seconds, rounded up and at least 1.
    #[must_use]
    pub fn window_in_seconds(&self) -> u64 {
        whole_seconds(self.limit.window())
    }
}

fn whole_seconds(time: Duration) -> u64 {
    let is_partial = time.subsec_nanos() > 0;
    (time.as_secs() + u64::from(is_partial)).max(1)
}

/// Creates a limiter with this limit, which stores its states in `state`.
pub(super) fn limiter<K: Hash, S: KeyedStateStore<K>>(limit: RateLimit, state: S) -> Limiter<K, S> {
    let burst = limit.burst.non_zero();
    // No interval is 0, because a rate has at most a million requests per second.
    let quota = Quota::with_period(limit.rate.interval())
        .unwrap_or_else(|| Quota::per_second(burst))
        .allow_burst(burst);
    RateLimiter::new(quota, state, DefaultClock::default())
}
