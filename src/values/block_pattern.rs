//! Patterns of blocked destinations, and lines of lists of them.

use std::borrow::Cow;
use std::iter::once;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use percent_encoding::{AsciiSet, percent_decode_str, percent_encode};
use url::{Host, Url};

use super::host::{check_host, host_text, reject_networks_and_wildcards, with_suggestion};
use super::short_code::ENCODED_IN_SEGMENT;
use super::{ApiKey, ErrorCode, ValidationError};

/// Names that hosts files give to the machine itself and to groups of neighbouring machines, separated
/// by blanks.
const LOCAL_NAMES: &str = "\
    localhost localhost.localdomain localhost4 localhost4.localdomain4 localhost6 \
    localhost6.localdomain6 local loopback broadcasthost 0.0.0.0";

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
    /// If the text has none of these forms, or contains an API key. The error suggests what the
    /// user may have meant.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        if ApiKey::is_in(text) {
            return Err(ErrorCode::NotAllowed.because("must not contain an API key"));
        }
        Self::parse_plain(text).map_err(|error| {
            with_suggestion(error, text, |plain| Self::parse_plain(plain).map(|_| plain.to_owned()))
        })
    }

    fn parse_plain(text: &str) -> Result<Self, ValidationError> {
        let is_bad = |letter: char| letter.is_whitespace() || letter.is_control();
        if text.is_empty() || text.contains(is_bad) {
            return Err(ValidationError::because("must be a host or a URL, without whitespace"));
        }
        if text.contains(['?', '#']) {
            return Err(ValidationError::because("must not have a query or a fragment"));
        }
        reject_networks_and_wildcards(text)?;
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
            .map_err(|error| ValidationError::because(format!("is not a host or URL: {error}")))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ValidationError::because("must not have a user name"));
        }
        let (Some(host), Some(destination)) = (url.host(), NormalisedDestination::from_url(&url))
        else {
            return Err(ValidationError::because("must have a host"));
        };
        check_host(&host, host_text(&text))?;
        let pattern = if is_url { destination.text } else { destination.host().to_owned() };
        if pattern.len() > Self::MAX_LENGTH {
            return Err(ErrorCode::TooLong.because("must not be longer than 2048 bytes"));
        }
        // The text may have contained a key in percent-encoding.
        if ApiKey::is_in(&pattern) {
            return Err(ErrorCode::NotAllowed.because("must not contain an API key"));
        }
        Ok(Self(pattern))
    }

    /// Returns whether the host is a name without a dot, such as a top-level domain.
    pub fn is_dotless(&self) -> bool {
        let host = self.0.split('/').next().unwrap_or_default();
        !host.contains(['.', '['])
    }

    /// Returns the canonical text: the host in Punycode and lower case without a trailing dot, and
    /// the path of a prefix.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the canonical text as a `String`.
    pub fn into_string(self) -> String {
        self.0
    }
}

fn is_web(scheme: &str) -> bool {
    ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web))
}

/// Host and path of a destination, normalised for the comparison with patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NormalisedDestination {
    /// The host and the path. The path ends with a slash only if it is the root.
    text: String,
    host_bytes: usize,
    is_address: bool,
}

/// Characters that a normalised path does not percent-encode (RFC 3986, section 3.3). The asterisk
/// is not among them, because [`BlockPattern::parse`] takes one at the end for a wildcard.
const PATH: &AsciiSet = &ENCODED_IN_SEGMENT.add(b'*');

impl NormalisedDestination {
    /// Normalises a destination, or returns `None` if the destination is not a URL with a host.
    /// Browsers do not follow such a destination.
    pub fn new(destination: &str) -> Option<Self> {
        Self::from_url(&Url::parse(destination).ok()?)
    }

    /// Normalises a URL, or returns `None` if it has no host.
    ///
    /// This function decodes the path, splits it, and encodes each segment again, so that all
    /// spellings of a path become equal. Many servers take an encoded slash for a separator, so it
    /// is one here, too.
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
        let path: Cow<'_, [u8]> = percent_decode_str(url.path()).into();
        let mut segments = Vec::new();
        for segment in path.split(|byte| *byte == b'/') {
            match segment {
                b"" | b"." => {}
                b".." => drop(segments.pop()),
                segment => segments.push(segment),
            }
        }
        for segment in segments {
            text.push('/');
            text.extend(percent_encode(segment, PATH));
        }
        if text.len() == host_bytes {
            text.push('/');
        }
        Some(Self { text, host_bytes, is_address })
    }

    /// Returns the host.
    pub fn host(&self) -> &str {
        &self.text[..self.host_bytes]
    }

    /// Returns the text of every pattern that would match this destination, the most specific first.
    pub fn matching_patterns(&self) -> impl Iterator<Item = &str> {
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

/// Returns the IPv4 address in an IPv4-mapped IPv6 address. Returns any other IPv6 address in
/// brackets, as in a URL.
fn address_text(address: Ipv6Addr) -> String {
    address.to_ipv4_mapped().as_ref().map_or_else(|| format!("[{address}]"), Ipv4Addr::to_string)
}

/// Patterns of one line of a block list, and the first fault of the line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct BlockListLine {
    /// The valid patterns.
    pub patterns: Vec<BlockPattern>,
    /// The first fault of the line, if the line has any.
    pub fault: Option<ValidationError>,
}

impl BlockListLine {
    /// Parses a line of a list of patterns or of a hosts file. An empty line or a comment has
    /// neither patterns nor a fault.
    ///
    /// In a line of a hosts file, this function ignores the IP address and skips local names.
    pub fn parse(line: &str) -> Self {
        let is_comment = |word: &&str| word.starts_with(['#', '!']);
        let mut words = line.split_whitespace().take_while(|word| !is_comment(word));
        let Some(first) = words.next() else { return Self::default() };
        let mut rest = words.peekable();
        let mut parsed = Self::default();
        if rest.peek().is_none() {
            if first.eq_ignore_ascii_case("localhost") {
                return parsed;
            }
            parsed.add(BlockPattern::parse(first));
        } else if is_address(first) {
            for name in rest.filter(|name| !is_local_name(name)) {
                parsed.add(BlockPattern::parse(name));
            }
        } else {
            let reason = "must be one pattern, or an IP address and hosts";
            parsed.fault = Some(ValidationError::because(reason));
        }
        parsed
    }

    fn add(&mut self, pattern: Result<BlockPattern, ValidationError>) {
        match pattern {
            Ok(pattern) => self.patterns.push(pattern),
            Err(fault) => {
                self.fault.get_or_insert(fault);
            }
        }
    }

    /// Removes patterns whose host has no dot, and sets the fault if the line has none yet. Such a
    /// host is probably a word of prose. If it is a top-level domain, the pattern would block the
    /// whole domain.
    #[must_use]
    pub fn without_dotless_hosts(mut self) -> Self {
        let count = self.patterns.len();
        self.patterns.retain(|pattern| !pattern.is_dotless());
        if self.patterns.len() < count {
            let reason = "must have a host with a dot";
            self.fault.get_or_insert(ValidationError::because(reason));
        }
        self
    }
}

/// Returns whether a word is an IP address, with or without a zone.
fn is_address(word: &str) -> bool {
    let in_zone = word.split_once('%').map(|(address, _)| address.parse::<Ipv6Addr>());
    word.parse::<IpAddr>().is_ok() || in_zone.is_some_and(|address| address.is_ok())
}

fn is_local_name(name: &str) -> bool {
    LOCAL_NAMES.split(' ').any(|local| name.eq_ignore_ascii_case(local)) || name.starts_with("ip6-")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::values::host::is_host_name;

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
            ("evil.example/A%2fb/%7e%21%c3%a4", "evil.example/A/b/~!%C3%A4"),
            ("evil.example/a/x%2f..%2F%2e/b", "evil.example/a/b"),
            ("evil.example/%252F", "evil.example/%252F"),
            ("evil.example/a%", "evil.example/a%25"),
            ("https://evil.example/a*b/%2a", "evil.example/a%2Ab/%2A"),
            ("https://192.0.2.0/24/x", "192.0.2.0/24/x"),
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
            "evil.example,/path",
            "192.0.2",
            "3221225985",
            "192.0.2.0/24",
            "192.0.2.0/255.255.255.0",
            "2001:db8::/32",
            &label,
            &path,
        ] {
            assert!(BlockPattern::parse(text).is_err(), "{text:?}: {}", canonical(text));
        }
    }

    #[test]
    fn error_suggests_what_was_meant() {
        for (text, expected) in [
            ("a1.example,", "a1.example"),
            ("evil.example;", "evil.example"),
            ("evil.example)", "evil.example"),
            ("'evil.example'", "evil.example"),
            ("\"evil.example\"", "evil.example"),
            ("evil[.]example", "evil.example"),
            ("||evil.example^", "evil.example"),
            ("evil.example/*", "evil.example"),
            ("*://evil.example/*", "evil.example"),
            ("hxxp://evil[.]example/x", "http://evil.example/x"),
            ("HXXPS[:]//evil.example", "https://evil.example"),
            ("https://evil.example/*", "https://evil.example/"),
            ("https://evil.example/a/*", "https://evil.example/a/"),
            ("'https://evil.example/a'", "https://evil.example/a"),
        ] {
            let error = canonical(text);
            assert!(error.ends_with(&format!("; did you mean '{expected}'?")), "{text}: {error}");
        }
        assert!(!canonical("evil.*").contains("did you mean"));
    }

    #[test]
    fn api_key_is_rejected_and_not_in_the_error() {
        let key = format!("terse_{}", "a1".repeat(16));
        let encoded = key.replace('_', "%5f");
        for text in [&key, &encoded].into_iter().flat_map(|key| {
            [key.clone(), format!("https://e.example/x-{key}"), format!("{key}.example,")]
        }) {
            let error = canonical(&text);
            assert!(error.starts_with("must ") && !error.contains("a1a1"), "{text}: {error}");
        }
    }

    #[test]
    fn patterns_begin_with_the_most_specific() {
        let destination =
            NormalisedDestination::new("https://u@a.b.example.:444//x/%79?q#f").unwrap();
        let patterns: Vec<_> = destination.matching_patterns().collect();
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
        let destination = NormalisedDestination::new("http://[::ffff:192.0.2.1]/").unwrap();
        assert_eq!(
            destination.matching_patterns().collect::<Vec<_>>(),
            ["192.0.2.1/", "192.0.2.1"]
        );
    }

    proptest! {
        #[test]
        fn matching_patterns_are_canonical(tail in "[a-c.]{1,8}(/[a-c%2F./]{0,12})?") {
            if let Some(destination) = NormalisedDestination::new(&format!("https://{tail}"))
                && is_host_name(destination.host())
            {
                for pattern in destination.matching_patterns() {
                    prop_assert_eq!(canonical(pattern), pattern);
                }
            }
        }

        #[test]
        fn percent_encoding_changes_no_path(path in "(/[a-z0-9~!]{1,4}){1,4}", encoded: Vec<bool>) {
            let mut flags = encoded.into_iter().cycle();
            let hidden: String = path
                .chars()
                .map(|letter| match (letter, flags.next() == Some(true)) {
                    (_, true) => format!("%{:02x}", u32::from(letter)),
                    ('/', false) => "//".to_owned(),
                    (letter, false) => letter.to_string(),
                })
                .collect();
            let [plain, hidden] = [path, hidden].map(|path| {
                NormalisedDestination::new(&format!("https://evil.example/{path}"))
            });
            prop_assert_eq!(plain, hidden);
        }
    }

    fn parsed(line: &str) -> (Vec<String>, bool) {
        let BlockListLine { patterns, fault } = BlockListLine::parse(line).without_dotless_hosts();
        (patterns.into_iter().map(BlockPattern::into_string).collect(), fault.is_some())
    }

    #[test]
    fn lines_are_patterns_or_hosts() {
        for (line, patterns, is_faulty) in [
            ("", &[][..], false),
            ("# evil.example", &[], false),
            ("! evil.example", &[], false),
            (" evil.example # phishing\r", &["evil.example"], false),
            ("0.0.0.0\ta.example b.example #c", &["a.example", "b.example"], false),
            ("0.0.0.0 a.example b,example c.example", &["a.example", "c.example"], true),
            ("0.0.0.0 a.example com", &["a.example"], true),
            ("192.0.2.1", &["192.0.2.1"], false),
            ("2001:db8::1", &["[2001:db8::1]"], false),
            ("localhost", &[], false),
            ("127.0.0.1 localhost", &[], false),
            ("255.255.255.255 broadcasthost", &[], false),
            ("fe80::1%lo0 localhost", &[], false),
            ("ff02::1 ip6-allnodes", &[], false),
            ("::1 LOCALHOST localhost6.localdomain6", &[], false),
            ("0.0.0.0 0.0.0.0", &[], false),
            ("evil example", &[], true),
            ("nginx", &[], true),
            ("https://nginx/path", &[], true),
        ] {
            let patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            assert_eq!(parsed(line), (patterns, is_faulty), "{line}");
        }
        assert_eq!(BlockListLine::parse("com").patterns.len(), 1);
    }
}
