//! Rate limits of owners.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use governor::state::keyed::HashMapStateStore;

use super::decision::{Limiter, RateDecision, limiter};
use crate::values::RateLimit;

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
    #[must_use]
    pub fn check(&self, owner_id: i64, limit: RateLimit) -> RateDecision {
        let known = self.read().get(&limit).cloned();
        let limiter = known.unwrap_or_else(|| {
            let new = || Arc::new(limiter(limit, HashMapStateStore::default()));
            Arc::clone(self.write().entry(limit).or_insert_with(new))
        });
        RateDecision::from_limiter(&limiter, &owner_id, limit)
    }

    /// Forgets the owners whose limits have refilled.
    pub(super) fn forget_refilled(&self) {
        self.write().retain(|_, limiter| {
            limiter.retain_recent();
            limiter.shrink_to_fit();
            !limiter.is_empty()
        });
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<RateLimit, Arc<OwnerLimiter>>> {
        // No code under the lock panics.
        self.limiters.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<RateLimit, Arc<OwnerLimiter>>> {
        self.limiters.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::RequestCount;

    fn allowed(limits: &OwnerLimits, owner: i64, limit: RateLimit) -> usize {
        (0..20).filter(|_| limits.check(owner, limit).is_allowed).count()
    }

    #[test]
    fn each_owner_has_a_burst_of_each_limit() {
        let limits = OwnerLimits::default();
        let slow = RateLimit::new("3/h".parse().unwrap(), None);
        let burst = RateLimit::new("3/h".parse().unwrap(), RequestCount::new(7).ok());
        assert_eq!(limits.check(1, slow).remaining, 2);
        assert_eq!(allowed(&limits, 1, slow), 2);
        assert_eq!(allowed(&limits, 2, slow), 3);
        assert_eq!(allowed(&limits, 1, burst), 7);
        // Nothing has refilled yet.
        limits.forget_refilled();
        assert_eq!(allowed(&limits, 1, slow), 0);
        let decision = limits.check(1, slow);
        assert!((1_195..=1_200).contains(&decision.next_in_seconds()), "{decision:?}");
    }

    #[test]
    fn refilled_owners_are_forgotten() {
        let limits = OwnerLimits::default();
        let fast = RateLimit::new("1000000/s".parse().unwrap(), None);
        assert_eq!(allowed(&limits, 1, fast), 20);
        std::thread::sleep(std::time::Duration::from_millis(5));
        limits.forget_refilled();
        assert!(limits.read().is_empty());
    }
}
