//! What everyone may see: redirects, QR images, and pages of the server's own.

mod agents;
pub mod docs;
mod etag;
pub mod file;
pub mod pages;
pub mod qr_image;
pub mod redirect;

use std::time::Duration;

use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Request, Response};

use super::route::Page;
use crate::http::App;
use crate::http::cause::Cause;
use crate::store::StoreError;

/// How long the database may take to show that it is there.
const READY_TIMEOUT: Duration = Duration::from_secs(1);

/// Answers for a page of the server's own.
pub(super) async fn answer(app: &App, page: Page, request: &Request) -> Response {
    if let Some(refusal) = refuse_method(request) {
        return refusal;
    }
    match page {
        Page::Home => pages::home(&app.base_url),
        Page::Docs(file) => app.docs().file(file).answer(request),
        Page::Document => app.document().answer(request),
        Page::Live => health(StatusCode::OK, "ok"),
        Page::Ready => ready(app).await,
        Page::Metrics => {
            app.metrics.database_up.set(app.store.is_up().into());
            app.metrics.cached_links.set(app.caches.links.count() as u64);
            text("text/plain; version=0.0.4; charset=utf-8", app.metrics.render())
        }
        // Crawlers may follow short links, as people do.
        Page::Robots => {
            text("text/plain; charset=utf-8", "User-agent: *\nDisallow: /api/\n".to_owned())
        }
        Page::Favicon => pages::icon(),
    }
}

/// A 405 for whatever is neither GET nor HEAD.
fn refuse_method(request: &Request) -> Option<Response> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    (!is_read).then(pages::method_not_allowed)
}

async fn ready(app: &App) -> Response {
    if !app.recorder.is_storing() {
        return health(StatusCode::SERVICE_UNAVAILABLE, "clicks cannot be stored");
    }
    let pinged = tokio::time::timeout(READY_TIMEOUT, app.store.ping()).await;
    let Err(error) = pinged.unwrap_or(Err(StoreError::Busy)) else {
        return health(StatusCode::OK, "ok");
    };
    let mut response = health(StatusCode::SERVICE_UNAVAILABLE, "the database does not answer");
    Cause::from(&error).travel_in(&mut response);
    response
}

fn health(status: StatusCode, text: &str) -> Response {
    let mut response = Response::builder()
        .status(status)
        .content_type("application/json")
        .header(header::CACHE_CONTROL, "no-store")
        .body(serde_json::json!({ "status": text }).to_string());
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

fn text(content_type: &str, body: String) -> Response {
    Response::builder()
        .content_type(content_type)
        .header(header::CACHE_CONTROL, "no-cache")
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        .body(body)
}
