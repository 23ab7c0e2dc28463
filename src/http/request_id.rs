//! Identifiers of requests.

use poem::http::{HeaderName, HeaderValue};
use rand::RngExt as _;

/// Header with the identifier.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Identifier of a request, which appears in its response and in the log: 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId(u64);

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl RequestId {
    /// Creates a random identifier. Clients cannot derive from identifiers how many requests the
    /// server receives, as they could from a counter.
    #[expect(clippy::disallowed_methods, reason = "no rule depends on the identifier")]
    pub fn random() -> Self {
        Self(rand::rng().random())
    }

    /// Returns the identifier as the value of a header.
    pub fn header(self) -> HeaderValue {
        let digit = |index: usize| b"0123456789abcdef"[(self.0 >> (60 - 4 * index)) as usize & 0xf];
        let text: [u8; 16] = std::array::from_fn(digit);
        // Hexadecimal digits are always a valid header value.
        HeaderValue::from_bytes(&text).unwrap_or(HeaderValue::from_static(""))
    }
}
