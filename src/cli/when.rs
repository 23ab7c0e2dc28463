//! Points in time, as operators write them.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveTime};

use crate::values::Timestamp;

/// Help text for the values of an option that takes a [`WhenOrNever`].
pub(super) const WHEN_HELP: &str = "never, a duration such as 90d, a UTC date, or an RFC 3339 time";

/// Maximum duration. It keeps times within the years that RFC 3339 can express.
const MAX_DURATION: Duration = Duration::from_secs(1_000 * 365 * 86_400);

/// A point in time, as the operator wrote it.
#[derive(Debug, Clone, Copy)]
pub(super) enum When {
    /// A duration from now.
    After(Duration),
    /// A duration that counts back from now.
    Before(Duration),
    /// A point in time.
    At(Timestamp),
}

impl When {
    /// Parses a duration from now, a date or a time.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match duration(text) {
            Some(duration) if duration <= MAX_DURATION => return Ok(Self::After(duration)),
            Some(_) => return Err("that is more than 1000 years".into()),
            None => {}
        }
        match time(text) {
            Some(time) if time.is_in_calendar() => Ok(Self::At(time)),
            Some(_) => Err("give a time in the years 1970 to 9999".into()),
            None => {
                Err("give a duration from now such as 90d, a UTC date such as 2030-12-31, or an \
                     RFC 3339 time"
                    .into())
            }
        }
    }

    /// Parses a duration that counts back from now, a date or a time.
    pub(super) fn parse_past(text: &str) -> Result<Self, String> {
        let at = || time(text).filter(|time| time.is_in_calendar()).map(Self::At);
        duration(text).map(Self::Before).or_else(at).ok_or_else(|| {
            "give a duration that counts back from now such as 7d, a UTC date such as 2026-12-31, or \
             an RFC 3339 time"
                .into()
        })
    }

    /// Returns the point in time for a command that runs at `now`.
    pub(super) fn at(self, now: Timestamp) -> Timestamp {
        match self {
            Self::After(duration) => now.plus(duration),
            Self::Before(duration) => now.minus(duration),
            Self::At(time) => time,
        }
    }
}

/// A point in time, or `None` for never.
#[derive(Debug, Clone, Copy)]
pub(super) struct WhenOrNever(Option<When>);

impl WhenOrNever {
    /// Parses `never`, or a text that [`When::parse`] accepts.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text == "never" {
            return Ok(Self(None));
        }
        When::parse(text)
            .map(|when| Self(Some(when)))
            .map_err(|error| format!("{error}, or 'never'"))
    }

    /// Returns the point in time for a command that runs at `now`, or `None` for never.
    pub(super) fn at(self, now: Timestamp) -> Option<Timestamp> {
        self.0.map(|when| when.at(now))
    }
}

fn duration(text: &str) -> Option<Duration> {
    humantime::parse_duration(text).ok()
}

fn time(text: &str) -> Option<Timestamp> {
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.timestamp_millis());
    let date =
        || NaiveDate::parse_from_str(text, "%Y-%m-%d").map(|date| date.and_time(NaiveTime::MIN));
    let time = time.or_else(|_| date().map(|time| time.and_utc().timestamp_millis()));
    time.ok().map(Timestamp::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_a_duration_from_now_or_a_date() {
        assert!(matches!(When::parse("90d"), Ok(When::After(d)) if d.as_secs() == 90 * 86_400));
        let date = When::parse("2030-12-31").unwrap().at(Timestamp::from_millis(0));
        assert_eq!(date.to_string(), "2030-12-31T00:00:00Z");
        let time = When::parse("2030-12-31T12:30:00Z").unwrap().at(Timestamp::from_millis(0));
        assert_eq!(time.to_string(), "2030-12-31T12:30:00Z");
        let elsewhere = When::parse("2030-12-31T12:30:00.5+02:00").unwrap();
        assert_eq!(elsewhere.at(Timestamp::from_millis(0)).to_string(), "2030-12-31T10:30:00Z");
        let outside = ["1969-12-31", "+12345-01-01", "-0001-01-01"];
        for text in
            ["", "tomorrow", "2030-13-01", "90", "2030-12-31T12:30:00"].into_iter().chain(outside)
        {
            assert!(When::parse(text).is_err(), "{text}");
        }
        assert!(WhenOrNever::parse("never").unwrap().at(Timestamp::from_millis(0)).is_none());
    }

    #[test]
    fn duration_counts_back_from_now() {
        let now = Timestamp::from_millis(10 * 86_400_000);
        assert_eq!(When::parse_past("7d").unwrap().at(now), Timestamp::from_millis(3 * 86_400_000));
        assert!(When::parse_past("soon").is_err());
    }
}
