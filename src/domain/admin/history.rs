//! The history: the events that record what operators changed.

use std::collections::HashMap;

use serde_json::Value;

use crate::domain::AdminError;
use crate::store::events::{self, EventFilter, EventRow};
use crate::store::{Store, link_changes, owners};
use crate::values::{ShortCode, Timestamp};

/// Number of events per query.
const PAGE: u64 = 500;

/// Conditions on the events of a history.
#[derive(Debug, Clone, Default)]
pub struct HistoryFilter {
    /// Only events that changed the link with this code.
    pub link: Option<String>,
    /// Only events about the owner with this name.
    pub owner: Option<String>,
    /// Only events of this case.
    pub case: Option<String>,
    /// Only events at this time or later.
    pub since: Option<Timestamp>,
    /// Maximum number of events.
    pub limit: Option<u64>,
}

/// Passes the events that meet the conditions to `each`, newest first.
///
/// # Errors
/// [`AdminError::NoSuchLink`], an error of `each`, or if the database fails.
pub async fn history<E: From<AdminError>>(
    store: &Store,
    filter: HistoryFilter,
    mut each: impl FnMut(EventRow) -> Result<(), E>,
) -> Result<(), E> {
    let db = store.reader();
    let HistoryFilter { link, owner, case, since, limit } = filter;
    let link = match link {
        None => None,
        Some(code) => {
            let missing = || AdminError::NoSuchLink(code.clone());
            let parsed = ShortCode::parse(&code).map_err(|_| missing())?;
            let found = link_changes::with_codes(db, &[parsed]).await.map_err(AdminError::from)?;
            let found = found.into_iter().next().ok_or_else(missing)?;
            Some((found.id, found.deleted_event))
        }
    };
    let since = since.map(Timestamp::millis);
    let filter = EventFilter { link, owner, case_id: case, since };
    let (mut before, mut left) = (i64::MAX, limit.unwrap_or(u64::MAX));
    while left > 0 {
        let page = events::list(db, &filter, before, PAGE.min(left));
        let page = page.await.map_err(AdminError::from)?;
        let Some(last) = page.last() else { break };
        before = last.id;
        left -= page.len() as u64;
        for event in page {
            each(event)?;
        }
    }
    Ok(())
}

/// What an event changed of one link, owner or pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownChange {
    /// `link`, `owner` or `block`.
    pub kind: String,
    /// Short code, name of the owner, or pattern.
    pub subject: String,
    /// Changed fields before the event. `None`: they were erased when the link or owner was
    /// deleted.
    pub before: Option<Value>,
    /// Changed fields after the event. `None`: they were erased when the link or owner was deleted.
    pub after: Option<Value>,
}

/// Returns what an event changed, in the order in which the event changed it. For a deletion of
/// links, it returns their codes.
///
/// # Errors
/// [`AdminError::NoSuchEvent`], or if the database fails.
pub async fn changes(store: &Store, event_id: i64) -> Result<Vec<ShownChange>, AdminError> {
    let db = store.reader();
    events::find(db, event_id).await?.ok_or(AdminError::NoSuchEvent(event_id))?;
    let changes = events::changes_of(db, event_id).await?;
    let ids = changes.iter().filter(|change| change.kind == events::LINK);
    let ids: Vec<i64> = ids.filter_map(|change| change.subject.parse().ok()).collect();
    let mut codes = HashMap::new();
    for part in ids.chunks(link_changes::MAX_IDS) {
        let links = link_changes::with_ids(db, part).await?;
        codes.extend(links.into_iter().map(|link| (link.id.to_string(), link.short_code)));
    }
    let owners: HashMap<String, String> = owners::list(db)
        .await?
        .into_iter()
        .map(|owner| (owner.id.to_string(), owner.name))
        .collect();
    let parsed = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
    let deleted = link_changes::deleted_by(db, event_id).await?;
    let deleted = deleted.into_iter().map(|code| ShownChange {
        kind: events::LINK.to_owned(),
        subject: code,
        before: None,
        after: None,
    });
    let shown = changes.into_iter().map(|change| {
        let names = if change.kind == events::LINK { &codes } else { &owners };
        let name = (change.kind != events::BLOCK).then(|| names.get(&change.subject)).flatten();
        ShownChange {
            kind: change.kind,
            subject: name.cloned().unwrap_or(change.subject),
            before: parsed(change.before),
            after: parsed(change.after),
        }
    });
    Ok(shown.chain(deleted).collect())
}
