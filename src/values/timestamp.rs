//! Points in time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat, Utc};
use sea_orm::DeriveValueType;
use serde::{Serialize, Serializer};

use super::{ErrorCode, ValidationError};

/// Point in time as Unix time in milliseconds: since 1970-01-01T00:00:00Z, without leap seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, DeriveValueType)]
pub struct Timestamp(i64);

impl Timestamp {
    const MILLIS_PER_DAY: i64 = 86_400_000;
    /// The first millisecond of the year 0, because RFC 3339 writes a year with four digits.
    const MIN_RFC3339: Self = Self(-62_167_219_200_000);
    /// The last millisecond of the year 9999.
    const MAX_RFC3339: Self = Self(253_402_300_799_999);

    /// Returns the time of the system clock. Rules that depend on time take a `Timestamp`, so that
    /// only their callers read the clock.
    #[expect(clippy::disallowed_methods, reason = "the only place that reads the clock")]
    pub fn now() -> Self {
        Self::from(SystemTime::now())
    }

    /// Creates a timestamp from milliseconds since the Unix epoch, the form that the database
    /// stores.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns the day in UTC, as a number since the Unix epoch.
    pub const fn day(self) -> i64 {
        self.0.div_euclid(Self::MILLIS_PER_DAY)
    }

    /// Returns the beginning of a day in UTC, which is a number since the Unix epoch.
    pub const fn from_day(day: i64) -> Self {
        Self(day.saturating_mul(Self::MILLIS_PER_DAY))
    }

    /// Returns the milliseconds since the Unix epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Returns the number of seconds until the next day in UTC begins, at least 1.
    pub fn seconds_to_midnight(self) -> u32 {
        let millis = Self::from_day(self.day() + 1).millis() - self.millis();
        u32::try_from(millis).unwrap_or(0).div_ceil(1_000).max(1)
    }

    /// Parses an RFC 3339 time (section 5.6) whose year in UTC is one from 0 to 9999.
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
        // An offset can lead into another year.
        if time.calendar_time().is_none() {
            return Err(ErrorCode::OutOfRange.because("must be in the years 0 to 9999, in UTC"));
        }
        Ok(time)
    }

    /// Returns whether the timestamp is in the years 1970 to 9999, those that commands and files
    /// accept.
    pub fn is_in_calendar(self) -> bool {
        self.0 >= 0 && self <= Self::MAX_RFC3339
    }

    /// Returns the calendar time, or `None` if RFC 3339 cannot write its year.
    fn calendar_time(self) -> Option<DateTime<Utc>> {
        let has_text = (Self::MIN_RFC3339..=Self::MAX_RFC3339).contains(&self);
        has_text.then(|| DateTime::from_timestamp_millis(self.0)).flatten()
    }

    /// Formats the timestamp as RFC 3339 in UTC with milliseconds, which loses no precision.
    pub fn to_millis_text(self) -> String {
        self.to_text(SecondsFormat::Millis)
    }

    fn to_text(self, seconds: SecondsFormat) -> String {
        match self.calendar_time() {
            Some(time) => time.to_rfc3339_opts(seconds, true),
            None => format!("{} ms", self.0),
        }
    }

    /// Returns the timestamp `duration` later, or the last possible timestamp.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// Returns whether two timestamps differ by at most `limit`.
    pub fn is_near(self, other: Self, limit: Duration) -> bool {
        u128::from(self.0.abs_diff(other.0)) <= limit.as_millis()
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
        f.write_str(&self.to_text(SecondsFormat::Secs))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Serializes a flag as 0 or 1.
///
/// # Errors
/// The serializer's.
pub fn serialize_flag<S: Serializer>(flag: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8((*flag).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accepted_time_comes_back() {
        for (text, expected) in [
            ("0000-01-01T00:00:00Z", Some("0000-01-01T00:00:00.000Z")),
            ("0019-07-06T13:49:47.342Z", Some("0019-07-06T13:49:47.342Z")),
            ("1969-12-31T23:59:59.999Z", Some("1969-12-31T23:59:59.999Z")),
            ("2026-11-27T12:00:00.5+01:00", Some("2026-11-27T11:00:00.500Z")),
            ("9999-12-31T23:59:59.999Z", Some("9999-12-31T23:59:59.999Z")),
            ("0000-01-01T00:59:59+01:00", None),
            ("9999-12-31T23:00:00-01:00", None),
        ] {
            let time = Timestamp::from_rfc3339(text).ok();
            assert_eq!(time.map(Timestamp::to_millis_text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn seconds_are_truncated() {
        for (millis, expected) in [(1_999, "1970-01-01T00:00:01Z"), (-1, "1969-12-31T23:59:59Z")] {
            assert_eq!(Timestamp::from_millis(millis).to_string(), expected);
        }
    }
}
