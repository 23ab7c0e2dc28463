//! Waiting for something to come true, with a deadline and no fixed sleeps.

use std::time::{Duration, Instant};

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

/// A change by the command line holds within a second.
pub(crate) async fn holds_within_a_second(what: &str, holds: impl AsyncFnMut() -> bool) {
    eventually(A_SECOND, what, holds).await;
}
