//! The Content-Security-Policy of a page.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use poem::http::HeaderValue;
use poem::http::header::InvalidHeaderValue;
use sha2::{Digest as _, Sha256};

/// Author of a page: Terse or the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    Terse,
    Operator,
}

/// Returns the policy of a page. It allows the page's `<style>` elements by their SHA-256 hashes,
/// and images from the service.
pub(super) fn policy(page: &str, author: Author) -> Result<HeaderValue, InvalidHeaderValue> {
    let mut hashes = String::new();
    for style in styles(page) {
        let hash = BASE64_STANDARD.encode(Sha256::digest(style));
        let _ = write!(hashes, " 'sha256-{hash}'");
    }
    if hashes.is_empty() {
        hashes.push_str(" 'none'");
    }
    let files = match author {
        Author::Terse => "img-src 'self'",
        Author::Operator => "img-src 'self' data:; font-src 'self' data:",
    };
    HeaderValue::from_maybe_shared(format!(
        "default-src 'none'; style-src{hashes}; {files}; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    ))
}

/// Finds the contents of the `<style>` elements of a page. The browser ignores the hash of a text that
/// is not a style sheet, such as one in a comment.
fn styles(page: &str) -> Vec<&str> {
    let lower = page.to_ascii_lowercase();
    let style = |(at, _): (usize, &str)| {
        let start = at + lower[at..].find('>')? + 1;
        let end = lower[start..].find("</style").map_or(page.len(), |length| start + length);
        page.get(start..end)
    };
    lower.match_indices("<style").filter_map(style).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_sheets_are_allowed_by_their_hashes() {
        let of = |page| policy(page, Author::Operator).unwrap().to_str().unwrap().to_owned();
        let empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
        let abc = "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='";
        assert!(of("<p>").contains("; style-src 'none'; "));
        assert!(of("<style></style>").contains(&format!("; style-src {empty}; ")));
        let two = "<STYLE media=all>abc</STYLE ><style></style>";
        assert!(of(two).contains(&format!("; style-src {abc} {empty}; ")));
        assert!(of("ß<style>abc").contains(abc));
    }
}
