//! Days and months of the calendar, and times of day, in UTC.

use std::fmt::{Display, Formatter, Result as FmtResult};
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use chrono::{Datelike as _, Months, NaiveDate, NaiveTime, Timelike as _};
use serde::{Serialize, Serializer};

use super::{Timestamp, ValidationError};

/// A day in UTC, as a number since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i64);

impl Day {
    /// The first day of the year 0, before which no date of RFC 3339 is.
    pub const FIRST: Self = Self(-719_528);

    /// Creates a day from its number since the Unix epoch, the form that the database stores.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// Returns the number of the day since the Unix epoch.
    pub const fn number(self) -> i64 {
        self.0
    }
}

/// Parses a day such as `2026-01-31`.
impl FromStr for Day {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
        // The parser also accepts other lengths, such as `2026-1-31`.
        day.filter(|_| text.len() == 10)
            .map(|day| Self(i64::from(day.to_epoch_days())))
            .ok_or(ValidationError::because("must be a day such as 2026-01-31"))
    }
}

/// Formats the day as in `2026-01-31`.
impl Display for Day {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        let date = i32::try_from(self.0).ok().and_then(NaiveDate::from_epoch_days);
        match date.filter(|date| (0..=9999).contains(&date.year())) {
            Some(date) => write!(f, "{}", date.format("%Y-%m-%d")),
            None => write!(f, "day {}", self.0),
        }
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A month in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    first: NaiveDate,
}

impl Month {
    /// Returns the month of a day, which is a number since the Unix epoch.
    pub fn from_day(day: i64) -> Self {
        let day = i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days);
        Self { first: day.and_then(|day| day.with_day(1)).unwrap_or_default() }
    }

    /// Creates a month from its number, the form that the database stores: 202601 for January 2026.
    pub fn from_number(number: i64) -> Self {
        let (year, month) = (i32::try_from(number / 100), u32::try_from(number % 100));
        let first = year.ok().zip(month.ok());
        let first = first.and_then(|(year, month)| NaiveDate::from_ymd_opt(year, month, 1));
        Self { first: first.unwrap_or_default() }
    }

    /// Returns the number of the month, such as 202601.
    pub fn number(self) -> i64 {
        i64::from(self.first.year()) * 100 + i64::from(self.first.month())
    }

    /// Returns the month after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self { first: self.first.checked_add_months(Months::new(1)).unwrap_or(NaiveDate::MAX) }
    }

    /// Returns the moment at which the month ends and the next one begins.
    pub fn end(self) -> Timestamp {
        Timestamp::from_day(self.days().end() + 1)
    }

    /// Returns the numbers of its days since the Unix epoch.
    pub fn days(self) -> RangeInclusive<i64> {
        let number = |date: NaiveDate| i64::from(date.to_epoch_days());
        let next = self.first.checked_add_months(Months::new(1));
        number(self.first)..=next.map_or(i64::MAX, number) - 1
    }
}

impl From<Timestamp> for Month {
    fn from(time: Timestamp) -> Self {
        Self::from_day(time.day())
    }
}

/// Formats the month as in `2026-01`.
impl Display for Month {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        write!(f, "{}", self.first.format("%Y-%m"))
    }
}

/// Parses a month such as `2026-01`.
impl FromStr for Month {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        let first = NaiveDate::parse_from_str(&format!("{text}-01"), "%Y-%m-%d").ok();
        // The parser also accepts other lengths, such as `2026-1`.
        let month = first.map(|first| Self { first });
        month
            .filter(|month| text.len() == 7 && month.to_string() == text)
            .ok_or_else(|| ValidationError::because("must be a month such as 2026-01"))
    }
}

const MILLIS_PER_MINUTE: i64 = 60_000;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A time of day in UTC, to the minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOfDay {
    /// Minutes since midnight.
    minutes: i64,
}

impl TimeOfDay {
    /// Returns the first timestamp after `time` that has this time of day.
    pub fn next_after(self, time: Timestamp) -> Timestamp {
        let midnight =
            Timestamp::from_millis(time.day() * i64::try_from(DAY.as_millis()).unwrap_or(0));
        let today = Timestamp::from_millis(midnight.millis() + self.minutes * MILLIS_PER_MINUTE);
        if today > time { today } else { today.plus(DAY) }
    }
}

impl FromStr for TimeOfDay {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        let time = NaiveTime::parse_from_str(text, "%H:%M").ok();
        // The parser also accepts other lengths, such as `3:30`.
        time.filter(|time| time.format("%H:%M").to_string() == text)
            .map(|time| Self { minutes: i64::from(time.hour() * 60 + time.minute()) })
            .ok_or_else(|| ValidationError::because("must be a time in UTC such as 03:30"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_has_its_days() {
        for (month, first, last) in [
            ("1970-01", "1970-01-01", "1970-01-31"),
            ("2024-02", "2024-02-01", "2024-02-29"),
            ("2026-12", "2026-12-01", "2026-12-31"),
            ("9999-12", "9999-12-01", "9999-12-31"),
        ] {
            let parsed: Month = month.parse().unwrap();
            assert_eq!(parsed.to_string(), month);
            assert_eq!(Month::from_number(parsed.number()), parsed);
            let days = parsed.days();
            assert_eq!(Month::from_day(*days.end()), parsed);
            assert_eq!(Month::from_day(days.end() + 1), parsed.next());
            let shown = [days.start(), days.end()].map(|day| Day::from_number(*day).to_string());
            assert_eq!(shown, [first, last]);
        }
        for text in ["", "2026", "2026-13", "2026-00", "2026-1", "26-01", "2026-01-01", "+026-01"] {
            assert!(text.parse::<Month>().is_err(), "{text}");
        }
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::from_rfc3339(text).unwrap()
    }

    #[test]
    fn next_time_is_on_the_same_day_or_the_next() {
        let time: TimeOfDay = "03:30".parse().unwrap();
        for (now, next) in [
            ("2026-12-31T03:29:59.999Z", "2026-12-31T03:30:00Z"),
            ("2026-12-31T03:30:00Z", "2027-01-01T03:30:00Z"),
            ("2026-12-31T23:59:59Z", "2027-01-01T03:30:00Z"),
        ] {
            assert_eq!(time.next_after(at(now)), at(next), "{now}");
        }
    }

    #[test]
    fn invalid_time_is_rejected() {
        for text in ["", "3:30", "24:00", "03:60", "03:3", "03.30", "+3:30", "03:30:00", "03:30 "] {
            assert!(text.parse::<TimeOfDay>().is_err(), "{text}");
        }
    }
}
