//! The history of what operators changed.

use crate::domain::AdminError;
use crate::store::events::{self, EventFilter, EventRow};
use crate::store::{Store, link_changes};
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
