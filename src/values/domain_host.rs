//! Hosts of owners' domains.

use std::borrow::Cow;
use std::net::Ipv6Addr;

use url::Host;

use super::base_url::PROXY_PORTS;
use super::{ErrorCode, ValidationError, parse_host};

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
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the host without the port.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.text[..self.host_length]
    }

    /// Returns the port, unless the domain is for all ports.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        self.text[self.host_length..].strip_prefix(':')?.parse().ok()
    }
}

/// Returns whether a host without a port, in normal form, is an IP address or `localhost` (RFC 6761,
/// section 6.3). Proxies, monitors and health checks reach the service itself by such a host, so no domain
/// can have it.
#[must_use]
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
#[must_use]
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
