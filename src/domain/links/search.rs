//! Searches of an owner among the owner's links.

use super::list::{ListPosition, ListSource};
use super::state::LinkState;
use super::{Link, state};
use crate::domain::Error;
use crate::domain::blocks::BlockSnapshot;
use crate::store::link_pages::{LinkFilter, LinkPage, LinkRange};
use crate::values::{Destination, Timestamp};

/// Maximum number of rows that one search reads.
const MAX_ROWS: u32 = 20_000;
/// Maximum number of rows per query.
const MAX_SLICE: u32 = 500;

/// Conditions of an owner's search. A link must meet all of them.
#[derive(Debug, Clone, Default)]
pub struct OwnLinkFilter {
    /// Campaign, exactly.
    pub campaign: Option<String>,
    /// Name of the state.
    pub state: Option<&'static str>,
    /// Host of the destination in Punycode, or a parent domain of it.
    pub host: Option<String>,
    /// Destination, exactly as the client sent it.
    pub destination: Option<String>,
    /// Part of the title, in ASCII lower case. ASCII letters match in any case.
    pub title: Option<String>,
    /// Time of creation, or an earlier one.
    pub created_after: Option<Timestamp>,
    /// A time after that of creation.
    pub created_before: Option<Timestamp>,
}

impl OwnLinkFilter {
    fn matches(&self, link: &Link, link_state: LinkState) -> bool {
        let Self { campaign, state, host, destination, title, created_after, created_before } =
            self;
        let has_title = |text: &String| {
            let title = link.title.as_deref().unwrap_or_default();
            title.to_ascii_lowercase().contains(text.as_str())
        };
        campaign.as_ref().is_none_or(|text| link.campaign.as_ref() == Some(text))
            && state.is_none_or(|name| link_state.name() == name)
            && destination.as_ref().is_none_or(|url| link.destination_url == *url)
            && title.as_ref().is_none_or(has_title)
            && created_after.is_none_or(|time| link.created_at >= time)
            && created_before.is_none_or(|time| link.created_at < time)
            && host.as_ref().is_none_or(|host| has_host(link, host))
    }
}

/// Returns whether a link leads to a host or to a subdomain of it.
fn has_host(link: &Link, host: &str) -> bool {
    Destination::parse(&link.destination_url).is_ok_and(|destination| {
        let rest = destination.host().strip_suffix(host);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// Links that a search has found, newest first, each with its state.
#[derive(Debug)]
pub struct FoundPage {
    /// The links.
    pub links: Vec<(Link, LinkState)>,
    /// Position after the last row that was read. `None`: there are no further links.
    pub next: Option<ListPosition>,
}

/// Searches the owner's links after `position`, newest first. It returns at most `limit` links, and
/// fewer, even none, if it has read the maximum number of rows. The owner is not suspended.
///
/// # Errors
/// [`Error::ClicksPending`], or if the database fails.
pub async fn search(
    source: ListSource<'_>,
    blocks: &BlockSnapshot,
    owner_id: i64,
    filter: &OwnLinkFilter,
    position: ListPosition,
    limit: u32,
    now: Timestamp,
) -> Result<FoundPage, Error> {
    let ListSource { store, recorder, permits } = source;
    recorder.check_counted()?;
    let campaign = LinkFilter { campaign: filter.campaign.clone(), ..LinkFilter::default() };
    let (mut links, mut rows_left, mut end) = (Vec::new(), MAX_ROWS, position);
    // The first query suffices for a list whose links all match. A further link shows whether the
    // list continues.
    let mut slice = limit.saturating_add(1).min(MAX_SLICE);
    loop {
        let range = LinkRange::Before { owner_id, filter: campaign.clone(), id: end.0 };
        let page = {
            let _permit = permits.acquire(owner_id).await?;
            store.page(LinkPage { range, limit: slice, with_clicks: true }).await?
        };
        let is_last = page.len() < slice as usize;
        rows_left = rows_left.saturating_sub(slice);
        for link in page {
            if links.len() == limit as usize {
                return Ok(FoundPage { links, next: Some(end) });
            }
            end = ListPosition(link.id);
            let state = state(&link, blocks, now);
            if filter.matches(&link, state) {
                links.push((link, state));
            }
        }
        if is_last || rows_left == 0 {
            return Ok(FoundPage { links, next: (!is_last).then_some(end) });
        }
        slice = MAX_SLICE.min(rows_left);
    }
}
