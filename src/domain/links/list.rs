//! Lists of an owner's links, whole or in parts.

use std::future::ready;
use std::ops::RangeInclusive;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream, try_unfold};

use super::{Link, QrLink};
use crate::domain::Error;
use crate::domain::clicks::Recorder;
use crate::store::Store;
use crate::store::links::CountedLink;
use crate::store::pages::{self, Filter, PageRow as _};

/// Links that are asked for at once.
const PAGES: RangeInclusive<u32> = 16..=500;
/// Links on the first page of a list that is read whole.
const FIRST_PAGE: u32 = 50;
/// What a page has in texts, and one link more: a client that does not read its list keeps a page in
/// memory, and each link may have 8 KiB.
const PAGE_BYTES: usize = 128 * 1024;
/// Links of a part that is read in one page.
const WHOLE_PART: u32 = 100;

/// A position in a list: everything before it has been shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListPosition(pub i64);

impl ListPosition {
    /// Where a list begins: at the newest link.
    pub const START: Self = Self(i64::MAX);
}

/// What lists show.
pub trait Listed: From<Self::Row> + Send + 'static {
    /// As it is read.
    type Row: pages::PageRow;
    /// Whether its clicks are shown: then there is no list while some of them wait.
    const SHOWS_CLICKS: bool;
}

impl Listed for Link {
    type Row = CountedLink;
    const SHOWS_CLICKS: bool = true;
}

impl Listed for QrLink {
    type Row = pages::QrLink;
    const SHOWS_CLICKS: bool = false;
}

/// A list, a page at a time. Between two nothing is held: neither a transaction nor a connection.
pub type Pages<T> = BoxStream<'static, Result<Vec<T>, Error>>;

/// The owner's links from `position` on, newest first: all of them, or at most `limit` and where the
/// list goes on if it does.
///
/// # Errors
/// [`Error::Uncounted`] for what shows clicks, or when the database fails; of a list that is read whole
/// its pages do.
pub async fn list<T: Listed>(
    store: &Store,
    recorder: &Recorder,
    owner_id: i64,
    filter: Filter,
    position: ListPosition,
    limit: Option<u32>,
) -> Result<(Pages<T>, Option<ListPosition>), Error> {
    if T::SHOWS_CLICKS {
        recorder.check_counted()?;
    }
    let store = store.clone();
    match limit {
        None => Ok((walk(store, owner_id, filter, Step::from(position), None), None)),
        Some(limit) => part(store, owner_id, filter, position, limit).await,
    }
}

/// At most `limit` of them, and where the list goes on if it does.
async fn part<T: Listed>(
    store: Store,
    owner_id: i64,
    filter: Filter,
    position: ListPosition,
    limit: u32,
) -> Result<(Pages<T>, Option<ListPosition>), Error> {
    if limit > WHOLE_PART {
        // Links that are made meanwhile stand above the first.
        let top = pages::two_after::<T::Row>(&store, owner_id, &filter, position.0, 0).await?;
        let position = top.first().map_or(position, |newest| ListPosition(newest + 1));
        let bottom =
            pages::two_after::<T::Row>(&store, owner_id, &filter, position.0, limit - 1).await?;
        let end = if let [last, _beyond] = bottom[..] { Some(ListPosition(last)) } else { None };
        return Ok((walk(store, owner_id, filter, Step::from(position), end), end));
    }
    // One more is the sign that the list goes on.
    let mut links = T::Row::page(&store, owner_id, &filter, position.0, limit + 1).await?;
    let goes_on = links.len() > limit as usize;
    links.truncate(limit as usize);
    let next = links.last().filter(|_| goes_on).map(|link| ListPosition(link.id()));
    let end = links.last().map(|link| ListPosition(link.id()));
    let is_cut = cut(&mut links);
    let rest = Step::after(&links, limit, true).filter(|_| is_cut);
    let first = stream::once(ready(Ok(links.into_iter().map(T::from).collect())));
    let pages = match rest {
        None => first.boxed(),
        Some(rest) => first.chain(walk(store, owner_id, filter, rest, end)).boxed(),
    };
    Ok((pages, next))
}

/// The next page of a walk.
#[derive(Debug, Clone, Copy)]
struct Step {
    position: ListPosition,
    /// How many links are asked for.
    limit: u32,
}

impl Step {
    /// The first.
    const fn from(position: ListPosition) -> Self {
        Self { position, limit: FIRST_PAGE }
    }

    /// The one after these links, which are as many as `limit` or were cut.
    fn after<R: pages::PageRow>(links: &[R], limit: u32, is_cut: bool) -> Option<Self> {
        let position = ListPosition(links.last()?.id());
        let bytes: usize = links.iter().map(R::bytes).sum();
        let limit = if is_cut {
            // What is asked for beyond that is read for nothing.
            u32::try_from(links.len()).unwrap_or(limit)
        } else if bytes < PAGE_BYTES / 2 {
            limit.saturating_mul(2)
        } else {
            limit
        };
        Some(Self { position, limit: limit.clamp(*PAGES.start(), *PAGES.end()) })
    }
}

/// All pages from a first one on, up to the link at `end` where there is one. A link that is enabled,
/// disabled or given a QR code meanwhile may appear or not; no other is missing or repeated.
fn walk<T: Listed>(
    store: Store,
    owner_id: i64,
    filter: Filter,
    first: Step,
    end: Option<ListPosition>,
) -> Pages<T> {
    let query = Arc::new((store, filter));
    let page = move |step: Option<Step>| {
        let query = Arc::clone(&query);
        async move {
            let Some(Step { position, limit }) = step else { return Ok(None) };
            let (store, filter) = &*query;
            let mut links = T::Row::page(store, owner_id, filter, position.0, limit).await?;
            let is_last = links.len() < limit as usize;
            links.retain(|link| end.is_none_or(|end| link.id() >= end.0));
            let is_cut = cut(&mut links);
            let next = Step::after(&links, limit, is_cut)
                .filter(|_| is_cut || !is_last)
                .filter(|next| end.is_none_or(|end| next.position > end));
            let links = links.into_iter().map(T::from).collect();
            Ok(Some((links, next)))
        }
    };
    try_unfold(Some(first), page).boxed()
}

/// Takes off what is too much for a page; whether there was something.
fn cut<R: pages::PageRow>(links: &mut Vec<R>) -> bool {
    let mut bytes = 0;
    let enough = links.iter().position(|link| {
        bytes += link.bytes();
        bytes >= PAGE_BYTES
    });
    let Some(kept) = enough.map(|last| last + 1).filter(|kept| *kept < links.len()) else {
        return false;
    };
    links.truncate(kept);
    // It stays in memory for as long as the page is not sent.
    links.shrink_to_fit();
    true
}
