//! Destination URLs of links.

use std::borrow::Cow;
use std::collections::HashSet;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};
use url::{Position, Url};

use super::{ServiceUrls, ValidationError};

/// Maximum length of a host in messages. DNS does not allow longer names, but URLs do.
const MAX_SHOWN_HOST: usize = 253;

/// URL that a link redirects to: absolute, `http` or `https`, stored exactly as the client sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    text: String,
    url: Url,
}

impl Destination {
    /// Maximum length in bytes.
    pub const MAX_LENGTH: usize = 8_192;

    /// Parses a destination more strictly than the [WHATWG URL
    /// standard](https://url.spec.whatwg.org/).
    ///
    /// The standard's parser silently removes surrounding whitespace and control characters and
    /// adds missing slashes. This function rejects a text that needs such a correction.
    ///
    /// # Errors
    /// If the text is not a valid destination. The error names the rule that the text breaks.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        if text.len() > Self::MAX_LENGTH {
            return Err(ValidationError::because("must not be longer than 8192 bytes"));
        }
        if text.trim() != text {
            return Err(ValidationError::because("must not begin or end with whitespace"));
        }
        if Self::trim(text) != text {
            return Err(ValidationError::because(
                "must not begin or end with an invisible character",
            ));
        }
        if text.chars().any(char::is_control) {
            return Err(ValidationError::because("must not contain control characters"));
        }
        let Some(rest) = after_scheme(text) else {
            return Err(ValidationError::because("must start with http:// or https://"));
        };
        // The standard's parser skips any number of slashes here, and takes the text after them for
        // the host.
        if rest.is_empty() || rest.starts_with(['/', '\\', '?', '#']) {
            return Err(ValidationError::because("must have a host"));
        }
        let url = Url::parse(text)
            .map_err(|error| ValidationError(format!("is not a valid URL: {error}").into()))?;
        // An encoded text has at most three times the length.
        if text.len() > Self::MAX_LENGTH / 3 && location(text, &url).len() > Self::MAX_LENGTH {
            return Err(ValidationError::because(
                "must not be longer than 8192 bytes when it is percent-encoded",
            ));
        }
        Ok(Self { text: text.to_owned(), url })
    }

    /// Removes whitespace and invisible characters (Unicode category Cf) at the beginning and end.
    /// It leaves the end of a fragment, which programs of the destination may interpret, and of an
    /// emoji sequence of tags, such as the flag of Wales.
    #[must_use]
    pub fn trim(text: &str) -> &str {
        let text =
            text.trim_start_matches(|letter: char| letter.is_whitespace() || is_invisible(letter));
        let end = text.trim_end_matches(is_tag);
        if text.contains('#') || end.len() < text.len() && end.ends_with(WAVING_BLACK_FLAG) {
            return text.trim_end();
        }
        text.trim_end_matches(|letter: char| letter.is_whitespace() || is_invisible(letter))
    }

    /// Returns the value of the `Location` header for a destination that is stored. It may exceed
    /// today's limits, and is returned unchanged if it is not a URL.
    #[must_use]
    pub fn stored_location(text: &str) -> Cow<'_, str> {
        Url::parse(text).map_or(Cow::Borrowed(text), |url| location(text, &url))
    }

    /// Returns the destination as the client sent it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the destination as a `String`, as the client sent it.
    #[must_use]
    pub fn into_string(self) -> String {
        self.text
    }

    /// Returns the host in lower case, in Punycode and without a trailing dot.
    #[must_use]
    pub fn host(&self) -> &str {
        let host = self.url.host_str().unwrap_or_default();
        host.trim_end_matches('.')
    }

    /// Returns the host for messages, or only its end if it is too long to show. The end shows who
    /// owns the domain.
    #[must_use]
    pub fn shown_host(&self) -> String {
        let host = self.host();
        let start = host.len().saturating_sub(MAX_SHOWN_HOST);
        match host.get(start..) {
            Some(end) if start > 0 => format!("…{end}"),
            Some(_) | None => host.to_owned(),
        }
    }

    /// Checks that the destination is outside this service. A redirect to the service itself could
    /// loop.
    ///
    /// # Errors
    /// If the host is one of the service's own, and the port is the service's own, 80 or 443.
    pub fn check_outside(&self, service: &ServiceUrls) -> Result<(), ValidationError> {
        if service.contain(&self.url) {
            return Err(ValidationError::because("must not lead to this service itself"));
        }
        Ok(())
    }
}

impl Destination {
    /// Appends the query of a request to that of a `Location`, before its fragment. It leaves out
    /// names that the `Location` has already, so that nothing overrides them, and the whole query if
    /// the result would be longer than [`Self::MAX_LENGTH`].
    #[must_use]
    pub fn with_query<'a>(location: &'a str, query: &str) -> Cow<'a, str> {
        let start = location.find('#').unwrap_or(location.len());
        let (before, fragment) = location.split_at(start);
        let own = before.split_once('?').map(|(_, own)| own);
        let own_names: HashSet<String> =
            own.unwrap_or_default().split('&').map(form_name).collect();
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
        if all.len() == before.len() || all.len() + fragment.len() > Self::MAX_LENGTH {
            return Cow::Borrowed(location);
        }
        Cow::Owned(all + fragment)
    }
}

/// Returns the decoded name of a `application/x-www-form-urlencoded` pair, in lower case.
fn form_name(pair: &str) -> String {
    let name = pair.split('=').next().unwrap_or_default().replace('+', " ");
    percent_decode_str(&name).decode_utf8_lossy().to_lowercase()
}

/// Beginning of an emoji sequence of tags (<https://unicode.org/reports/tr51/#Emoji_Sequences>).
const WAVING_BLACK_FLAG: char = '\u{1f3f4}';

fn is_tag(letter: char) -> bool {
    matches!(letter, '\u{e0020}'..='\u{e007f}')
}

fn is_invisible(letter: char) -> bool {
    !letter.is_ascii() && letter.general_category() == GeneralCategory::Format
}

/// Returns the value of the `Location` header for a destination.
///
/// This is the text if it is a valid RFC 3986 URI. Otherwise it is the serialisation of the URL
/// standard, with the host in Punycode and other invalid characters percent-encoded. In queries and
/// fragments, the characters `[ ] | ^ { }` and further `#` remain, because browsers and HTTP clients
/// follow them unchanged. It is always ASCII without spaces.
fn location<'a>(text: &'a str, url: &Url) -> Cow<'a, str> {
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

/// Returns the text after `http://` or `https://` in any letter case, or `None` if the text begins
/// with neither.
fn after_scheme(text: &str) -> Option<&str> {
    ["http://", "https://"].into_iter().find_map(|scheme| {
        let head = text.get(..scheme.len())?;
        head.eq_ignore_ascii_case(scheme).then(|| &text[scheme.len()..])
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::values::BaseUrl;

    fn location(text: &str) -> String {
        Destination::stored_location(text).into_owned()
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
    fn invalid_destination_is_rejected() {
        for text in [
            "",
            "example.org",
            "//example.org",
            "ftp://example.org",
            "javascript:alert(1)",
            "http:example.org",
            "http:/example.org",
            "http://",
            "http:///path",
            "https://?q",
            "http://[",
            "http://a b/",
            " https://example.org",
            "https://example.org ",
            "https://example.org/\n",
            "https://exa\tmple.org",
            "http://example.org:99999/",
            "http://%00/",
            "httpſ://example.org",
            "https://example.org/\u{200b}",
            "https://example.org/\u{feff} \u{e007f}",
        ] {
            assert!(Destination::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn invisible_characters_at_the_ends_are_removed() {
        let plain = "https://example.org/a";
        for text in ["\u{feff}https://example.org/a", "\u{200e} https://example.org/a\u{2060} \n"] {
            assert_eq!(Destination::trim(text), plain);
        }
        for text in [
            "https://example.org/#a\u{200b}",
            "https://example.org/\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
            "https://example.org/👩\u{200d}🚀",
            "https://example.org/a\u{ad}b",
        ] {
            assert_eq!(Destination::trim(text), text);
            assert!(Destination::parse(text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn query_of_a_request_is_appended() {
        let with = |location: &'static str, query: &str| Destination::with_query(location, query);
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

    #[test]
    fn encoded_length_counts() {
        let longest = format!("https://example.org/{}", "x".repeat(8_172));
        assert!(Destination::parse(&longest).is_ok());
        let encoded = format!("https://example.org/{}", "漢".repeat(908));
        assert_eq!(location(&encoded).len(), 8_192);
        assert!(Destination::parse(&encoded).is_ok());
        assert!(Destination::parse(&format!("{encoded}x")).is_err());
    }

    fn is_own(base_url: &str, text: &str) -> bool {
        let service = ServiceUrls::new(BaseUrl::parse(base_url).unwrap(), &[]);
        Destination::parse(text).unwrap().check_outside(&service).is_err()
    }

    #[test]
    fn own_address_is_recognised_in_every_spelling() {
        let machine = ["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"];
        for text in [
            "http://127.0.0.1:8080/abc",
            "HTTPS://127.0.0.1:8080",
            "http://0x7f.1:8080/",
            "http://2130706433:8080/",
            "http://0.0.0.0:8080/",
            "http://a@127.0.0.1:8080/",
            "http://[::1]:8080/",
            "http://[0:0::1]:8080/",
            "http://[::]:8080/",
            "http://[::ffff:127.0.0.1]:8080/",
            "http://[::ffff:7f00:1]:8080/",
            "http://localhost:8080/",
            "http://LOCALHOST.:8080/",
            "http://terse.localhost:8080/",
        ] {
            for base_url in machine {
                assert!(is_own(base_url, text), "{text} of {base_url}");
            }
            assert!(!is_own("http://terse.example:8080", text), "{text}");
        }
        for text in [
            "http://127.0.0.1:8081/",
            "http://localhost.example:8080/",
            "http://notlocalhost:8080/",
            "http://127.0.0.2:8080/",
            "http://[::2]:8080/",
            "http://[::ffff:192.0.2.1]:8080/",
        ] {
            assert!(machine.iter().all(|base_url| !is_own(base_url, text)), "{text}");
        }
    }

    #[test]
    fn urls_with_proxy_ports_lead_to_the_service() {
        for base_url in ["https://go.example", "http://go.example", "http://go.example:8080"] {
            for text in
                ["http://go.example/loop", "https://go.example/loop", "http://go.example:443"]
            {
                assert!(is_own(base_url, text), "{text} of {base_url}");
            }
            assert!(!is_own(base_url, "http://go.example:8443/"), "{base_url}");
            assert!(!is_own(base_url, "http://www.go.example/"), "{base_url}");
        }
    }

    proptest! {
        #[test]
        fn ipv4_mapped_address_is_the_same_host(address: std::net::Ipv4Addr, port: u16) {
            let plain = format!("http://{address}:{port}");
            let mapped = format!("http://[{}]:{port}", address.to_ipv6_mapped());
            prop_assert!(is_own(&plain, &mapped) && is_own(&mapped, &plain), "{}", plain);
        }

        #[test]
        fn location_is_a_valid_uri_up_to_what_clients_follow(tail in "\\PC{0,60}") {
            let text = format!("https://{tail}");
            if Destination::parse(&text).is_ok() {
                let location = Destination::stored_location(&text);
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
