//! What RFC 9112 asks of a request and hyper passes over.

use poem::Request;
use poem::http::{HeaderMap, Version, header};

/// What makes a request one that cannot be relied on to mean what it seems to, if anything.
pub fn fault(request: &Request) -> Option<&'static str> {
    if request.version() != Version::HTTP_11 {
        return None;
    }
    let headers = request.headers();
    if headers.get_all(header::HOST).iter().count() != 1 {
        // Section 3.2: proxies before this server may have taken it for another's.
        return Some("A request of HTTP/1.1 has the header Host, and has it once.");
    }
    // Section 6.1: hyper undoes `chunked` and would take what other codings have made for the body.
    is_coded(headers).then_some("No transfer coding but chunked is taken.")
}

fn is_coded(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    codings.any(|coding| !coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked"))
}
