//! Times of expiry.
#![expect(
    clippy::disallowed_methods,
    reason = "the test chooses times by the same machine's clock"
)]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns the milliseconds since the Unix epoch.
pub(super) fn now() -> i64 {
    since_epoch(SystemTime::now())
}

/// Returns the time after this duration in RFC 3339, in whole seconds as commands print it.
pub(super) fn after(duration: Duration) -> String {
    humantime::format_rfc3339_millis(SystemTime::now() + duration).to_string()
}

/// Parses a time of RFC 3339.
pub(super) fn millis(text: &str) -> i64 {
    since_epoch(humantime::parse_rfc3339(text).expect("a time of RFC 3339"))
}

fn since_epoch(time: SystemTime) -> i64 {
    let duration = time.duration_since(UNIX_EPOCH).expect("a time after 1970");
    i64::try_from(duration.as_millis()).expect("a time before the year 9999")
}
