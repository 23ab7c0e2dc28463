//! Identifiers of requests: those of Terse, and those of proxies.

use poem::http::{HeaderMap, HeaderName, HeaderValue};
use rand::RngExt as _;

use crate::values::ApiKey;

/// Header with the identifier.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// Maximum length of the identifier in `X-Request-Id`. A client may have chosen it, even behind a
/// trusted proxy.
const MAX_REQUEST_ID: usize = 128;

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

/// Returns the trace identifier that a proxy sends with a request, which names the same request in the logs of
/// the proxy and of Terse: that of a valid `traceparent` ([W3C Trace
/// Context](https://www.w3.org/TR/trace-context/)), without its other fields, or else an `X-Request-Id` that
/// needs no escapes in a log and contains no API key.
pub fn trace_id(headers: &HeaderMap) -> Option<String> {
    let only = |name| {
        let mut values = headers.get_all(name).iter();
        values.next().filter(|_| values.next().is_none())
    };
    let trace_parent = only(TRACEPARENT).filter(|value| is_trace_parent(value.as_bytes()));
    let trace_parent = trace_parent.and_then(|value| value.to_str().ok()?.get(3..35));
    let request_id = || {
        let value = only(X_REQUEST_ID).filter(|value| is_request_id(value.as_bytes()));
        value.and_then(|value| value.to_str().ok())
    };
    trace_parent.or_else(request_id).map(str::to_owned)
}

/// Returns whether the value is `VERSION-TRACE-PARENT-FLAGS`. Later versions may append fields.
fn is_trace_parent(value: &[u8]) -> bool {
    let mut fields = value.split(|byte| *byte == b'-');
    let mut is_hex = |length: usize| {
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let field = fields.next().filter(|field| field.len() == length);
        field.filter(|field| field.iter().all(is_digit))
    };
    let is_set = |field: &[u8]| field.iter().any(|byte| *byte != b'0');
    let version = is_hex(2).filter(|version| *version != b"ff");
    let is_valid = version.is_some()
        && is_hex(32).is_some_and(is_set)
        && is_hex(16).is_some_and(is_set)
        && is_hex(2).is_some();
    is_valid && (version != Some(b"00") || fields.next().is_none())
}

fn is_request_id(value: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~+/=:@,".contains(byte);
    let is_secret = || std::str::from_utf8(value).is_ok_and(ApiKey::is_in);
    (1..=MAX_REQUEST_ID).contains(&value.len()) && value.iter().all(is_plain) && !is_secret()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    fn id_of(headers: &[(HeaderName, &str)]) -> Option<String> {
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        trace_id(&headers.collect())
    }

    #[test]
    fn trace_parent_precedes_the_request_id() {
        let valid = format!("00-{ID}-00f067aa0ba902b7-01");
        assert_eq!(id_of(&[(TRACEPARENT, &valid), (X_REQUEST_ID, "a")]).as_deref(), Some(ID));
        let later = format!("cc-{ID}-00f067aa0ba902b7-01-more");
        assert_eq!(id_of(&[(TRACEPARENT, &later)]).as_deref(), Some(ID));
        assert_eq!(id_of(&[(X_REQUEST_ID, "a-1:b")]).as_deref(), Some("a-1:b"));
        assert_eq!(id_of(&[]), None);
    }

    #[test]
    fn malformed_identifiers_are_ignored() {
        let zero = "0".repeat(32);
        for value in [
            "",
            "00",
            &format!("ff-{ID}-00f067aa0ba902b7-01"),
            &format!("00-{zero}-00f067aa0ba902b7-01"),
            &format!("00-{ID}-0000000000000000-01"),
            &format!("00-{ID}-00f067aa0ba902b7-01-more"),
            &format!("00-{}-00f067aa0ba902b7-01", ID.to_uppercase()),
            &format!("00-{ID}-00f067aa0ba902b7"),
        ] {
            assert_eq!(id_of(&[(TRACEPARENT, value)]), None, "{value}");
        }
        let valid = format!("00-{ID}-00f067aa0ba902b7-01");
        assert_eq!(id_of(&[(TRACEPARENT, &valid), (TRACEPARENT, &valid)]), None);
        let key = format!("terse_{}", "a1".repeat(16));
        for value in ["", "a b", "a\"b", &key, &"x".repeat(MAX_REQUEST_ID + 1)] {
            assert_eq!(id_of(&[(X_REQUEST_ID, value)]), None, "{value}");
        }
    }
}
