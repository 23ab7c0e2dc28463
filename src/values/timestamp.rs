use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The last that RFC 3339 has four digits of the year for.
    const LAST: Self = Self(253_402_300_799_999);

    /// The system's clock. Rules that depend on time take a `Timestamp`; only their callers ask here.
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

    /// Whether it is in the years 1970 to 9999: others have no text that is read again as the same.
    #[must_use]
    pub fn is_in_calendar(self) -> bool {
        self.calendar_time().is_some()
    }

    fn calendar_time(self) -> Option<SystemTime> {
        let millis = u64::try_from(self.0).ok().filter(|_| self <= Self::LAST)?;
        Some(UNIX_EPOCH + Duration::from_millis(millis))
    }

    /// RFC 3339 in UTC, to the millisecond, for what is to be read again as the same moment.
    #[must_use]
    pub fn to_millis_text(self) -> String {
        self.calendar_time().map_or_else(
            || self.to_string(),
            |time| humantime::format_rfc3339_millis(time).to_string(),
        )
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

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let millis = |d: Duration| i64::try_from(d.as_millis()).unwrap_or(i64::MAX);
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self(millis(after)),
            Err(before) => Self(-millis(before.duration())),
        }
    }
}

/// RFC 3339 in UTC, to the second.
impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.calendar_time() {
            Some(time) => write!(f, "{}", humantime::format_rfc3339_seconds(time)),
            // The bare number is the honest answer.
            None => write!(f, "{} ms", self.0),
        }
    }
}
