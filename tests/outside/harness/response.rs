//! Responses, and the checks that apply to all of them.

use std::collections::BTreeSet;
use std::fmt;

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::contract::Given;

/// The request to which a response belongs.
#[derive(Clone, Debug)]
pub(crate) struct SentRequest {
    /// The method.
    pub(crate) method: String,
    /// The target: path and query.
    pub(crate) target: String,
    /// The base URL of the server.
    pub(crate) base_url: String,
}

impl SentRequest {
    fn path(&self) -> &str {
        self.target.split(['?', '#']).next().unwrap_or_default()
    }

    fn is_api(&self) -> bool {
        let is_below = self.path() == "/api" || self.path().starts_with("/api/");
        // A document is a file.
        is_below && !self.path().ends_with("/openapi.json")
    }
}

/// A response that has passed the checks for all responses.
#[derive(Clone)]
pub(crate) struct Response {
    /// The status code.
    pub(crate) status: u16,
    /// All header fields.
    pub(crate) headers: HeaderMap,
    /// The whole body.
    pub(crate) body: Vec<u8>,
    sent: SentRequest,
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, headers, body, sent } = self;
        writeln!(f, "{sent:?} returned {status} {headers:#?}")?;
        f.write_str(&String::from_utf8_lossy(body))
    }
}

impl Response {
    /// Checks a response; panics if it violates a rule for all responses.
    #[track_caller]
    pub(crate) fn checked(
        sent: SentRequest,
        status: u16,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Self {
        let response = Self { status, headers, body, sent };
        let mut faults = response.general_violations();
        if response.sent.is_api() {
            faults.extend(response.document_violations());
            if status >= 400 && response.sent.method != "HEAD" {
                faults.extend(response.problem_violations());
            }
        }
        assert!(faults.is_empty(), "{faults:#?} in {response:#?}");
        response
    }

    fn general_violations(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.status >= 500 && self.status != 503 {
            faults.push(format!("the status is {}", self.status));
        }
        let by_status = match self.status {
            401 => Some("www-authenticate"),
            429 => Some("retry-after"),
            405 => Some("allow"),
            503 => Some("retry-after"),
            _ => None,
        };
        for name in by_status.into_iter().chain(["x-request-id"]) {
            if self.header(name).unwrap_or_default().is_empty() {
                faults.push(format!("the header {name} is missing"));
            }
        }
        // A redirect has no body whose type a browser could guess.
        if self.status != 302 && self.header("x-content-type-options") != Some("nosniff") {
            faults.push("the header x-content-type-options is not nosniff".to_owned());
        }
        faults
    }

    fn document_violations(&self) -> Vec<String> {
        let Self { status, headers, body, sent } = self;
        let given =
            Given { method: &sent.method, path: sent.path(), status: *status, headers, body };
        given.faults()
    }

    /// Returns the violations of rules between the members of a problem, which a schema cannot
    /// express.
    fn problem_violations(&self) -> Vec<String> {
        let problem: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let code = problem["code"].as_str().unwrap_or_default();
        let page = format!("{}/problems/{code}", self.sent.base_url);
        let id = self.header("x-request-id").unwrap_or_default();
        let detail = problem["detail"].as_str().unwrap_or_default();
        let is_of_parameter =
            ["The parameter ", "The header "].iter().any(|of| detail.starts_with(of));
        let place = match code {
            "invalid-input" | "destination-blocked" => Some("pointer"),
            "malformed-request" if is_of_parameter => Some("parameter"),
            _ => None,
        };
        let mut errors = problem["errors"].as_array().into_iter().flatten();
        let places = ["pointer", "parameter"];
        let has_place = |error: &Value| {
            places.into_iter().all(|one| error[one].is_string() == (Some(one) == place))
        };
        let rules = [
            (problem["status"] == self.status, "the problem has another status"),
            (problem["type"] == page, "the problem has another type"),
            (problem["request_id"] == id, "the problem has another request_id"),
            (
                problem["errors"].is_array() == place.is_some(),
                "invalid input, and only that, has errors",
            ),
            (errors.all(has_place), "an error has a pointer or a parameter"),
        ];
        let broken = rules.into_iter().filter(|(holds, _)| !holds);
        broken.map(|(_, fault)| fault.to_owned()).collect()
    }

    /// Returns a header field, if it is present and readable.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the content type without its parameters.
    pub(crate) fn media_type(&self) -> &str {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim()
    }

    /// Returns the body as text.
    #[track_caller]
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("the response is UTF-8")
    }

    /// Returns the body as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("the response is not JSON ({error}): {self:#?}"),
        }
    }

    /// Returns the member `data` of the body.
    #[track_caller]
    pub(crate) fn data(&self) -> Value {
        self.json()["data"].clone()
    }

    /// Returns the short code of the link in the body.
    #[track_caller]
    pub(crate) fn code(&self) -> String {
        short_code(&self.json())
    }

    /// Returns the short codes of the list in the body, in order.
    #[track_caller]
    pub(crate) fn codes(&self) -> Vec<String> {
        short_codes(self.data().as_array().expect("a list"))
    }

    /// Returns the target of the next page of a list, if there is one.
    #[track_caller]
    pub(crate) fn next_page(&self) -> Option<String> {
        let link = self.header("link")?;
        let url = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
        let target = url.and_then(|url| url.strip_prefix(&self.sent.base_url));
        Some(target.unwrap_or_else(|| panic!("no link to more: {self:#?}")).to_owned())
    }

    /// Panics unless the status is this one.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }

    /// Panics unless this is the problem with that status and code.
    #[track_caller]
    pub(crate) fn problem(self, status: u16, code: &str) -> Self {
        let response = self.expect(status);
        assert_eq!(response.json()["code"], code, "{response:#?}");
        response
    }

    /// Returns the JSON pointers of a problem's `errors`, and checks their details.
    #[track_caller]
    pub(crate) fn pointers(&self) -> BTreeSet<String> {
        let problem = self.json();
        let errors = problem["errors"].as_array().expect("errors is an array");
        let pointer = |error: &Value| {
            let detail = error["detail"].as_str().expect("an error has its detail");
            assert!(!detail.is_empty(), "{self:#?}");
            let pointer = error["pointer"].as_str().expect("an error has its pointer");
            assert!(pointer.is_empty() || pointer.starts_with('/'), "{self:#?}");
            pointer.to_owned()
        };
        errors.iter().map(pointer).collect()
    }

    /// Panics unless this is a 422 whose errors have exactly these JSON pointers.
    #[track_caller]
    pub(crate) fn invalid(self, pointers: &[&str]) -> Self {
        let response = self.problem(422, "invalid-input");
        let expected: BTreeSet<String> = pointers.iter().map(|&text| text.to_owned()).collect();
        assert_eq!(response.pointers(), expected, "{response:#?}");
        response
    }
}

/// Returns the short code of a link.
#[track_caller]
fn short_code(link: &Value) -> String {
    link["short_code"].as_str().expect("a link has its short code").to_owned()
}

/// Returns the short codes of links, in order.
#[track_caller]
pub(crate) fn short_codes(links: &[Value]) -> Vec<String> {
    links.iter().map(short_code).collect()
}
