//! Identifiers of requests.

use std::sync::atomic::{AtomicU64, Ordering};

use poem::http::HeaderValue;
use rand::Rng;

/// Identifier of a request, which appears in its response and in the log: 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId(u64);

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl RequestId {
    /// Returns the identifier as the value of a header.
    pub fn header(self) -> HeaderValue {
        let digit = |index: usize| b"0123456789abcdef"[(self.0 >> (60 - 4 * index)) as usize & 0xf];
        let text: [u8; 16] = std::array::from_fn(digit);
        // Hexadecimal digits are always a valid header value.
        HeaderValue::from_bytes(&text).unwrap_or(HeaderValue::from_static(""))
    }
}

/// Generator of request identifiers for one process: a counter that begins at a random number. It
/// scrambles the counter so that consecutive identifiers look different, and never repeats one.
#[derive(Debug)]
pub struct RequestIds {
    start: u64,
    count: AtomicU64,
}

impl RequestIds {
    /// Creates a generator with a random start.
    pub fn new(rng: &mut impl Rng) -> Self {
        Self { start: rng.next_u64(), count: AtomicU64::new(0) }
    }

    /// Returns the next identifier.
    pub fn next(&self) -> RequestId {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        // Multiplication by an odd number is a bijection modulo 2⁶⁴, so no identifier repeats.
        RequestId(self.start.wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }
}
