//! Small HTML pages, without scripts or external resources.

use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Request, Response};

use crate::domain::links::LinkState;
use crate::http::problem_type::ProblemType;
use crate::values::BaseUrl;

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:1.05rem/1.6 system-ui,sans-serif;max-width:38rem;margin:18vh auto 4rem;padding:0 1.25rem}\
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}\
code{font-family:ui-monospace,monospace;font-size:.95em}\
.status{opacity:.65;margin:0}";

/// Allows only the page's own style, by its SHA-256, which a browser reports if it does not match.
const POLICY: &str = "default-src 'none'; \
                      style-src 'sha256-CTKinCVTjQZXoOFedYlKJUSQEz/zlxYYIovXtvYwjIs='; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\">\
<rect width=\"32\" height=\"32\" rx=\"7\" fill=\"#1f2937\"/>\
<path d=\"M8 10h16M16 10v13\" stroke=\"#fbbf24\" stroke-width=\"4\" stroke-linecap=\"round\"/></svg>\n";

/// Returns the start page.
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

/// Returns 404 for a link.
pub fn not_found() -> Response {
    let text = "<p>There is nothing here: the link may have been mistyped. Upper and lower case \
                matter.</p>";
    error_page(StatusCode::NOT_FOUND, "There is no such link", text)
}

/// Returns 404 for a QR image.
pub fn no_qr_code() -> Response {
    let text = "<p>The link may have been mistyped, or has no QR code. Short codes are \
                case-sensitive.</p>";
    error_page(StatusCode::NOT_FOUND, "There is no such QR code", text)
}

/// Returns 410 for a link that does not redirect.
pub fn gone(state: LinkState) -> Response {
    let (title, text) = match state {
        LinkState::Deleted => ("This link was deleted", "<p>It does not come back.</p>"),
        LinkState::Expired => ("This link has expired", "<p>It was valid for a limited time.</p>"),
        LinkState::OwnerSuspended(_) => (
            "This link is not available",
            "<p>The operator of this service has suspended the account that it belongs to.</p>",
        ),
        LinkState::Blocked(_) => (
            "This link is blocked",
            "<p>The operator of this service does not redirect to its destination.</p>",
        ),
        LinkState::Disabled(_) | LinkState::Active => (
            "This link is disabled",
            "<p>The operator of this service has disabled it. It may be enabled again.</p>",
        ),
    };
    error_page(StatusCode::GONE, title, text)
}

/// Returns 400.
pub fn bad_request(reason: &str) -> Response {
    let text = format!("<p>{}</p>", escape(reason));
    error_page(StatusCode::BAD_REQUEST, "This request is not valid", &text)
}

/// Returns 405 unless the method is GET or HEAD.
pub fn check_method(request: &Request) -> Option<Response> {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let text = "<p>Only GET and HEAD are supported here.</p>";
    let status = StatusCode::METHOD_NOT_ALLOWED;
    let mut response = error_page(status, "This method is not allowed", text);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    Some(response)
}

/// Returns 503.
pub fn unavailable() -> Response {
    let text = "<p>The service is busy or being repaired. Please try again in a moment.</p>";
    let status = StatusCode::SERVICE_UNAVAILABLE;
    let mut response = error_page(status, "Please try again", text);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Explains a problem type.
pub fn problem(slug: &str) -> Response {
    let Some(problem_type) = ProblemType::ALL.iter().find(|one| one.slug == slug) else {
        return not_found();
    };
    let ProblemType { slug, status, title, explanation, header: _ } = problem_type;
    let text = format!(
        "<p>{}</p><p>In responses: status {}, code <code>{}</code>. \
         <a href=\"/docs\">Documentation</a></p>",
        with_code(explanation),
        status.as_u16(),
        slug
    );
    page(StatusCode::OK, status.as_str(), title, &text)
}

/// Returns the icon.
pub fn icon() -> Response {
    Response::builder()
        .content_type("image/svg+xml")
        .header(header::CACHE_CONTROL, "public, max-age=86400")
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        .body(ICON)
}

/// Returns the page of an error. `text` is HTML.
fn error_page(status: StatusCode, title: &str, text: &str) -> Response {
    page(status, &status.to_string(), title, text)
}

/// Returns a page. `text` is HTML.
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

/// Converts text with code in backticks to HTML.
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
