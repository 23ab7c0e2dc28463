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
use crate::store::{MAX_READ, Reader, Store, blocks, events};
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

/// Conditions on the patterns of a list.
#[derive(Debug, Clone, Default)]
pub struct BlockFilter {
    /// Only patterns that contain this text, in ASCII lower case.
    pub text: Option<String>,
    /// Only patterns of this source.
    pub source: Option<String>,
}

/// Returns a page of the patterns that meet the conditions: the operator's own, newest first, then those
/// of the sources in `snapshot`. The position of an own pattern is the identifier of the change that stored it, and that
/// of another pattern is the negative number of patterns of sources up to it. Returns `None` if there is
/// no such position.
pub async fn page(
    store: &Store,
    snapshot: &BlockSnapshot,
    filter: &BlockFilter,
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
    let (own, last_read) = if seen == 0 && filter.source.is_none() {
        blocks::own_in_force(db, filter.text.as_deref(), now, last, rows).await?
    } else {
        (Vec::new(), None)
    };
    let times = events::times(db, own.iter().map(|row| row.event_id)).await?;
    let listed = own.iter().map(|row| {
        let (pattern, rule) = (row.pattern.clone(), BlockRule::from(row));
        let created_at = times.get(&row.event_id).copied();
        (0, ListedBlock { pattern, rule, source: None, created_at })
    });
    let mut items: Vec<_> = listed.collect();
    let (left, mut end) = (rows - items.len() as u64, None);
    if left > 0 && last_read.is_none() {
        let listed = of_sources(db, snapshot, filter, seen, left, now).await?;
        items.extend(listed.items);
        end = listed.next;
    }
    let mut page = FoundPage::cut(items, limit, |(position, _)| *position);
    page.next = page.next.or(end);
    let last_shown = own.get((limit as usize).saturating_sub(1)).filter(|_| page.next.is_some());
    if let Some(last) = last_shown.or(last_read.as_ref()) {
        page.next = Some(ListPosition(blocks::change_id(db, last).await?));
    }
    Ok(Some(page.map(|(_, block)| block)))
}

/// Returns at most `limit` patterns of the sources in `snapshot` that meet the conditions, after the first
/// `skip`, with their positions. It reads at most [`MAX_READ`].
async fn of_sources(
    db: &Reader,
    snapshot: &BlockSnapshot,
    BlockFilter { text, source: only }: &BlockFilter,
    skip: u64,
    limit: u64,
    now: Timestamp,
) -> Result<FoundPage<(i64, ListedBlock)>, Error> {
    let lists = blocks::lists(db).await?;
    let by_event = events::times(db, lists.iter().map(|list| list.event_id)).await?;
    let times = lists.into_iter().map(|list| (list.source, by_event.get(&list.event_id).copied()));
    let times: HashMap<_, _> = times.collect();
    let sources = snapshot.lists().filter_map(|list| Some((list.source.as_deref()?, list)));
    let patterns = sources.flat_map(|(source, list)| {
        let in_force = list.patterns().filter(|(_, rule)| rule.is_in_force(now));
        in_force.map(move |(pattern, rule)| (source, pattern, rule))
    });
    let [skipped, taken] =
        [skip, limit].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    let is_chosen = |source: &str, pattern: &str| {
        only.as_deref().is_none_or(|only| only == source)
            && text.as_deref().is_none_or(|text| pattern.to_ascii_lowercase().contains(text))
    };
    let mut numbered = (1_i64..).zip(patterns).skip(skipped);
    let mut last_read = 0;
    let read = numbered.by_ref().take(MAX_READ as usize).inspect(|(number, _)| last_read = *number);
    let chosen = read.filter(|(_, (source, pattern, _))| is_chosen(source, pattern));
    let listed = chosen.take(taken).map(|(number, (source, pattern, rule))| {
        let created_at =
            times.get(source).copied().flatten().filter(|_| source != BLOCK_FILE_SOURCE);
        let (pattern, source) = (pattern.to_owned(), Some(source.to_owned()));
        (-number, ListedBlock { pattern, rule, source, created_at })
    });
    let items = listed.collect();
    let next = numbered.next().is_some().then_some(ListPosition(-last_read));
    Ok(FoundPage { items, next })
}
