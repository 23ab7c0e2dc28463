//! The routes of the server, and which of them a request may reach, which its host decides.

use std::borrow::Cow;
use std::sync::Arc;

use poem::Request;
use poem::http::uri::Authority;
use poem::http::{Version, header};

use crate::config::UnknownHosts;
use crate::domain::Addresses;
use crate::domain::domains::{OwnerDomain, Site};
use crate::values::split_authority;

/// The route of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Route<'a> {
    /// `/api` and all paths below it except documents: the operations.
    Api,
    /// `/{code}`, whose code may have slashes
    Redirect(Cow<'a, str>),
    /// `/{code}/qr.svg` and `/{code}/qr.png`
    QrImage(Cow<'a, str>, ImageFormat),
    /// A page or file of the server itself.
    Page(Page),
    /// `/console` and all paths below it: the console of the listener. The path begins after `/console`.
    Console(&'a str),
    /// `/problems/{slug}`
    Problem(&'a str),
    /// No route has this path.
    Unknown,
}

/// Format of a QR image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Network Graphics.
    Png,
}

/// Routes that a listener serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServedRoutes {
    /// All routes.
    All,
    /// All routes except metrics and health checks.
    Public,
    /// Metrics, health checks, the operator's console, and the operations of the operator's programs with
    /// their documentation.
    Operator,
}

impl ServedRoutes {
    /// Returns the route of a path, or `Unknown` if the listener does not serve that route.
    pub fn find(self, path: &str, console: ConsolePaths) -> Route<'_> {
        if self == Self::Operator && path == DOMAIN_CHECK {
            return Route::Page(Page::DomainCheck);
        }
        if let Some(path) = console.below(path) {
            return Route::Console(path);
        }
        let document = |name| Route::Page(Page::Document(name));
        let index = Route::Page(Page::Docs("index.html"));
        let route = Route::from_path(path);
        let is_operators_document = route == document(InterfaceName::Operator);
        let is_served = match self {
            Self::All => !is_operators_document,
            Self::Public => !is_operators_document && !route.is_probe(),
            Self::Operator if route == index => {
                return Route::Page(Page::Docs("operator.html"));
            }
            Self::Operator => {
                let is_documentation = matches!(route, Route::Page(Page::Docs(_) | Page::Favicon));
                let is_interface = is_operators_document || route == Route::Api;
                is_documentation || is_interface || route.is_probe()
            }
        };
        if is_served {
            route
        } else if path.starts_with("/api/") {
            Route::Api
        } else {
            Route::Unknown
        }
    }

    /// Returns whether these are the routes of the operator's listener.
    pub const fn is_for_operator(self) -> bool {
        match self {
            Self::Operator => true,
            Self::All | Self::Public => false,
        }
    }
}

/// Path of the console.
const CONSOLE: &str = "/console";

/// The paths that the console has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsolePaths {
    /// None, because it is turned off.
    None,
    /// Those below `/console/`, because a link has the code `console`.
    Below,
    /// `/console` and those below it.
    All,
}

impl ConsolePaths {
    /// Returns the part of a path below that of the console.
    fn below(self, path: &str) -> Option<&str> {
        let below = path.strip_prefix(CONSOLE)?;
        let is_found = match self {
            Self::None => false,
            Self::Below => below.starts_with('/'),
            Self::All => below.is_empty() || below.starts_with('/'),
        };
        is_found.then_some(below)
    }
}

/// A page or file of the server itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The start page.
    Home,
    /// The file of Swagger UI with this name.
    Docs(&'static str),
    /// The OpenAPI document of an interface.
    Document(InterfaceName),
    /// Liveness check.
    Live,
    /// Readiness check.
    Ready,
    /// Prometheus metrics.
    Metrics,
    /// `robots.txt`.
    Robots,
    /// Favicon.
    Favicon,
    /// Check whether a host is known, on the operator's listener only.
    DomainCheck,
}

/// Name of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterfaceName {
    /// `/api/v1`
    Api,
    /// `/api/manage/v1`
    Manage,
    /// `/api/operator/v1`
    Operator,
}

/// The server's own pages and files: their paths, and their names in metrics. The first segments of
/// these paths are reserved codes.
const PAGES: &[(&str, Page, &str)] = &[
    ("/", Page::Home, "home"),
    ("/docs", Page::Docs("index.html"), "docs"),
    ("/docs/", Page::Docs("index.html"), "docs"),
    ("/docs/swagger-ui.css", Page::Docs("swagger-ui.css"), "docs"),
    ("/docs/page.css", Page::Docs("page.css"), "docs"),
    ("/docs/swagger-ui-bundle.js", Page::Docs("swagger-ui-bundle.js"), "docs"),
    ("/docs/start.js", Page::Docs("start.js"), "docs"),
    ("/openapi.json", Page::Document(InterfaceName::Api), "openapi"),
    ("/api/manage/v1/openapi.json", Page::Document(InterfaceName::Manage), "openapi"),
    ("/api/operator/v1/openapi.json", Page::Document(InterfaceName::Operator), "openapi"),
    ("/health/live", Page::Live, "health"),
    ("/health/ready", Page::Ready, "health"),
    ("/metrics", Page::Metrics, "metrics"),
    ("/robots.txt", Page::Robots, "robots"),
    ("/favicon.ico", Page::Favicon, "favicon"),
    ("/favicon.svg", Page::Favicon, "favicon"),
];

/// Path of the check whether a host is known. It is no reserved code, because only the operator's
/// listener serves it.
const DOMAIN_CHECK: &str = "/domains/ask";

impl<'a> Route<'a> {
    /// Returns the route of a path.
    pub fn from_path(path: &'a str) -> Self {
        let Some(rest) = path.strip_prefix('/') else { return Self::Unknown };
        if let Some((_, page, _)) = PAGES.iter().find(|(known, ..)| *known == path) {
            return Self::Page(*page);
        }
        match rest.split_once('/') {
            None if rest == "api" => return Self::Api,
            Some(("api", _)) => return Self::Api,
            Some(("problems", slug)) => return Self::Problem(slug),
            Some(_) | None => {}
        }
        match rest.rsplit_once('/') {
            Some((code, "qr.svg")) => Self::image(code, ImageFormat::Svg),
            Some((code, "qr.png")) => Self::image(code, ImageFormat::Png),
            Some(_) | None => decode(rest).map_or(Self::Unknown, Self::Redirect),
        }
    }

    fn image(code: &'a str, format: ImageFormat) -> Self {
        decode(code).map_or(Self::Unknown, |code| Self::QrImage(code, format))
    }

    /// Returns the route, or `Unknown` if the request may not reach it.
    pub fn limit_to(self, access: &HostAccess) -> Self {
        let is_reached = match access {
            HostAccess::All => true,
            HostAccess::Domain(_) => match &self {
                Self::Redirect(_) | Self::QrImage(..) => true,
                Self::Page(page) => matches!(page, Page::Home | Page::Robots | Page::Favicon),
                Self::Api | Self::Console(_) | Self::Problem(_) | Self::Unknown => false,
            },
            HostAccess::HealthOnly => matches!(self, Self::Page(Page::Live | Page::Ready)),
        };
        if is_reached { self } else { Self::Unknown }
    }

    /// Returns the name of the route in metrics and in the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Redirect(_) => "redirect",
            Self::QrImage(..) => "qr_image",
            Self::Page(Page::DomainCheck) => "domain_check",
            // Another file than the path names, on the operator's listener.
            Self::Page(Page::Docs(_)) => "docs",
            Self::Page(page) => {
                PAGES.iter().find(|(_, other, _)| other == page).map_or("page", |(_, _, name)| name)
            }
            Self::Console(_) => "console",
            Self::Problem(_) => "problem",
            Self::Unknown => "unknown",
        }
    }

    /// Returns whether monitoring systems request the route periodically.
    pub fn is_probe(&self) -> bool {
        matches!(self, Self::Page(Page::Live | Page::Ready | Page::Metrics))
    }
}

/// Percent-decodes a path or a part of it. Returns `None` if the result is not UTF-8.
fn decode(segment: &str) -> Option<Cow<'_, str>> {
    percent_encoding::percent_decode_str(segment).decode_utf8().ok()
}

/// What a request may reach.
#[derive(Debug)]
pub enum HostAccess {
    /// All routes of the listener.
    All,
    /// The links of an owner, by one of the owner's domains.
    Domain(Arc<OwnerDomain>),
    /// Health checks, because the host is unknown.
    HealthOnly,
}

impl HostAccess {
    /// Returns what a request for a valid host may reach.
    pub fn of_host(host: &str, addresses: &Addresses, unknown_hosts: UnknownHosts) -> Self {
        // Without domains, requests cost nothing more.
        if !addresses.has_domains() && unknown_hosts == UnknownHosts::Serve {
            return Self::All;
        }
        match addresses.site(host) {
            Site::Domain(domain) => Self::Domain(domain),
            Site::Service => Self::All,
            Site::Unknown => match unknown_hosts {
                UnknownHosts::Serve => Self::All,
                UnknownHosts::Reject => Self::HealthOnly,
            },
        }
    }

    /// Returns the domain, if the request is for one.
    pub fn domain(&self) -> Option<&OwnerDomain> {
        match self {
            Self::Domain(domain) => Some(domain),
            Self::All | Self::HealthOnly => None,
        }
    }
}

/// Returns the host of a request, with its port if it has one: that of the target (RFC 9112, section
/// 3.2.2, and RFC 9113, section 8.3.1), or else that of `Host`. It is empty if the request has none.
///
/// # Errors
/// Returns the reason, as text for the client.
pub fn requested_host(request: &Request) -> Result<&str, &'static str> {
    let is_http1 = request.version() <= Version::HTTP_11;
    let mut hosts = request.headers().get_all(header::HOST).iter();
    // RFC 9112, section 3.2: if there are two `Host` headers, a proxy may have routed the request by
    // the other one.
    let host = match (hosts.next(), hosts.next()) {
        (None, _) if request.version() == Version::HTTP_11 => {
            return Err("An HTTP/1.1 request must have exactly one Host header.");
        }
        (None, _) => None,
        (Some(host), None) => {
            let valid = host.to_str().ok().filter(|host| is_host(host));
            Some(valid.ok_or("The Host header must be a host, with or without a port.")?)
        }
        (Some(_), Some(_)) => return Err("A request must not have several Host headers."),
    };
    let Some(authority) = request.uri().authority().map(Authority::as_str) else {
        return Ok(host.unwrap_or_default());
    };
    if !is_host(authority) {
        return Err("The target must have a host, with or without a port.");
    }
    match host {
        Some(host) if !is_http1 && split_authority(host) != split_authority(authority) => {
            Err("The Host header must not differ from :authority.")
        }
        Some(_) | None => Ok(authority),
    }
}

/// Returns whether the value of a `Host` header is valid: a host and perhaps a port, but no user. An
/// empty value is valid (RFC 9112, section 3.2).
fn is_host(value: &str) -> bool {
    let (host, port) = split_authority(value);
    let has_valid_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    let is_host = host.starts_with('[') || !host.contains([':', '@']);
    value.is_empty() || has_valid_port && is_host && Authority::try_from(value).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{CustomCodeError, ShortCode};

    #[test]
    fn paths_of_the_server_are_reserved_codes() {
        let own = PAGES.iter().map(|(path, _, _)| *path).chain(["/api", CONSOLE, "/problems/x"]);
        for path in own.filter(|path| *path != "/") {
            let first = path.split('/').nth(1).unwrap();
            assert_eq!(ShortCode::parse_custom(first), Err(CustomCodeError::Reserved));
        }
    }

    #[test]
    fn codes_are_percent_decoded_once() {
        assert_eq!(Route::from_path("/abc"), Route::Redirect("abc".into()));
        assert_eq!(Route::from_path("/%61bc"), Route::Redirect("abc".into()));
        assert_eq!(Route::from_path("/%2561bc"), Route::Redirect("%61bc".into()));
        assert_eq!(Route::from_path("/%ff"), Route::Unknown);
        assert_eq!(Route::from_path("/abc/"), Route::Redirect("abc/".into()));
        assert_eq!(Route::from_path("/a/b%2Fc"), Route::Redirect("a/b/c".into()));
        let image = Route::QrImage("a/b/c".into(), ImageFormat::Svg);
        assert_eq!(Route::from_path("/a/b%2Fc/qr.svg"), image);
        assert_eq!(Route::from_path("/abc/qr.png"), Route::QrImage("abc".into(), ImageFormat::Png));
        assert_eq!(Route::from_path("/apis"), Route::Redirect("apis".into()));
        assert_eq!(Route::from_path("/api/v2"), Route::Api);
    }
}
