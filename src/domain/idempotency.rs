//! Idempotent requests: a client may repeat such a request, but it takes effect only once.

use sha2::{Digest as _, Sha256};

use super::Error;
pub use crate::store::idempotency::{Fingerprint, IdempotentRequest, StoredResponse};

/// Result of a request that a client may have repeated.
#[derive(Debug)]
pub enum Idempotent<T> {
    /// The request was executed.
    Executed(T),
    /// The request is a repetition. The server replays the response to the first request.
    Replayed(StoredResponse),
}

/// Returns the fingerprint of a request: a hash of its operation and fields. An absent field and an
/// empty one give different fingerprints.
#[must_use]
pub fn fingerprint(operation: &str, parts: &[Option<&str>]) -> Fingerprint {
    let mut hash = Sha256::new();
    for part in [Some(operation)].iter().chain(parts) {
        // The length precedes each field, so that different fields never give the same input. An
        // absent field has the length -1.
        hash.update(
            part.map_or(-1, |text| i64::try_from(text.len()).unwrap_or(i64::MAX)).to_be_bytes(),
        );
        hash.update(part.unwrap_or_default());
    }
    hash.finalize().into()
}

/// Returns the stored response if it has the same fingerprint as `request`.
///
/// # Errors
/// [`Error::KeyReused`] if the fingerprints differ.
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
    fn different_requests_have_different_fingerprints() {
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
