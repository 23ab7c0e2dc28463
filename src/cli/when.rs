//! Times as options name them.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveTime};

use crate::values::Timestamp;

/// Help of an option that takes a [`When`].
pub(super) const WHEN_HELP: &str = "never, a duration from now such as 12h or 90d, or a UTC date or \
    RFC 3339 time such as 2030-12-31 or 2030-12-31T12:00:00Z";

/// A time from which something is over, as the user gave it.
#[derive(Debug, Clone, Copy)]
pub(super) enum When {
    Never,
    After(Duration),
    At(Timestamp),
}

/// Keeps times within the calendar.
const MAX_DURATION: Duration = Duration::from_secs(1_000 * 365 * 86_400);

impl When {
    /// Returns the time, if there is one.
    pub(super) fn time(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Never => None,
            Self::After(duration) => Some(now.plus(duration)),
            Self::At(time) => Some(time),
        }
    }
}

impl std::str::FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "never" {
            return Ok(Self::Never);
        }
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
            Ok(time) if time.is_in_calendar() => Ok(Self::At(time)),
            Ok(_) => Err("give a time in the years 1970 to 9999".into()),
            Err(_) => Err("give 'never', a duration from now such as 90d, or a date or RFC 3339 \
                           time such as 2030-12-31"
                .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> String {
        let when: When = text.parse().unwrap();
        when.time(Timestamp::from_millis(0)).unwrap().to_string()
    }

    #[test]
    fn when_is_never_a_time_from_now_or_a_date() {
        assert!(matches!("never".parse(), Ok(When::Never)));
        assert!(matches!("90d".parse(), Ok(When::After(d)) if d.as_secs() == 90 * 86_400));
        assert_eq!(time("2030-12-31"), "2030-12-31T00:00:00Z");
        assert_eq!(time("2030-12-31T12:30:00Z"), "2030-12-31T12:30:00Z");
        assert_eq!(time("2030-12-31T12:30:00.5+02:00"), "2030-12-31T10:30:00Z");
        let outside = ["1969-12-31", "+12345-01-01", "-0001-01-01"];
        for text in
            ["", "tomorrow", "2030-13-01", "90", "2030-12-31T12:30:00"].into_iter().chain(outside)
        {
            assert!(text.parse::<When>().is_err(), "{text}");
        }
    }
}
