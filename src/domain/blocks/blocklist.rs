//! The patterns in force. A change replaces them while requests read them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use strum::VariantArray as _;
use tokio::sync::watch;

use super::pattern_list::{BlockAction, BlockRule, PatternList};
use crate::values::{NormalisedDestination, Reason, Timestamp};

/// The patterns in force. Each replacement gets a new version.
#[derive(Debug)]
pub struct Blocklist {
    current: RwLock<Arc<BlockSnapshot>>,
    /// The version of the current snapshot. Requests compare versions without a lock.
    version: AtomicU64,
    changes: watch::Sender<()>,
}

/// All patterns at one point in time, in one list per source, so that a change of one source does
/// not reload the others.
#[derive(Debug, Clone)]
pub struct BlockSnapshot {
    pub(super) version: u64,
    pub(super) own: Arc<PatternList>,
    file: Option<Arc<PatternList>>,
    pub(super) imported: Vec<ImportedList>,
}

/// An imported list, and the import that stored it.
#[derive(Debug, Clone)]
pub(super) struct ImportedList {
    pub(super) import_id: i64,
    pub(super) list: Arc<PatternList>,
}

/// The pattern that decides about a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockDecision {
    /// The pattern.
    pub pattern: String,
    /// Source of the pattern. `None`: it is one of the operator's own.
    pub source: Option<String>,
    /// Action, reason and end of the pattern.
    pub rule: BlockRule,
}

impl Default for Blocklist {
    /// Creates a blocklist without patterns.
    fn default() -> Self {
        let own = Arc::new(PatternList::new(None, BlockRule::block(Reason::Other)));
        let empty = BlockSnapshot { version: 1, own, file: None, imported: Vec::new() };
        Self {
            version: AtomicU64::new(empty.version),
            current: RwLock::new(Arc::new(empty)),
            changes: watch::Sender::new(()),
        }
    }
}

impl Blocklist {
    /// Returns the patterns in force.
    pub fn snapshot(&self) -> Arc<BlockSnapshot> {
        Arc::clone(&self.current.read())
    }

    /// Returns the version of the patterns in force.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Announces that the patterns in the database may have changed.
    pub fn announce_change(&self) {
        self.changes.send_replace(());
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Replaces the operator's own patterns.
    pub(super) fn replace_own(&self, own: PatternList) {
        self.replace(|snapshot| snapshot.own = Arc::new(own));
    }

    /// Replaces the patterns of the block file, and returns the number of its previous patterns.
    pub(super) fn replace_file(&self, file: PatternList) -> usize {
        let mut before = None;
        self.replace(|snapshot| before = snapshot.file.replace(Arc::new(file)));
        before.map_or(0, |list| list.count())
    }

    /// Replaces the imported lists.
    pub(super) fn replace_imported(&self, imported: Vec<ImportedList>) {
        self.replace(|snapshot| snapshot.imported = imported);
    }

    /// Begins a new version with the same patterns, because one of them has expired.
    pub(super) fn begin_new_version(&self) {
        self.replace(|_| {});
    }

    fn replace(&self, change: impl FnOnce(&mut BlockSnapshot)) {
        let mut current = self.current.write();
        let mut next = BlockSnapshot::clone(&current);
        next.version += 1;
        change(&mut next);
        let version = next.version;
        let previous = std::mem::replace(&mut *current, Arc::new(next));
        self.version.store(version, Ordering::Release);
        drop(current);
        // Dropping a large list takes long, so it happens after the lock is released.
        drop(previous);
    }
}

impl BlockSnapshot {
    /// Returns whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.lists().all(|list| list.count() == 0)
    }

    /// Returns the pattern that decides about a destination, or `None` if no pattern matches: the
    /// most specific one, and among equally specific ones an exception before a block.
    pub fn decide(&self, destination: &str, now: Timestamp) -> Option<BlockDecision> {
        if self.is_empty() {
            return None;
        }
        let normalised = NormalisedDestination::new(destination)?;
        normalised.matching_patterns().find_map(|pattern| {
            let rules = self.lists().filter_map(|list| {
                let rule = list.find(pattern).filter(|rule| rule.is_in_force(now))?;
                Some((list, rule))
            });
            // Of rules with the same action, the first one decides. The operator's own patterns
            // come first.
            let (list, rule) = rules.min_by_key(|(_, rule)| rule.action == BlockAction::Block)?;
            Some(BlockDecision {
                pattern: pattern.to_owned(),
                source: list.source.as_deref().map(str::to_owned),
                rule,
            })
        })
    }

    /// Returns the reason for which a destination is blocked, or `None` if it is not.
    pub fn blocked(&self, destination: &str, now: Timestamp) -> Option<Reason> {
        let BlockDecision { rule, .. } = self.decide(destination, now)?;
        (rule.action == BlockAction::Block).then_some(rule.reason)
    }

    /// Returns the lists: the operator's own patterns first, then the block file, then the imported
    /// lists.
    pub fn lists(&self) -> impl Iterator<Item = &PatternList> {
        let imported = self.imported.iter().map(|imported| &imported.list);
        [&self.own].into_iter().chain(&self.file).chain(imported).map(Arc::as_ref)
    }
}

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
    let index = reason.and_then(|reason| Reason::VARIANTS.iter().position(|one| *one == reason));
    index.map_or(0, |index| index as u64 + 1)
}

fn decode(cached: u64) -> Option<Reason> {
    let number = usize::try_from(cached & ((1 << REASON_BITS) - 1)).ok()?;
    Reason::VARIANTS.get(number.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::domain::blocks::BlockRule;
    use crate::domain::blocks::pattern_list::{PatternList, PatternSorter};
    use crate::values::BlockPattern;

    const NOW: Timestamp = Timestamp::from_millis(1_000);

    /// Decides by a comparison of the destination with every pattern.
    fn naive(rules: &[(String, BlockRule)], host: &str, path: &str) -> Option<Reason> {
        let segments = |path: &str| -> Vec<String> {
            path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let path = segments(path);
        let matching = rules.iter().filter(|(pattern, rule)| {
            let (of_host, prefix) = match pattern.split_once('/') {
                Some((of_host, prefix)) => (of_host, Some(segments(prefix))),
                None => (pattern.as_str(), None),
            };
            let is_matching = match prefix {
                Some(prefix) => host == of_host && path.starts_with(&prefix),
                None => host == of_host || host.ends_with(&format!(".{of_host}")),
            };
            is_matching && rule.until.is_none_or(|until| until > NOW)
        });
        // The longer path decides, then a URL prefix before a host, then the longer host, then an
        // exception.
        let best = matching.max_by_key(|(pattern, rule)| {
            let path = pattern.split_once('/').map(|(_, path)| segments(path).len() + 1);
            let host = pattern.split('/').next().map_or(0, str::len);
            (path, host, rule.action == BlockAction::Allow)
        })?;
        (best.1.action == BlockAction::Block).then_some(best.1.reason)
    }

    fn rule() -> impl Strategy<Value = BlockRule> {
        let until = prop::option::of(prop::sample::select(vec![999, 1_000, 1_001]));
        (any::<bool>(), until).prop_map(|(is_block, until)| BlockRule {
            action: if is_block { BlockAction::Block } else { BlockAction::Allow },
            reason: Reason::Malware,
            until: until.map(Timestamp::from_millis),
        })
    }

    fn host() -> impl Strategy<Value = String> {
        prop::collection::vec("[ab]", 1..4).prop_map(|labels| labels.join("."))
    }

    fn path() -> impl Strategy<Value = String> {
        prop::collection::vec("[ab]{1,2}", 0..4).prop_map(|segments| segments.join("/"))
    }

    fn pattern() -> impl Strategy<Value = String> {
        (host(), prop::option::of(path()))
            .prop_map(|(host, path)| path.map_or(host.clone(), |path| format!("{host}/{path}")))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn decisions_equal_a_naive_comparison(
            own in prop::collection::btree_map(pattern(), rule(), 0..6),
            file in prop::collection::btree_set(pattern(), 0..4),
            imported in prop::collection::btree_set(pattern(), 0..4),
            (host, path) in (host(), path()),
        ) {
            let blocklist = Blocklist::default();
            let mut all: Vec<(String, BlockRule)> = own.clone().into_iter().collect();
            let mut list = PatternList::new(None, BlockRule::block(Reason::Other));
            let canonical: BTreeMap<String, BlockRule> = own;
            let canonical: Vec<(String, BlockRule)> = canonical.into_iter().collect();
            for part in canonical.chunks(2) {
                list.push_rules(part);
            }
            blocklist.replace_own(list);
            let block = BlockRule::block(Reason::Malware);
            let sorted = |patterns: &std::collections::BTreeSet<String>| {
                let mut sorter = PatternSorter::default();
                for pattern in patterns {
                    assert!(sorter.add(&BlockPattern::parse(&format!("https://{pattern}"))
                        .map(|_| BlockPattern::parse(pattern)).unwrap().unwrap()));
                }
                let mut list = PatternList::new(Some("source"), block);
                sorter.into_parts().1.into_iter().for_each(|part| list.push_part(part));
                list
            };
            all.extend(file.iter().chain(&imported).map(|pattern| (pattern.clone(), block)));
            blocklist.replace_file(sorted(&file));
            let list = Arc::new(sorted(&imported));
            blocklist.replace_imported(vec![ImportedList { import_id: 1, list }]);
            let found = blocklist.snapshot().blocked(&format!("https://{host}/{path}"), NOW);
            prop_assert_eq!(found, naive(&all, &host, &path));
        }
    }

    #[test]
    fn every_replacement_has_another_version() {
        let blocklist = Blocklist::default();
        let before = blocklist.version();
        blocklist.begin_new_version();
        assert_ne!(blocklist.version(), before);
        assert_eq!(blocklist.snapshot().version, blocklist.version());
    }

    #[test]
    fn verdict_follows_the_patterns() {
        let (blocklist, verdict) = (Blocklist::default(), CachedVerdict::default());
        let decided =
            || verdict.reason(&blocklist, "https://evil.example/", Timestamp::from_millis(0));
        assert_eq!(decided(), None);
        for &reason in Reason::VARIANTS {
            let mut list = PatternList::new(None, BlockRule::block(reason));
            list.push_part("evil.example".to_owned());
            blocklist.replace_own(list);
            assert_eq!((decided(), decided()), (Some(reason), Some(reason)));
        }
        blocklist.replace_own(PatternList::new(None, BlockRule::block(Reason::Other)));
        assert_eq!((decided(), decided()), (None, None));
    }
}
