//! Times of day.

use std::str::FromStr;
use std::time::Duration;

use super::{Timestamp, ValidationError};

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
    #[must_use]
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
        let two_digits = |text: &str, limit: i64| -> Option<i64> {
            let is_valid = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|number| is_valid && *number < limit)
        };
        let minutes = text
            .split_once(':')
            .and_then(|(hour, minute)| Some(two_digits(hour, 24)? * 60 + two_digits(minute, 60)?));
        let minutes = minutes
            .ok_or_else(|| ValidationError::because("must be a time in UTC such as 03:30"))?;
        Ok(Self { minutes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
