//! Links: their creation, search and changes, their statistics, and the targets of redirects.

mod create_link;
mod creator;
mod edit;
mod fair_queue;
mod find;
mod link_edit;
mod list;
mod lookup;
mod owner_permits;
mod queue;
mod rules;
mod search;
mod select;
mod state;
mod switch;
mod target;

use super::Error;
use super::blocks::BlockSnapshot;
use super::clicks::Recorder;
use super::owners::{self, Owner};
use crate::store::Store;
use crate::store::links::LinkKey;
use crate::values::{ShortCode, Timestamp};

pub use self::create_link::CreateLink;
pub use self::creator::{BatchLink, Creator};
pub use self::edit::edit;
pub use self::find::{FoundLink, LinkSearch, count, find_by_code};
pub use self::link_edit::LinkEdit;
pub use self::list::{LinkPages, ListSource, list};
pub use self::lookup::{KnownKinds, LinkCache, Target, resolve};
pub use self::owner_permits::{BODY_PART, OwnerPermit, OwnerPermits};
pub use self::rules::LinkRules;
pub use self::search::{SearchFilter, SearchScope, search, search_codes};
pub use self::select::LinkSelector;
pub use self::state::LinkState;
pub use self::switch::{LinkSwitch, delete, switch};
pub use self::target::{LinkTarget, LinkVersion, Precondition};
pub use crate::store::link_pages::{ActiveAt, LinkFilter};
pub use crate::store::links::{Link, LinkProperties, StoredQrSettings};

/// Returns a link of any owner with its clicks and its state, and its owner.
///
/// # Errors
/// [`Error::LinkNotFound`] or [`Error::ClicksPending`].
pub async fn get(
    store: &Store,
    recorder: &Recorder,
    blocks: &BlockSnapshot,
    code: &ShortCode,
    now: Timestamp,
) -> Result<(Link, LinkState, Owner), Error> {
    recorder.check_counted()?;
    let key = LinkKey { owner_id: None, code: code.clone() };
    let link = store.find_with_clicks(key).await?.ok_or(Error::LinkNotFound)?;
    let owner = owners::get(store, link.owner_id.into()).await?;
    let state = LinkState::from_link(&link, owner.suspended_reason, blocks, now);
    Ok((link, state, owner))
}

/// Returns a link of the owner with its clicks.
///
/// # Errors
/// [`Error::LinkNotFound`] or [`Error::ClicksPending`].
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
