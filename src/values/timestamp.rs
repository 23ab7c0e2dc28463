//! Points in time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::DateTime;

use super::ValidationError;

/// Point in time as Unix time in milliseconds: since 1970-01-01T00:00:00Z, without leap seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    const MILLIS_PER_DAY: i64 = 86_400_000;
    /// The last millisecond of the year 9999, because RFC 3339 writes a year with four digits.
    const MAX_RFC3339: Self = Self(253_402_300_799_999);

    /// Returns the time of the system clock. Rules that depend on time take a `Timestamp`, so that
    /// only their callers read the clock.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the only place that reads the clock")]
    pub fn now() -> Self {
        Self::from(SystemTime::now())
    }

    /// Creates a timestamp from milliseconds since the Unix epoch, the form that the database
    /// stores.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns the day in UTC, as a number since the Unix epoch.
    #[must_use]
    pub const fn day(self) -> i64 {
        self.0.div_euclid(Self::MILLIS_PER_DAY)
    }

    /// Returns the beginning of a day in UTC, which is a number since the Unix epoch.
    #[must_use]
    pub const fn from_day(day: i64) -> Self {
        Self(day.saturating_mul(Self::MILLIS_PER_DAY))
    }

    /// Returns the milliseconds since the Unix epoch.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Parses an RFC 3339 time (section 5.6) whose year in UTC is at most 9999.
    ///
    /// # Errors
    /// If the text is not such a time.
    pub fn from_rfc3339(text: &str) -> Result<Self, ValidationError> {
        const FORMAT: &str = "must be a time of RFC 3339 such as 2030-12-31T12:00:00Z";
        // chrono also accepts a space as the separator, but the grammar of RFC 3339 does not.
        let has_separator = matches!(text.as_bytes().get(10), Some(b'T' | b't'));
        let time = DateTime::parse_from_rfc3339(text).ok().filter(|_| has_separator);
        let time = time.ok_or_else(|| ValidationError::because(FORMAT))?;
        let time = Self(time.timestamp_millis());
        if time > Self::MAX_RFC3339 {
            return Err(ValidationError::because("must be in the year 9999 or before, in UTC"));
        }
        Ok(time)
    }

    /// Returns whether the timestamp is in the years 1970 to 9999. Terse cannot format any other
    /// timestamp as RFC 3339, so an import could not restore it from an export.
    #[must_use]
    pub fn is_in_calendar(self) -> bool {
        self.calendar_time().is_some()
    }

    /// Returns the system time, or `None` if the timestamp is outside the years 1970 to 9999.
    fn calendar_time(self) -> Option<SystemTime> {
        let millis = u64::try_from(self.0).ok().filter(|_| self <= Self::MAX_RFC3339)?;
        Some(UNIX_EPOCH + Duration::from_millis(millis))
    }

    /// Formats the timestamp as RFC 3339 in UTC with milliseconds, which loses no precision.
    #[must_use]
    pub fn to_millis_text(self) -> String {
        self.calendar_time().map_or_else(
            || self.to_string(),
            |time| humantime::format_rfc3339_millis(time).to_string(),
        )
    }

    /// Returns the timestamp `duration` later, or the last possible timestamp.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// Returns the timestamp `duration` earlier, or the first possible timestamp.
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

/// Formats the timestamp as RFC 3339 in UTC, truncated to the second.
impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.calendar_time() {
            Some(time) => write!(f, "{}", humantime::format_rfc3339_seconds(time)),
            // Such a year has no RFC 3339 form.
            None => write!(f, "{} ms", self.0),
        }
    }
}
