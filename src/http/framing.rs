//! What RFC 9112 asks of a request and hyper passes over.

use poem::Request;
use poem::http::uri::Authority;
use poem::http::{HeaderMap, Version, header};

/// What makes a request one that cannot be relied on to mean what it seems to, if anything.
pub fn fault(request: &Request) -> Option<&'static str> {
    if request.version() != Version::HTTP_11 {
        return None;
    }
    let headers = request.headers();
    let mut hosts = headers.get_all(header::HOST).iter();
    // Section 3.2: proxies before this server may have taken it for another's.
    match (hosts.next(), hosts.next()) {
        (Some(host), None) if is_host(host.as_bytes()) => {}
        (Some(_), None) => return Some("The header Host must be a host, with or without a port."),
        _ => return Some("An HTTP/1.1 request must have exactly one Host header."),
    }
    // Section 6.1: hyper undoes `chunked` and would take what other codings have made for the body.
    is_coded(headers).then_some("No transfer coding other than chunked is accepted.")
}

/// An empty one is valid, too (RFC 9112, section 3.2).
fn is_host(value: &[u8]) -> bool {
    value.is_empty() || Authority::try_from(value).is_ok() && !value.contains(&b'@')
}

fn is_coded(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    codings.any(|coding| !coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked"))
}
