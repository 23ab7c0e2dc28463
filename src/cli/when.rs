//! Times on the command line: a duration from now, a date, or a time of RFC 3339.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveTime};

use crate::values::Timestamp;

/// A time as the user gave it.
#[derive(Debug, Clone, Copy)]
pub(super) enum When {
    /// A duration from now.
    After(Duration),
    /// A time of the calendar.
    At(Timestamp),
}

/// Keeps times within the calendar.
const MAX_DURATION: Duration = Duration::from_secs(1_000 * 365 * 86_400);

impl When {
    /// Parses a duration such as 90d, or a date or time such as 2030-12-31 in UTC.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match humantime::parse_duration(text) {
            Ok(duration) if duration <= MAX_DURATION => return Ok(Self::After(duration)),
            Ok(_) => return Err("that is more than 1000 years".into()),
            Err(_) => {}
        }
        let time = DateTime::parse_from_rfc3339(text).map(|time| time.timestamp_millis());
        let date = || {
            NaiveDate::parse_from_str(text, "%Y-%m-%d").map(|date| date.and_time(NaiveTime::MIN))
        };
        let time = time.or_else(|_| date().map(|time| time.and_utc().timestamp_millis()));
        match time.map(Timestamp::from_millis) {
            Ok(moment) if moment.is_in_calendar() => Ok(Self::At(moment)),
            Ok(_) => Err("give a time in the years 1970 to 9999".into()),
            Err(_) => Err("give a duration from now such as 90d, or a date or RFC 3339 time such \
                           as 2030-12-31"
                .into()),
        }
    }

    /// Returns the time, for a duration from `now` on.
    pub(super) fn moment(self, now: Timestamp) -> Timestamp {
        match self {
            Self::After(duration) => now.plus(duration),
            Self::At(moment) => moment,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_duration_from_now_or_a_date() {
        assert!(matches!(When::parse("90d"), Ok(When::After(d)) if d.as_secs() == 90 * 86_400));
        let date = When::parse("2030-12-31").unwrap().moment(Timestamp::from_millis(0));
        assert_eq!(date.to_string(), "2030-12-31T00:00:00Z");
        let time = When::parse("2030-12-31T12:30:00Z").unwrap().moment(Timestamp::from_millis(0));
        assert_eq!(time.to_string(), "2030-12-31T12:30:00Z");
        let elsewhere = When::parse("2030-12-31T12:30:00.5+02:00").unwrap();
        assert_eq!(elsewhere.moment(Timestamp::from_millis(0)).to_string(), "2030-12-31T10:30:00Z");
        let outside = ["1969-12-31", "+12345-01-01", "-0001-01-01"];
        for text in
            ["", "tomorrow", "2030-13-01", "90", "2030-12-31T12:30:00"].into_iter().chain(outside)
        {
            assert!(When::parse(text).is_err(), "{text}");
        }
    }
}
