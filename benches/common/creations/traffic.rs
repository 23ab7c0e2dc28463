//! Requests that create one link each, all with different destinations.

use std::net::SocketAddr;

use crate::load::Requests;

/// Number of digits with which a link's number is written.
const DIGITS: usize = 9;
const PLACEHOLDER: &str = "#########";

/// Requests that create links with consecutive numbers.
pub struct Creations {
    key: String,
    next: u64,
}

impl Creations {
    /// Returns requests with this key.
    pub fn new(key: &str) -> Self {
        Self { key: key.to_owned(), next: 0 }
    }
}

impl Requests for Creations {
    const STATUS: &'static [u8] = b"HTTP/1.1 201 ";

    fn template(&self, address: SocketAddr) -> Vec<u8> {
        let key = &self.key;
        let body = format!(
            r#"{{"url":"https://example.org/articles/{PLACEHOLDER}?utm_source=newsletter&utm_medium=email","title":"Article","campaign":"letter"}}"#
        );
        let length = body.len();
        let mut request = format!(
            "POST /api/v1/shorten HTTP/1.1\r\nHost: {address}\r\nX-API-Key: {key}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .into_bytes();
        write_number(0, &mut request);
        request
    }

    fn write_next(&mut self, request: &mut [u8]) {
        self.next += 1;
        write_number(self.next, request);
    }
}

/// Offset of the number from the end of a request.
const FROM_END: usize =
    "#########?utm_source=newsletter&utm_medium=email\",\"title\":\"Article\",\"campaign\":\"letter\"}"
        .len();

fn write_number(number: u64, request: &mut [u8]) {
    let mut rest = number;
    let start = request.len() - FROM_END;
    for digit in request[start..start + DIGITS].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}
