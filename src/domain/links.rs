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

pub use self::create_link::CreateLink;
pub use self::creator::{BatchLink, Creator};
pub use self::edit::edit;
pub use self::find::{FoundLink, LinkSearch, count, find_by_code};
pub use self::link_edit::LinkEdit;
pub use self::list::{LinkPages, list};
pub use self::lookup::{KnownKinds, LinkCache, Target, resolve};
pub use self::owner_permits::{BODY_PART, OwnerPermit, OwnerPermits};
pub use self::rules::LinkRules;
pub use self::search::{LinkSource, SearchFilter, SearchScope, get, search, search_codes};
pub use self::select::LinkSelector;
pub use self::state::LinkState;
pub use self::switch::{LinkSwitch, MissingCodes, delete, switch};
pub use self::target::{LinkTarget, LinkVersion, Precondition};
pub use crate::store::link_pages::{ActiveAt, LinkFilter};
pub use crate::store::links::{Link, LinkProperties, StoredQrSettings};
