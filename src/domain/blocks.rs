//! Blocked destinations: the patterns in memory, their sources, and how operators change them.

mod blocklist;
mod change;
mod file;
mod import;
mod load;
mod pattern_list;

use std::collections::HashMap;

use super::Error;
use super::page::{FoundPage, ListPosition, PageRequest};
use crate::store::{Reader, Store, blocks, events};
use crate::values::Timestamp;

pub use self::blocklist::{BlockDecision, BlockSnapshot, Blocklist, CachedVerdict};
pub use self::change::{NewRule, PatternChange, PatternsChanged, put, remove};
pub use self::file::{BLOCK_FILE_SOURCE, BlockFile, BlockFileError};
pub use self::import::{DotlessHosts, count_source, import, read_patterns, remove_source};
pub use self::load::{load_into, run, sweep};
pub use self::pattern_list::{BlockAction, BlockRule};

/// A pattern in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedBlock {
    /// The pattern.
    pub pattern: String,
    /// Action, reason and end of the pattern.
    pub rule: BlockRule,
    /// Source of the pattern. `None`: it is one of the operator's own.
    pub source: Option<String>,
    /// Time of the change or import that stored the pattern. `None`: it is in the block file.
    pub created_at: Option<Timestamp>,
}

/// Returns a page of the patterns: the operator's own, newest first, then those of the sources in
/// `snapshot`. The position of an own pattern is the identifier of the change that stored it, and that
/// of another pattern is the negative number of patterns of sources up to it. Returns `None` if there is
/// no such position.
pub async fn page(
    store: &Store,
    snapshot: &BlockSnapshot,
    request: PageRequest,
    now: Timestamp,
) -> Result<Option<FoundPage<ListedBlock>>, Error> {
    let PageRequest { position, limit } = request;
    let (db, rows) = (store.reader(), request.rows());
    // Number of patterns of sources before the page. It is above zero only after all own patterns.
    let seen = position.0.min(0).unsigned_abs();
    let mut last = None;
    if position != ListPosition::START && seen == 0 {
        last = blocks::find_change(db, position.0).await?;
        if last.is_none() {
            return Ok(None);
        }
    }
    let last = last.as_ref().map(|change| (change.event_id, change.subject.as_str()));
    let own = if seen == 0 { blocks::own_in_force(db, now, last, rows).await? } else { Vec::new() };
    let (own_rows, last_own) =
        (own.len() as u64, own.get((limit as usize).saturating_sub(1)).cloned());
    let mut items = Vec::new();
    for row in own {
        let rule = BlockRule::from(&row);
        let created_at = events::time_of(db, row.event_id).await?;
        items.push(ListedBlock { pattern: row.pattern, rule, source: None, created_at });
    }
    let left = rows - items.len() as u64;
    if left > 0 {
        items.extend(of_sources(db, snapshot, seen, left, now).await?);
    }
    let end = match last_own.filter(|_| items.len() as u64 == rows) {
        Some(last) => blocks::change_id(db, &last).await?,
        None => -i64::try_from(seen + u64::from(limit) - own_rows).unwrap_or(i64::MAX),
    };
    Ok(Some(FoundPage::cut(items, limit, |_| end)))
}

/// Returns at most `limit` patterns of the sources in `snapshot`, after the first `skip`.
async fn of_sources(
    db: &Reader,
    snapshot: &BlockSnapshot,
    skip: u64,
    limit: u64,
    now: Timestamp,
) -> Result<Vec<ListedBlock>, Error> {
    let mut times = HashMap::new();
    for list in blocks::lists(db).await? {
        times.insert(list.source, events::time_of(db, list.event_id).await?);
    }
    let sources = snapshot.lists().filter_map(|list| Some((list.source.as_deref()?, list)));
    let patterns = sources.flat_map(|(source, list)| {
        let in_force = list.patterns().filter(|(_, rule)| rule.is_in_force(now));
        in_force.map(move |(pattern, rule)| (source, pattern, rule))
    });
    let skipped = usize::try_from(skip).unwrap_or(usize::MAX);
    let taken = usize::try_from(limit).unwrap_or(usize::MAX);
    let listed = patterns.skip(skipped).take(taken).map(|(source, pattern, rule)| {
        let created_at =
            times.get(source).copied().flatten().filter(|_| source != BLOCK_FILE_SOURCE);
        let (pattern, source) = (pattern.to_owned(), Some(source.to_owned()));
        ListedBlock { pattern, rule, source, created_at }
    });
    Ok(listed.collect())
}
