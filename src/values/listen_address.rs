//! Addresses on which a server listens.

use std::fmt::{Display, Formatter};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use super::ValidationError;

/// Prefix of the path of a Unix socket.
const UNIX: &str = "unix:";
/// Maximum length in bytes of a Unix socket's path. The operating system sets this limit.
const MAX_PATH: usize = 107;

/// Address on which a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddress {
    /// IP address and port.
    Tcp(SocketAddr),
    /// Path of a Unix socket.
    Unix(PathBuf),
}

impl FromStr for ListenAddress {
    type Err = ValidationError;

    /// Parses `ADDRESS:PORT` or `unix:PATH`. The only host name that it accepts is `localhost`,
    /// because other names may have several addresses.
    ///
    /// # Errors
    /// If the text is neither.
    fn from_str(text: &str) -> Result<Self, ValidationError> {
        if let Some(path) = text.strip_prefix(UNIX) {
            return match path.len() {
                0 => Err(ValidationError::because("has no path after unix:")),
                length if length > MAX_PATH => Err(ValidationError::because(format!(
                    "has a path of {length} bytes; the maximum is {MAX_PATH}"
                ))),
                _ => Ok(Self::Unix(path.into())),
            };
        }
        let numeric = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
        numeric.as_deref().unwrap_or(text).parse().map(Self::Tcp).map_err(|_| {
            let port = text.rsplit(':').next().and_then(|port| port.parse::<u16>().ok());
            let port = port.unwrap_or(8080);
            ValidationError::because(format!(
                "must be an IP address and a port: 127.0.0.1:{port} for this machine alone, \
                 0.0.0.0:{port} or [::]:{port} for all networks; or unix:PATH"
            ))
        })
    }
}

impl ListenAddress {
    /// Returns the address at which programs on the same machine reach a server that listens on
    /// this one.
    pub fn to_local(&self) -> Self {
        match self {
            // A server that listens on all networks listens on loopback too.
            Self::Tcp(address) if address.ip().is_unspecified() => {
                let loopback: IpAddr = match address.ip() {
                    IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                    IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
                };
                Self::Tcp(SocketAddr::new(loopback, address.port()))
            }
            Self::Tcp(_) | Self::Unix(_) => self.clone(),
        }
    }
}

impl Display for ListenAddress {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

/// Returns whether only hosts of a private network can reach an address: loopback, RFC 1918, unique
/// local (RFC 4193) and link-local addresses.
pub fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed() {
        for text in ["127.0.0.1:80", "[::1]:8080", "unix:/run/terse/terse.sock", "unix:a b"] {
            assert_eq!(ListenAddress::from_str(text).unwrap().to_string(), text);
        }
        assert_eq!(
            ListenAddress::from_str("localhost:80"),
            ListenAddress::from_str("127.0.0.1:80")
        );
        let long = format!("unix:/{}", "x".repeat(MAX_PATH));
        for text in ["", "80", "example.org:80", "unix", "unix:", &long] {
            assert!(ListenAddress::from_str(text).is_err(), "{text}");
        }
    }

    #[test]
    fn private_addresses_are_recognised() {
        let is_private = |text: &str| is_private(text.parse().unwrap());
        for text in
            ["127.0.0.2", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.1.1", "::1", "fd00::1"]
        {
            assert!(is_private(text), "{text}");
        }
        assert!(is_private("fe80::1") && is_private("::ffff:10.0.0.1"));
        for text in ["0.0.0.0", "::", "192.0.2.1", "172.32.0.1", "2001:db8::1", "::ffff:192.0.2.1"]
        {
            assert!(!is_private(text), "{text}");
        }
    }

    #[test]
    fn unspecified_address_becomes_loopback() {
        let local = |text| ListenAddress::from_str(text).unwrap().to_local().to_string();
        assert_eq!(local("0.0.0.0:80"), "127.0.0.1:80");
        assert_eq!(local("[::]:80"), "[::1]:80");
        assert_eq!(local("10.0.0.1:80"), "10.0.0.1:80");
        assert_eq!(local("unix:x"), "unix:x");
    }
}
