//! Tags, by which the OpenAPI document groups the operations.

use poem_openapi::Tags;

/// A group of operations.
#[derive(Tags)]
pub enum OperatorTag {
    /// The operator key of the request.
    Operator,
    /// Owners: create, find, change, suspend, resume and delete them.
    Owners,
    /// API keys of owners: find, change and revoke them.
    Keys,
    /// Plans: create, read and change them.
    Plans,
    /// Links of all owners: find, read and change them.
    Links,
    /// Patterns of blocked destinations: add, list, check and remove them.
    Blocks,
    /// Domains of owners: add, list, change and remove them.
    Domains,
    /// The history: follow it, and undo events.
    Events,
    /// What owners used, and reports of clicks.
    Usage,
}
