//! What webhooks send, and to which addresses.

use std::net::IpAddr;
use std::sync::LazyLock;

use ipnet::IpNet;
use strum_macros::{EnumString, IntoStaticStr, VariantArray, VariantNames};
use url::{Host, Url};

use super::{ErrorCode, ValidationError};

/// Type of a delivery of a webhook.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray, VariantNames,
)]
#[strum(const_into_str)]
pub enum WebhookType {
    /// A link was created.
    #[strum(serialize = "link.created")]
    LinkCreated,
    /// A link was changed.
    #[strum(serialize = "link.updated")]
    LinkUpdated,
    /// A link was deleted.
    #[strum(serialize = "link.deleted")]
    LinkDeleted,
    /// The operator disabled a link.
    #[strum(serialize = "link.disabled")]
    LinkDisabled,
    /// The operator enabled a link.
    #[strum(serialize = "link.enabled")]
    LinkEnabled,
    /// Links were clicked.
    #[strum(serialize = "links.clicked")]
    LinksClicked,
    /// One change changed many links.
    #[strum(serialize = "links.changed")]
    LinksChanged,
    /// The operator suspended the owner.
    #[strum(serialize = "owner.suspended")]
    OwnerSuspended,
    /// The operator resumed the owner.
    #[strum(serialize = "owner.resumed")]
    OwnerResumed,
    /// The owner asked for a test.
    #[strum(serialize = "webhook.test")]
    Test,
}

impl WebhookType {
    /// Returns whether it is about one link that a change has changed.
    pub const fn is_about_change(self) -> bool {
        matches!(
            self,
            Self::LinkUpdated | Self::LinkDeleted | Self::LinkDisabled | Self::LinkEnabled
        )
    }
}

/// URL of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookUrl(Url);

impl WebhookUrl {
    /// Maximum length in bytes.
    pub const MAX_LENGTH: usize = 2_048;
    /// The lowest port besides those of HTTP.
    const MIN_PORT: u16 = 1_024;

    /// Parses a URL without looking up its host.
    ///
    /// # Errors
    /// If the text is not an absolute URL of HTTP, or has a user, a password, or a port below 1,024 that
    /// is neither 443 nor 80.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        if text.len() > Self::MAX_LENGTH {
            return Err(ErrorCode::TooLong.because("must not be longer than 2048 bytes"));
        }
        // The parser would remove them.
        if text.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
            return Err(ValidationError::because("must not contain blanks or control characters"));
        }
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url =
            url.ok_or(ValidationError::because("must start with https:// and have a host"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ErrorCode::NotAllowed.because("must not contain a user or a password"));
        }
        match url.port_or_known_default() {
            Some(443 | 80 | Self::MIN_PORT..) => Ok(Self(url)),
            Some(_) | None => {
                Err(ErrorCode::NotAllowed.because("must have the port 443, 80, or one from 1024"))
            }
        }
    }

    /// Returns the parsed URL.
    pub const fn url(&self) -> &Url {
        &self.0
    }

    /// Returns the address in the URL, if its host is one.
    pub fn address(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }
}

/// Which addresses webhooks may reach.
#[derive(Debug, Clone, Default)]
pub struct WebhookTargets {
    /// Whether URLs may have the scheme `http`.
    pub is_insecure: bool,
    /// Networks that are allowed although they are not public.
    pub allowed: Vec<IpNet>,
}

/// Networks of IPv4 that are not public, and of metadata services. RFC 6890 and its registry.
const RESERVED_V4: [&str; 19] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    // The metadata services of most clouds are in it.
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    // The services that Azure has for each machine.
    "168.63.129.16/32",
];
/// The public addresses of IPv6, without `RESERVED_V6`. Mapped and translated ones are not among them.
const PUBLIC_V6: &str = "2000::/3";
/// Networks of IPv6 in `PUBLIC_V6` that are not public: special purposes, Teredo, documentation and 6to4.
const RESERVED_V6: [&str; 4] = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

static RESERVED: LazyLock<Vec<IpNet>> = LazyLock::new(|| {
    RESERVED_V4.iter().chain(&RESERVED_V6).filter_map(|network| network.parse().ok()).collect()
});

impl WebhookTargets {
    /// Returns whether a webhook may connect to an address: a public one, or one of an allowed network.
    pub fn allow_address(&self, address: IpAddr) -> bool {
        let is_global = match address {
            IpAddr::V4(_) => true,
            IpAddr::V6(_) => PUBLIC_V6.parse::<IpNet>().is_ok_and(|all| all.contains(&address)),
        };
        let is_in = |networks: &[IpNet]| networks.iter().any(|network| network.contains(&address));
        is_in(&self.allowed) || (is_global && !is_in(&RESERVED))
    }

    /// Checks a URL, without looking up its host.
    ///
    /// # Errors
    /// If it has the scheme `http` or an address that is not allowed.
    pub fn check(&self, url: &WebhookUrl) -> Result<(), ValidationError> {
        if !self.is_insecure && url.url().scheme() != "https" {
            return Err(ErrorCode::NotAllowed.because("must start with https://"));
        }
        if url.address().is_some_and(|address| !self.allow_address(address)) {
            return Err(ErrorCode::NotAllowed.because("must have a public address"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    fn is_allowed(targets: &WebhookTargets, text: &str) -> bool {
        WebhookUrl::parse(text).is_ok_and(|url| targets.check(&url).is_ok())
    }

    #[test]
    fn all_reserved_networks_are_parsed() {
        assert_eq!(RESERVED.len(), RESERVED_V4.len() + RESERVED_V6.len());
        assert!(PUBLIC_V6.parse::<IpNet>().is_ok());
    }

    #[test]
    fn only_public_addresses_are_allowed() {
        let targets = WebhookTargets::default();
        for refused in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.1.2.3",
            "169.254.0.1",
            "169.254.169.254",
            "169.254.170.2",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:7f00:1::",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!targets.allow_address(refused.parse().unwrap()), "{refused}");
        }
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.1",
            "100.63.255.255",
            "100.128.0.1",
            "126.255.255.255",
            "128.0.0.1",
            "172.15.255.255",
            "172.32.0.1",
            "192.167.255.255",
            "223.255.255.255",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "2a00:1450::1",
        ] {
            assert!(targets.allow_address(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn every_spelling_of_an_address_is_checked() {
        let targets = WebhookTargets::default();
        for refused in [
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://017700000001/",
            "https://127.0.1/",
            "https://127.0.0.1./",
            "https://0/",
            "https://①②⑦.⓪.⓪.①/",
            "https://127。0。0。1/",
            "https://%31%32%37.0.0.1/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:7f00:1]/",
            "https://[0:0:0:0:0:ffff:10.0.0.1]/",
            "https://3232235521/",
            "https://169.254.169.254/latest/meta-data/",
            "https://[fd00:ec2::254]/",
            "https:127.0.0.1/",
            "https:/\\127.0.0.1/",
            "https:///127.0.0.1/",
            "https://user@example.org/",
            "https://example.org:secret@example.org/",
            "https://:@127.0.0.1/",
            "https://example.org:22/",
            "https://example.org:1023/",
            "https://example.org:0/",
            "http://example.org/",
            "ftp://example.org/",
            "file:///etc/passwd",
            "gopher://example.org/",
            "https://",
            "https://[::1%25lo]/",
            "https://exa mple.org/",
            "https://example.org/\u{7f}",
            "\u{1}https://example.org/",
            "https://exam\tple.org/",
            "//example.org/",
            "example.org",
        ] {
            assert!(!is_allowed(&targets, refused), "{refused}");
        }
        for allowed in [
            "https://example.org/",
            "https://example.org:8443/hook?a=b",
            "https://8.8.8.8/",
            "HTTPS://EXAMPLE.ORG",
            "https://example.org:80/",
            "https://[2606:4700::1111]:1024/",
            "https://localhost/",
        ] {
            assert!(is_allowed(&targets, allowed), "{allowed}");
        }
    }

    #[test]
    fn operators_may_allow_networks_and_http() {
        let allowed = ["127.0.0.0/8", "fd00::/8"].map(|network| network.parse().unwrap());
        let targets = WebhookTargets { is_insecure: true, allowed: allowed.into() };
        for allowed in ["http://127.0.0.1:8080/", "http://example.org/", "https://[fd00::1]/"] {
            assert!(is_allowed(&targets, allowed), "{allowed}");
        }
        for refused in ["http://10.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/"] {
            assert!(!is_allowed(&targets, refused), "{refused}");
        }
    }

    #[test]
    fn types_have_the_names_that_are_stored() {
        for &kind in WebhookType::VARIANTS {
            assert_eq!(kind.into_str().parse(), Ok(kind));
        }
    }
}
