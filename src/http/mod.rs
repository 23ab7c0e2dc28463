//! The HTTP service: all routes, and the properties that all responses share.
//!
//! Imports point in one direction: this module → `public`, `operations` → the interfaces → `caller` →
//! `objects` → `openapi` → `state` → the other modules.

pub mod api;
mod caller;
mod client_address;
pub mod connections;
mod cursor;
mod errors;
mod events;
mod links;
mod long_change;
pub mod manage;
pub mod objects;
mod openapi;
mod operations;
pub mod operator;
mod prelude;
mod problem;
mod problem_examples;
mod problem_type;
mod public;
mod rate_limit;
mod request_body;
mod request_id;
pub mod request_log;
mod route;
mod state;
mod webhooks;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use poem::http::{HeaderMap, HeaderValue, StatusCode, Version, header};
use poem::{Endpoint, Request, Response};
use poem_openapi::OperationId;

pub use self::client_address::{Agents, ClientAddresses};
pub use self::cursor::CursorCipher;
use self::openapi::interface::Interface;
use self::operations::Operations;
use self::problem::Problem;
use self::problem_type::ProblemType;
use self::public::StaticFiles;
use self::public::pages::PageSet;
pub use self::public::pages::{PagesError, SitePages};
use self::public::qr_image::QrRenderer;
use self::request_body::{RequestBody, check_framing};
use self::request_id::{RequestId, X_REQUEST_ID, trace_id};
use self::request_log::{CompletedRequest, LogCause, LoggedCaller};
pub use self::route::{ConsolePaths, ServedRoutes};
use self::route::{HostAccess, Route, requested_host};
pub use self::state::AppState;
pub use self::state::LongChanges;
pub use self::webhooks::EventDescriber;

/// Delay of each 429 response. Without it, a client that sends its next request after each response
/// could use as much CPU time with rejected requests as with accepted ones.
const PAUSE_BEFORE_429: Duration = Duration::from_millis(100);
/// Statuses of requests that are no usage of their owners: those that the server rejects without looking
/// at their content, and failures of the server.
const UNCOUNTED: [StatusCode; 4] = [
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::SERVICE_UNAVAILABLE,
];
/// All interfaces.
pub const INTERFACES: [&Interface; 3] = [&api::INTERFACE, &manage::INTERFACE, &operator::INTERFACE];
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// The service, limited to the routes that one listener serves.
pub struct HttpEndpoint {
    /// The service, which all listeners share.
    pub service: Arc<HttpService>,
    /// The routes that the listener serves.
    pub routes: ServedRoutes,
}

impl Endpoint for HttpEndpoint {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        Ok(self.service.call(self.routes, request).await)
    }
}

/// The service that responds to all requests.
pub struct HttpService {
    app: Arc<AppState>,
    operations: Operations,
    pages: SitePages,
    files: StaticFiles,
    qr_renderer: QrRenderer,
}

impl HttpService {
    /// Creates the service.
    pub fn new(app: Arc<AppState>, pages: SitePages) -> Self {
        Self {
            operations: Operations::from_interfaces(&INTERFACES),
            pages,
            files: StaticFiles::default(),
            qr_renderer: QrRenderer::default(),
            app,
        }
    }

    async fn call(&self, routes: ServedRoutes, mut request: Request) -> Response {
        let started = Instant::now();
        let id = RequestId::random();
        let uri = request.uri().clone();
        let access = self.access(routes, &request);
        let route = match &access {
            Ok(access) => routes.find(uri.path(), self.app.console).limit_to(access),
            Err(_) => routes.find(uri.path(), self.app.console),
        };
        let method = request.method().clone();
        let is_peer_trusted = self.app.client_addresses.trusts(&request.remote_addr().0);
        let trace_id = is_peer_trusted.then(|| trace_id(request.headers())).flatten();
        let body = (route == Route::Api || has_body(request.headers()))
            .then(|| RequestBody::take_from(&mut request));
        if let Some(body) = &body {
            request.set_data(body.clone());
        }
        // Without `catch_unwind`, a panic would close the connection.
        let responded = self.respond(routes, &route, access, request, &id);
        let responded = AssertUnwindSafe(responded).catch_unwind().await;
        let mut response = responded.unwrap_or_else(|_| {
            Problem::internal_error(&"a handler panicked").into_response(&self.app.base_url, &id)
        });
        if let Some(cause) = LogCause::take_from(&mut response) {
            self.app.request_log.log_failure(&cause, id);
        }
        response.headers_mut().insert(X_REQUEST_ID, id.header());
        // A redirect has no body whose type a browser could guess.
        if response.status() != StatusCode::FOUND {
            response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        }
        if let Some(body) = body
            && body.discard().await
        {
            response.headers_mut().insert(header::CONNECTION, CLOSE);
        }
        self.record(
            &route,
            method.as_str(),
            &response,
            trace_id.as_deref(),
            &id,
            started.elapsed(),
        );
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            // Boxed, so that the future of a redirect stays small.
            Box::pin(tokio::time::sleep(PAUSE_BEFORE_429)).await;
        }
        response
    }

    /// Returns what a request may reach, or the reason for which its host is invalid.
    fn access(&self, routes: ServedRoutes, request: &Request) -> Result<HostAccess, &'static str> {
        let host = requested_host(request)?;
        Ok(match routes {
            ServedRoutes::Operator => HostAccess::All,
            ServedRoutes::All | ServedRoutes::Public => {
                HostAccess::of_host(host, &self.app.addresses, self.app.unknown_hosts)
            }
        })
    }

    async fn respond(
        &self,
        routes: ServedRoutes,
        route: &Route<'_>,
        access: Result<HostAccess, &'static str>,
        request: Request,
        id: &RequestId,
    ) -> Response {
        let app = &self.app;
        let access = access.and_then(|access| check_framing(&request).map(|()| access));
        let access = match access {
            Ok(access) => access,
            Err(reason) => return self.malformed(route, reason, &request, id),
        };
        let domain = access.domain();
        let pages = self.pages.on(match domain {
            _ if routes.is_for_operator() => PageSet::Operator,
            Some(_) => PageSet::Domain,
            None => PageSet::Service,
        });
        if !matches!(route, Route::Api | Route::Unknown)
            // On a domain, a path that does not exist is 404 in any method.
            && (domain.is_none() || matches!(route, Route::Page(_)))
            && let Some(response) = pages.check_method(&request)
        {
            return response;
        }
        match route {
            // Boxed, so that the future of a redirect stays small.
            Route::Api => Box::pin(self.operations.respond(app, routes, request, *id)).await,
            Route::Redirect(code) => {
                public::redirect::respond(app, pages, code, domain, &request).await
            }
            Route::QrImage(code, format) => {
                let renderer = &self.qr_renderer;
                // Boxed, so that the future of a redirect stays small.
                let link = (code.as_ref(), domain);
                Box::pin(public::qr_image::respond(app, pages, renderer, link, *format, &request))
                    .await
            }
            Route::Page(page) => {
                public::respond(app, pages, &self.files, *page, domain, &request).await
            }
            Route::Console(path) => self.files.console(routes).respond(path, pages, &request),
            Route::Problem(slug) => pages.problem(slug),
            Route::Unknown => {
                let throttled = public::redirect::unknown(app, pages, &request);
                throttled.unwrap_or_else(|| pages.no_link())
            }
        }
    }

    /// Returns the response to a request whose head is malformed.
    fn malformed(
        &self,
        route: &Route<'_>,
        reason: &'static str,
        request: &Request,
        id: &RequestId,
    ) -> Response {
        let mut response = if *route == Route::Api {
            Problem::new(ProblemType::MALFORMED_REQUEST, reason)
                .into_response(&self.app.base_url, id)
        } else {
            // Its host may be that of a domain.
            self.pages.on(PageSet::Domain).bad_request(reason)
        };
        if request.version() <= Version::HTTP_11 {
            // The server does not know where the body of this request ends, so it cannot find the
            // next request.
            response.headers_mut().insert(header::CONNECTION, CLOSE);
        }
        response
    }

    /// Counts, measures and logs a response.
    fn record(
        &self,
        route: &Route<'_>,
        method: &str,
        response: &Response,
        trace_id: Option<&str>,
        id: &RequestId,
        took: Duration,
    ) {
        let (metrics, status) = (&self.app.metrics, response.status());
        let is_redirect = matches!(route, Route::Redirect(_));
        let name = response.data::<OperationId>().map_or(route.name(), |operation| operation.0);
        // A client can invent methods, and each method would create a new time series.
        let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
        let method = known.into_iter().find(|known| *known == method).unwrap_or("OTHER");
        if is_redirect && method == "GET" && status == StatusCode::FOUND {
            metrics.redirects.inc();
            metrics.redirect_seconds.observe(took.as_secs_f64());
        } else {
            metrics.requests.with_label_values(&[name, method, status.as_str()]).inc();
            metrics.request_seconds.with_label_values(&[name]).observe(took.as_secs_f64());
        }
        let caller = response.data::<LoggedCaller>();
        if let Some(owner_id) = caller.and_then(|caller| caller.owner_id)
            && !UNCOUNTED.contains(&status)
        {
            self.app.request_counts.count(owner_id);
        }
        let is_routine = (is_redirect && status == StatusCode::FOUND)
            || (route.is_probe() && status.is_success());
        self.app.request_log.completed(&CompletedRequest {
            id: *id,
            route: name,
            method,
            status,
            took,
            caller,
            code: response.data::<&ProblemType>().map(|problem| problem.slug),
            trace_id,
            is_client_disconnected: connections::is_client_disconnected(),
            is_routine,
        });
    }
}

/// Returns whether the headers announce a body.
fn has_body(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0")
        || headers.contains_key(header::TRANSFER_ENCODING)
}
