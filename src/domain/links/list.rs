//! Lists of an owner's links, either complete or with a limit.

use std::future::ready;
use std::ops::RangeInclusive;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};

use super::owner_permits::OwnerPermits;
use super::search::LinkSource;
use super::{Link, LinkState};
use crate::domain::Error;
use crate::domain::blocks::BlockSnapshot;
use crate::domain::page::{self, ListPosition};
use crate::store::link_pages::{self, ActiveAt, LinkFilter, LinkPage, LinkRange};
use crate::store::{Store, StoreError};

/// Minimum and maximum number of links per page.
const PAGE_LINKS: RangeInclusive<u32> = 16..=500;
/// Number of links on the first page of a complete list.
const FIRST_PAGE_LINKS: u32 = 50;
/// Total size in bytes of a page's texts at which the page ends. The last link may exceed it. A
/// client that does not read its list keeps a page in the server's memory, and each link may have 8
/// KiB.
const MAX_PAGE_BYTES: usize = 128 * 1024;
/// Largest limit with which a list is read as one page.
const MAX_SINGLE_PAGE: u32 = 100;

/// Stream of the pages of a list. It holds neither a transaction nor a connection between two
/// pages.
pub type LinkPages = BoxStream<'static, Result<Vec<Link>, Error>>;

/// Reader of the pages of one owner's list.
#[derive(Debug)]
struct PageReader {
    store: Store,
    permits: OwnerPermits,
    owner_id: i64,
    filter: LinkFilter,
    with_clicks: bool,
    /// Condition on whether links are active. `None` if the database alone decides it, because no
    /// destination is blocked or the list has no such condition.
    active: Option<ActiveFilter>,
}

/// Returns the owner's links from `position` on, newest first.
///
/// With a limit, it also returns the position after the last link, unless no more links follow.
/// Lists of links with QR codes do not count clicks.
///
/// # Errors
/// [`Error::ClicksPending`] if the list counts clicks and this instance buffers some, or if the
/// database fails. Errors of later pages are items of the stream.
pub async fn list(
    source: LinkSource<'_>,
    owner_id: i64,
    mut filter: LinkFilter,
    position: ListPosition,
    limit: Option<u32>,
) -> Result<(LinkPages, Option<ListPosition>), Error> {
    let LinkSource { store, recorder, permits, blocks, now: _ } = source;
    let with_clicks = !filter.with_qr;
    if with_clicks {
        recorder.check_counted()?;
    }
    let active = ActiveFilter::take(&mut filter, blocks);
    let (store, permits) = (store.clone(), permits.clone());
    let list = Arc::new(PageReader { store, permits, owner_id, filter, with_clicks, active });
    match limit {
        None => Ok((list.stream_pages(NextPage::from(position), None), None)),
        Some(limit) => list.limited(position, limit).await,
    }
}

impl PageReader {
    /// Returns at most `limit` links. If more links follow, it also returns the position after
    /// them.
    async fn limited(
        self: Arc<Self>,
        position: ListPosition,
        limit: u32,
    ) -> Result<(LinkPages, Option<ListPosition>), Error> {
        if limit > MAX_SINGLE_PAGE {
            // Fixes the beginning of the list, because links that are created meanwhile would
            // precede it.
            let top = self.next_two_ids(position, 0).await?;
            let position = top.first().map_or(position, |newest| ListPosition(newest + 1));
            let bottom = self.next_two_ids(position, limit - 1).await?;
            let end =
                if let [last, _beyond] = bottom[..] { Some(ListPosition(last)) } else { None };
            return Ok((self.stream_pages(NextPage::from(position), end), end));
        }
        // A further link shows whether the list continues.
        let mut links = self.matching(position, limit + 1, self.with_clicks).await?;
        let continues = links.len() > limit as usize;
        links.truncate(limit as usize);
        let end = links.last().map(|last| ListPosition(last.id));
        let next = end.filter(|_| continues);
        let is_cut = truncate_to_page_size(&mut links);
        let rest = NextPage::after(&links, limit, true).filter(|_| is_cut);
        let first = stream::once(ready(Ok(links)));
        let pages = match rest {
            None => first.boxed(),
            Some(rest) => first.chain(self.stream_pages(rest, end)).boxed(),
        };
        Ok((pages, next))
    }

    /// Streams all pages from `first` on, up to and including the link at `end`.
    ///
    /// A link may appear or not if it is enabled, disabled or given a QR code meanwhile. Every
    /// other link appears exactly once.
    fn stream_pages(self: Arc<Self>, first: NextPage, end: Option<ListPosition>) -> LinkPages {
        let page = move |NextPage { position, limit }| {
            let list = Arc::clone(&self);
            async move {
                let mut links = list.matching(position, limit, list.with_clicks).await?;
                let is_last = links.len() < limit as usize;
                links.retain(|found| end.is_none_or(|end| found.id >= end.0));
                let is_cut = truncate_to_page_size(&mut links);
                let next = NextPage::after(&links, limit, is_cut)
                    .filter(|_| is_cut || !is_last)
                    .filter(|next| end.is_none_or(|end| next.position > end));
                Ok((links, next))
            }
        };
        page::stream(first, page).boxed()
    }

    /// Returns the next `limit` links after `position` that meet `self.active`. It returns fewer if
    /// the list ends before.
    async fn matching(
        &self,
        position: ListPosition,
        limit: u32,
        with_clicks: bool,
    ) -> Result<Vec<Link>, StoreError> {
        let read = async |position, limit| {
            let range = self.range(position);
            let _permit = self.permits.acquire(self.owner_id).await?;
            self.store.page(LinkPage { range, limit, with_clicks }).await
        };
        let Some(active) = &self.active else { return read(position, limit).await };
        let (mut matching, mut position) = (Vec::new(), position);
        let page_links = limit.clamp(*PAGE_LINKS.start(), *PAGE_LINKS.end());
        loop {
            let links = read(position, page_links).await?;
            let is_last = links.len() < page_links as usize;
            position = links.last().map_or(position, |last| ListPosition(last.id));
            matching.extend(links.into_iter().filter(|link| active.matches(link)));
            if is_last || matching.len() >= limit as usize {
                matching.truncate(limit as usize);
                return Ok(matching);
            }
        }
    }

    /// Returns the identifiers of the two links that follow the first `skip` links after
    /// `position`. It returns fewer if the list ends before.
    async fn next_two_ids(
        &self,
        position: ListPosition,
        skip: u32,
    ) -> Result<Vec<i64>, StoreError> {
        if self.active.is_none() {
            let _permit = self.permits.acquire(self.owner_id).await?;
            return link_pages::page_bounds(self.store.reader(), &self.range(position), skip).await;
        }
        let (mut position, mut left) = (position, skip + 2);
        let mut found = Vec::new();
        while left > 0 {
            let limit = left.min(*PAGE_LINKS.end());
            let links = self.matching(position, limit, false).await?;
            left -= u32::try_from(links.len()).unwrap_or(left);
            position = links.last().map_or(position, |last| ListPosition(last.id));
            let is_last = links.len() < limit as usize;
            found.extend(links.into_iter().map(|link| link.id));
            if is_last {
                break;
            }
        }
        Ok(found.into_iter().skip(skip as usize).collect())
    }

    fn range(&self, position: ListPosition) -> LinkRange {
        let (owner_id, filter) = (self.owner_id, self.filter.clone());
        LinkRange::Before { owner_id, filter, id: position.0 }
    }
}

/// Condition on whether links are active. A link with a blocked destination is not.
#[derive(Debug)]
struct ActiveFilter {
    active: ActiveAt,
    blocks: Arc<BlockSnapshot>,
}

impl ActiveFilter {
    /// Returns a filter's condition on active links if there are patterns, because the database
    /// alone then cannot decide it. The filter keeps what the database can decide.
    fn take(filter: &mut LinkFilter, blocks: Arc<BlockSnapshot>) -> Option<Self> {
        let active = filter.active.filter(|_| !blocks.is_empty())?;
        // A blocked link is inactive, although it may be enabled, unpaused and unexpired in the
        // database.
        filter.active = filter.active.filter(|active| active.is_active);
        Some(Self { active, blocks })
    }

    fn matches(&self, link: &Link) -> bool {
        let ActiveAt { is_active, now } = self.active;
        LinkState::from_link(link, None, &self.blocks, now).is_active() == is_active
    }
}

/// The next page to read.
#[derive(Debug, Clone, Copy)]
struct NextPage {
    position: ListPosition,
    /// Maximum number of links to read.
    limit: u32,
}

impl NextPage {
    const fn from(position: ListPosition) -> Self {
        Self { position, limit: FIRST_PAGE_LINKS }
    }

    /// Returns the page that follows a page of `links`, or `None` if `links` is empty. The size of
    /// the texts in `links` determines the next limit.
    fn after(links: &[Link], limit: u32, is_cut: bool) -> Option<Self> {
        let position = ListPosition(links.last()?.id);
        let bytes: usize = links.iter().map(|link| link.properties.text_bytes()).sum();
        let limit = if is_cut {
            // Links beyond the maximum size would be cut off.
            u32::try_from(links.len()).unwrap_or(limit)
        } else if bytes < MAX_PAGE_BYTES / 2 {
            limit.saturating_mul(2)
        } else {
            limit
        };
        Some(Self { position, limit: limit.clamp(*PAGE_LINKS.start(), *PAGE_LINKS.end()) })
    }
}

/// Removes the links after the one that reaches [`MAX_PAGE_BYTES`], and returns whether there were
/// any.
fn truncate_to_page_size(links: &mut Vec<Link>) -> bool {
    let mut total = 0;
    let enough = links.iter().position(|link| {
        total += link.properties.text_bytes();
        total >= MAX_PAGE_BYTES
    });
    let Some(count) = enough.map(|last| last + 1).filter(|count| *count < links.len()) else {
        return false;
    };
    links.truncate(count);
    // The page stays in memory until it is sent.
    links.shrink_to_fit();
    true
}
