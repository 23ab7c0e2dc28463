//! `GET /{code}`: what Terse does all day.

use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Request, Response};

use super::{agents, pages, refuse_method};
use crate::domain::{Error, links};
use crate::http::App;
use crate::http::cause::Cause;

/// Nobody but the one who asked may keep the answer, and not even they: each time counts, and a link
/// may be disabled.
const UNCACHED: HeaderValue = HeaderValue::from_static("private, no-store");

/// Redirects, and counts a click before it does.
pub async fn answer(app: &App, code: &str, request: &Request) -> Response {
    if let Some(refusal) = refuse_method(request) {
        return refusal;
    }
    let target = match links::resolve(&app.store, &app.caches, code).await {
        Ok(target) => target,
        Err(error) => return refusal(&error),
    };
    if !target.is_active {
        return pages::gone();
    }
    let Ok(location) = HeaderValue::from_str(&target.location) else {
        // Destinations are checked on their way in; this one came by another.
        return pages::not_found();
    };
    if *request.method() == Method::GET && agents::follows(request.headers()) {
        let recorded = app.recorder.record(target.id).await;
        if recorded.is_err() {
            return pages::unavailable();
        }
    }
    let mut response = Response::builder().status(StatusCode::FOUND).finish();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location);
    headers.insert(header::CACHE_CONTROL, UNCACHED);
    response
}

/// What a visitor of a link is told that does not lead anywhere.
pub(super) fn refusal(error: &Error) -> Response {
    match error {
        Error::Store(error) => {
            let mut response = pages::unavailable();
            Cause::from(&**error).travel_in(&mut response);
            response
        }
        Error::Uncounted => pages::unavailable(),
        Error::LinkNotFound
        | Error::Invalid(_)
        | Error::CodeInUse
        | Error::CodeReserved
        | Error::PlanLimitReached
        | Error::KeyReused
        | Error::ColoursTooClose { .. } => pages::not_found(),
    }
}
