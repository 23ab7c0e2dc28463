//! The expiry of patterns, after which cached verdicts must be decided again.

use std::time::Duration;

use tokio::sync::Notify;

use super::blocklist::Blocklist;
use super::pattern_list::PatternList;
use crate::store::Store;
use crate::values::Timestamp;

/// Maximum wait for the expiry of a pattern. After it, the task reads the clock again, which may
/// have been corrected.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Time up to which verdicts have been renewed: all patterns that expired until then are covered.
#[derive(Debug)]
struct Renewals {
    until: Timestamp,
}

/// When verdicts must be renewed because a pattern expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextRenewal {
    /// Now, because a pattern has expired since the last renewal.
    Due,
    /// Not before this time has passed.
    After(Duration),
}

impl Default for Renewals {
    /// Creates the state in which verdicts have never been renewed.
    fn default() -> Self {
        Self { until: Timestamp::from_millis(0) }
    }
}

impl Renewals {
    /// Returns when verdicts must be renewed. If the result is [`NextRenewal::Due`], the caller
    /// must renew them at once.
    ///
    /// A pattern that had already expired when this task first saw it counts too, because verdicts
    /// may be older.
    fn next(&mut self, patterns: &PatternList, now: Timestamp) -> NextRenewal {
        // `until` is in the future if the clock was ahead and has been corrected.
        self.until = self.until.min(now);
        match patterns.next_expiry(self.until) {
            Some(expiry) if expiry <= now => {
                self.until = now;
                NextRenewal::Due
            }
            Some(expiry) => {
                let millis = u64::try_from(expiry.millis() - now.millis()).unwrap_or(0);
                let wait = Duration::from_millis(millis.saturating_add(1));
                NextRenewal::After(wait.min(MAX_WAIT))
            }
            None => NextRenewal::After(MAX_WAIT),
        }
    }
}

/// Begins a new version of the patterns whenever one of the operator's own expires. `replaced`
/// announces that the operator's patterns were replaced. This function takes only the time from
/// `store`, so that it also works during an outage. It runs until it is dropped.
pub(super) async fn run(store: &Store, blocklist: &Blocklist, replaced: &Notify) {
    let mut renewals = Renewals::default();
    loop {
        let wait = match renewals.next(&blocklist.snapshot().own, store.now()) {
            NextRenewal::Due => {
                blocklist.begin_new_version();
                continue;
            }
            NextRenewal::After(wait) => wait,
        };
        tokio::select! {
            () = replaced.notified() => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::blocks::BlockRule;
    use crate::values::Reason;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn list(untils: &[i64]) -> PatternList {
        let rule = BlockRule::block(Reason::Other);
        let mut list = PatternList::new(None, rule);
        let rules: Vec<_> = untils
            .iter()
            .map(|until| {
                (format!("host{until}.example"), BlockRule { until: Some(at(*until)), ..rule })
            })
            .collect();
        list.push_rules(&rules);
        list
    }

    #[test]
    fn pattern_expired_before_the_first_check_is_due_once() {
        let mut renewals = Renewals::default();
        let after = |millis| NextRenewal::After(Duration::from_millis(millis));
        assert_eq!(renewals.next(&list(&[]), at(1_000)), NextRenewal::After(MAX_WAIT));
        // The list was loaded before 1_005, and the task first sees it after that.
        let loaded = list(&[1_005, 1_030]);
        assert_eq!(renewals.next(&loaded, at(1_010)), NextRenewal::Due);
        assert_eq!(renewals.next(&loaded, at(1_010)), after(21));
        assert_eq!(renewals.next(&loaded, at(1_031)), NextRenewal::Due);
        assert_eq!(renewals.next(&loaded, at(1_031)), NextRenewal::After(MAX_WAIT));
    }

    #[test]
    fn clock_correction_does_not_hide_an_expiry() {
        let mut renewals = Renewals::default();
        let loaded = list(&[1_005, 1_500]);
        assert_eq!(renewals.next(&loaded, at(2_000)), NextRenewal::Due);
        assert_eq!(
            renewals.next(&loaded, at(1_100)),
            NextRenewal::After(Duration::from_millis(401))
        );
        assert_eq!(renewals.next(&loaded, at(1_501)), NextRenewal::Due);
    }
}
