//! When a link was made, as other services write it.

use chrono::NaiveDate;

use crate::values::{Timestamp, ValidationError};

/// A larger number counts milliseconds, and is from 1973 on.
const MOST_SECONDS: i64 = 99_999_999_999;

/// Takes ISO 8601 (`2026-11-21T05:11:50.123+01:00`), what databases make of it
/// (`2026-11-21 05:11:50`), a date alone, or seconds or milliseconds since 1970. What names no zone is
/// UTC.
pub(super) fn parse(text: &str) -> Result<Timestamp, ValidationError> {
    let moment = epoch(text).or_else(|| calendar(text)).map(Timestamp::from_millis);
    match moment {
        Some(moment) if moment.is_in_calendar() => Ok(moment),
        Some(_) => Err(ValidationError::because("must be in the years 1970 to 9999")),
        None => Err(ValidationError(
            "must be like 2026-11-21T05:11:50Z, or seconds or milliseconds of 9 digits or more"
                .into(),
        )),
    }
}

fn epoch(text: &str) -> Option<i64> {
    // A year alone, or a date without dashes, says too little.
    if text.len() < 9 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i64 = text.parse().ok()?;
    Some(if number > MOST_SECONDS { number } else { number * 1_000 })
}

fn calendar(text: &str) -> Option<i64> {
    let mut rest = text;
    let year = digits(&mut rest, 4)?;
    let month = after(&mut rest, '-', 2)?;
    let day = after(&mut rest, '-', 2)?;
    let year = i32::try_from(year).ok()?;
    let date = NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?)?;
    let days = i64::from(date.to_epoch_days());
    Some(days * 86_400_000 + time_of_day(rest)?)
}

/// Milliseconds since midnight, UTC; negative where that was still the day before.
fn time_of_day(mut rest: &str) -> Option<i64> {
    if rest.is_empty() {
        return Some(0);
    }
    rest = rest.strip_prefix(['T', 't', ' '])?;
    let hour = digits(&mut rest, 2)?;
    let minute = after(&mut rest, ':', 2)?;
    let second = if rest.starts_with(':') { after(&mut rest, ':', 2)? } else { 0 };
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut millis = ((hour * 60 + minute) * 60 + second) * 1_000;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
        let (fraction, zone) = fraction.split_at(length);
        // Cut to milliseconds.
        millis += format!("{fraction:0<3}").get(..3)?.parse::<i64>().ok().filter(|_| length > 0)?;
        rest = zone;
    }
    Some(millis - offset(rest)? * 60_000)
}

/// Minutes ahead of UTC.
fn offset(text: &str) -> Option<i64> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    if text.is_empty() || matches!(text, "Z" | "z" | "UTC") {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let mut rest = text.strip_prefix(['+', '-'])?;
    let hours = digits(&mut rest, 2)?;
    rest = rest.strip_prefix(':').unwrap_or(rest);
    let minutes = if rest.is_empty() { 0 } else { digits(&mut rest, 2)? };
    (rest.is_empty() && hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

fn after(rest: &mut &str, mark: char, length: usize) -> Option<i64> {
    *rest = rest.strip_prefix(mark)?;
    digits(rest, length)
}

fn digits(rest: &mut &str, length: usize) -> Option<i64> {
    let text = rest.get(..length)?;
    *rest = &rest[length..];
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> Option<i64> {
        parse(text).ok().map(Timestamp::millis)
    }

    #[test]
    fn the_same_moment_in_many_spellings() {
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
    fn what_is_no_moment_is_refused() {
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
