//! Destination URLs of links.

use std::borrow::Cow;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};
use url::Url;

use super::location::{MAX_LOCATION_LENGTH, location};
use super::visible::{BLACK_FLAG, is_tag};
use super::{ErrorCode, ServiceUrls, ValidationError};

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
    pub const MAX_LENGTH: usize = MAX_LOCATION_LENGTH;

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
            return Err(ErrorCode::TooLong.because("must not be longer than 8192 bytes"));
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
            .map_err(|error| ValidationError::because(format!("is not a valid URL: {error}")))?;
        // An encoded text has at most three times the length.
        if text.len() > Self::MAX_LENGTH / 3 && location(text, &url).len() > Self::MAX_LENGTH {
            return Err(ErrorCode::TooLong
                .because("must not be longer than 8192 bytes when it is percent-encoded"));
        }
        Ok(Self { text: text.to_owned(), url })
    }

    /// Removes whitespace and invisible characters (Unicode category Cf) at the beginning and end.
    /// It leaves the end of a fragment, which programs of the destination may interpret, and of an
    /// emoji sequence of tags, such as the flag of Wales.
    pub fn trim(text: &str) -> &str {
        let text =
            text.trim_start_matches(|letter: char| letter.is_whitespace() || is_invisible(letter));
        let end = text.trim_end_matches(is_tag);
        if text.contains('#') || end.len() < text.len() && end.ends_with(BLACK_FLAG) {
            return text.trim_end();
        }
        text.trim_end_matches(|letter: char| letter.is_whitespace() || is_invisible(letter))
    }

    /// Returns the value of the `Location` header for a destination that is stored. It may exceed
    /// today's limits, and is returned unchanged if it is not a URL.
    pub fn stored_location(text: &str) -> Cow<'_, str> {
        Url::parse(text).map_or(Cow::Borrowed(text), |url| location(text, &url))
    }

    /// Returns the destination as the client sent it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the destination as a `String`, as the client sent it.
    pub fn into_string(self) -> String {
        self.text
    }

    /// Returns the host in lower case, in Punycode and without a trailing dot.
    pub fn host(&self) -> &str {
        let host = self.url.host_str().unwrap_or_default();
        host.trim_end_matches('.')
    }

    /// Returns the port, or the default one of the scheme.
    pub fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or_default()
    }

    /// Returns the host for messages, or only its end if it is too long to show. The end shows who
    /// owns the domain.
    pub fn shown_host(&self) -> String {
        let host = self.host();
        let start = host.len().saturating_sub(MAX_SHOWN_HOST);
        match host.get(start..) {
            Some(end) if start > 0 => format!("…{end}"),
            Some(_) | None => host.to_owned(),
        }
    }

    /// Returns whether the host is one of a service's own, on any port.
    pub fn has_host_of(&self, service: &ServiceUrls) -> bool {
        service.have_host_of(&self.url)
    }
}

fn is_invisible(letter: char) -> bool {
    !letter.is_ascii() && letter.general_category() == GeneralCategory::Format
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
    use super::*;

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
    fn encoded_length_counts() {
        let longest = format!("https://example.org/{}", "x".repeat(8_172));
        assert!(Destination::parse(&longest).is_ok());
        let encoded = format!("https://example.org/{}", "漢".repeat(908));
        assert_eq!(Destination::stored_location(&encoded).len(), 8_192);
        assert!(Destination::parse(&encoded).is_ok());
        assert!(Destination::parse(&format!("{encoded}x")).is_err());
    }
}
