//! Small HTML pages, without scripts or external resources.
//!
//! The server renders all pages when it starts, except the page for a malformed request. Thus an
//! operator's template can fail only at the start, and a flood of requests for unknown codes costs
//! no rendering.

mod templates;
mod text;

use std::path::Path;

use bytes::Bytes;
use minijinja::{Value, context};
use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Request, Response};
use strum::VariantArray as _;

pub use self::templates::PagesError;
use self::templates::{Templates, policy};
use self::text::Text;
use crate::domain::links::LinkState;
use crate::domain::rate_limits::RateDecision;
use crate::http::problem_type::ProblemType;
use crate::http::rate_limit;
use crate::http::request_log::LogCause;
use crate::values::{BaseUrl, Contact, Reason};

const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\">\
<rect width=\"32\" height=\"32\" rx=\"7\" fill=\"#1f2937\"/>\
<path d=\"M8 10h16M16 10v13\" stroke=\"#fbbf24\" stroke-width=\"4\" stroke-linecap=\"round\"/></svg>\n";

/// The pages of all sites.
pub struct SitePages {
    service: Pages,
    domain: Pages,
    operator: Pages,
}

/// What an address serves, which decides what its pages say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum PageSet {
    /// The service.
    Service,
    /// An owner's domain. Its pages do not name the service behind it.
    Domain,
    /// The operator's listener.
    Operator,
}

impl SitePages {
    /// Renders all pages. Templates in `directory`, if it is set, replace the built-in ones. The start
    /// page links to the console if there is one.
    ///
    /// # Errors
    /// If the directory cannot be read, or one of its templates is invalid.
    pub fn new(
        directory: Option<&Path>,
        base_url: &BaseUrl,
        contact: Option<&Contact>,
        has_console: bool,
    ) -> Result<Self, PagesError> {
        let pages = |site| {
            let is_linked = has_console && site == PageSet::Service;
            Pages::new(directory, base_url, contact, site, is_linked)
        };
        Ok(Self {
            service: pages(PageSet::Service)?,
            domain: pages(PageSet::Domain)?,
            operator: pages(PageSet::Operator)?,
        })
    }

    /// Logs the names of the operator's templates.
    pub fn log(&self) {
        self.service.renderer.templates.log();
    }

    /// Returns the pages of a site.
    pub(in crate::http) const fn on(&self, site: PageSet) -> &Pages {
        match site {
            PageSet::Service => &self.service,
            PageSet::Domain => &self.domain,
            PageSet::Operator => &self.operator,
        }
    }
}

/// The pages of a site, rendered and ready to be sent.
pub(in crate::http) struct Pages {
    renderer: Renderer,
    home: PageBody,
    no_link: PageBody,
    no_qr_code: PageBody,
    bad_method: PageBody,
    unavailable: PageBody,
    throttled: PageBody,
    gone: Vec<(LinkState, PageBody)>,
    problems: Vec<(&'static str, PageBody)>,
}

/// A rendered page.
struct PageBody {
    status: StatusCode,
    policy: HeaderValue,
    /// Value of the `Link` header that a 451 page must have (RFC 7725, section 4). `None` on other
    /// pages.
    blocked_by: Option<HeaderValue>,
    html: Bytes,
}

/// Renders pages.
struct Renderer {
    templates: Templates,
    site: PageSet,
    base_url: BaseUrl,
    contact: Option<Contact>,
    has_console: bool,
}

impl Pages {
    fn new(
        directory: Option<&Path>,
        base_url: &BaseUrl,
        contact: Option<&Contact>,
        site: PageSet,
        has_console: bool,
    ) -> Result<Self, PagesError> {
        let templates = Templates::load(directory)?;
        let base_url = base_url.clone();
        let mut renderer = Renderer { templates, site, base_url, contact: None, has_console };
        if renderer.templates.has_own() {
            // The validity of a template must not depend on whether a contact is set.
            let example = "abuse@example.org".parse().ok();
            renderer.contact = if contact.is_some() { None } else { example };
            renderer = Self::render(renderer)?.renderer;
        }
        renderer.contact = contact.cloned();
        Self::render(renderer)
    }

    fn render(renderer: Renderer) -> Result<Self, PagesError> {
        let message = |status, text| renderer.page(status, "message.html", text, Value::UNDEFINED);
        let not_found = |text, is_qr_code: bool| {
            renderer.page(StatusCode::NOT_FOUND, "404.html", text, context! { is_qr_code })
        };
        let home = match renderer.site {
            PageSet::Domain => &text::DOMAIN_HOME,
            PageSet::Service | PageSet::Operator => &text::HOME,
        };
        let with_reason = Reason::VARIANTS.iter().flat_map(|&reason| {
            [
                LinkState::OwnerSuspended(reason),
                LinkState::Blocked(reason),
                LinkState::Disabled(reason),
            ]
        });
        let states = [LinkState::Deleted, LinkState::Paused, LinkState::Expired]
            .into_iter()
            .chain(with_reason);
        let gone = states.map(|state| Ok((state, renderer.gone(state)?)));
        let problems = ProblemType::ALL
            .iter()
            .map(|problem_type| Ok((problem_type.slug, renderer.problem(problem_type)?)));
        Ok(Self {
            home: renderer.page(StatusCode::OK, "home.html", home, Value::UNDEFINED)?,
            no_link: match renderer.site {
                PageSet::Service | PageSet::Domain => not_found(&text::NO_LINK, false)?,
                PageSet::Operator => message(StatusCode::NOT_FOUND, &text::NO_OPERATOR_PAGE)?,
            },
            no_qr_code: not_found(&text::NO_QR_CODE, true)?,
            gone: gone.collect::<Result<_, _>>()?,
            bad_method: message(StatusCode::METHOD_NOT_ALLOWED, &text::BAD_METHOD)?,
            unavailable: message(StatusCode::SERVICE_UNAVAILABLE, &text::UNAVAILABLE)?,
            throttled: message(StatusCode::TOO_MANY_REQUESTS, &text::THROTTLED)?,
            problems: problems.collect::<Result<_, _>>()?,
            renderer,
        })
    }

    /// Returns the operator's contact, which pages show.
    pub(super) fn contact(&self) -> Option<&Contact> {
        self.renderer.contact.as_ref()
    }

    /// Returns the start page. That of a domain tells nothing about the service behind the domain.
    pub(in crate::http) fn home(&self) -> Response {
        self.home.respond()
    }

    /// Returns the 404 page for an unknown short code.
    pub(in crate::http) fn no_link(&self) -> Response {
        self.no_link.respond()
    }

    /// Returns the 404 page for a link without a QR code.
    pub(super) fn no_qr_code(&self) -> Response {
        self.no_qr_code.respond()
    }

    /// Returns the 410 page for a link that does not redirect, or the 451 page if a legal demand is
    /// the reason.
    pub(super) fn gone(&self, state: LinkState) -> Response {
        let page = self.gone.iter().find(|(one, _)| *one == state);
        page.map_or(&self.no_link, |(_, page)| page).respond()
    }

    /// Returns a 400 page that shows the reason.
    pub(in crate::http) fn bad_request(&self, reason: &str) -> Response {
        let (status, text) = (StatusCode::BAD_REQUEST, &text::BAD_REQUEST);
        match self.renderer.page(status, "message.html", text, context! { message => reason }) {
            Ok(page) => page.respond(),
            Err(error) => LogCause::internal_error(&error).attach_to(self.unavailable()),
        }
    }

    /// Returns a 405 page, or `None` if the method is GET or HEAD.
    pub(in crate::http) fn check_method(&self, request: &Request) -> Option<Response> {
        if matches!(*request.method(), Method::GET | Method::HEAD) {
            return None;
        }
        let mut response = self.bad_method.respond();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        Some(response)
    }

    /// Returns the 503 page.
    pub(super) fn unavailable(&self) -> Response {
        let mut response = self.unavailable.respond();
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        response
    }

    /// Returns the 429 page for a client whose limit does not allow the request.
    pub(super) fn throttled(&self, decision: &RateDecision) -> Response {
        let mut response = self.throttled.respond();
        rate_limit::write_retry_after(decision, response.headers_mut());
        response
    }

    /// Returns the page that explains the problem type `slug`, or a 404 page if there is no such
    /// type.
    pub(in crate::http) fn problem(&self, slug: &str) -> Response {
        let page = self.problems.iter().find(|(one, _)| *one == slug);
        page.map_or(&self.no_link, |(_, page)| page).respond()
    }
}

impl Renderer {
    fn gone(&self, state: LinkState) -> Result<PageBody, PagesError> {
        let text = Text::from_state(state);
        let (name, reason) = (state.into_str(), state.reason().map(<&str>::from));
        let common = context! { state => name, reason };
        if state.reason() == Some(Reason::Legal) {
            let status = StatusCode::UNAVAILABLE_FOR_LEGAL_REASONS;
            let page = self.page(status, "451.html", &text, common)?;
            let link = format!("<{}>; rel=\"blocked-by\"", self.base_url);
            return Ok(PageBody { blocked_by: HeaderValue::from_str(&link).ok(), ..page });
        }
        let advice = text.advice.map_or_else(Vec::new, |advice| advice.steps.to_vec());
        let advice_title = text.advice.map(|advice| advice.title);
        let variables = context! { advice, advice_title, ..common };
        self.page(StatusCode::GONE, "410.html", &text, variables)
    }

    fn problem(&self, problem_type: &ProblemType) -> Result<PageBody, PagesError> {
        let ProblemType { slug, status, title, explanation, header: _ } = *problem_type;
        // Every second part is code, because backticks enclose it.
        let explanation: Vec<&str> = explanation.split('`').collect();
        let variables = context! { explanation, code => slug, title, status => status.as_u16() };
        self.page(StatusCode::OK, "problem.html", &text::PROBLEM, variables)
    }

    /// Renders a page. `variables` take precedence over the variables that every page has.
    fn page(
        &self,
        status: StatusCode,
        name: &str,
        text: &Text,
        variables: Value,
    ) -> Result<PageBody, PagesError> {
        let common = context! {
            status => status.as_u16(),
            status_text => status.canonical_reason().unwrap_or_default(),
            title => text.title,
            message => text.message(),
            base_url => self.base_url.as_str(),
            has_console => self.has_console,
            is_domain => self.site == PageSet::Domain,
            contact => self.contact.as_ref().map(Contact::as_str),
            contact_url => self.contact.as_ref().map(Contact::url),
        };
        let (html, author) = self.templates.render(name, context! { ..variables, ..common })?;
        let policy = policy(&html, author).map_err(|error| PagesError::built_in(name, error))?;
        Ok(PageBody { status, policy, blocked_by: None, html: html.into() })
    }
}

impl PageBody {
    fn respond(&self) -> Response {
        let Self { status, policy, blocked_by, html } = self;
        let mut response = Response::builder()
            .status(*status)
            .content_type("text/html; charset=utf-8")
            .header(header::CACHE_CONTROL, "no-store")
            .header(header::CONTENT_SECURITY_POLICY, policy)
            .header("x-robots-tag", "noindex")
            .body(html.clone());
        if let Some(link) = blocked_by {
            response.headers_mut().insert(header::LINK, link.clone());
        }
        response
    }
}

/// Returns the favicon.
pub(super) fn icon() -> Response {
    Response::builder()
        .content_type("image/svg+xml")
        .header(header::CACHE_CONTROL, "public, max-age=86400")
        .body(ICON)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> Pages {
        let base_url = BaseUrl::parse("https://go.example.org").unwrap();
        Pages::new(None, &base_url, None, PageSet::Service, true).unwrap()
    }

    #[tokio::test]
    async fn every_state_has_a_text_of_its_own() {
        let pages = pages();
        let mut texts = std::collections::HashSet::new();
        for (state, _) in &pages.gone {
            let response = pages.gone(*state);
            let is_legal = state.reason() == Some(Reason::Legal);
            assert_eq!(response.status().as_u16(), if is_legal { 451 } else { 410 }, "{state:?}");
            let link = response.headers().get(header::LINK).map(|link| link.to_str().unwrap());
            let blocked_by = "<https://go.example.org>; rel=\"blocked-by\"";
            assert_eq!(link, is_legal.then_some(blocked_by), "{state:?}");
            let html = response.into_body().into_string().await.unwrap();
            let is_dangerous = matches!(state.reason(), Some(Reason::Phishing | Reason::Malware));
            assert_eq!(html.contains("<ol>"), is_dangerous, "{state:?}");
            assert!(texts.insert(html), "{state:?}");
        }
        assert_eq!(texts.len(), 3 + 3 * Reason::VARIANTS.len());
    }

    #[tokio::test]
    async fn reason_of_400_is_escaped() {
        let response = pages().bad_request("<b>&\"'");
        assert_eq!(response.status(), StatusCode::BAD_REQUEST);
        let html = response.into_body().into_string().await.unwrap();
        assert!(html.contains("<p>&lt;b&gt;&amp;&quot;&#39;</p>"), "{html}");
    }
}
