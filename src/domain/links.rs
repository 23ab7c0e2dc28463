//! Links: their creation, search and changes, their statistics, and the targets of redirects.

mod create_link;
mod creator;
mod edit;
mod fair_queue;
mod find;
mod list;
mod list_permits;
mod outcome;
mod queue;
mod rules;
mod select;
mod state;
mod switch;

use std::sync::Arc;

pub use self::create_link::CreateLink;
pub use self::creator::{Creator, CreatorWorker};
pub use self::edit::{LinkEdit, edit};
pub use self::find::{FoundLink, LinkSearch, count, find_by_code};
pub use self::list::{LinkPages, ListPosition, ListSource, list};
pub use self::list_permits::ListPermits;
pub use self::rules::LinkRules;
pub use self::select::{LinkSelector, Realm};
pub use self::state::{LinkState, StateInputs};
pub use self::switch::{LinkSwitch, switch};
use super::Error;
use super::blocks::{BlockSnapshot, Blocklist, CachedVerdict};
use super::cache::{HeapSize, VersionedCache};
use super::clicks::Recorder;
use crate::store::Store;
pub use crate::store::link_pages::{ActiveAt, LinkFilter};
pub use crate::store::links::Link;
use crate::store::links::{LinkKey, TargetRow};
use crate::values::{Destination, Reason, ShortCode, Timestamp};

/// Returns the state of a link whose owner is not suspended, at the time `now`.
#[must_use]
pub fn state(link: &Link, blocks: &BlockSnapshot, now: Timestamp) -> LinkState {
    let Link { disabled, expires_at, .. } = *link;
    let blocked = blocks.blocked(&link.destination_url, now);
    StateInputs { disabled, expires_at, suspended: None }.state_at(blocked, now)
}

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

/// Data of a link that a redirect needs, as the cache holds them.
#[derive(Debug)]
pub struct Target {
    /// Identifier of the link.
    pub id: i64,
    /// Identifier of the owner. `None`: the link is deleted.
    pub owner_id: Option<i64>,
    /// Value of the `Location` header.
    pub location: Box<str>,
    inputs: StateInputs,
    blocked: CachedVerdict,
}

impl Target {
    fn from_row(row: &TargetRow) -> Self {
        let TargetRow {
            link_id,
            owner_id,
            destination_url,
            disabled_reason,
            suspended_reason,
            expires_at,
        } = row;
        Self {
            id: *link_id,
            owner_id: *owner_id,
            location: location(destination_url).into(),
            inputs: StateInputs {
                suspended: suspended_reason.as_deref().map(Reason::from_stored),
                disabled: disabled_reason.as_deref().map(Reason::from_stored),
                expires_at: expires_at.map(Timestamp::from_millis),
            },
            blocked: CachedVerdict::default(),
        }
    }

    /// Returns the state of the link at the time `now`.
    #[must_use]
    pub fn state_at(&self, blocklist: &Blocklist, now: Timestamp) -> LinkState {
        if self.owner_id.is_none() {
            return LinkState::Deleted;
        }
        let blocked = self.blocked.reason(blocklist, &self.location, now);
        self.inputs.state_at(blocked, now)
    }
}

impl HeapSize for Target {
    fn heap_size(&self) -> u64 {
        self.location.len() as u64
    }
}

/// Cache of redirect targets by short code.
pub type LinkCache = VersionedCache<ShortCode, Target>;

/// Returns the target of a short code from the cache or, if it is not there, from the database.
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
    let target = Arc::new(Target::from_row(&link));
    cache.insert(version, code, Arc::clone(&target));
    Ok(target)
}

/// Returns the value of the `Location` header for a destination. A destination that an older
/// version of Terse stored and the current rules reject is returned unchanged.
fn location(destination_url: &str) -> String {
    Destination::parse(destination_url).map_or_else(
        |_| destination_url.to_owned(),
        |destination| destination.location().into_owned(),
    )
}
