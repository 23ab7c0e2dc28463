//! Values as services write them: flags, numbers, times and names.

use std::borrow::Cow;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, TimeZone as _, Utc};

use chrono_tz::Tz;

/// Maximum number of clicks: the largest integer that every JSON parser reads exactly (RFC 8259,
/// section 6).
pub const MAX_CLICKS: i64 = (1 << 53) - 1;
/// Maximum length of a title in characters.
const MAX_TITLE: usize = 255;
/// Maximum length of a value that may be a code or a state, in bytes.
const MAX_WORD: usize = 40;
/// Largest number that means seconds since 1970. A larger number means milliseconds, of which the
/// smallest is a time in 1973.
const MAX_SECONDS: i64 = 99_999_999_999;

/// The last millisecond of the year 9999, because RFC 3339 writes a year with four digits.
const MAX_MILLIS: i64 = 253_402_300_799_999;

/// Formats with a time zone. `%#z` parses `Z`, and an offset with or without minutes.
const WITH_ZONE: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z"];
const WITHOUT_ZONE: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"];
/// Maximum number of characters of a text of the file in a message.
const MAX_SHOWN: usize = 64;

/// Words that mean no, none or no limit.
const FALSY: &str = "\
    0 0.0 -1 false f no n off none null nil undefined never - – n/a na unlimited infinite inf ∞ [] \
    {}";
const OPEN: &str = "\
    1 true t yes y on active enabled live published public ok online open running valid approved \
    normal healthy 200";
const CLOSED: &str = "\
    inactive disabled paused suspended blocked banned expired archived deleted draft closed \
    offline stopped revoked removed hidden private pending scheduled invalid rejected broken";

/// Returns whether the text is one of the words, separated by blanks, in any letter case.
pub(crate) fn is_one_of(text: &str, words: &str) -> bool {
    words.split(' ').any(|word| word.eq_ignore_ascii_case(text))
}

pub(crate) fn is_falsy(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || is_one_of(text, FALSY) || text.eq_ignore_ascii_case("no limit")
}

/// Texts that programs write for a missing value.
const NULLS: [&str; 5] = ["null", "none", "undefined", "nan", "\\N"];

/// Returns whether a program may mean a missing value.
pub(crate) fn is_null(text: &str) -> bool {
    text.len() <= "undefined".len()
        && NULLS.iter().any(|null| null.eq_ignore_ascii_case(text.trim()))
}

/// Returns whether a link with this state redirects, or `None` if the state is unclear.
pub(crate) fn is_open(text: &str) -> Option<bool> {
    let is_open = is_one_of(text.trim(), OPEN);
    let is_closed = || is_falsy(text) || is_one_of(text.trim(), CLOSED);
    (is_open || is_closed()).then_some(is_open)
}

/// Returns whether the text begins like a date.
pub(crate) fn is_date(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits >= 4 && text.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
}

/// Returns whether the value of a field that Terse does not know can neither be a code nor restrict
/// a link: a URL, an address, an identifier, or prose.
pub(crate) fn is_inert(text: &str) -> bool {
    let is_url = text.contains("://");
    let is_address =
        text.contains('@') && text.contains('.') || text.parse::<std::net::IpAddr>().is_ok();
    let is_uuid = text.len() == 36 && text.bytes().filter(|byte| *byte == b'-').count() == 4;
    let is_prose = text.trim().contains(char::is_whitespace)
        && !text.contains(|letter: char| letter.is_ascii_digit())
        && !is_falsy(text);
    is_url || is_address || is_uuid || is_prose || text.len() > MAX_WORD && text.contains(' ')
}

pub(crate) fn parse_flag(name: &str, text: &str) -> Result<bool, String> {
    match text {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err(format!("{name} must be 0 or 1")),
    }
}

/// Parses a count, which may have separators of thousands.
pub(crate) fn parse_clicks(text: &str) -> Result<i64, String> {
    let first = text.find(|letter: char| !letter.is_ascii_digit());
    let clicks = match first {
        None => text.parse().ok(),
        Some(first) => without_separators(text, first).and_then(|digits| digits.parse().ok()),
    };
    let clicks = clicks.filter(|clicks| *clicks <= MAX_CLICKS);
    clicks.ok_or_else(|| format!("the clicks must be a whole number from 0 to {MAX_CLICKS}"))
}

/// Returns the digits of a number whose thousands are separated. The first separator is at `first`.
fn without_separators(text: &str, first: usize) -> Option<String> {
    let separator = text[first..].chars().next()?;
    let groups: Vec<&str> = text.split(separator).collect();
    let is_group =
        |group: &&str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    let are_groups = (1..=3).contains(&groups[0].len()) && groups[1..].iter().all(is_group);
    let is_separator = [',', ' ', '\'', '’', '\u{a0}', '\u{202f}'].contains(&separator);
    (are_groups && is_separator).then(|| groups.concat())
}

/// Returns a title that Terse accepts: on one line, without control characters, and not too long.
pub(crate) fn shorten_title(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if text.len() <= MAX_TITLE && !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut title = String::with_capacity(text.len());
    for part in text.split(char::is_control).filter(|part| !part.is_empty()) {
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(part);
    }
    if let Some((end, _)) = title.char_indices().nth(MAX_TITLE) {
        title.truncate(end);
    }
    Cow::Owned(title)
}

/// Returns the host and the path of a short URL. A text without a scheme and a host that has a dot or
/// a port is the path itself, because a code may have slashes.
pub(crate) fn short_url(text: &str) -> (Option<&str>, &str) {
    let text = text.trim();
    let (has_scheme, rest) = match text.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (false, text),
    };
    let (host, path) = match rest.split_once('/') {
        Some((host, path)) if has_scheme || host.contains(['.', ':']) => (host, path),
        None if has_scheme => (rest, ""),
        Some(_) | None => ("", rest),
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    (Some(host).filter(|host| !host.is_empty()), path.trim_matches('/'))
}

/// Returns the form in which domains are compared, which is that of `terse domain add`: in Punycode
/// and lower case, without a scheme, trailing dots and the ports 80 and 443.
pub(crate) fn normal_domain(text: &str) -> Cow<'_, str> {
    let text = text.split_once("://").map_or(text, |(_, rest)| rest).trim_matches([' ', '/']);
    let is_normal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if text.split('.').all(|label| !label.is_empty() && label.bytes().all(is_normal)) {
        return Cow::Borrowed(text);
    }
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if is_port(port) => (host, port),
        Some(_) | None => (text, ""),
    };
    let host = host.trim_end_matches('.');
    let host = idna::domain_to_ascii(host).unwrap_or_else(|_| host.to_ascii_lowercase());
    let port = port.trim_start_matches('0');
    Cow::Owned(if ["", "80", "443"].contains(&port) { host } else { format!("{host}:{port}") })
}

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
pub(crate) fn parse_time(text: &str, zone: LocalZone) -> Result<i64, &'static str> {
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

/// Returns the beginning of a text for a message, with control characters escaped.
pub(crate) fn shown(text: &str) -> String {
    let (start, rest) = match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    };
    format!("{}{rest}", start.escape_debug())
}

/// Returns the form in which names are compared: in lower case, without spaces, dashes and
/// underscores.
pub(crate) fn plain_name(name: &str) -> Box<str> {
    let letters = name.trim().chars().filter(|letter| !matches!(letter, ' ' | '-' | '_'));
    letters.flat_map(char::to_lowercase).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_may_have_separators_of_thousands() {
        for text in ["1103", "1,103", "1 103", "1’103", "1\u{a0}103"] {
            assert_eq!(parse_clicks(text), Ok(1_103), "{text}");
        }
        for text in ["", "-1", "1.5", "1,5", "1,103.5", "1,1035", ",103", "9007199254740992"] {
            assert!(parse_clicks(text).is_err(), "{text}");
        }
    }

    #[test]
    fn short_url_has_a_host_and_a_path() {
        for (text, expected) in [
            ("https://s.example/a/b?x#y", (Some("s.example"), "a/b")),
            ("s.example:81/a/", (Some("s.example:81"), "a")),
            ("/a/", (None, "a")),
            ("a", (None, "a")),
            ("team/a", (None, "team/a")),
            ("http://team/a", (Some("team"), "a")),
            ("https://s.example", (Some("s.example"), "")),
        ] {
            assert_eq!(short_url(text), expected, "{text}");
        }
    }

    #[test]
    fn domains_have_one_normal_form() {
        for (text, expected) in [
            ("x.example", "x.example"),
            ("X.Example.", "x.example"),
            ("https://Exämple.ORG/", "xn--exmple-cua.org"),
            ("xn--EXMPLE-cua.org", "xn--exmple-cua.org"),
            ("x.example:443", "x.example"),
            ("x.example.:080", "x.example"),
            ("127.0.0.1:8181", "127.0.0.1:8181"),
            ("[2001:DB8::1]", "[2001:db8::1]"),
            ("17", "17"),
        ] {
            assert_eq!(normal_domain(text), expected, "{text}");
        }
    }

    #[test]
    fn title_is_flattened_and_shortened() {
        assert_eq!(shorten_title("one\r\ntwo\tthree "), "one two three");
        assert!(matches!(shorten_title("plain"), Cow::Borrowed("plain")));
        assert_eq!(shorten_title(&"ü".repeat(256)), "ü".repeat(255));
    }

    #[test]
    fn flag_code_or_date_is_not_inert() {
        for text in ["1", "true", "promo", "2026-01-01 10:00:00", "no limit", "Mai 2026", "ja"] {
            assert!(!is_inert(text), "{text}");
        }
        for text in ["https://e.example/", "a few words", "me@e.example", "192.0.2.1"] {
            assert!(is_inert(text), "{text}");
        }
    }

    fn millis(text: &str) -> Option<i64> {
        parse_time(text, LocalZone::default()).ok()
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
            assert_eq!(parse_time(text, berlin), parse_time(utc, LocalZone::default()), "{text}");
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
