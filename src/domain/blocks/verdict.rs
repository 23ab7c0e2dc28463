//! Verdicts that stay valid until the patterns change.

use std::sync::atomic::{AtomicU64, Ordering};

use super::blocklist::Blocklist;
use crate::values::{Reason, Timestamp};

/// Number of bits of a reason, which the version of the patterns follows.
const REASON_BITS: u32 = 8;

/// Whether a destination is blocked, and the version of the patterns for which that was decided.
///
/// Both are in one atomic, so that a request that finds the present version needs one comparison.
/// Version 0 is no version: the verdict is decided at its first use.
#[derive(Debug, Default)]
pub struct CachedVerdict(AtomicU64);

impl CachedVerdict {
    /// Returns why the destination is blocked, if it is. It decides again if the patterns have
    /// changed.
    pub fn reason(
        &self,
        blocklist: &Blocklist,
        destination: &str,
        now: Timestamp,
    ) -> Option<Reason> {
        let cached = self.0.load(Ordering::Relaxed);
        if cached >> REASON_BITS == blocklist.version() {
            return decode(cached);
        }
        let snapshot = blocklist.snapshot();
        let reason = snapshot.blocked(destination, now);
        self.0.store(snapshot.version << REASON_BITS | encode(reason), Ordering::Relaxed);
        reason
    }
}

fn encode(reason: Option<Reason>) -> u64 {
    let index = reason.and_then(|reason| Reason::ALL.iter().position(|one| *one == reason));
    index.map_or(0, |index| index as u64 + 1)
}

fn decode(cached: u64) -> Option<Reason> {
    let number = usize::try_from(cached & ((1 << REASON_BITS) - 1)).ok()?;
    Reason::ALL.get(number.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::blocks::{BlockRule, PatternList};

    #[test]
    fn verdict_follows_the_patterns() {
        let (blocklist, verdict) = (Blocklist::default(), CachedVerdict::default());
        let decided =
            || verdict.reason(&blocklist, "https://evil.example/", Timestamp::from_millis(0));
        assert_eq!(decided(), None);
        for reason in Reason::ALL {
            let mut list = PatternList::new(None, BlockRule::block(reason));
            list.push_part("evil.example".to_owned());
            blocklist.replace_own(list);
            assert_eq!((decided(), decided()), (Some(reason), Some(reason)));
        }
        blocklist.replace_own(PatternList::new(None, BlockRule::block(Reason::Other)));
        assert_eq!((decided(), decided()), (None, None));
    }
}
