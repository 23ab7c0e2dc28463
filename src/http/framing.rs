//! Checks that RFC 9112 requires of a server and hyper does not make.

use poem::Request;
use poem::http::uri::Authority;
use poem::http::{HeaderValue, Version, header};

/// Checks that the headers of an HTTP/1.1 request leave no doubt where its body ends and which host
/// it is for.
///
/// # Errors
/// Returns the reason, as text for the client.
pub fn check_framing(request: &Request) -> Result<(), &'static str> {
    if request.version() != Version::HTTP_11 {
        return Ok(());
    }
    let headers = request.headers();
    let mut hosts = headers.get_all(header::HOST).iter();
    // Section 3.2: if there are two `Host` headers, a proxy may have routed the request by the
    // other one.
    match (hosts.next(), hosts.next()) {
        (Some(host), None) if is_host(host.as_bytes()) => {}
        (Some(_), None) => return Err("The header Host must be a host, with or without a port."),
        _ => return Err("An HTTP/1.1 request must have exactly one Host header."),
    }
    // Section 6.1: hyper decodes `chunked`, but would pass on data in any other coding as the body.
    // A proxy may interpret a body that is chunked twice in another way.
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let is_chunked =
        |coding: &HeaderValue| coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked");
    if codings.next().is_some_and(|first| !is_chunked(first)) || codings.next().is_some() {
        return Err("No transfer coding other than chunked, once, is accepted.");
    }
    Ok(())
}

/// Returns whether the value of a `Host` header is valid. An empty value is valid (RFC 9112,
/// section 3.2).
fn is_host(value: &[u8]) -> bool {
    value.is_empty() || Authority::try_from(value).is_ok() && !value.contains(&b'@')
}
