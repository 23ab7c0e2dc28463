//! Tags, by which the OpenAPI documents group the operations.

use poem_openapi::Tags;

/// A group of operations of `/api/v1`.
#[derive(Tags)]
pub enum ApiTag {
    /// Short links and their clicks: create them, list them, read their statistics.
    Links,
    /// QR codes of short links: enable and style them, list them.
    #[oai(rename = "QR codes")]
    QrCodes,
}

/// A group of operations of `/api/manage/v1`.
#[derive(Tags)]
pub enum ManageTag {
    /// The owner of the API key: plan and usage.
    Owner,
    /// The owner's links: find them, read them and their clicks.
    Links,
    /// The API keys of the owner: list, change and revoke them.
    Keys,
    /// Clicks of all links of the owner.
    Reports,
}

/// A group of operations of `/api/operator/v1`.
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
