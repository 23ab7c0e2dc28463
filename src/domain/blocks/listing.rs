//! Lists of the patterns in force.

use std::collections::HashMap;

use super::blocklist::BlockSnapshot;
use super::file::BLOCK_FILE_SOURCE;
use super::pattern_list::BlockRule;
use crate::domain::Error;
use crate::store::{Store, blocks, events};
use crate::values::Timestamp;

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

/// Returns at most `limit` patterns after the first `skip`: the operator's own, newest first, then
/// those of the sources in `snapshot`.
pub async fn page(
    store: &Store,
    snapshot: &BlockSnapshot,
    skip: u64,
    limit: u64,
    now: Timestamp,
) -> Result<Vec<ListedBlock>, Error> {
    let db = store.reader();
    let own = blocks::count_in_force(db, now).await?;
    let mut page = Vec::new();
    for row in blocks::own_in_force(db, now, skip, limit).await? {
        let rule = BlockRule::from(&row);
        let created_at = events::time_of(db, row.event_id).await?.map(Timestamp::from_millis);
        page.push(ListedBlock { pattern: row.pattern, rule, source: None, created_at });
    }
    let (skip, left) = (skip.saturating_sub(own), limit - page.len() as u64);
    if left == 0 {
        return Ok(page);
    }
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
    let taken = usize::try_from(left).unwrap_or(usize::MAX);
    page.extend(patterns.skip(skipped).take(taken).map(|(source, pattern, rule)| {
        let stored = times.get(source).copied().flatten().filter(|_| source != BLOCK_FILE_SOURCE);
        let created_at = stored.map(Timestamp::from_millis);
        let (pattern, source) = (pattern.to_owned(), Some(source.to_owned()));
        ListedBlock { pattern, rule, source, created_at }
    }));
    Ok(page)
}
