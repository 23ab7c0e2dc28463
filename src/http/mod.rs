//! The server's face: every route on one page, and what all answers have in common.

pub mod api;
mod app;
mod cause;
pub mod connections;
mod framing;
pub mod problem;
pub mod public;
mod query;
mod request_id;
mod route;
mod upload;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use poem::endpoint::{BoxEndpoint, DynEndpoint};
use poem::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use poem::{Endpoint, IntoEndpoint, Request, Response};
use poem_openapi::{OpenApiService, OperationId};

use self::api::Api;
use self::api::document::Paths;
pub use self::app::{App, Pages};
use self::cause::Cause;
use self::problem::{Kind, Problem};
use self::request_id::{RequestId, RequestIds};
use self::route::Route;
use self::upload::Upload;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Everything that the server answers.
pub struct Front {
    app: Arc<App>,
    api: BoxEndpoint<'static, Response>,
    paths: Paths,
    request_ids: RequestIds,
}

impl Front {
    /// The face of `app`.
    #[must_use]
    pub fn new(app: Arc<App>) -> Self {
        Self {
            api: OpenApiService::new(Api, "", "").into_endpoint(),
            paths: Paths::of_api(),
            request_ids: RequestIds::new(&mut app.randomness()),
            app,
        }
    }

    async fn answer(&self, route: &Route<'_>, request: Request, id: &RequestId) -> Response {
        if let Some(fault) = framing::fault(&request) {
            let mut response = if *route == Route::Api {
                let problem = Problem::new(Kind::MalformedRequest, fault);
                problem.into_response(&self.app.base_url, id)
            } else {
                public::pages::bad_request(fault)
            };
            // Where its body ends nobody knows for sure.
            response.headers_mut().insert(header::CONNECTION, CLOSE);
            return response;
        }
        match route {
            Route::Api => self.answer_operation(request, id).await,
            Route::Redirect(code) => public::redirect::answer(&self.app, code, &request).await,
            Route::QrImage(code, format) => {
                // Apart, so that no redirect allocates what only this needs.
                Box::pin(public::qr_image::answer(&self.app, code, *format, &request)).await
            }
            Route::Page(page) => public::answer(&self.app, *page, &request).await,
            Route::Problem(slug) => public::pages::problem(slug, &request),
            Route::Unknown => public::pages::not_found(),
        }
    }

    /// Runs an operation, which reads the request's body where it wants it. The request is passed on
    /// at once, so that no further future has room for it.
    fn answer_operation<'a>(
        &'a self,
        mut request: Request,
        id: &'a RequestId,
    ) -> impl Future<Output = Response> + Send + 'a {
        let upload = Upload::of(&mut request);
        request.set_data(upload.clone());
        request.set_data(Arc::clone(&self.app));
        request.set_data(*id);
        let uri = request.uri().clone();
        let answer = DynEndpoint::call(&*self.api, request);
        async move {
            let mut response = self.finish(answer.await, uri.path(), id);
            if upload.leave().await {
                response.headers_mut().insert(header::CONNECTION, CLOSE);
            }
            response
        }
    }

    /// Makes a problem of whatever error an operation ended with, the framework's included, and lets
    /// nobody keep the other answers.
    fn finish(&self, answer: poem::Result<Response>, path: &str, id: &RequestId) -> Response {
        let mut response = answer.unwrap_or_else(poem::Error::into_response);
        if !response.status().is_client_error() && !response.status().is_server_error() {
            let headers = response.headers_mut();
            // An owner's links are nobody else's, and change with every click.
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
            return response;
        }
        let operation = response.data::<OperationId>().copied();
        let problem = match response.extensions_mut().remove::<Problem>() {
            Some(problem) => problem,
            None => router_problem(response.status()),
        };
        let is_method = problem.kind == Kind::MethodNotAllowed;
        let mut response = problem.into_response(&self.app.base_url, id);
        if let Some(operation) = operation {
            response.set_data(operation);
        }
        if is_method
            && let Some(allowed) = self.paths.allowed(path)
            && let Ok(allowed) = HeaderValue::from_str(allowed)
        {
            response.headers_mut().insert(header::ALLOW, allowed);
        }
        response
    }
}

/// What the router's errors mean here: it is asked before any operation.
fn router_problem(status: StatusCode) -> Problem {
    let (kind, detail) = match status {
        StatusCode::METHOD_NOT_ALLOWED => (Kind::MethodNotAllowed, problem::NO_SUCH_METHOD),
        StatusCode::NOT_FOUND => {
            (Kind::NotFound, "No operation has this path; /openapi.json lists them all.")
        }
        _ => return Problem::defect(&format!("the router answers {status}")),
    };
    Problem::new(kind, detail)
}

/// Whether the headers announce a body.
fn has_body(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0")
        || headers.contains_key(header::TRANSFER_ENCODING)
}

impl Endpoint for Front {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let started = Instant::now();
        let id = self.request_ids.next();
        let uri = request.uri().clone();
        let route = Route::of(uri.path());
        let method = request.method().clone();
        // Operations read theirs.
        let unwanted =
            (route != Route::Api && has_body(request.headers())).then(|| Upload::of(&mut request));
        // A defect in one answer must not take the connection with it.
        let answered = AssertUnwindSafe(self.answer(&route, request, &id)).catch_unwind().await;
        let mut response = answered.unwrap_or_else(|_| {
            Problem::defect(&"an answer panicked").into_response(&self.app.base_url, &id)
        });
        if let Some(cause) = Cause::out_of(&mut response) {
            cause.log(id);
        }
        response.headers_mut().insert(X_REQUEST_ID, id.header());
        if let Some(unwanted) = unwanted
            && unwanted.leave().await
        {
            response.headers_mut().insert(header::CONNECTION, CLOSE);
        }
        self.note(&route, method.as_str(), &response, &id, started.elapsed());
        Ok(response)
    }
}

impl Front {
    /// Counts, measures and logs an answer. Neither paths nor headers are logged: they may hold what
    /// is nobody's business.
    fn note(
        &self,
        route: &Route<'_>,
        method: &str,
        response: &Response,
        id: &RequestId,
        took: Duration,
    ) {
        let (metrics, status) = (&self.app.metrics, response.status());
        let is_redirect = matches!(route, Route::Redirect(_));
        let name = response.data::<OperationId>().map_or(route.name(), |operation| operation.0);
        // Methods of a client's invention must not become so many series.
        let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
        let method = known.into_iter().find(|known| *known == method).unwrap_or("OTHER");
        if is_redirect && method == "GET" && status == StatusCode::FOUND {
            metrics.redirects.inc();
            metrics.redirect_seconds.observe(took.as_secs_f64());
        } else {
            metrics.requests.with_label_values(&[name, method, status.as_str()]).inc();
            metrics.request_seconds.with_label_values(&[name]).observe(took.as_secs_f64());
        }
        // Lines that would bury all others.
        let is_routine = is_redirect || (route.is_probe() && status.is_success());
        let (status, micros) =
            (status.as_u16(), u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        if is_routine {
            tracing::debug!(request_id = %id, route = name, method, status, micros, "answered");
        } else {
            tracing::info!(request_id = %id, route = name, method, status, micros, "answered");
        }
    }
}
