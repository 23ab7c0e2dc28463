//! Timeouts of requests and commands.

use std::time::Duration;

use super::Response;

/// Maximum time of a response. It is shorter than the server waits for a body.
pub(crate) const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);

/// The second within which a command must take effect, and the time that a busy machine needs to
/// start the command and to send a request.
pub(crate) const COMMAND_EFFECT_TIMEOUT: Duration = Duration::from_millis(1_500);

/// The same time as a number of polls, which take longer on a busy machine, as the server does.
pub(crate) const EFFECT_POLLS: u32 = 150;

/// Pause between two polls.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Checks that a change by the command line takes effect within a second.
pub(crate) async fn assert_within_a_second(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    for _ in 0..EFFECT_POLLS {
        if condition().await {
            return;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    assert!(condition().await, "not within a second: {what}");
}

/// The `Retry-After` of 503.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Sends a request, and repeats it while the response is 503, as often as `Retry-After` allows: on a busy
/// machine, others may hold the database for too long, or the disk may seem not to respond.
pub(crate) async fn until_available(send: impl AsyncFn() -> Response) -> Response {
    let mut response = send().await;
    for _ in 0..30 {
        if response.status != 503 {
            break;
        }
        tokio::time::sleep(RETRY_AFTER).await;
        response = send().await;
    }
    response
}
