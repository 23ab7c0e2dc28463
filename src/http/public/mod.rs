//! Public routes: redirects, QR images, and the server's own pages and files.

pub mod file;
pub mod pages;
pub mod qr_image;
pub mod redirect;

use std::sync::OnceLock;
use std::time::Duration;

use poem::http::{HeaderValue, StatusCode, header};
use poem::{Request, Response};

use self::file::{Console, Docs, File};
use self::pages::Pages;
use crate::domain::domains::OwnerDomain;
use crate::domain::links::LinkState;
use crate::http::openapi::parameter;
use crate::http::request_log::LogCause;
use crate::http::route::{InterfaceName, Page, ServedRoutes};
use crate::http::state::AppState;
use crate::http::{api, manage, operator};
use crate::store::{DatabaseState, StoreError};
use crate::values::DomainHost;

/// Maximum time that a readiness check waits for the database.
const READY_TIMEOUT: Duration = Duration::from_secs(1);

/// Files whose content is the same for all clients. Each is created when a client first requests
/// it.
#[derive(Debug, Default)]
pub struct StaticFiles {
    document: OnceLock<File>,
    manage_document: OnceLock<File>,
    operator_document: OnceLock<File>,
    docs: OnceLock<Docs>,
    console: OnceLock<Console>,
    operator_console: OnceLock<Console>,
}

impl StaticFiles {
    /// Returns the files of the console that a listener serves.
    pub fn console(&self, routes: ServedRoutes) -> &Console {
        if routes.is_for_operator() {
            self.operator_console.get_or_init(Console::operator)
        } else {
            self.console.get_or_init(Console::owner)
        }
    }
}

/// Responds with one of the server's own pages or files.
pub(super) async fn respond(
    app: &AppState,
    pages: &Pages,
    files: &StaticFiles,
    page: Page,
    domain: Option<&OwnerDomain>,
    request: &Request,
) -> Response {
    match page {
        Page::Home => match domain {
            None => pages.home(),
            Some(domain) => domain_home(app, pages, domain),
        },
        Page::Docs(name) => files.docs.get_or_init(Docs::new).respond(name, pages, request),
        Page::Document(name) => {
            let (interface, file) = match name {
                InterfaceName::Api => (&api::INTERFACE, &files.document),
                InterfaceName::Manage => (&manage::INTERFACE, &files.manage_document),
                InterfaceName::Operator => (&operator::INTERFACE, &files.operator_document),
            };
            let render = || {
                let document = interface.document(&app.base_url, pages.contact());
                File::new("application/json", document)
            };
            file.get_or_init(render).respond(request)
        }
        Page::Live => health(StatusCode::OK, "ok", None),
        Page::Ready => Readiness::from_app(app).await.respond(app.metrics.clock_error.get()),
        Page::Metrics => {
            let state = Readiness::from_app(app).await.state;
            let is_standby = state == DatabaseState::CannotCommit && app.store.is_standby();
            app.metrics.set_database_state(state, is_standby);
            app.metrics.clicks_undelivered.set(app.recorder.undelivered());
            app.metrics.cached_links.set(app.caches.links.count() as u64);
            text("text/plain; version=0.0.4; charset=utf-8", app.metrics.render())
        }
        // Crawlers may follow short links, just as people do.
        Page::Robots => {
            let disallowed = if domain.is_none() { "/api/" } else { "" };
            let rules = format!("User-agent: *\nDisallow: {disallowed}");
            text("text/plain; charset=utf-8", format!("{}\n", rules.trim_end()))
        }
        Page::Favicon => pages::icon(),
        Page::DomainCheck => domain_check(app, request),
    }
}

/// Returns the start page of a domain. It leads to the domain's home URL if there is one that is not
/// blocked.
fn domain_home(app: &AppState, pages: &Pages, domain: &OwnerDomain) -> Response {
    let OwnerDomain { owner_id: _, home, suspended } = domain;
    if let Some(reason) = suspended {
        return pages.gone(LinkState::OwnerSuspended(*reason));
    }
    let Some(home) = home else { return pages.home() };
    if let Some(reason) = app.caches.blocks.snapshot().blocked(home, app.store.now()) {
        redirect::count_blocked(app, LinkState::Blocked(reason));
        return pages.gone(LinkState::Blocked(reason));
    }
    HeaderValue::from_str(home).map_or_else(|_| pages.home(), redirect::redirect_to)
}

/// Responds 200 if the service answers requests for the host in the parameter `domain`, and 404
/// otherwise, so that a proxy can ask before it requests a certificate.
fn domain_check(app: &AppState, request: &Request) -> Response {
    let asked = parameter::query_parameter(request, "domain").ok().flatten();
    let host = asked.and_then(|text| DomainHost::parse(&text).ok());
    let is_known = host.is_some_and(|host| app.addresses.knows(host.host()));
    let status = if is_known { StatusCode::OK } else { StatusCode::NOT_FOUND };
    Response::builder().status(status).header(header::CACHE_CONTROL, "no-store").finish()
}

/// Whether the server can do all its work, on a standby all that it can do there, and why not.
struct Readiness {
    is_ready: bool,
    /// What the database can do, including whether the last clicks were stored.
    state: DatabaseState,
    text: &'static str,
    cause: Option<LogCause>,
}

impl Readiness {
    async fn from_app(app: &AppState) -> Self {
        let state = app.store.state();
        let is_storing = app.recorder.is_storing();
        if state == DatabaseState::CannotCommit {
            let (is_ready, text) = match (app.store.is_standby(), is_storing) {
                (true, true) => (true, "read-only"),
                (true, false) => (false, "clicks cannot be stored"),
                (false, _) => (false, "the database cannot commit"),
            };
            return Self { is_ready, state, text, cause: None };
        }
        if !is_storing {
            let state = match state {
                DatabaseState::Up | DatabaseState::CannotCommit => DatabaseState::CannotCommit,
                DatabaseState::Down => DatabaseState::Down,
            };
            return Self { is_ready: false, state, text: "clicks cannot be stored", cause: None };
        }
        let pinged = tokio::time::timeout(READY_TIMEOUT, app.store.ping()).await;
        match pinged.unwrap_or(Err(StoreError::Busy)) {
            Ok(()) => Self { is_ready: true, state, text: "ok", cause: None },
            Err(error) => {
                let (state, cause) = (DatabaseState::Down, Some(LogCause::from(&error)));
                Self { is_ready: false, state, text: "the database does not respond", cause }
            }
        }
    }

    /// Returns the response, which also names the error of the clock in seconds unless it is 0.
    fn respond(self, clock_error: i64) -> Response {
        let status = if self.is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        let direction = if clock_error < 0 { "behind" } else { "ahead" };
        let clock = (clock_error != 0).then(|| {
            let days = clock_error.unsigned_abs() / 86_400;
            format!(
                "the clock is {days} days {direction}; correct it: no month is closed until it is \
                 right, or has run for an hour without a leap"
            )
        });
        let response = health(status, self.text, clock);
        match self.cause {
            Some(cause) => cause.attach_to(response),
            None => response,
        }
    }
}

fn health(status: StatusCode, text: &str, clock: Option<String>) -> Response {
    let mut body = serde_json::json!({ "status": text });
    if let Some(clock) = clock {
        body["clock"] = clock.into();
    }
    let mut response = Response::builder()
        .status(status)
        .content_type("application/json")
        .header(header::CACHE_CONTROL, "no-store")
        .body(body.to_string());
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

fn text(content_type: &str, body: String) -> Response {
    Response::builder()
        .content_type(content_type)
        .header(header::CACHE_CONTROL, "no-cache")
        .body(body)
}
