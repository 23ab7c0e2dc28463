//! Short codes and where they lead.

mod creator;
mod list;
mod queue;
mod settling;
mod wish;

use std::sync::Arc;

pub use self::creator::{Creating, Creator};
pub use self::list::{ListPosition, Listed, Pages, list};
pub use self::wish::Wish;
use super::cache::HeapSize;
use super::clicks::{MOST_CLICKS, Recorder};
use super::{Caches, Error};
use crate::store::links::CountedLink;
pub use crate::store::pages::Filter;
use crate::store::{Store, links, pages};
use crate::values::{Destination, ShortCode};

/// A link with all its clicks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The code.
    pub short_code: String,
    /// Where it leads.
    pub destination_url: String,
    /// Its campaign, if it has one.
    pub campaign: Option<String>,
    /// All clicks, up to [`MOST_CLICKS`].
    pub clicks: i64,
    /// Whether it redirects.
    pub is_active: bool,
}

impl From<CountedLink> for Link {
    fn from(row: CountedLink) -> Self {
        let CountedLink { id: _, short_code, destination_url, campaign, clicks, is_active } = row;
        let (clicks, is_active) = (clicks.min(MOST_CLICKS), is_active == 1);
        Self { short_code, destination_url, campaign, clicks, is_active }
    }
}

/// A link whose QR code is enabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QrLink {
    /// The code.
    pub short_code: String,
    /// Where it leads.
    pub destination_url: String,
    /// Its title, if it has one.
    pub title: Option<String>,
}

impl From<pages::QrLink> for QrLink {
    fn from(row: pages::QrLink) -> Self {
        let pages::QrLink { id: _, short_code, destination_url, title } = row;
        Self { short_code, destination_url, title }
    }
}

/// The owner's link of that code with all its clicks.
///
/// # Errors
/// [`Error::LinkNotFound`], [`Error::Uncounted`], or when the database fails.
pub async fn statistics(
    store: &Store,
    recorder: &Recorder,
    owner_id: i64,
    code: &ShortCode,
) -> Result<Link, Error> {
    recorder.check_counted()?;
    let found = links::count_one(store, owner_id, code).await?;
    found.map(Link::from).ok_or(Error::LinkNotFound)
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
