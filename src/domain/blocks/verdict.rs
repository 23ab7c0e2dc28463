//! Cached verdicts on destinations, which stay valid until the patterns change.

use std::sync::atomic::{AtomicU64, Ordering};

use super::blocklist::Blocklist;
use crate::values::{Reason, Timestamp};

/// Number of low bits that hold the reason. The bits above them hold the version of the patterns.
const REASON_BITS: u32 = 8;

/// Whether a destination is blocked, and the version of the patterns by which that was decided.
///
/// One atomic holds both, so that a request needs only one comparison if the version is current.
/// The version of a new verdict is 0, which no patterns have, so its first use decides.
#[derive(Debug, Default)]
pub struct CachedVerdict(AtomicU64);

impl CachedVerdict {
    /// Returns the reason for which the destination is blocked, or `None` if it is not. It decides
    /// again only if the patterns have changed.
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
    use crate::domain::blocks::BlockRule;
    use crate::domain::blocks::pattern_list::PatternList;

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
