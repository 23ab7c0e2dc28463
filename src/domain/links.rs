//! Links: their statistics, and the targets of redirects.

mod create_link;
mod creator;
mod list;
mod outcome;
mod queue;

use std::sync::Arc;

pub use self::create_link::CreateLink;
pub use self::creator::{Creator, CreatorWorker};
pub use self::list::{LinkPages, ListPosition, list};
use super::Error;
use super::cache::{HeapSize, VersionedCache};
use super::clicks::Recorder;
use crate::store::Store;
pub use crate::store::link_pages::LinkFilter;
pub use crate::store::links::Link;
use crate::store::links::LinkKey;
use crate::values::{Destination, ShortCode};

/// Returns a link of the owner with its clicks.
///
/// # Errors
/// [`Error::LinkNotFound`], [`Error::ClicksPending`], or if the database fails.
pub async fn statistics(
    store: &Store,
    recorder: &Recorder,
    owner_id: i64,
    code: &ShortCode,
) -> Result<Link, Error> {
    recorder.check_counted()?;
    let key = LinkKey { owner_id: Some(owner_id), code: code.clone() };
    let found = store.find_with_clicks(key).await?;
    found.ok_or(Error::LinkNotFound)
}

/// The cached data of a link that a redirect needs.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// Identifier of the link.
    pub id: i64,
    /// Value of the `Location` header.
    pub location: Box<str>,
    /// Whether the link redirects.
    pub is_active: bool,
}

impl HeapSize for Target {
    fn heap_size(&self) -> u64 {
        self.location.len() as u64
    }
}

/// Cache of redirect targets by short code.
pub type LinkCache = VersionedCache<ShortCode, Target>;

/// Returns the target of a short code from the cache, or else from the database.
///
/// # Errors
/// [`Error::LinkNotFound`], or if the code is not in the cache and the database fails.
pub async fn resolve(store: &Store, cache: &LinkCache, code: &str) -> Result<Arc<Target>, Error> {
    if let Some(target) = cache.get(code) {
        return Ok(target);
    }
    let Ok(code) = ShortCode::parse(code) else { return Err(Error::LinkNotFound) };
    let version = cache.begin_read();
    let link = store.target(&code).await?.ok_or(Error::LinkNotFound)?;
    let target = Arc::new(Target {
        id: link.link_id,
        location: location(&link.destination_url).into(),
        is_active: link.is_active == 1,
    });
    cache.insert(version, code, Arc::clone(&target));
    Ok(target)
}

/// Returns the value of the `Location` header. A destination that is invalid by the present rules
/// was valid by those of an earlier program, and is returned unchanged.
fn location(destination_url: &str) -> String {
    Destination::parse(destination_url).map_or_else(
        |_| destination_url.to_owned(),
        |destination| destination.location().into_owned(),
    )
}
