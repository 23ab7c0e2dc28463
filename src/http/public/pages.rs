//! Small pages for people: all in the same hand, without scripts and without anything from elsewhere.

use poem::http::{HeaderValue, StatusCode, header};
use poem::{Request, Response};

use super::refuse_method;
use crate::http::problem::Kind;
use crate::values::BaseUrl;

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:1.05rem/1.6 system-ui,sans-serif;max-width:38rem;margin:18vh auto 4rem;padding:0 1.25rem}\
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}\
code{font-family:ui-monospace,monospace;font-size:.95em}\
.status{opacity:.65;margin:0}";

/// Only the page's own style, by its SHA-256: a browser that refuses another says which it is.
const POLICY: &str = "default-src 'none'; \
                      style-src 'sha256-CTKinCVTjQZXoOFedYlKJUSQEz/zlxYYIovXtvYwjIs='; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\">\
<rect width=\"32\" height=\"32\" rx=\"7\" fill=\"#1f2937\"/>\
<path d=\"M8 10h16M16 10v13\" stroke=\"#fbbf24\" stroke-width=\"4\" stroke-linecap=\"round\"/></svg>\n";

/// What this is.
pub fn home(base_url: &BaseUrl) -> Response {
    let text = format!(
        "<p>This is <b>Terse</b>, a link shortening service to build on, at \
         <code>{}</code>.</p>\
         <ul><li><a href=\"/docs\">Documentation</a>: read it and try it</li>\
         <li><a href=\"/openapi.json\">OpenAPI document</a>: generate a client from it</li></ul>",
        escape(base_url.as_str())
    );
    page(StatusCode::OK, "", "Short links", &text)
}

/// 404
pub fn not_found() -> Response {
    let text = "<p>There is nothing here: the link may have been mistyped. Upper and lower case \
                matter.</p>";
    page(StatusCode::NOT_FOUND, "404 Not Found", "There is no such link", text)
}

/// 404 of an image.
pub fn no_qr_code() -> Response {
    let text = "<p>The link may have been mistyped, or has no QR code. Short codes are \
                case-sensitive.</p>";
    page(StatusCode::NOT_FOUND, "404 Not Found", "There is no such QR code", text)
}

/// 410
pub fn gone() -> Response {
    let text = "<p>The operator of this service has disabled it. It may be enabled again.</p>";
    page(StatusCode::GONE, "410 Gone", "This link is disabled", text)
}

/// 400
pub fn bad_request(reason: &str) -> Response {
    let text = format!("<p>{}</p>", escape(reason));
    page(StatusCode::BAD_REQUEST, "400 Bad Request", "This request is not valid", &text)
}

/// 405
pub fn method_not_allowed() -> Response {
    let text = "<p>This page can only be read.</p>";
    let status = StatusCode::METHOD_NOT_ALLOWED;
    let mut response = page(status, "405 Method Not Allowed", "This method is not allowed", text);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

/// 503
pub fn unavailable() -> Response {
    let text = "<p>The service is busy or being repaired. Please try again in a moment.</p>";
    let status = StatusCode::SERVICE_UNAVAILABLE;
    let mut response = page(status, "503 Service Unavailable", "Please try again", text);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// What a problem means and what to do.
pub fn problem(slug: &str, request: &Request) -> Response {
    if let Some(refusal) = refuse_method(request) {
        return refusal;
    }
    let Some(kind) = Kind::ALL.iter().find(|kind| kind.slug() == slug) else {
        return not_found();
    };
    let status = kind.status();
    let text = format!(
        "<p>{}</p><p>In responses: status {}, code <code>{}</code>. \
         <a href=\"/docs\">Documentation</a></p>",
        with_code(kind.explanation()),
        status.as_u16(),
        kind.slug()
    );
    page(StatusCode::OK, status.as_str(), kind.title(), &text)
}

/// The icon.
pub fn icon() -> Response {
    Response::builder()
        .content_type("image/svg+xml")
        .header(header::CACHE_CONTROL, "public, max-age=86400")
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        .body(ICON)
}

/// A page; `text` is HTML already.
fn page(status: StatusCode, label: &str, title: &str, text: &str) -> Response {
    let title = escape(title);
    let body = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"robots\" content=\"noindex\"><title>{title} · Terse</title>\
         <link rel=\"icon\" href=\"/favicon.ico\"><style>{STYLE}</style></head>\
         <body><p class=\"status\">{label}</p><h1>{title}</h1>{text}</body></html>\n"
    );
    Response::builder()
        .status(status)
        .content_type("text/html; charset=utf-8")
        .header(header::CACHE_CONTROL, "no-store")
        .header(header::CONTENT_SECURITY_POLICY, POLICY)
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        .header("x-robots-tag", "noindex")
        .body(body)
}

/// Text in which backticks enclose what programs read.
fn with_code(text: &str) -> String {
    let parts = escape(text);
    let parts = parts.split('`').enumerate();
    parts
        .map(|(i, part)| if i % 2 == 0 { part.to_owned() } else { format!("<code>{part}</code>") })
        .collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
