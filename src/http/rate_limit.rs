//! Rate limits in responses: the header fields `RateLimit`, `RateLimit-Policy`
//! ([draft-ietf-httpapi-ratelimit-headers-10](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/10/))
//! and `Retry-After`.

use poem::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::domain::rate_limits::RateDecision;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Name, in metrics and headers, of the limit on an owner's requests.
pub const REQUESTS: &str = "requests";

/// Adds the header fields of a decision of the limit with this name to a response.
pub fn write_headers(name: &str, decision: &RateDecision, headers: &mut HeaderMap) {
    let (burst, window) = (decision.limit.burst.get(), decision.window_in_seconds());
    let (remaining, next) = (decision.remaining, decision.next_in_seconds());
    insert(headers, RATE_LIMIT_POLICY, format!("\"{name}\";q={burst};w={window}"));
    insert(headers, RATE_LIMIT, format!("\"{name}\";r={remaining};t={next}"));
    write_retry_after(decision, headers);
}

/// Sets `Retry-After` in the response to a request that a limit does not allow.
pub fn write_retry_after(decision: &RateDecision, headers: &mut HeaderMap) {
    if !decision.is_allowed {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(decision.next_in_seconds()));
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}
