use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(i64);

impl Moment {
    /// The system's clock. Rules that depend on time take a `Moment`; only their callers ask here.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that asks the clock")]
    pub fn now() -> Self {
        Self::from(SystemTime::now())
    }

    /// The moment of so many milliseconds, as the database keeps it.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// RFC 3339 in UTC, to the millisecond, for what is to be read again as the same moment.
    #[must_use]
    pub fn to_millis_text(self) -> String {
        match u64::try_from(self.0) {
            Ok(millis) if millis < 253_402_300_800_000 => {
                let time = UNIX_EPOCH + Duration::from_millis(millis);
                humantime::format_rfc3339_millis(time).to_string()
            }
            Ok(_) | Err(_) => self.to_string(),
        }
    }

    /// The moment `duration` later.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// The moment `duration` earlier.
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(millis))
    }
}

impl From<SystemTime> for Moment {
    fn from(time: SystemTime) -> Self {
        let millis = |d: Duration| i64::try_from(d.as_millis()).unwrap_or(i64::MAX);
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self(millis(after)),
            Err(before) => Self(-millis(before.duration())),
        }
    }
}

/// RFC 3339 in UTC, to the second.
impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Outside of what a calendar shows (years 1970 to 9999) the bare number is the honest answer.
        match u64::try_from(self.0 / 1000) {
            Ok(seconds) if seconds < 253_402_300_800 => {
                let time = UNIX_EPOCH + Duration::from_secs(seconds);
                write!(f, "{}", humantime::format_rfc3339_seconds(time))
            }
            Ok(_) | Err(_) => write!(f, "{} ms", self.0),
        }
    }
}
