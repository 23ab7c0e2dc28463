use std::sync::atomic::{AtomicU64, Ordering};

use poem::http::HeaderValue;
use rand::Rng;

/// What one request is called in its answer and in the log: 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId(u64);

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl RequestId {
    /// As the value of a header.
    pub fn header(self) -> HeaderValue {
        let digit = |place: usize| b"0123456789abcdef"[(self.0 >> (60 - 4 * place)) as usize & 0xf];
        let text: [u8; 16] = std::array::from_fn(digit);
        // Digits are what a header may hold.
        HeaderValue::from_bytes(&text).unwrap_or(HeaderValue::from_static(""))
    }
}

/// Gives each request of a process its identifier: a count from a random start, stirred so that
/// neighbours do not look alike. None comes twice in a process, and hardly in two.
#[derive(Debug)]
pub struct RequestIds {
    start: u64,
    count: AtomicU64,
}

impl RequestIds {
    /// A new row of identifiers.
    pub fn new(rng: &mut impl Rng) -> Self {
        Self { start: rng.next_u64(), count: AtomicU64::new(0) }
    }

    /// The next one.
    pub fn next(&self) -> RequestId {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        // An odd factor maps each count to a number of its own.
        RequestId(self.start.wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }
}
