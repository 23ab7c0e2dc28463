//! Swagger UI, which asks no other host for anything.
//!
//! poem-openapi brings the program and its style sheet in one page with everything inline. Here they
//! are served as files of their own, so that a strict Content-Security-Policy holds, from a page
//! that has a title and an icon. They are made when they are first asked for.

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use poem::http::{HeaderMap, header};
use poem::{Request, Response};
use poem_openapi::OpenApiService;

use crate::http::App;
use crate::http::route::Page;

/// Scripts and styles are files of this server's and nothing else; the style sheet has its icons
/// inside.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

const INDEX: &str = include_str!("docs/index.html");
const START: &str = include_str!("docs/start.js");
const STYLE: &str = include_str!("docs/page.css");

/// The files of Swagger UI, compressed.
#[derive(Debug)]
pub struct Assets {
    style: File,
    bundle: File,
}

/// A file as it is sent, without a copy for each who takes it.
#[derive(Debug)]
struct File {
    plain: Bytes,
    gzip: Bytes,
}

impl File {
    fn new(text: &str) -> Self {
        Self {
            plain: Bytes::copy_from_slice(text.as_bytes()),
            gzip: compress(text.as_bytes()).into(),
        }
    }
}

impl Assets {
    /// Takes the framework's page apart.
    #[must_use]
    pub fn new() -> Self {
        let page = OpenApiService::new((), "", "").swagger_ui_html();
        let between = |open: &str, close: &str| {
            let inner = page.split_once(open).and_then(|(_, rest)| rest.split_once(close));
            inner.map_or("", |(inner, _)| inner)
        };
        let style = between("<style charset=\"UTF-8\">", "</style>\n");
        Self {
            style: File::new(&format!("{style}\n{STYLE}")),
            bundle: File::new(between("<script charset=\"UTF-8\">", "</script>\n</head>")),
        }
    }
}

impl Default for Assets {
    fn default() -> Self {
        Self::new()
    }
}

/// Answers for one of the files.
pub(super) fn answer(app: &App, page: Page, request: &Request) -> Response {
    let style = "text/css; charset=utf-8";
    let script = "text/javascript; charset=utf-8";
    match page {
        Page::DocsStyle => compressed(style, &app.docs().style, request.headers()),
        Page::DocsBundle => compressed(script, &app.docs().bundle, request.headers()),
        Page::DocsStart => super::text(script, START.to_owned()),
        Page::Docs
        | Page::Home
        | Page::Document
        | Page::Live
        | Page::Ready
        | Page::Metrics
        | Page::Robots
        | Page::Favicon => index(),
    }
}

fn index() -> Response {
    Response::builder()
        .content_type("text/html; charset=utf-8")
        .header(header::CACHE_CONTROL, "no-cache")
        .header(header::CONTENT_SECURITY_POLICY, POLICY)
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        .body(INDEX)
}

fn compressed(content_type: &str, file: &File, headers: &HeaderMap) -> Response {
    let builder = Response::builder()
        .content_type(content_type)
        .header(header::CACHE_CONTROL, "public, max-age=3600")
        .header(header::VARY, "Accept-Encoding")
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    if accepts_gzip(headers) {
        builder.header(header::CONTENT_ENCODING, "gzip").body(file.gzip.clone())
    } else {
        builder.body(file.plain.clone())
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
            is_gzip && !parts.any(|part| part == "q=0")
        })
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frameworks_page_has_what_is_taken_from_it() {
        let assets = Assets::new();
        let plain = |file: &File| String::from_utf8(file.plain.to_vec()).unwrap();
        assert!(plain(&assets.style).contains(".swagger-ui"));
        let bundle = plain(&assets.bundle);
        assert!(bundle.contains("SwaggerUIBundle") && bundle.len() > 1_000_000);
    }
}
