//! The time by which creations, deletions and requests belong to months.
//!
//! In a server it ignores leaps of the clock, as the close of days does, which sets it. A command has only
//! the clock.

use std::time::{Duration, Instant};

use parking_lot::RwLock;

use crate::values::Timestamp;

/// Difference from which a clock has leapt.
pub const LEAP: Duration = Duration::from_secs(1);

/// A time, and when this process had it. One for the process, as its monotonic clock is.
static SETTLED: RwLock<Option<(Timestamp, Instant)>> = RwLock::new(None);

/// Sets the time that it is `at`. `None`: only the clock knows.
pub fn set(time: Option<Timestamp>, at: Instant) {
    *SETTLED.write() = time.map(|time| (time, at));
}

/// Returns the time while the clock shows `now`.
pub fn time(now: Timestamp) -> Timestamp {
    let settled = *SETTLED.read();
    settled
        .map(|(time, at)| time.plus(at.elapsed()))
        .filter(|time| !time.is_near(now, LEAP))
        .unwrap_or(now)
}
