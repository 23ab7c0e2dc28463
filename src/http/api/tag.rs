//! Tags, by which the OpenAPI document groups the operations.

use poem_openapi::Tags;

/// A group of operations.
#[derive(Tags)]
pub enum ApiTag {
    /// Short links and their clicks: create them, list them, read their statistics.
    Links,
    /// QR codes of short links: enable and style them, list them.
    #[oai(rename = "QR codes")]
    QrCodes,
}
