//! Requests that a client may send again: they take effect once.

use sha2::{Digest as _, Sha256};

use super::Error;
pub use crate::store::idempotency::{Fingerprint, IdempotentRequest, StoredResponse};

/// The result of a request that may have been sent before.
#[derive(Debug)]
pub enum Idempotent<T> {
    /// The request was executed.
    Executed(T),
    /// The response to an earlier request is replayed.
    Replayed(StoredResponse),
}

/// Returns the fingerprint of a request: of the operation and everything that it asks for.
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

/// Returns the stored response if `request` asks for the same.
///
/// # Errors
/// [`Error::KeyReused`] if it asks for something else.
pub(super) fn replay(
    stored: StoredResponse,
    request: &IdempotentRequest,
) -> Result<StoredResponse, Error> {
    if stored.fingerprint == request.fingerprint { Ok(stored) } else { Err(Error::KeyReused) }
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
