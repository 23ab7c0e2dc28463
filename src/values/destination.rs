use url::Url;

use super::{BaseUrl, Invalid};

/// Where a link leads: an absolute `http` or `https` URL, kept exactly as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    text: String,
    url: Url,
}

impl Destination {
    /// The most bytes of a destination.
    pub const MAX_LENGTH: usize = 8_192;

    /// Takes a text as a destination, by the rules of the
    /// [WHATWG URL standard](https://url.spec.whatwg.org/), without what those rules would silently
    /// take off or add: blanks around it, control characters, missing slashes.
    ///
    /// # Errors
    /// Says which rule the text breaks.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        if text.len() > Self::MAX_LENGTH {
            return Err(Invalid::because("must not be longer than 8192 bytes"));
        }
        if text.trim() != text {
            return Err(Invalid::because("must not begin or end with a blank"));
        }
        if text.chars().any(char::is_control) {
            return Err(Invalid::because("must not contain control characters"));
        }
        let Some(rest) = after_scheme(text) else {
            return Err(Invalid::because("must start with http:// or https://"));
        };
        // The standard skips any number of slashes here and takes what follows as the host.
        if rest.is_empty() || rest.starts_with(['/', '\\', '?', '#']) {
            return Err(Invalid::because("must have a host"));
        }
        let url = Url::parse(text)
            .map_err(|error| Invalid(format!("is not a valid URL: {error}").into()))?;
        Ok(Self { text: text.to_owned(), url })
    }

    /// The destination as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it leads back to the service itself.
    #[must_use]
    pub fn is_within(&self, service: &BaseUrl) -> bool {
        service.owns(&self.url)
    }

    /// What a `Location` header says: the same text where it is a URI by RFC 3986, otherwise the
    /// normal form of the URL standard (host in Punycode, other characters percent-encoded).
    /// Always plain ASCII without blanks.
    #[must_use]
    pub fn location(&self) -> &str {
        if fluent_uri::Uri::parse(self.text.as_str()).is_ok() {
            &self.text
        } else {
            self.url.as_str()
        }
    }
}

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

    fn location(text: &str) -> String {
        Destination::parse(text).map(|d| d.location().to_owned()).unwrap_or_else(|e| e.to_string())
    }

    #[test]
    fn a_valid_uri_is_its_own_location() {
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
    fn what_is_no_uri_is_made_one() {
        assert_eq!(
            location("https://bücher.example/straße?q=ä b"),
            "https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4%20b"
        );
        assert_eq!(location("https://example.org/a b"), "https://example.org/a%20b");
        assert_eq!(location("https://example.org/<\">"), "https://example.org/%3C%22%3E");
    }

    #[test]
    fn what_is_no_destination_is_refused() {
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
        ] {
            assert!(Destination::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_services_own_address_is_known_in_every_spelling() {
        let Ok(service) = BaseUrl::parse("http://127.0.0.1:8080") else { panic!("a base URL") };
        for text in [
            "http://127.0.0.1:8080/abc",
            "HTTPS://127.0.0.1:8080",
            "http://0x7f.1:8080/",
            "http://2130706433:8080/",
            "http://a@127.0.0.1:8080/",
        ] {
            let destination = Destination::parse(text);
            assert!(destination.is_ok_and(|d| d.is_within(&service)), "{text}");
        }
        let other = Destination::parse("http://127.0.0.1:8081/");
        assert!(other.is_ok_and(|d| !d.is_within(&service)));
    }

    proptest! {
        #[test]
        fn a_location_is_always_a_header_value(tail in "\\PC{0,60}") {
            if let Ok(destination) = Destination::parse(&format!("https://example.org/{tail}")) {
                let location = destination.location();
                prop_assert!(location.bytes().all(|b| b.is_ascii_graphic()), "{}", location);
            }
        }
    }
}
