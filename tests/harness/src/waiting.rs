//! Waiting for conditions, with a deadline.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// Timeout of waits whose duration is not under test; long enough for a machine that also compiles.
pub const TIMEOUT: Duration = Duration::from_secs(60);

const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Polls until `condition` returns `true`.
///
/// # Panics
/// If it returns `false` until the timeout; the message contains `description`.
pub async fn eventually(
    timeout: Duration,
    description: &str,
    mut condition: impl AsyncFnMut() -> bool,
) {
    let deadline = Instant::now() + timeout;
    while !condition().await {
        assert!(Instant::now() < deadline, "not within {timeout:?}: {description}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Polls until `find` returns a value, and blocks the thread meanwhile.
///
/// # Panics
/// If it returns `None` until the timeout; the message contains the result of `description`.
#[track_caller]
pub fn until<T, M: Display>(
    timeout: Duration,
    description: impl Fn() -> M,
    mut find: impl FnMut() -> Option<T>,
) -> T {
    let deadline = Instant::now() + timeout;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < deadline, "not within {timeout:?}: {}", description());
        std::thread::sleep(POLL_INTERVAL);
    }
}
