//! Links: their creation, search and changes, their statistics, and the targets of redirects.

mod bulk;
mod create_link;
mod creator;
mod edit;
mod find;
mod key_names;
mod list;
mod lookup;
mod owner_permits;
mod properties;
mod put;
mod queue;
mod rules;
mod search;
mod select;
mod state;

pub use self::bulk::{BulkChange, MissingCodes, change_all, delete};
pub use self::create_link::{CreateLink, LinkCreator};
pub use self::creator::{BatchLink, Creator};
pub use self::edit::edit;
pub use self::find::{FoundLink, LinkSearch, count, find_by_code};
pub use self::key_names::{KeyNames, key_name};
pub use self::list::{LinkPages, list};
pub use self::lookup::{KnownKinds, LinkCache, Target, exists, resolve};
pub use self::owner_permits::{OwnerPermit, OwnerPermits};
pub use self::properties::{LinkEdit, LinkValues};
pub use self::put::{PutLink, code_of_external_id, put, put_batch};
pub use self::rules::LinkRules;
pub use self::search::{LinkSource, SearchScope, get, search};
pub use self::select::{LinkSelector, LinkTarget};
pub use self::state::{LinkState, StateInputs};
pub use crate::store::link_changes::LinkConditions;
pub use crate::store::link_pages::{ActiveAt, LinkFilter};
pub use crate::store::links::{BY_IMPORT, Link, LinkProperties, StoredQrSettings};
