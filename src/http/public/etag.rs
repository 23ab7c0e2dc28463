//! Tags of versions (RFC 9110, section 8.8.3), and who has which.

use poem::http::{HeaderMap, header};
use sha2::{Digest as _, Sha256};

/// A tag of whatever makes the version what it is.
pub(super) fn of(all: &[u8]) -> String {
    let digest = Sha256::digest(all);
    let tag: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{tag}\"")
}

/// Whether the client names this version as one that it has.
pub(super) fn is_named(headers: &HeaderMap, etag: &str) -> bool {
    known(headers).any(|tag| tag == opaque(etag))
}

/// Whether the client has whatever version there is.
pub(super) fn is_any(headers: &HeaderMap) -> bool {
    known(headers).any(|tag| tag == "*")
}

/// Whether the client has this version, or whatever there is.
pub(super) fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    is_named(headers, etag) || is_any(headers)
}

/// Compared weakly (RFC 9110, section 13.1.2).
fn known(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|tag| opaque(tag.trim()))
}

fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}
