//! Sorted lists of patterns, which take little more memory than their text.

use std::ops::Range;

use strum_macros::{EnumString, IntoStaticStr};

use crate::values::{BlockPattern, Reason, Timestamp};

/// Maximum size of a part in bytes. Only a single longer pattern may exceed it.
const MAX_PART_BYTES: usize = 64 << 10;

/// Effect of a pattern on the destinations that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "kebab-case")]
pub enum BlockAction {
    /// The pattern blocks the destinations.
    Block,
    /// The pattern makes the destinations exceptions, which less specific patterns do not block.
    Allow,
}

impl BlockAction {
    /// Returns the action with this name, or [`Self::Block`] for an unknown name, which a newer
    /// version of Terse has stored.
    pub fn from_stored(name: &str) -> Self {
        name.parse().unwrap_or(Self::Block)
    }
}

/// Action, reason and end of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRule {
    /// Effect of the pattern.
    pub action: BlockAction,
    /// Reason for the block.
    pub reason: Reason,
    /// Time from which the pattern no longer counts, if it expires.
    pub until: Option<Timestamp>,
}

impl BlockRule {
    /// Returns the rule that blocks for a reason, without an end.
    pub const fn block(reason: Reason) -> Self {
        Self { action: BlockAction::Block, reason, until: None }
    }

    /// Returns whether the pattern counts at the time `now`.
    pub fn is_in_force(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| until > now)
    }
}

/// An immutable list of patterns in the order of their bytes.
#[derive(Debug, Clone)]
pub struct PatternList {
    /// Source of the list. `None`: the patterns are the operator's own.
    pub source: Option<Box<str>>,
    /// The rule of all patterns that have no rule of their own.
    rule: BlockRule,
    parts: Vec<ListPart>,
}

/// Patterns that are stored together.
#[derive(Debug, Clone)]
struct ListPart {
    /// The patterns, one per line.
    text: Box<str>,
    /// Byte position in `text` at which each pattern begins.
    starts: Box<[u32]>,
    /// The rule of each pattern. Empty: all patterns have the rule of the list.
    rules: Box<[BlockRule]>,
}

impl ListPart {
    fn new(text: Box<str>, rules: Box<[BlockRule]>) -> Self {
        let mut start = 0;
        let starts = text.split_inclusive('\n').map(|line| {
            let this = start;
            start += u32::try_from(line.len()).unwrap_or(u32::MAX);
            this
        });
        let starts = starts.collect();
        Self { text, starts, rules }
    }

    /// Returns the pattern that begins at this position.
    fn pattern(&self, start: u32) -> &str {
        self.text[start as usize..].split('\n').next().unwrap_or_default()
    }

    fn first(&self) -> &str {
        self.starts.first().map_or("", |start| self.pattern(*start))
    }

    fn find(&self, pattern: &str) -> Option<usize> {
        self.starts.binary_search_by(|start| self.pattern(*start).cmp(pattern)).ok()
    }
}

impl PatternList {
    /// Creates an empty list whose patterns have this rule.
    pub fn new(source: Option<&str>, rule: BlockRule) -> Self {
        Self { source: source.map(Box::from), rule, parts: Vec::new() }
    }

    /// Appends patterns, one per line. In the order of their bytes, they must follow the patterns
    /// of the list.
    pub fn push_part(&mut self, text: String) {
        self.parts.push(ListPart::new(text.into(), Box::default()));
    }

    /// Appends patterns with rules of their own. In the order of their bytes, they must follow the
    /// patterns of the list.
    pub fn push_rules(&mut self, patterns: &[(String, BlockRule)]) {
        let texts: Vec<&str> = patterns.iter().map(|(pattern, _)| pattern.as_str()).collect();
        let rules = patterns.iter().map(|(_, rule)| *rule).collect();
        self.parts.push(ListPart::new(texts.join("\n").into(), rules));
    }

    /// Returns the rule of a pattern, or `None` if the list does not have the pattern.
    pub fn find(&self, pattern: &str) -> Option<BlockRule> {
        let after = self.parts.partition_point(|part| part.first() <= pattern);
        let part = &self.parts[after.checked_sub(1)?];
        let index = part.find(pattern)?;
        Some(part.rules.get(index).copied().unwrap_or(self.rule))
    }

    /// Returns all patterns with their rules.
    pub fn patterns(&self) -> impl Iterator<Item = (&str, BlockRule)> {
        self.parts.iter().flat_map(|part| {
            part.starts.iter().enumerate().map(|(index, start)| {
                (part.pattern(*start), part.rules.get(index).copied().unwrap_or(self.rule))
            })
        })
    }

    /// Returns the number of patterns.
    pub fn count(&self) -> usize {
        self.parts.iter().map(|part| part.starts.len()).sum()
    }

    /// Returns the next time after `now` at which a pattern expires, or `None` if none does.
    pub fn next_expiry(&self, now: Timestamp) -> Option<Timestamp> {
        let rules = self.parts.iter().flat_map(|part| &part.rules);
        rules.filter_map(|rule| rule.until).filter(|until| *until > now).min()
    }
}

/// Sorts patterns and removes repeated ones.
#[derive(Debug, Default)]
pub struct PatternSorter {
    text: String,
    patterns: Vec<Range<u32>>,
}

impl PatternSorter {
    /// Adds a pattern. Returns false if the sorter is full, which it is at 4 GiB.
    #[must_use]
    pub fn add(&mut self, pattern: &BlockPattern) -> bool {
        let range = u32::try_from(self.text.len())
            .ok()
            .zip(u32::try_from(self.text.len() + pattern.as_str().len()).ok());
        if let Some((start, end)) = range {
            self.text.push_str(pattern.as_str());
            self.patterns.push(start..end);
        }
        range.is_some()
    }

    /// Returns the number of different patterns, and the parts of their sorted list, each with one
    /// pattern per line.
    pub fn into_parts(self) -> (u64, Vec<String>) {
        let Self { text, mut patterns } = self;
        let pattern = |range: &Range<u32>| &text[range.start as usize..range.end as usize];
        patterns.sort_unstable_by(|one, other| pattern(one).cmp(pattern(other)));
        patterns.dedup_by(|one, other| pattern(one) == pattern(other));
        let mut parts: Vec<String> = Vec::new();
        for range in &patterns {
            let pattern = pattern(range);
            let has_room = |part: &&mut String| part.len() + 1 + pattern.len() <= MAX_PART_BYTES;
            if let Some(part) = parts.last_mut().filter(has_room) {
                part.push('\n');
                part.push_str(pattern);
            } else {
                let mut part = String::with_capacity(MAX_PART_BYTES);
                part.push_str(pattern);
                parts.push(part);
            }
        }
        if let Some(last) = parts.last_mut() {
            last.shrink_to_fit();
        }
        (patterns.len() as u64, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_of_several_parts_has_exactly_its_patterns() {
        let mut sorter = PatternSorter::default();
        for number in (0..20_000).rev().chain(0..10) {
            let pattern = BlockPattern::parse(&format!("host{}.example", number * 2)).unwrap();
            assert!(sorter.add(&pattern));
        }
        let (count, parts) = sorter.into_parts();
        assert_eq!(count, 20_000);
        assert!(parts.len() > 3, "{}", parts.len());
        let mut list = PatternList::new(Some("test"), BlockRule::block(Reason::Spam));
        parts.into_iter().for_each(|part| list.push_part(part));
        assert_eq!(list.count(), 20_000);
        for number in 0..40_000 {
            let found = list.find(&format!("host{number}.example"));
            let expected = (number % 2 == 0).then_some(BlockRule::block(Reason::Spam));
            assert_eq!(found, expected, "{number}");
        }
        assert_eq!(list.find("a"), None);
        assert_eq!(list.find("z"), None);
    }

    #[test]
    fn pattern_may_have_a_rule_of_its_own() {
        let until = Some(Timestamp::from_millis(5));
        let allow = BlockRule { action: BlockAction::Allow, reason: Reason::Other, until };
        let block = BlockRule::block(Reason::Legal);
        let mut list = PatternList::new(None, BlockRule::block(Reason::Other));
        assert_eq!(list.find("a.example"), None);
        list.push_rules(&[("a.example".to_owned(), allow), ("b.example".to_owned(), block)]);
        assert_eq!(list.find("a.example"), Some(allow));
        assert_eq!(list.find("b.example"), Some(block));
        assert_eq!(list.next_expiry(Timestamp::from_millis(4)), until);
        assert_eq!(list.next_expiry(Timestamp::from_millis(5)), None);
    }
}
