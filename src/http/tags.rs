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
    /// The owner's links: create, find, read, change and delete them, and read their clicks and events.
    Links,
    /// Changes of the owner's links, keys, domains and webhooks: follow them, and read what they changed.
    Events,
    /// Clicks of all links of the owner.
    Reports,
    /// The owner of the API key: plan and usage.
    Owner,
    /// The API keys of the owner: create, list, change and revoke them.
    Keys,
    /// Webhooks of the owner: create, change, test and delete them, and read and repeat their deliveries.
    Webhooks,
}

/// A group of operations of `/api/operator/v1`.
#[derive(Tags)]
pub enum OperatorTag {
    /// Whether all is well.
    Status,
    /// Operator keys: create, list and revoke them, and read that of the request.
    #[oai(rename = "Operator keys")]
    OperatorKeys,
    /// Owners: create, find, change, suspend, resume and delete them.
    Owners,
    /// API keys of owners: create, list, find, change and revoke them.
    Keys,
    /// Plans: create, read, change and delete them.
    Plans,
    /// Links of all owners: find, read, change, disable and delete them, and read their clicks and events.
    Links,
    /// Patterns of blocked destinations: add, list, check and remove them.
    Blocks,
    /// Domains of owners: add, list, change and remove them.
    Domains,
    /// Webhooks of owners: list, disable and enable them.
    Webhooks,
    /// The history: follow it, and undo events.
    Events,
    /// What owners used, and reports of clicks.
    Usage,
}
