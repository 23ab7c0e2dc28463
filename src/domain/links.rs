//! Short codes and where they lead.

mod creator;
mod wish;

use std::ops::RangeInclusive;
use std::sync::Arc;

use futures_util::Stream;
use futures_util::stream::try_unfold;

pub use self::creator::{Creating, Creator};
pub use self::wish::Wish;
use super::cache::HeapSize;
use super::{Caches, Error};
use crate::store::links::CountedLink;
use crate::store::pages::{Filter, QrLink};
use crate::store::{Store, links, pages};
use crate::values::{Destination, ShortCode};

/// Links on the first page of a list that is read whole, and on the largest: each may have 8 KiB, and
/// a client that does not read its list keeps a page in memory.
const PAGES: RangeInclusive<u32> = 50..=500;
/// What a page should have in destinations.
const PAGE_BYTES: usize = 128 * 1024;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(pub i64);

impl Place {
    /// Where a list begins: at the newest link.
    pub const START: Self = Self(i64::MAX);
}

/// A part of a list, and where it goes on if it does.
#[derive(Debug)]
pub struct Part<T> {
    /// The part.
    pub links: Vec<T>,
    /// Where it goes on.
    pub next: Option<Place>,
}

impl<T> Part<T> {
    /// Takes one link more than was asked for as the sign that the list goes on.
    fn of(mut links: Vec<T>, limit: u32, id: impl Fn(&T) -> i64) -> Self {
        let limit = limit as usize;
        let goes_on = links.len() > limit;
        links.truncate(limit);
        let next = links.last().filter(|_| goes_on).map(|link| Place(id(link)));
        Self { links, next }
    }
}

/// At most `limit` of the owner's links from `place` on, newest first.
///
/// # Errors
/// When the database fails.
pub async fn list_part(
    store: &Store,
    owner_id: i64,
    filter: &Filter,
    place: Place,
    limit: u32,
) -> Result<Part<CountedLink>, Error> {
    let more = limit.saturating_add(1);
    let links = pages::count(store, owner_id, filter, place.0, more).await?;
    Ok(Part::of(links, limit, |link| link.id))
}

/// All of the owner's links from `place` on, newest first, a page at a time.
pub fn list(
    store: Store,
    owner_id: i64,
    filter: Filter,
    place: Place,
) -> impl Stream<Item = Result<Vec<CountedLink>, Error>> + Send + 'static {
    let part = move |place, limit| {
        let (store, filter) = (store.clone(), filter.clone());
        async move { list_part(&store, owner_id, &filter, place, limit).await }
    };
    walk(place, part, |link| link.destination_url.len())
}

/// All parts from `place` on. Between two nothing is held: neither a transaction nor a connection.
fn walk<T, P>(
    place: Place,
    part: impl Fn(Place, u32) -> P + Send + 'static,
    bytes: fn(&T) -> usize,
) -> impl Stream<Item = Result<Vec<T>, Error>> + Send + 'static
where
    T: Send + 'static,
    P: Future<Output = Result<Part<T>, Error>> + Send + 'static,
{
    try_unfold((Some(place), *PAGES.start(), part), move |(place, limit, part)| async move {
        let Some(place) = place else { return Ok(None) };
        let Part { links, next } = part(place, limit).await?;
        let limit = next_limit(limit, links.iter().map(bytes).sum());
        Ok(Some((links, (next, limit, part))))
    })
}

/// How many links the page after one of `limit` links with so many bytes has.
fn next_limit(limit: u32, bytes: usize) -> u32 {
    let next = if bytes < PAGE_BYTES { limit.saturating_mul(2) } else { limit / 2 };
    next.clamp(*PAGES.start(), *PAGES.end())
}

/// At most `limit` of the owner's links whose QR code is enabled from `place` on, newest first.
///
/// # Errors
/// When the database fails.
pub async fn list_qr_part(
    store: &Store,
    owner_id: i64,
    filter: &Filter,
    place: Place,
    limit: u32,
) -> Result<Part<QrLink>, Error> {
    let more = limit.saturating_add(1);
    let links = pages::qr(store, owner_id, filter, place.0, more).await?;
    Ok(Part::of(links, limit, |link| link.id))
}

/// All of the owner's links whose QR code is enabled from `place` on, newest first, a page at a time.
pub fn list_qr(
    store: Store,
    owner_id: i64,
    filter: Filter,
    place: Place,
) -> impl Stream<Item = Result<Vec<QrLink>, Error>> + Send + 'static {
    let part = move |place, limit| {
        let (store, filter) = (store.clone(), filter.clone());
        async move { list_qr_part(&store, owner_id, &filter, place, limit).await }
    };
    walk(place, part, |link| link.destination_url.len())
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
