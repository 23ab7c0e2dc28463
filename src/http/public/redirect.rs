//! `GET /{code}`

use std::borrow::Cow;
use std::sync::Arc;

use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Request, Response};

use super::pages::Pages;
use crate::domain::domains::OwnerDomain;
use crate::domain::links::{LinkState, Target};
use crate::domain::rate_limits::ClientLimit;
use crate::domain::{Error, links};
use crate::http::request_log::LogCause;
use crate::http::state::AppState;
use crate::values::with_query;

/// Value of `Cache-Control` for redirects. Every click must reach the server, which counts it, and
/// the link may be disabled at any time.
const UNCACHED: HeaderValue = HeaderValue::from_static("private, no-store");

/// Records the click and then returns the redirect, to the fallback if an expired link has one, or
/// returns an error page if the link does not redirect.
///
/// A domain serves the links of its owner only, and returns 404 for any other path in every method.
pub async fn respond(
    app: &AppState,
    pages: &Pages,
    code: &str,
    domain: Option<&OwnerDomain>,
    request: &Request,
) -> Response {
    let target = match resolve(app, code, domain).await {
        Ok(target) => target,
        Err(Error::LinkNotFound) => {
            return unknown(app, pages, request).unwrap_or_else(|| pages.no_link());
        }
        Err(error) => return error_page(pages, &error),
    };
    if domain.is_some()
        && let Some(response) = pages.check_method(request)
    {
        return response;
    }
    let now = app.store.now();
    let state = target.state_at(&app.caches.blocks, now);
    let location = if state.is_active() {
        target_location(&target, request)
    } else {
        count_blocked(app, state);
        match target.fallback(state, &app.caches.blocks, now) {
            Some(fallback) => Cow::Borrowed(fallback),
            None => return pages.gone(state),
        }
    };
    let Ok(location) = HeaderValue::from_str(&location) else {
        // A destination can be an invalid header value only if it bypassed validation.
        return pages.no_link();
    };
    if *request.method() == Method::GET
        && app.agents.is_click(request.headers())
        && app.recorder.record(target.id).await.is_err()
    {
        return pages.unavailable();
    }
    redirect_to(location)
}

/// Returns the destination of an active link, with the query of the request if the link forwards it.
fn target_location<'a>(target: &'a Target, request: &Request) -> Cow<'a, str> {
    match (&target.extras, request.uri().query()) {
        (Some(extras), Some(query)) if extras.forward_query => with_query(&target.location, query),
        _ => Cow::Borrowed(&*target.location),
    }
}

/// Returns the target of a link, on a domain of one of the links of its owner.
///
/// # Errors
/// [`Error::LinkNotFound`].
pub(super) async fn resolve(
    app: &AppState,
    code: &str,
    domain: Option<&OwnerDomain>,
) -> Result<Arc<Target>, Error> {
    let (cache, kinds) = (&app.caches.links, &app.caches.code_kinds);
    links::resolve(&app.store, cache, kinds, code, domain.map(|domain| domain.owner_id)).await
}

pub(super) fn redirect_to(location: HeaderValue) -> Response {
    let mut response = Response::builder().status(StatusCode::FOUND).finish();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location);
    headers.insert(header::CACHE_CONTROL, UNCACHED);
    response
}

/// Counts a request for a code that no link has. Returns the 429 page if the client has sent too
/// many such requests.
pub(in crate::http) fn unknown(
    app: &AppState,
    pages: &Pages,
    request: &Request,
) -> Option<Response> {
    let decision = app.check_client_limit(ClientLimit::UnknownCodes, request)?;
    Some(pages.throttled(&decision))
}

/// Counts a request if the destination of its link is blocked.
pub(super) fn count_blocked(app: &AppState, state: LinkState) {
    if let LinkState::Blocked(reason) = state {
        app.metrics.blocked_visits.with_label_values(&[reason.into_str()]).inc();
    }
}

/// Returns the page for an error that occurred while a link was looked up.
pub(super) fn error_page(pages: &Pages, error: &Error) -> Response {
    if let Error::Store(error) = error {
        LogCause::from(&**error).attach_to(pages.unavailable())
    } else if let Error::ClicksPending = error {
        pages.unavailable()
    } else {
        pages.no_link()
    }
}
