//! Hosts of owners' domains, and hosts as operators write them in patterns and selectors.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv6Addr};

use url::{Host, Url};

use super::base_url::PROXY_PORTS;
use super::{ApiKey, Destination, ErrorCode, ValidationError};

/// Dots that separate labels: the ASCII dot, and dots of other scripts, which IDNA maps to it.
const DOTS: [char; 4] = ['.', '。', '．', '｡'];

/// Parses a host without scheme, port and path. This function ignores a leading `*.`, because a
/// host stands for its subdomains as well.
///
/// Returns a name in Punycode and lower case without a trailing dot, or an IP address in the form
/// of URLs, with brackets around an IPv6 address.
///
/// # Errors
/// If the text is not a host, or contains an API key.
pub fn parse_host(text: &str) -> Result<String, ValidationError> {
    if ApiKey::is_in(text) {
        return Err(ErrorCode::NotAllowed.because("must not contain an API key"));
    }
    parse_plain_host(text).map_err(|error| {
        with_suggestion(error, text, |plain| {
            reject_networks_and_wildcards(plain)?;
            parse_plain_host(host_text(plain))
        })
    })
}

fn parse_plain_host(text: &str) -> Result<String, ValidationError> {
    let invalid = || ValidationError::because("must be a host alone, such as evil.example");
    let host = text.strip_prefix("*.").unwrap_or(text);
    if let Ok(address) = host.parse::<Ipv6Addr>() {
        return Ok(format!("[{address}]"));
    }
    let is_other =
        |letter: char| letter.is_whitespace() || letter.is_control() || "/\\?#@".contains(letter);
    if host.is_empty() || host.contains(is_other) {
        return Err(invalid());
    }
    let has_port = host.rsplit(']').next().is_some_and(|rest| rest.contains(':'));
    let url = Url::parse(&format!("https://{host}/")).map_err(|_| invalid())?;
    let parsed = url.host().filter(|_| !has_port).ok_or_else(invalid)?;
    check_host(&parsed, host)?;
    Ok(match parsed {
        Host::Domain(name) => name.trim_end_matches('.').to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => format!("[{address}]"),
    })
}

/// Parses a URL with or without its scheme, and returns it with a scheme. A host alone counts as a
/// URL.
///
/// # Errors
/// If the text is not a URL. A host without a dot needs a scheme, because a word without a dot is
/// more often a short code.
pub fn parse_url_or_host(text: &str) -> Result<String, ValidationError> {
    parse_plain_url(text).map_err(|error| {
        with_suggestion(error, text, |plain| parse_plain_url(plain).map(|_| plain.to_owned()))
    })
}

fn parse_plain_url(text: &str) -> Result<String, ValidationError> {
    reject_networks_and_wildcards(text)?;
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    let has_scheme = scheme.is_some_and(|scheme| !scheme.contains(['/', '\\', '?', '#']));
    let url = match text.parse::<Ipv6Addr>() {
        Ok(address) => format!("https://[{address}]/"),
        Err(_) if has_scheme => text.to_owned(),
        Err(_) => format!("https://{text}"),
    };
    Destination::parse(&url)?;
    let parsed = Url::parse(&url).ok();
    let host = parsed.as_ref().and_then(Url::host);
    let host = host.ok_or_else(|| ValidationError::because("must have a host"))?;
    match &host {
        // Clients may have created links with a short form of the address, such as `http://127.1`,
        // which browsers complete.
        Host::Ipv4(_) if has_scheme => {}
        Host::Domain(name) if !has_scheme && !name.trim_end_matches('.').contains('.') => {
            return Err(ValidationError::because("must be a URL, or a host with a dot"));
        }
        Host::Domain(_) | Host::Ipv4(_) | Host::Ipv6(_) => check_host(&host, host_text(&url))?,
    }
    Ok(url)
}

/// Rejects networks and trailing wildcards, which patterns do not support.
pub(super) fn reject_networks_and_wildcards(text: &str) -> Result<(), ValidationError> {
    if is_network(text) {
        return Err(ValidationError::because(
            "must not be a network, because a pattern stands for one IP address",
        ));
    }
    if text.ends_with('*') && !text.contains(['?', '#']) {
        return Err(ValidationError::because(
            "must not end with a wildcard, because a URL stands for all paths below it",
        ));
    }
    Ok(())
}

/// Returns whether the text is an IP network, such as `192.0.2.0/24`.
fn is_network(text: &str) -> bool {
    text.split_once('/').is_some_and(|(address, mask)| {
        let is_mask = mask.parse::<IpAddr>().is_ok()
            || (1..=3).contains(&mask.len()) && mask.bytes().all(|byte| byte.is_ascii_digit());
        is_mask && address.parse::<IpAddr>().is_ok()
    })
}

/// Checks the host of a URL that was parsed from `text`. The check is stricter than the URL
/// standard, which accepts punctuation in names and completes IPv4 addresses.
pub(super) fn check_host(host: &Host<&str>, text: &str) -> Result<(), ValidationError> {
    match host {
        Host::Domain(name) if !is_host_name(name.trim_end_matches('.')) => {
            Err(ValidationError::because("must have a host of letters, digits, '-', '_' and dots"))
        }
        Host::Ipv4(_) if text.trim_end_matches(DOTS).split(DOTS).count() != 4 => {
            Err(ValidationError::because("must have a whole IPv4 address, such as 192.0.2.1"))
        }
        Host::Domain(_) | Host::Ipv4(_) | Host::Ipv6(_) => Ok(()),
    }
}

/// Returns whether each label has a length that DNS allows and only letters, digits, `-` and `_`.
pub(super) fn is_host_name(host: &str) -> bool {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_label = |label: &str| (1..=63).contains(&label.len()) && label.bytes().all(is_valid);
    host.len() <= 253 && host.split('.').all(is_label)
}

/// Returns the host of a URL as the text spells it.
pub(super) fn host_text(url: &str) -> &str {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = after_scheme.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.starts_with('[') { host } else { host.split(':').next().unwrap_or_default() }
}

/// Adds a suggestion to an error. `suggestion` receives the text without the punctuation that
/// reports and lists add, and returns what the user may have meant.
pub(super) fn with_suggestion(
    error: ValidationError,
    text: &str,
    suggestion: impl FnOnce(&str) -> Result<String, ValidationError>,
) -> ValidationError {
    match suggestion(&strip_defanging(text)) {
        Ok(meant) if meant != text => {
            ValidationError::because(format!("{error}; did you mean '{meant}'?"))
        }
        Ok(_) | Err(_) => error,
    }
}

/// Removes the punctuation around a host or URL, and wildcards at its end. Undoes changes such as
/// `hxxp` and `[.]`, by which reports make it unclickable.
fn strip_defanging(text: &str) -> String {
    let mut plain = text.to_owned();
    for (defanged, original) in [
        ("[://]", "://"),
        ("[:]", ":"),
        ("[.]", "."),
        ("(.)", "."),
        ("{.}", "."),
        ("[dot]", "."),
        ("(dot)", "."),
    ] {
        plain = plain.replace(defanged, original);
    }
    let is_around = |letter: char| {
        letter.is_whitespace() || letter.is_control() || "'\"`<>()[]{},;|^".contains(letter)
    };
    let trimmed = plain.trim_matches(is_around);
    let trimmed = trimmed.strip_prefix("*://").unwrap_or(trimmed).trim_start_matches('.');
    let trimmed = match trimmed.split_once("://") {
        Some((scheme, rest)) => {
            format!("{}://{rest}", scheme.to_ascii_lowercase().replacen("hxxp", "http", 1))
        }
        None => trimmed.to_owned(),
    };
    let prefix = trimmed.trim_end_matches('*');
    let after_scheme = prefix.split_once("://").map_or(prefix, |(_, rest)| rest);
    if prefix.len() == trimmed.len() || !after_scheme.contains('/') {
        return trimmed;
    }
    // A host stands for its subdomains, and a URL for the paths below it.
    let is_url = prefix.contains("://");
    (if is_url { prefix } else { prefix.trim_end_matches('/') }).to_owned()
}

/// The host of an owner's domain, with a port if it is for that port only: `go.example` or
/// `go.example:8443`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainHost {
    text: String,
    host_length: usize,
}

impl DomainHost {
    /// Maximum length: that of a name in DNS, and of a port.
    pub const MAX_LENGTH: usize = 253 + ":65535".len();

    /// Parses a host with an optional port. The host has the normal form of [`parse_host`]. The ports
    /// 80 and 443 are left out, because a proxy may serve both schemes.
    ///
    /// # Errors
    /// If the text is not a host, has a wildcard, or contains an API key.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        if text.starts_with("*.") {
            return Err(ValidationError::because(
                "must not be a wildcard, because each domain belongs to an owner by its whole name",
            ));
        }
        let (host, port) = if text.parse::<Ipv6Addr>().is_ok() {
            (text, None)
        } else {
            match text.rsplit_once(':') {
                Some((host, port)) if is_port(port) => {
                    let port = port.parse::<u16>().ok().filter(|port| *port != 0);
                    let invalid = ErrorCode::OutOfRange.because("must have a port from 1 to 65535");
                    (host, Some(port.ok_or(invalid)?))
                }
                Some(_) | None => (text, None),
            }
        };
        let mut text = parse_host(host)?;
        let host_length = text.len();
        if let Some(port) = port.filter(|port| !PROXY_PORTS.contains(port)) {
            text.push_str(&format!(":{port}"));
        }
        Ok(Self { text, host_length })
    }

    /// Returns the host, with its port if it has one.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the host without the port.
    pub fn host(&self) -> &str {
        &self.text[..self.host_length]
    }

    /// Returns the port, unless the domain is for all ports.
    pub fn port(&self) -> Option<u16> {
        self.text[self.host_length..].strip_prefix(':')?.parse().ok()
    }
}

/// Returns whether a host without a port, in normal form, is an IP address or `localhost` (RFC 6761,
/// section 6.3). Proxies, monitors and health checks reach the service itself by such a host, so no domain
/// can have it.
pub fn is_ip_or_localhost(host: &str) -> bool {
    host.rsplit('.').next() == Some("localhost")
        || matches!(Host::parse(host), Ok(Host::Ipv4(_) | Host::Ipv6(_)))
}

impl std::fmt::Display for DomainHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::str::FromStr for DomainHost {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        Self::parse(text)
    }
}

/// Returns the host and the port of a valid `Host` header or authority. The host is in lower case and
/// without trailing dots, and an IPv6 address in its canonical form (RFC 5952).
pub fn split_authority(authority: &str) -> (Cow<'_, str>, Option<&str>) {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if port.is_empty() || is_port(port) => (host, Some(port)),
        Some(_) | None => (authority, None),
    };
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if let Some(address) = address.and_then(|address| address.parse::<Ipv6Addr>().ok()) {
        return (format!("[{address}]").into(), port);
    }
    let host = host.trim_end_matches('.');
    let host = if host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        host.to_ascii_lowercase().into()
    } else {
        Cow::Borrowed(host)
    };
    (host, port.filter(|port| !port.is_empty()))
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_canonical() {
        for (text, expected) in [
            ("Exämple.ORG.", "xn--exmple-cua.org"),
            ("*.evil.example", "evil.example"),
            ("_dmarc.evil-1.example", "_dmarc.evil-1.example"),
            ("192.0.2.1", "192.0.2.1"),
            ("2001:DB8::1", "[2001:db8::1]"),
            ("[2001:db8::1]", "[2001:db8::1]"),
            ("com", "com"),
        ] {
            assert_eq!(parse_host(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn invalid_host_is_rejected_with_a_suggestion() {
        for text in ["", ".", "a b", "evil.*", "192.0.2", "3221225985", "a..b", "192.0.2.0/24"] {
            let error = parse_host(text).unwrap_err().to_string();
            assert!(!error.contains("did you mean"), "{text}: {error}");
        }
        for text in [
            "evil.example,",
            "'evil.example'",
            "evil[.]example",
            "evil.example/*",
            "evil.example/path",
            "evil.example:8080",
            "user@evil.example",
            "hxxps://Evil.example/path?q",
        ] {
            let error = parse_host(text).unwrap_err().to_string();
            assert!(error.ends_with("did you mean 'evil.example'?"), "{text}: {error}");
        }
        assert!(parse_host("[2001:db8::1]:80").is_err());
        let key = format!("terse_{}", "a".repeat(32));
        assert!(!parse_host(&key).unwrap_err().to_string().contains(&key));
    }

    #[test]
    fn host_text_is_the_part_between_user_and_port() {
        for (url, expected) in [
            ("https://u:p@evil.example:81/x@y", "evil.example"),
            ("192.0.2:8080", "192.0.2"),
            ("http://[2001:db8::1]:80/", "[2001:db8::1]:80"),
        ] {
            assert_eq!(host_text(url), expected, "{url}");
        }
    }

    #[test]
    fn domains_have_one_normal_form() {
        for (text, expected) in [
            ("Exämple.ORG.", "xn--exmple-cua.org"),
            ("go.example:8443", "go.example:8443"),
            ("go.example.:8443", "go.example:8443"),
            ("go.example:443", "go.example"),
            ("go.example:080", "go.example"),
            ("2001:DB8::1", "[2001:db8::1]"),
            ("[2001:db8:0::1]:8443", "[2001:db8::1]:8443"),
            ("192.0.2.1:81", "192.0.2.1:81"),
        ] {
            let host = DomainHost::parse(text).unwrap();
            assert_eq!(host.as_str(), expected, "{text}");
            let (name, port) = split_authority(expected);
            assert_eq!(host.host(), name, "{text}");
            assert_eq!(host.as_str() != host.host(), port.is_some(), "{text}");
        }
        for text in ["", "*.go.example", "go.example:0", "go.example:65536", "u@go.example", "a/b"]
        {
            assert!(DomainHost::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_spelling_of_an_address_is_one() {
        for text in [
            "127.0.0.1",
            "127.0.0.1:8080",
            "127.0.0.1.",
            "127.0.0.1..",
            "0177.0.0.0x1",
            "0x7f000001..",
            "\u{ff11}27.0.0.1",
            "::1",
            "[::1]",
            "[::1]:8080",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "localhost",
            "LocalHost.:8080",
            "go.localhost",
        ] {
            assert!(is_ip_or_localhost(DomainHost::parse(text).unwrap().host()), "{text}");
        }
        for text in ["go", "localhost.example", "mylocalhost", "127.example", "1.go"] {
            assert!(!is_ip_or_localhost(DomainHost::parse(text).unwrap().host()), "{text}");
        }
        // The parser rejects shortened addresses.
        for text in ["2130706433", "0x7f000001", "127.1", "017700000001"] {
            assert!(DomainHost::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn authorities_are_split_into_normal_hosts_and_ports() {
        for (text, host, port) in [
            ("go.example", "go.example", None),
            ("GO.Example..:8443", "go.example", Some("8443")),
            ("go.example:", "go.example", None),
            ("[2001:DB8:0::1]", "[2001:db8::1]", None),
            ("[::1]:80", "[::1]", Some("80")),
            ("", "", None),
        ] {
            assert_eq!(split_authority(text), (host.into(), port), "{text}");
        }
    }
}
