use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::{ShortCode, ValidationError};

/// Where the world finds this service: scheme, host and port, without a path or a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    host: Host<String>,
    port: u16,
}

impl BaseUrl {
    /// Takes `http://HOST[:PORT]` or `https://HOST[:PORT]`; one slash at the end is taken off.
    ///
    /// # Errors
    /// Says what is wrong: another scheme, or a user, path, query or fragment.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        let url = Url::parse(text)
            .map_err(|error| ValidationError(format!("is not a URL: {error}").into()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ValidationError::because("must start with http:// or https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ValidationError::because("must not hold a user or password"));
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(ValidationError::because(
                "must not have a path, query or fragment: short codes live at the root of a host",
            ));
        }
        let host = known_as(url.host().ok_or(ValidationError::because("must have a host"))?);
        let port =
            url.port_or_known_default().ok_or(ValidationError::because("must have a port"))?;
        let text = url.as_str().trim_end_matches('/').to_owned();
        Ok(Self { text, host, port })
    }

    /// The URL as text, without a slash at the end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `{base_url}/{code}`
    #[must_use]
    pub fn short_url(&self, code: &ShortCode) -> String {
        format!("{}/{code}", self.text)
    }

    /// Whether `url` leads to this service's own host and port, whatever its scheme: a redirect
    /// there could run in a circle.
    #[must_use]
    pub fn owns(&self, url: &Url) -> bool {
        url.host().is_some_and(|host| known_as(host) == self.host)
            && url.port_or_known_default() == Some(self.port)
    }
}

/// The name by which every machine knows itself (RFC 6761, section 6.3).
const LOCALHOST: &str = "localhost";

/// A host in the one of its spellings that stands for all: `example.org.` is `example.org`
/// (RFC 1034, section 3.1), an IPv4 address is the same in IPv6 (RFC 4291, section 2.5.5.2), and the
/// names and addresses by which a machine reaches itself are one.
fn known_as(host: Host<&str>) -> Host<String> {
    match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            let is_localhost = name.rsplit('.').next() == Some(LOCALHOST);
            Host::Domain(if is_localhost { LOCALHOST } else { name }.to_owned())
        }
        Host::Ipv4(Ipv4Addr::LOCALHOST | Ipv4Addr::UNSPECIFIED)
        | Host::Ipv6(Ipv6Addr::LOCALHOST | Ipv6Addr::UNSPECIFIED) => {
            Host::Domain(LOCALHOST.to_owned())
        }
        Host::Ipv4(address) => Host::Ipv4(address),
        Host::Ipv6(address) => match address.to_ipv4_mapped() {
            Some(address) => known_as(Host::Ipv4(address)),
            None => Host::Ipv6(address),
        },
    }
}

impl std::fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::str::FromStr for BaseUrl {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_refused_and_a_slash_is_taken_off() {
        assert_eq!(
            BaseUrl::parse("https://t.example/").map(|b| b.text),
            Ok("https://t.example".into())
        );
        for text in [
            "https://t.example/x",
            "https://t.example?",
            "ftp://t.example",
            "t.example",
            "https://a@t.example",
        ] {
            assert!(BaseUrl::parse(text).is_err(), "{text}");
        }
    }
}
