//! Formats of times in the files of other services.

use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;

/// Largest number that means seconds since 1970. A larger number means milliseconds, of which the
/// smallest is a time in 1973.
const MAX_SECONDS: i64 = 99_999_999_999;

/// The last millisecond of the year 9999, because RFC 3339 writes a year with four digits.
const MAX_MILLIS: i64 = 253_402_300_799_999;

/// Formats with a time zone. `%#z` parses `Z`, and an offset with or without minutes.
const WITH_ZONE: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z"];
const WITHOUT_ZONE: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"];

/// The time zone of times that name none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalZone(Tz);

impl Default for LocalZone {
    fn default() -> Self {
        Self(Tz::UTC)
    }
}

impl FromStr for LocalZone {
    type Err = String;

    /// Parses a name of the IANA database, such as `Europe/Berlin`.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let zone = name.parse().map(Self);
        zone.map_err(|_| "must be a name of the IANA database such as Europe/Berlin".to_owned())
    }
}

impl LocalZone {
    /// Returns the time in UTC. A time that a change of the clock repeats is the earlier one, and
    /// one that it skips is an hour later.
    fn utc(self, time: NaiveDateTime) -> Option<DateTime<Utc>> {
        let later = || self.0.from_local_datetime(&(time + TimeDelta::hours(1))).earliest();
        self.0.from_local_datetime(&time).earliest().or_else(later).map(|time| time.to_utc())
    }
}

/// Parses ISO 8601 (`2026-11-21T05:11:50.123+01:00`), the format of databases (`2026-11-21
/// 05:11:50`), a date, or a number of seconds or milliseconds since 1970. A time without a zone is
/// in `zone`. Returns milliseconds since 1970.
///
/// # Errors
/// If the text has another form, or the time is outside the years 1970 to 9999.
pub(crate) fn parse(text: &str, zone: LocalZone) -> Result<i64, &'static str> {
    match epoch(text).or_else(|| calendar(text, zone)) {
        Some(millis) if (0..=MAX_MILLIS).contains(&millis) => Ok(millis),
        Some(_) => Err("must be in the years 1970 to 9999"),
        None => {
            Err("must be like 2026-11-21T05:11:50Z, or seconds or milliseconds of 9 digits or more")
        }
    }
}

fn epoch(text: &str) -> Option<i64> {
    // A short number is ambiguous: it may be a year, or a date without dashes.
    if text.len() < 9 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i64 = text.parse().ok()?;
    Some(if number > MAX_SECONDS { number } else { number * 1_000 })
}

fn calendar(text: &str, zone: LocalZone) -> Option<i64> {
    // Most times have this form, which needs no description of its parts.
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.timestamp_millis());
    }
    let text = text.strip_suffix("UTC").map_or_else(|| text.to_owned(), |time| format!("{time}Z"));
    let text = text.replacen([' ', 't'], "T", 1).replacen(',', ".", 1);
    let zoned = |format| DateTime::parse_from_str(&text, format).ok();
    let local = |format| NaiveDateTime::parse_from_str(&text, format).ok();
    let date = || NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0);
    let time = DateTime::parse_from_rfc3339(&text).ok();
    let time = time.or_else(|| WITH_ZONE.into_iter().find_map(zoned)).map(|time| time.to_utc());
    let utc = || zone.utc(WITHOUT_ZONE.into_iter().find_map(local).or_else(date)?);
    time.or_else(utc).map(|time| time.timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> Option<i64> {
        parse(text, LocalZone::default()).ok()
    }

    #[test]
    fn time_is_parsed_in_all_spellings() {
        for text in [
            "2020-09-19T10:55:26Z",
            "2020-09-19T10:55:26.000Z",
            "2020-09-19t10:55:26z",
            "2020-09-19T10:55:26+0000",
            "2020-09-19T12:55:26+02:00",
            "2020-09-19T04:25:26-0630",
            "2020-09-19 10:55:26",
            "2020-09-19 10:55:26+00",
            "2020-09-19 10:55:26 UTC",
            "1600512926",
            "1600512926000",
        ] {
            assert_eq!(millis(text), Some(1_600_512_926_000), "{text}");
        }
        assert_eq!(millis("2020-09-19T10:55:26.1239Z"), Some(1_600_512_926_123));
        assert_eq!(millis("2020-09-19 10:55:26.5"), Some(1_600_512_926_500));
        assert_eq!(millis("2020-09-19"), Some(1_600_473_600_000));
        assert_eq!(millis("2020-09-19T10:55"), Some(1_600_512_900_000));
        assert_eq!(millis("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(millis("9999-12-31T23:59:59.999Z"), Some(253_402_300_799_999));
    }

    #[test]
    fn time_without_zone_is_in_the_local_zone() {
        let berlin = "Europe/Berlin".parse().unwrap();
        for (text, utc) in [
            ("2026-07-01 12:00:00", "2026-07-01 10:00:00"),
            ("2026-01-01", "2025-12-31 23:00:00"),
            ("2026-07-01T12:00:00Z", "2026-07-01 12:00:00"),
            // The clocks skip an hour, and repeat one.
            ("2026-03-29 02:30:00", "2026-03-29 01:30:00"),
            ("2026-10-25 02:30:00", "2026-10-25 00:30:00"),
        ] {
            assert_eq!(parse(text, berlin), parse(utc, LocalZone::default()), "{text}");
        }
        assert!("Berlin".parse::<LocalZone>().is_err());
    }

    #[test]
    fn text_that_is_not_a_time_is_rejected() {
        for text in [
            "",
            "yesterday",
            "0000-00-00 00:00:00",
            "2020-13-01",
            "2020-02-30",
            "2020-09-19T24:00:00Z",
            "2020-09-19T10:55:26.Z",
            "2020-09-19T10:55:26+2",
            "2020-09-19T10:55:26Zulu",
            "2020-09-19X10:55:26",
            "20200919",
            "2020",
            "1969-12-31T23:59:59Z",
            "1970-01-01T00:00:00+01:00",
            "99999999999999999999",
            "2020-0é-19",
            "-1600512926",
            "19/09/2020",
        ] {
            assert_eq!(millis(text), None, "{text}");
        }
    }
}
