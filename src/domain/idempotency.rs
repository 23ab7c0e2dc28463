//! Requests that a client may send again: what they made once is answered once more.

use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::store::idempotency::{Answer, Fingerprint, Kept, Keyed};
use crate::store::{Store, StoreError, idempotency};

use super::Error;

/// How often old answers are looked for.
const INTERVAL: Duration = Duration::from_secs(60);
/// Answers deleted at once, for which others wait.
const SLICE: u32 = 200;
/// How long others go first between two slices.
const PAUSE: Duration = Duration::from_millis(20);

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
pub(super) fn again(kept: Kept, keyed: &Keyed) -> Result<Answer, Error> {
    if kept.fingerprint == keyed.fingerprint { Ok(kept.answer) } else { Err(Error::KeyReused) }
}

/// Deletes old answers for as long as it is polled.
pub async fn sweep(store: Store) {
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match sweep_all(&store).await {
            // Whoever records clicks says that the database is away.
            Ok(()) | Err(StoreError::Away) => {}
            Err(error) => tracing::warn!(%error, "old answers are not deleted"),
        }
    }
}

async fn sweep_all(store: &Store) -> Result<(), StoreError> {
    let now = store.now().await?;
    while idempotency::any_old(store.reader(), now).await? {
        idempotency::sweep(store, now, SLICE).await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
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
