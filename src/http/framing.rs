//! The check of transfer codings that RFC 9112 requires of a server and hyper does not make.

use poem::Request;
use poem::http::{HeaderValue, Version, header};

/// Checks that the headers of an HTTP/1.1 request leave no doubt where its body ends.
///
/// # Errors
/// Returns the reason, as text for the client.
pub fn check_framing(request: &Request) -> Result<(), &'static str> {
    if request.version() != Version::HTTP_11 {
        return Ok(());
    }
    let headers = request.headers();
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
