//! The `Location` header of redirects.

use std::borrow::Cow;
use std::collections::HashSet;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use url::{Position, Url};

/// Maximum length of a `Location` in bytes that proxies and clients are known to accept.
pub const MAX_LOCATION_LENGTH: usize = 8_192;

/// Returns the value of the `Location` header for a destination.
///
/// This is the text if it is a valid RFC 3986 URI. Otherwise it is the serialisation of the URL
/// standard, with the host in Punycode and other invalid characters percent-encoded. In queries and
/// fragments, the characters `[ ] | ^ { }` and further `#` remain, because browsers and HTTP clients
/// follow them unchanged. It is always ASCII without spaces.
pub(super) fn location<'a>(text: &'a str, url: &Url) -> Cow<'a, str> {
    if fluent_uri::Uri::parse(text).is_ok() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(serialise(url))
    }
}

/// Characters that RFC 3986 allows nowhere in a URI, and that the URL standard encodes in some
/// clients' components.
const FORBIDDEN: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'`');
/// Characters that RFC 3986 does not allow before the query, although the URL standard leaves some
/// of them unencoded.
const FORBIDDEN_BEFORE_QUERY: &AsciiSet = &FORBIDDEN.add(b'^').add(b'{').add(b'|').add(b'}');
/// Characters that RFC 3986 does not allow in a path.
const FORBIDDEN_IN_PATH: &AsciiSet = &FORBIDDEN_BEFORE_QUERY.add(b'[').add(b']').add(b'#');

/// Serialises `url` as [`location`] describes.
fn serialise(url: &Url) -> String {
    let mut text = String::with_capacity(url.as_str().len() + 16);
    encode(&mut text, &url[..Position::BeforePath], FORBIDDEN_BEFORE_QUERY);
    encode(&mut text, url.path(), FORBIDDEN_IN_PATH);
    for (delimiter, part) in [('?', url.query()), ('#', url.fragment())] {
        if let Some(part) = part {
            text.push(delimiter);
            encode(&mut text, part, FORBIDDEN);
        }
    }
    text
}

/// Appends `part` to `text`. Percent-encodes the characters in `set` and every `%` that does not
/// begin a percent-encoded byte.
fn encode(text: &mut String, part: &str, set: &'static AsciiSet) {
    for (index, piece) in part.split('%').enumerate() {
        if index > 0 {
            let digits = piece.bytes().take(2).filter(u8::is_ascii_hexdigit).count();
            text.push_str(if digits == 2 { "%" } else { "%25" });
        }
        text.extend(utf8_percent_encode(piece, set));
    }
}

/// Appends the query of a request to that of a `Location`, before its fragment. It leaves out
/// names that the `Location` has already, so that nothing overrides them, and the whole query if
/// the result would be longer than 8,192 bytes.
#[must_use]
pub fn with_query<'a>(location: &'a str, query: &str) -> Cow<'a, str> {
    let start = location.find('#').unwrap_or(location.len());
    let (before, fragment) = location.split_at(start);
    let own = before.split_once('?').map(|(_, own)| own);
    let own_names: HashSet<String> = own.unwrap_or_default().split('&').map(form_name).collect();
    let mut all = before.to_owned();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        if own_names.contains(&form_name(pair)) {
            continue;
        }
        let delimiter = match all.find('?') {
            None => "?",
            Some(_) if all.ends_with(['?', '&']) => "",
            Some(_) => "&",
        };
        all.push_str(delimiter);
        encode(&mut all, pair, FORBIDDEN);
    }
    if all.len() == before.len() || all.len() + fragment.len() > MAX_LOCATION_LENGTH {
        return Cow::Borrowed(location);
    }
    Cow::Owned(all + fragment)
}

/// Returns the decoded name of a `application/x-www-form-urlencoded` pair, in lower case.
fn form_name(pair: &str) -> String {
    let name = pair.split('=').next().unwrap_or_default().replace('+', " ");
    percent_decode_str(&name).decode_utf8_lossy().to_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn location(text: &str) -> String {
        super::location(text, &Url::parse(text).unwrap()).into_owned()
    }

    #[test]
    fn valid_uri_is_its_own_location() {
        for text in [
            "https://example.org",
            "HTTPS://EXAMPLE.org/A?b=c#d",
            "http://user:pass@example.org:8080/%7Efoo//bar/../baz?x=%20",
            "http://[2001:db8::1]/",
        ] {
            assert_eq!(location(text), text);
        }
    }

    #[test]
    fn invalid_uri_is_normalised() {
        assert_eq!(
            location("https://bücher.example/straße?q=ä b"),
            "https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4%20b"
        );
        assert_eq!(location("https://example.org/a b"), "https://example.org/a%20b");
        assert_eq!(
            location("https://example.org/{a}|b?c[]=%&d=%41#e#f"),
            "https://example.org/%7Ba%7D%7Cb?c[]=%25&d=%41#e#f"
        );
        assert_eq!(
            location("https://example.org/[^]?[]|^{}`#/#room[]|^{}`%"),
            "https://example.org/[%5E]?[]|^{}%60#/#room[]|^{}%60%25".replace("[%5E]", "%5B%5E%5D")
        );
        assert_eq!(location("https://example.org/<\">"), "https://example.org/%3C%22%3E");
    }

    #[test]
    fn query_of_a_request_is_appended() {
        let with = |location: &'static str, query: &str| with_query(location, query);
        assert_eq!(with("https://e.example/a", "b=c&d"), "https://e.example/a?b=c&d");
        assert_eq!(with("https://e.example/a?x=1#f", "b=c"), "https://e.example/a?x=1&b=c#f");
        assert_eq!(
            with("https://e.example?#/spa?x", "b=%20+c"),
            "https://e.example?b=%20+c#/spa?x"
        );
        assert_eq!(
            with("https://e.example/?x=1", "X=2&x=3&%78=4&y=5"),
            "https://e.example/?x=1&y=5"
        );
        assert_eq!(
            with("https://e.example/?a+b=1", "A%20b=2&ids[]=1|2"),
            "https://e.example/?a+b=1&ids[]=1|2"
        );
        assert_eq!(
            with("https://e.example/", "a=%&b=\"<\u{e4}"),
            "https://e.example/?a=%25&b=%22%3C%C3%A4"
        );
        assert_eq!(with("https://e.example/#f", "&&"), "https://e.example/#f");
        let long = format!("a={}", "x".repeat(8_192));
        assert_eq!(with("https://e.example/#f", &long), "https://e.example/#f");
    }

    proptest! {
        #[test]
        fn location_is_a_valid_uri_up_to_what_clients_follow(tail in "\\PC{0,60}") {
            let text = format!("https://{tail}");
            if let Ok(url) = Url::parse(&text) {
                let location = super::location(&text, &url);
                let start = location.find(['?', '#']).unwrap_or(location.len());
                let (before, after) = location.split_at(start);
                let valid = after.replace(['[', ']', '|', '^', '{', '}'], "_");
                let valid = match valid.split_once('#') {
                    Some((query, fragment)) => format!("{query}#{}", fragment.replace('#', "_")),
                    None => valid,
                };
                prop_assert!(fluent_uri::Uri::parse(format!("{before}{valid}")).is_ok(), "{}", location);
            }
        }
    }
}
