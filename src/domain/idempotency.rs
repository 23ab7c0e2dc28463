//! Requests that a client may send again: what they made once is answered once more.

use sha2::{Digest as _, Sha256};

use super::Error;
use crate::store::idempotency::Kept;
pub use crate::store::idempotency::{Answer, Describe, Fingerprint, Keyed};

/// What a request came to.
#[derive(Debug)]
pub enum Done<T> {
    /// It did what it asks for.
    Now(T),
    /// It had been done before, and was answered so.
    Before(Answer),
}

/// The fingerprint of a request: of the operation, and of everything that it says.
#[must_use]
pub fn fingerprint(operation: &str, parts: &[Option<&str>]) -> Fingerprint {
    let mut hash = Sha256::new();
    for part in [Some(operation)].iter().chain(parts) {
        // Lengths, so that no two requests look alike; none differs from an empty text.
        hash.update(
            part.map_or(-1, |text| i64::try_from(text.len()).unwrap_or(i64::MAX)).to_be_bytes(),
        );
        hash.update(part.unwrap_or_default());
    }
    hash.finalize().into()
}

/// The answer that was kept under a key, for one who asks for the same.
///
/// # Errors
/// [`Error::KeyReused`] for one who asks for something else.
pub(super) fn replay(kept: Kept, keyed: &Keyed) -> Result<Answer, Error> {
    if kept.fingerprint == keyed.fingerprint { Ok(kept.answer) } else { Err(Error::KeyReused) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_tell_requests_apart() {
        let all = [
            fingerprint("a", &[Some("b"), None]),
            fingerprint("a", &[Some("b"), Some("")]),
            fingerprint("a", &[None, Some("b")]),
            fingerprint("a", &[Some("bc")]),
            fingerprint("ab", &[Some("c")]),
            fingerprint("a", &[Some("b"), Some("c")]),
        ];
        for (number, one) in all.iter().enumerate() {
            assert!(!all[..number].contains(one), "{number}");
        }
    }
}
