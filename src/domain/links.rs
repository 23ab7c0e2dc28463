//! Short codes and where they lead.

mod creator;
mod queue;
mod wish;

use std::future::ready;
use std::ops::RangeInclusive;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream, try_unfold};

pub use self::creator::{Creating, Creator};
pub use self::wish::Wish;
use super::cache::HeapSize;
use super::{Caches, Error};
use crate::store::links::CountedLink;
use crate::store::pages::{Filter, Listed};
use crate::store::{Store, links, pages};
use crate::values::{Destination, ShortCode};

/// Links on the first page of a list that is read whole, and on the largest: each may have 8 KiB, and
/// a client that does not read its list keeps a page in memory.
const PAGES: RangeInclusive<u32> = 50..=500;
/// What a page should have in destinations.
const PAGE_BYTES: usize = 128 * 1024;
/// Links of a part that is read in one page.
const WHOLE_PART: u32 = 100;

/// The owner's link of that code with all its clicks.
///
/// # Errors
/// [`Error::LinkNotFound`], or when the database fails.
pub async fn statistics(
    store: &Store,
    owner_id: i64,
    code: &ShortCode,
) -> Result<CountedLink, Error> {
    links::count_one(store.reader(), owner_id, code).await?.ok_or(Error::LinkNotFound)
}

/// A place in a list: everything before it has been shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(pub i64);

impl Place {
    /// Where a list begins: at the newest link.
    pub const START: Self = Self(i64::MAX);
}

/// A list, a page at a time. Between two nothing is held: neither a transaction nor a connection.
pub type Pages<T> = BoxStream<'static, Result<Vec<T>, Error>>;

/// All of the owner's links from `place` on, newest first.
pub fn list<T: Listed>(store: Store, owner_id: i64, filter: Filter, place: Place) -> Pages<T> {
    walk(store, owner_id, filter, place, None)
}

/// At most `limit` of the owner's links from `place` on, newest first, and where the list goes on if it
/// does.
///
/// # Errors
/// When the database fails.
pub async fn list_part<T: Listed>(
    store: Store,
    owner_id: i64,
    filter: Filter,
    place: Place,
    limit: u32,
) -> Result<(Pages<T>, Option<Place>), Error> {
    if limit > WHOLE_PART {
        // Links that are made meanwhile stand above the first.
        let first = pages::two_after::<T>(&store, owner_id, &filter, place.0, 0).await?;
        let place = first.first().map_or(place, |first| Place(first + 1));
        let last = pages::two_after::<T>(&store, owner_id, &filter, place.0, limit - 1).await?;
        let end = if let [last, _] = last[..] { Some(Place(last)) } else { None };
        return Ok((walk(store, owner_id, filter, place, end), end));
    }
    // One more is the sign that the list goes on.
    let mut links = T::page(&store, owner_id, &filter, place.0, limit + 1).await?;
    let goes_on = links.len() > limit as usize;
    links.truncate(limit as usize);
    let next = links.last().filter(|_| goes_on).map(|link| Place(link.id()));
    Ok((stream::once(ready(Ok(links))).boxed(), next))
}

/// All pages from `place` on, up to the link at `end` where there is one. Where a link comes to be in
/// the list meanwhile, or is no longer, that is all that is different of it.
fn walk<T: Listed>(
    store: Store,
    owner_id: i64,
    filter: Filter,
    place: Place,
    end: Option<Place>,
) -> Pages<T> {
    let query = Arc::new((store, filter));
    let page = move |(place, limit): (Option<Place>, u32)| {
        let query = Arc::clone(&query);
        async move {
            let Some(place) = place else { return Ok(None) };
            let (store, filter) = &*query;
            let mut links = T::page(store, owner_id, filter, place.0, limit).await?;
            let is_last = links.len() < limit as usize;
            links.retain(|link| end.is_none_or(|end| link.id() >= end.0));
            let last = links.last().map(|link| Place(link.id()));
            let next = last.filter(|last| !is_last && end.is_none_or(|end| *last > end));
            let bytes = links.iter().map(|link| link.destination_url().len()).sum();
            Ok(Some((links, (next, next_limit(limit, bytes)))))
        }
    };
    try_unfold((Some(place), *PAGES.start()), page).boxed()
}

/// How many links the page after one of `limit` links with so many bytes has.
fn next_limit(limit: u32, bytes: usize) -> u32 {
    let next = if bytes < PAGE_BYTES { limit.saturating_mul(2) } else { limit / 2 };
    next.clamp(*PAGES.start(), *PAGES.end())
}

/// Where a code leads, as a redirect needs it.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// The link.
    pub id: i64,
    /// What the `Location` header says.
    pub location: Box<str>,
    /// Whether it redirects.
    pub is_active: bool,
}

impl HeapSize for Target {
    fn heap_size(&self) -> u64 {
        self.location.len() as u64
    }
}

/// Where the code leads, from the cache or else from the database.
///
/// # Errors
/// [`Error::LinkNotFound`], or when the code is not in the cache and the database fails.
pub async fn resolve(store: &Store, caches: &Caches, code: &str) -> Result<Arc<Target>, Error> {
    if let Some(target) = caches.links.get(code) {
        return Ok(target);
    }
    let Ok(code) = ShortCode::parse(code) else { return Err(Error::LinkNotFound) };
    let ticket = caches.links.ticket();
    let link = links::target(store, &code).await?.ok_or(Error::LinkNotFound)?;
    let target = Arc::new(Target {
        id: link.link_id,
        location: location(&link.destination_url).into(),
        is_active: link.is_active == 1,
    });
    caches.links.insert(ticket, code, Arc::clone(&target));
    Ok(target)
}

/// What is in the database has been checked on its way in; if a later program's rules differ, what
/// was once taken is still served.
fn location(destination_url: &str) -> String {
    Destination::parse(destination_url).map_or_else(
        |_| destination_url.to_owned(),
        |destination| destination.location().into_owned(),
    )
}
