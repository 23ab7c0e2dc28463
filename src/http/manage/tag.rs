//! Tags, by which the OpenAPI document groups the operations.

use poem_openapi::Tags;

/// A group of operations.
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
