//! Waiting for something to come true, with a deadline and no fixed sleeps.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// For what a test does not time, and only must not wait for without end: long enough for a machine
/// that compiles something else at the same time.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Longer than any answer should take, and shorter than the server waits for a body.
pub(crate) const TO_ANSWER: Duration = Duration::from_secs(20);

const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// A second, and what a busy machine may add to starting a command and to a look.
const A_SECOND: Duration = Duration::from_millis(1_500);

/// Looks again and again until `holds`; panics with `what` when the time is over.
pub(crate) async fn eventually(within: Duration, what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + within;
    while !holds().await {
        assert!(Instant::now() < deadline, "not within {within:?}: {what}");
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}

/// Looks again and again until there is something to `find`, without letting any other task of the
/// thread go on; panics with what is `told` then when the time is over.
#[track_caller]
pub(crate) fn until<T, M: Display>(
    within: Duration,
    told: impl Fn() -> M,
    mut find: impl FnMut() -> Option<T>,
) -> T {
    let deadline = Instant::now() + within;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < deadline, "not within {within:?}: {}", told());
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

/// A change by the command line holds within a second.
pub(crate) async fn holds_within_a_second(what: &str, holds: impl AsyncFnMut() -> bool) {
    eventually(A_SECOND, what, holds).await;
}
