//! Entity tags (RFC 9110, section 8.8.3) and `If-None-Match`.

use poem::http::{HeaderMap, header};
use sha2::{Digest as _, Sha256};

/// Returns an entity tag that identifies `content`.
pub(super) fn from_content(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let tag: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{tag}\"")
}

/// Returns whether `If-None-Match` lists the entity tag `etag`.
pub(super) fn is_named(headers: &HeaderMap, etag: &str) -> bool {
    listed(headers).any(|tag| tag == opaque_tag(etag))
}

/// Returns whether `If-None-Match` is `*`.
pub(super) fn is_wildcard(headers: &HeaderMap) -> bool {
    listed(headers).any(|tag| tag == "*")
}

/// Returns whether `If-None-Match` lists the entity tag `etag` or is `*`.
pub(super) fn matches(headers: &HeaderMap, etag: &str) -> bool {
    is_named(headers, etag) || is_wildcard(headers)
}

/// Returns the tags that `If-None-Match` lists, in the form for weak comparison (RFC 9110, section
/// 13.1.2).
fn listed(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|tag| opaque_tag(tag.trim()))
}

fn opaque_tag(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}
