//! Timeouts of requests and commands.

use std::time::Duration;

use super::eventually;

/// Maximum time of a response. It is shorter than the server waits for a body.
pub(crate) const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);

/// The second within which a command must take effect, and the time that a busy machine needs to
/// start the command and to send a request.
pub(crate) const COMMAND_EFFECT_TIMEOUT: Duration = Duration::from_millis(1_500);

/// Checks that a change by the command line takes effect within a second.
pub(crate) async fn assert_within_a_second(what: &str, condition: impl AsyncFnMut() -> bool) {
    eventually(COMMAND_EFFECT_TIMEOUT, what, condition).await;
}
