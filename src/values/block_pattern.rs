//! Patterns of blocked destinations.

use std::borrow::Cow;
use std::iter::once;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use url::{Host, Url};

use super::{ApiKey, ValidationError};

/// Pattern of destinations: a host, or a prefix of URLs on one host.
///
/// A host matches itself and its subdomains, an IP address only itself. A prefix such as
/// `evil.example/path` matches the path and all paths below it on exactly that host, whatever the
/// scheme and the port; `evil.example/` matches the whole host without its subdomains.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockPattern(String);

impl BlockPattern {
    /// Maximum length in bytes of the canonical text.
    pub const MAX_LENGTH: usize = 2_048;

    /// Parses a pattern: a host, `*.host`, a URL, or the stored form of a URL prefix (`host/path`).
    ///
    /// # Errors
    /// If the text is none of them.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        let is_bad = |letter: char| letter.is_whitespace() || letter.is_control();
        if text.is_empty() || text.contains(is_bad) {
            return Err(ValidationError::because("must be a host or a URL, without whitespace"));
        }
        if ApiKey::parse(text).is_ok() {
            return Err(ValidationError::because("must not be an API key"));
        }
        if text.contains(['?', '#']) {
            return Err(ValidationError::because("must not have a query or a fragment"));
        }
        let address = text.parse::<Ipv6Addr>().map(|address| format!("https://[{address}]"));
        let (text, is_url) = match text.split_once("://") {
            _ if address.is_ok() => (Cow::Owned(address.unwrap_or_default()), false),
            Some((scheme, _)) if is_web(scheme) => (Cow::Borrowed(text), true),
            Some(_) => {
                return Err(ValidationError::because("must begin with http:// or https://"));
            }
            None => {
                let host = text.strip_prefix("*.").unwrap_or(text);
                (Cow::Owned(format!("https://{host}")), host.contains(['/', '\\']))
            }
        };
        let after_scheme = text.split_once("://").map_or("", |(_, rest)| rest);
        if after_scheme.starts_with(['/', '\\']) {
            return Err(ValidationError::because("must have a host"));
        }
        let url = Url::parse(&text)
            .map_err(|error| ValidationError(format!("is not a host or URL: {error}").into()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ValidationError::because("must not have a user name"));
        }
        let Some(place) = BlockSubject::from_url(&url) else {
            return Err(ValidationError::because("must have a host"));
        };
        if !place.is_address && !is_host_name(place.host()) {
            return Err(ValidationError::because("must have a valid host"));
        }
        let pattern = if is_url { place.text } else { place.host().to_owned() };
        if pattern.len() > Self::MAX_LENGTH {
            return Err(ValidationError::because("must not be longer than 2048 bytes"));
        }
        Ok(Self(pattern))
    }

    /// Returns the canonical text: the host in Punycode and lower case without a trailing dot, and
    /// the path of a prefix.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the canonical text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

fn is_web(scheme: &str) -> bool {
    ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web))
}

/// Returns whether each label has a length that DNS allows, and no wildcard.
fn is_host_name(host: &str) -> bool {
    host.len() <= 253
        && host.split('.').all(|label| (1..=63).contains(&label.len()) && !label.contains('*'))
}

/// Host and path of a destination, in the form in which patterns are compared with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockSubject {
    /// The host, and the path without a slash at its end unless it is the root.
    text: String,
    host_bytes: usize,
    is_address: bool,
}

/// The characters that a normalised path does not encode (RFC 3986, section 3.3).
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

impl BlockSubject {
    /// Returns what patterns are compared with for a destination. `None`: it is not a URL with a
    /// host, so no browser follows it.
    #[must_use]
    pub fn new(destination: &str) -> Option<Self> {
        Self::from_url(&Url::parse(destination).ok()?)
    }

    /// Decodes and encodes the path again, so that each path has one form. A slash that is
    /// percent-encoded does not separate segments, and stays encoded.
    fn from_url(url: &Url) -> Option<Self> {
        let (mut text, is_address) = match url.host()? {
            Host::Domain(host) => (host.trim_end_matches('.').to_lowercase(), false),
            Host::Ipv4(address) => (address.to_string(), true),
            Host::Ipv6(address) => (address_text(address), true),
        };
        if text.is_empty() {
            return None;
        }
        let host_bytes = text.len();
        for segment in url.path().split('/').filter(|segment| !segment.is_empty()) {
            let bytes: Cow<'_, [u8]> = percent_decode_str(segment).into();
            text.push('/');
            text.extend(percent_encode(&bytes, PATH));
        }
        if text.len() == host_bytes {
            text.push('/');
        }
        Some(Self { text, host_bytes, is_address })
    }

    /// Returns the host.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.text[..self.host_bytes]
    }

    /// Returns the patterns that match, the most specific first.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        let (host, path) = self.text.split_at(self.host_bytes);
        let root = &self.text[..=self.host_bytes];
        let whole = once(self.text.as_str()).filter(|_| path.len() > 1);
        let above = path.rmatch_indices('/').map(|(at, _)| at).filter(|at| *at > 0);
        let above = above.map(|at| &self.text[..self.host_bytes + at]);
        let parents = host.match_indices('.').map(|(at, _)| &host[at + 1..]);
        let parents = parents.filter(|_| !self.is_address);
        whole.chain(above).chain(once(root)).chain(once(host)).chain(parents)
    }
}

/// Returns the IPv4 address that an IPv6 address maps or, if it maps none, the IPv6 address in
/// brackets, as URLs contain it.
fn address_text(address: Ipv6Addr) -> String {
    address.to_ipv4_mapped().as_ref().map_or_else(|| format!("[{address}]"), Ipv4Addr::to_string)
}

/// Returns the patterns of a line of a list of patterns or of a hosts file. It has none if it is
/// empty or a comment.
///
/// A line of a hosts file has an IP address, which does not matter, and hosts; its names of the
/// machine itself are skipped.
///
/// # Errors
/// If the line is neither.
pub fn block_patterns_in(line: &str) -> Result<Vec<BlockPattern>, ValidationError> {
    let is_comment = |word: &&str| word.starts_with(['#', '!']);
    let mut words = line.split_whitespace().take_while(|word| !is_comment(word));
    let Some(first) = words.next() else { return Ok(Vec::new()) };
    let mut rest = words.peekable();
    if rest.peek().is_none() {
        return BlockPattern::parse(first).map(|pattern| vec![pattern]);
    }
    if first.parse::<IpAddr>().is_err() {
        return Err(ValidationError::because("must be one pattern, or an IP address and hosts"));
    }
    rest.filter(|name| !is_local_name(name)).map(BlockPattern::parse).collect()
}

/// Returns whether a hosts file has the name for the machine itself.
fn is_local_name(name: &str) -> bool {
    let names = ["localhost", "localhost.localdomain", "local", "broadcasthost", "0.0.0.0"];
    names.contains(&name) || name.starts_with("ip6-")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(text: &str) -> String {
        BlockPattern::parse(text).map_or_else(|error| error.to_string(), BlockPattern::into_string)
    }

    #[test]
    fn pattern_has_one_canonical_text() {
        for (text, expected) in [
            ("evil.example", "evil.example"),
            ("EVIL.Example.", "evil.example"),
            ("*.evil.example", "evil.example"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("evil.example:8080", "evil.example"),
            ("192.0.2.1", "192.0.2.1"),
            ("0xC0.0.2.1", "192.0.2.1"),
            ("2001:DB8::1", "[2001:db8::1]"),
            ("[2001:db8:0::1]", "[2001:db8::1]"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("https://evil.example", "evil.example/"),
            ("evil.example/", "evil.example/"),
            ("http://EVIL.example:81//a/./b/../%63//", "evil.example/a/c"),
            ("evil.example/A%2fb/%7e%21%c3%a4", "evil.example/A%2Fb/~!%C3%A4"),
            ("evil.example/a%", "evil.example/a%25"),
        ] {
            assert_eq!(canonical(text), expected, "{text}");
            assert_eq!(canonical(expected), expected);
        }
    }

    #[test]
    fn invalid_pattern_is_rejected() {
        let label = "a".repeat(64);
        let path = format!("evil.example/{}", "a".repeat(2_048));
        for text in [
            "",
            " ",
            "a b",
            "evil.example?q",
            "https://evil.example/#f",
            "ftp://evil.example",
            "https://",
            "https:///path",
            "/path",
            "evil.*",
            "*",
            "a.*.example",
            "user@evil.example",
            "https://u:p@evil.example/",
            "a..example",
            ".example",
            "evil.example:99999",
            "javascript:alert(1)",
            &label,
            &path,
        ] {
            assert!(BlockPattern::parse(text).is_err(), "{text:?}: {}", canonical(text));
        }
    }

    #[test]
    fn patterns_begin_with_the_most_specific() {
        let subject = BlockSubject::new("https://u@a.b.example.:444//x/%79?q#f").unwrap();
        let patterns: Vec<_> = subject.patterns().collect();
        assert_eq!(
            patterns,
            [
                "a.b.example/x/y",
                "a.b.example/x",
                "a.b.example/",
                "a.b.example",
                "b.example",
                "example"
            ]
        );
        let subject = BlockSubject::new("http://[::ffff:192.0.2.1]/").unwrap();
        assert_eq!(subject.patterns().collect::<Vec<_>>(), ["192.0.2.1/", "192.0.2.1"]);
    }

    #[test]
    fn lines_are_patterns_or_hosts() {
        let parsed = |line| {
            let patterns = block_patterns_in(line).ok()?;
            Some(patterns.into_iter().map(BlockPattern::into_string).collect::<Vec<_>>())
        };
        assert_eq!(parsed(""), Some(vec![]));
        assert_eq!(parsed("# evil.example"), Some(vec![]));
        assert_eq!(parsed(" evil.example # phishing\r"), Some(vec!["evil.example".to_owned()]));
        let hosts = "0.0.0.0\ta.example b.example #c";
        assert_eq!(parsed(hosts), Some(vec!["a.example".to_owned(), "b.example".to_owned()]));
        assert_eq!(parsed("127.0.0.1 localhost"), Some(vec![]));
        assert_eq!(parsed("192.0.2.1"), Some(vec!["192.0.2.1".to_owned()]));
        assert_eq!(parsed("evil example"), None);
    }

    proptest! {
        #[test]
        fn every_pattern_of_a_subject_is_canonical(tail in "[a-c.]{1,8}(/[a-c%2F./]{0,12})?") {
            if let Some(subject) = BlockSubject::new(&format!("https://{tail}"))
                && is_host_name(subject.host())
            {
                for pattern in subject.patterns() {
                    prop_assert_eq!(canonical(pattern), pattern);
                }
            }
        }

        #[test]
        fn encoding_a_path_hides_nothing(path in "(/[a-z0-9~!]{1,4}){1,4}", encoded: Vec<bool>) {
            let mut flags = encoded.into_iter().cycle();
            let hidden: String = path
                .chars()
                .map(|letter| match letter {
                    '/' => "//".to_owned(),
                    _ if flags.next() == Some(true) => format!("%{:02x}", u32::from(letter)),
                    _ => letter.to_string(),
                })
                .collect();
            let [plain, hidden] = [path, hidden].map(|path| {
                BlockSubject::new(&format!("https://evil.example{path}"))
            });
            prop_assert_eq!(plain, hidden);
        }
    }
}
