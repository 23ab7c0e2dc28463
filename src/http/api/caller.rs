//! Authentication of callers by API key.

use std::sync::Arc;

use poem::http::HeaderMap;
use poem::http::header::AUTHORIZATION;
use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaSecurityScheme, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use super::problem_examples::ProblemExample;
use crate::domain::keys::{self, Credentials};
use crate::domain::rate_limits::{ClientLimit, RateDecision};
use crate::http::problem::Problem;
use crate::http::problem_type::ProblemType;
use crate::http::rate_limit::{DecisionSlot, REQUESTS};
use crate::http::request_id::RequestId;
use crate::http::request_log::{CallerCell, LoggedCaller};
use crate::http::state::AppState;
use crate::values::{ApiKey, KeyHash};

const API_KEY_SCHEME: &str = "ApiKeyAuth";
const BEARER_SCHEME: &str = "BearerAuth";
const X_API_KEY: &str = "X-API-Key";

/// A security scheme without properties. The schemes for the two headers extend it.
const SCHEME: MetaSecurityScheme = MetaSecurityScheme {
    ty: "",
    description: None,
    name: None,
    key_in: None,
    scheme: None,
    bearer_format: None,
    flows: None,
    openid_connect_url: None,
};

/// The authenticated caller of an operation, extracted from its request.
///
/// A client may use either security scheme. The extractor that poem-openapi derives would try one
/// scheme after the other. This extractor reads both headers, so that it can reject two different
/// keys. It returns 503 if the database fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// Identifier of the owner of the API key. The owner is not suspended.
    pub owner_id: i64,
    /// Hash of the API key.
    pub key: KeyHash,
    /// Identifier of the request.
    pub request_id: RequestId,
}

impl<'a> ApiExtractor<'a> for Caller {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        registry.create_security_scheme(
            API_KEY_SCHEME,
            MetaSecurityScheme {
                ty: "apiKey",
                description: Some(
                    "The API key, as it was shown when it was created: `X-API-Key: terse_…`. The \
                     operator may limit it to the three `GET` operations (scope `read`) or to the two \
                     `POST` operations (scope `create`); the others then return 403 `key-scope`.",
                ),
                name: Some(X_API_KEY),
                key_in: Some("header"),
                ..SCHEME
            },
        );
        registry.create_security_scheme(
            BEARER_SCHEME,
            MetaSecurityScheme {
                ty: "http",
                description: Some(
                    "The same API key as a bearer token (RFC 6750): `Authorization: Bearer terse_…`.",
                ),
                scheme: Some("bearer"),
                ..SCHEME
            },
        );
    }

    fn security_schemes() -> Vec<&'static str> {
        vec![API_KEY_SCHEME, BEARER_SCHEME]
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> Result<Self> {
        let (Some(app), Some(request_id)) = (request.data::<Arc<AppState>>(), request.data())
        else {
            return Err(Problem::internal_error(
                &"the request was routed without the application state",
            )
            .into());
        };
        let key = key(request.headers()).map_err(|problem| reject_key(app, request, problem))?;
        let credentials = keys::authenticate(&app.store, &app.caches.keys, &key, app.store.now())
            .await
            .map_err(Problem::from)?
            .ok_or_else(|| reject_key(app, request, unknown_key()))?;
        if let Some(cell) = request.data::<CallerCell>() {
            let (owner, key_id) = (credentials.owner, credentials.key_id);
            // Only one extractor runs per request.
            let _ = cell.set(LoggedCaller { owner, key_id });
        }
        if credentials.is_owner_suspended {
            return Err(ProblemExample::OWNER_SUSPENDED.problem().into());
        }
        if !credentials.scope.allows(request.method().is_safe()) {
            return Err(ProblemExample::KEY_SCOPE.problem().into());
        }
        if let Some(limit) = credentials.request_limit {
            let decision = app.owner_limits.check(credentials.owner_id, limit);
            report(request, REQUESTS, decision);
            if !decision.is_allowed {
                app.metrics.throttled.with_label_values(&[REQUESTS]).inc();
                return Err(ProblemExample::RATE_LIMITED.problem().into());
            }
        }
        let Credentials { owner_id, hash: key, .. } = credentials;
        Ok(Self { owner_id, key, request_id: *request_id })
    }
}

/// Returns the problem of a request without a valid key: `problem`, or the problem `rate-limited`
/// if the client has sent too many such requests.
fn reject_key(app: &AppState, request: &Request, problem: Problem) -> Problem {
    let Some(decision) = app.check_client_limit(ClientLimit::FailedKeys, request) else {
        return problem;
    };
    report(request, ClientLimit::FailedKeys.name(), decision);
    ProblemExample::KEY_FAILURES_LIMITED.problem()
}

/// Stores the decision of a limit for the headers of the response.
fn report(request: &Request, name: &'static str, decision: RateDecision) {
    if let Some(slot) = request.data::<DecisionSlot>() {
        slot.set(name, decision);
    }
}

fn unauthorized(detail: &str) -> Problem {
    Problem::new(ProblemType::UNAUTHORIZED, detail)
}

pub(super) fn unknown_key() -> Problem {
    unauthorized("The API key is unknown, expired or revoked.")
}

/// Returns the API key of a request. If several headers contain a key, it must be the same in all.
/// An empty header counts as absent, because some generated clients always send both headers.
fn key(headers: &HeaderMap) -> Result<ApiKey, Problem> {
    let plain = headers.get_all(X_API_KEY).iter().map(|value| value.as_bytes().trim_ascii());
    let bearer =
        headers.get_all(AUTHORIZATION).iter().filter_map(|value| bearer_token(value.as_bytes()));
    let mut keys = plain.chain(bearer).filter(|key| !key.is_empty());
    let first = keys.next().ok_or_else(|| ProblemExample::UNAUTHORIZED.problem())?;
    if keys.any(|other| other != first) {
        return Err(unauthorized("The headers carry different API keys."));
    }
    std::str::from_utf8(first)
        .ok()
        .and_then(|text| ApiKey::parse(text).ok())
        .ok_or_else(unknown_key)
}

/// Returns the token of `Authorization: Bearer TOKEN`, or `None` for another scheme. The name of a
/// scheme is case-insensitive (RFC 9110, section 11.1).
fn bearer_token(credentials: &[u8]) -> Option<&[u8]> {
    let credentials = credentials.trim_ascii();
    let (scheme, token) = match credentials.iter().position(|byte| *byte == b' ') {
        Some(blank) => credentials.split_at(blank),
        None => (credentials, &[][..]),
    };
    scheme.eq_ignore_ascii_case(b"Bearer").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use poem::http::{HeaderName, HeaderValue};

    use super::*;

    const KEY: &str = "terse_0123456789abcdefghijABCDEFGHIJ01";
    const OTHER: &str = "terse_0123456789abcdefghijABCDEFGHIJ02";

    fn key_of(headers: &[(&str, &str)]) -> Option<String> {
        let headers = headers
            .iter()
            .map(|(name, value)| {
                (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
            })
            .collect();
        key(&headers).ok().map(|key| key.reveal().to_owned())
    }

    #[test]
    fn either_header_is_accepted() {
        let bearer = format!("bEARER  {KEY}");
        for headers in [
            &[("x-api-key", KEY)][..],
            &[("authorization", &bearer)],
            &[("x-api-key", KEY), ("authorization", &bearer)],
            &[("x-api-key", ""), ("authorization", &bearer)],
            &[("x-api-key", KEY), ("authorization", "Bearer")],
            &[("x-api-key", KEY), ("authorization", "Basic eA==")],
        ] {
            assert_eq!(key_of(headers).as_deref(), Some(KEY), "{headers:?}");
        }
    }

    #[test]
    fn different_or_malformed_keys_are_rejected() {
        let bearer = format!("Bearer {OTHER}");
        assert_eq!(key_of(&[("x-api-key", KEY), ("authorization", &bearer)]), None);
        assert_eq!(key_of(&[("x-api-key", KEY), ("x-api-key", OTHER)]), None);
        assert_eq!(key_of(&[("authorization", KEY)]), None);
        assert_eq!(key_of(&[("x-api-key", "terse_short")]), None);
        assert_eq!(key_of(&[]), None);
    }
}
