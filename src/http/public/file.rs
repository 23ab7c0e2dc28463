//! Files whose content is the same for all clients, their entity tags (RFC 9110, section 8.8.3), and
//! `If-None-Match`.
//!
//! The consoles of owners and of the operator are applications of the browser, which use the interfaces as any
//! program does. `scripts/console` builds their files from `clients/console`.

use std::io::{Read as _, Write as _};
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use poem::http::{HeaderMap, HeaderValue, StatusCode, header};
use poem::{Request, Response};
use sha2::{Digest as _, Sha256};

use super::pages::Pages;
use crate::http::connections::UncountedBody;

/// Content-Security-Policy that allows only the server's own files, and the inline icons of the
/// style sheet.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

pub(super) const SCRIPT: &str = "text/javascript; charset=utf-8";
pub(super) const STYLE_SHEET: &str = "text/css; charset=utf-8";
/// Content-Security-Policy of both consoles. Their own files are all that they need.
const CONSOLE_POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Value of `Cache-Control` for files whose names contain a hash of their content.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A file in memory, which all responses with it share.
#[derive(Debug)]
pub struct File {
    content_type: &'static str,
    /// Content-Security-Policy of the file, if it is a page.
    policy: Option<&'static str>,
    etag: String,
    gzip: Bytes,
    /// The file without compression. If the program contains only the compressed file, this is
    /// empty until a client first needs it.
    plain: OnceLock<Bytes>,
}

impl File {
    /// Creates a file.
    pub fn new(content_type: &'static str, text: impl Into<Bytes>) -> Self {
        let plain = text.into();
        // The tag is weak, because the plain and the compressed file share it (RFC 9110, section
        // 8.8.1).
        let etag = format!("W/{}", etag_from_content(&plain));
        Self {
            content_type,
            policy: None,
            etag,
            gzip: compress(&plain).into(),
            plain: plain.into(),
        }
    }

    /// Creates a file from its compressed form.
    pub(super) fn from_gzip(content_type: &'static str, gzip: &'static [u8]) -> Self {
        let etag = format!("W/{}", etag_from_content(gzip));
        let gzip = Bytes::from_static(gzip);
        Self { content_type, policy: None, etag, gzip, plain: OnceLock::new() }
    }

    /// Creates a page with a Content-Security-Policy.
    pub(super) fn page(policy: &'static str, text: impl Into<Bytes>) -> Self {
        Self { policy: Some(policy), ..Self::new("text/html; charset=utf-8", text) }
    }

    /// Returns a text that identifies the content.
    pub(super) fn hash(&self) -> &str {
        self.etag.trim_matches(|letter: char| !letter.is_ascii_hexdigit())
    }

    pub(super) fn respond(&self, request: &Request) -> Response {
        let headers = request.headers();
        let mut response = Response::builder()
            .header(header::ETAG, &self.etag)
            // Clients must revalidate, because a new version of the server has new files under the
            // same names.
            .header(header::CACHE_CONTROL, "no-cache")
            .header(header::VARY, "Accept-Encoding");
        if names_etag(headers, &self.etag) || names_any_etag(headers) {
            return response.status(StatusCode::NOT_MODIFIED).finish();
        }
        if let Some(policy) = self.policy {
            response = response.header(header::CONTENT_SECURITY_POLICY, policy);
        }
        response = response.content_type(self.content_type).extension(UncountedBody);
        if accepts_gzip(headers) {
            response.header(header::CONTENT_ENCODING, "gzip").body(self.gzip.clone())
        } else {
            response.body(self.plain.get_or_init(|| decompress(&self.gzip)).clone())
        }
    }
}

/// Returns whether `Accept-Encoding` lists gzip with a weight above 0 (RFC 9110, section 12.5.3).
fn accepts_gzip(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
            is_gzip && !parts.any(is_weight_of_0)
        })
}

fn is_weight_of_0(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, weight)| {
        name.trim().eq_ignore_ascii_case("q") && weight.trim().parse() == Ok(0.0)
    })
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

fn decompress(gzip: &[u8]) -> Bytes {
    let mut plain = Vec::new();
    // Reading from memory cannot fail, and the files are complete.
    let _ = GzDecoder::new(gzip).read_to_end(&mut plain);
    plain.into()
}

/// The files of Swagger UI by name, served without requests to other hosts. `scripts/swagger-ui` updates them.
#[derive(Debug)]
pub struct Docs([(&'static str, File); 6]);

impl Docs {
    /// Creates the files.
    pub fn new() -> Self {
        let style = include_bytes!("docs/swagger-ui.css.gz");
        let bundle = include_bytes!("docs/swagger-ui-bundle.js.gz");
        Self([
            ("index.html", File::page(POLICY, include_str!("docs/index.html"))),
            ("operator.html", File::page(POLICY, include_str!("docs/operator.html"))),
            ("swagger-ui.css", File::from_gzip(STYLE_SHEET, style)),
            ("page.css", File::new(STYLE_SHEET, include_str!("docs/page.css"))),
            ("swagger-ui-bundle.js", File::from_gzip(SCRIPT, bundle)),
            ("start.js", File::new(SCRIPT, include_str!("docs/start.js"))),
        ])
    }

    /// Responds with the file of this name, or with a 404 page.
    pub(super) fn respond(&self, name: &str, pages: &Pages, request: &Request) -> Response {
        let file = self.0.iter().find(|(known, _)| *known == name);
        file.map_or_else(|| pages.no_link(), |(_, file)| file.respond(request))
    }
}

/// The files of a console: the page, which has the address of every screen, and what it loads.
#[derive(Debug)]
pub struct Console {
    page: File,
    /// Files by their path below that of the console.
    files: [(String, File); 2],
}

impl Console {
    /// Creates the files of the owner's console.
    pub fn owner() -> Self {
        let script = include_bytes!("console/owner.js.gz");
        Self::new(include_str!("console/owner.html"), "owner.js", script)
    }

    /// Creates the files of the operator's console.
    pub fn operator() -> Self {
        let script = include_bytes!("console/operator.js.gz");
        Self::new(include_str!("console/operator.html"), "operator.js", script)
    }

    fn new(page: &str, script_name: &str, script: &'static [u8]) -> Self {
        let mut page = page.to_owned();
        let mut file = |name: &str, content_type, gzip| {
            let file = File::from_gzip(content_type, gzip);
            let path = format!("/files/{}-{name}", file.hash());
            page = page.replace(&format!("\"{name}\""), &format!("\"/console{path}\""));
            (path, file)
        };
        let style = include_bytes!("console/style.css.gz");
        let files = [file(script_name, SCRIPT, script), file("style.css", STYLE_SHEET, style)];
        Self { page: File::page(CONSOLE_POLICY, page), files }
    }

    /// Responds to a request for a path below that of the console.
    pub(in crate::http) fn respond(
        &self,
        path: &str,
        pages: &Pages,
        request: &Request,
    ) -> Response {
        if !path.starts_with("/files/") {
            let mut response = self.page.respond(request);
            let referrer = HeaderValue::from_static("no-referrer");
            response.headers_mut().insert(header::REFERRER_POLICY, referrer);
            return response;
        }
        let Some((_, file)) = self.files.iter().find(|(known, _)| known == path) else {
            return pages.no_link();
        };
        let mut response = file.respond(request);
        response.headers_mut().insert(header::CACHE_CONTROL, FOREVER);
        response
    }
}

/// Returns an entity tag that identifies `content`.
pub(super) fn etag_from_content(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let tag: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{tag}\"")
}

/// Returns whether `If-None-Match` lists the entity tag `etag`.
pub(super) fn names_etag(headers: &HeaderMap, etag: &str) -> bool {
    listed_etags(headers).any(|tag| tag == opaque_tag(etag))
}

/// Returns whether `If-None-Match` is `*`.
pub(super) fn names_any_etag(headers: &HeaderMap) -> bool {
    listed_etags(headers).any(|tag| tag == "*")
}

/// Returns the tags that `If-None-Match` lists, in the form for weak comparison (RFC 9110, section
/// 13.1.2).
fn listed_etags(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|tag| opaque_tag(tag.trim()))
}

fn opaque_tag(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_needs_a_positive_weight() {
        let accepted = ["gzip", "deflate, GZIP;q=0.5", "br;q=0, gzip;q=1.000"];
        let refused = ["", "deflate", "gzip;q=0", "gzip;q=0.000", "gzip; Q = 0.0", "*"];
        let all = accepted.map(|value| (value, true));
        for (value, expected) in all.into_iter().chain(refused.map(|value| (value, false))) {
            let value = HeaderValue::from_static(value);
            let headers = [(header::ACCEPT_ENCODING, value.clone())].into_iter().collect();
            assert_eq!(accepts_gzip(&headers), expected, "{value:?}");
        }
    }
}
