//! Authentication of callers: of owners by API key, and of the operator's programs by operator key.

use std::sync::{Arc, OnceLock};

use poem::http::header::AUTHORIZATION;
use poem::http::{HeaderMap, HeaderName};
use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaSecurityScheme, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use super::cursor::Cursor;
use super::objects::change::Audit;
use super::objects::fields::OwnerId;
use super::openapi::idempotency::IdempotencyKeyHeader;
use super::openapi::page::{Condition, Limit, ListPage, NO_OWNER};
use super::problem::Problem;
use super::problem_examples::ProblemExample;
use super::problem_type::ProblemType;
use super::rate_limit::REQUESTS;
use super::request_id::RequestId;
use super::request_log::LoggedCaller;
use super::state::AppState;
use crate::domain::changes::{Actor, Change};
use crate::domain::idempotency::{IdempotentRequest, Namespace};
use crate::domain::keys::{self, Credentials, RepeatableRequest};
use crate::domain::links::{LinkCreator, key_name};
use crate::domain::operators::{self, OperatorCredentials};
use crate::domain::owners;
use crate::domain::rate_limits::{ClientLimit, RateDecision};
use crate::domain::{Error, Realm};
use crate::values::{
    ApiKey, KeyHash, KeyScope, OperatorKey, OperatorPermission, OperatorRole, Permission,
};

const API_KEY_SCHEME: &str = "ApiKeyAuth";
const BEARER_SCHEME: &str = "BearerAuth";
const X_API_KEY: &str = "X-API-Key";
/// The same, parsed, since every request is asked for it.
static X_API_KEY_NAME: HeaderName = HeaderName::from_static("x-api-key");

/// Names of the security schemes, which are alternatives.
const SCHEMES: [&str; 2] = [API_KEY_SCHEME, BEARER_SCHEME];

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

/// The authenticated caller of an operation. A handler that has one is only run for a valid key
/// whose scope allows the operation.
#[derive(Clone)]
pub struct Caller {
    /// The server to which the caller has sent the request.
    pub app: Arc<AppState>,
    /// Identifier of the owner of the API key. The owner is not suspended.
    pub owner_id: i64,
    /// The API key, from which the secrets of the keys that it creates are derived.
    credential: ApiKey,
    /// Hash of the API key.
    pub key: KeyHash,
    /// Identifier of the API key.
    pub key_id: i64,
    /// Scope of the key.
    pub scope: KeyScope,
    /// Label of the key, if it has one.
    pub label: Option<Arc<str>>,
    /// Identifier of the request.
    pub request_id: RequestId,
}

/// Facts about a request that authentication finds, whether it succeeds or not.
#[derive(Debug, Default)]
pub struct AuthenticationFacts {
    /// The caller, if the key is valid.
    pub caller: Option<LoggedCaller>,
    /// Name and decision of the rate limit that applies.
    pub limit: Option<(&'static str, RateDecision)>,
}

impl Caller {
    /// Authenticates a request and checks whether its key has a permission.
    ///
    /// # Errors
    /// The problem that the client sees: 401, 403, 429 or 503, the first that applies.
    pub async fn authenticate(
        app: &Arc<AppState>,
        request: &Request,
        request_id: RequestId,
        permission: Permission,
        facts: &mut AuthenticationFacts,
    ) -> Result<Self, Problem> {
        let credential = key_text(request.headers())
            .and_then(|text| ApiKey::parse(text).map_err(|_| Problem::unknown_key()))
            .map_err(|problem| reject_key(app, request, facts, problem))?;
        let key = credential.hash();
        let credentials = keys::authenticate(&app.store, &app.caches.keys, key)
            .await?
            .ok_or_else(|| reject_key(app, request, facts, Problem::unknown_key()))?;
        let (owner, key_id) = (Arc::clone(&credentials.owner), credentials.key_id);
        facts.caller = Some(LoggedCaller::owner_key(owner, credentials.owner_id, key_id));
        if credentials.is_owner_suspended {
            return Err(ProblemExample::OWNER_SUSPENDED.problem());
        }
        if !credentials.scope.allows(permission) {
            return Err(ProblemExample::KEY_SCOPE.problem());
        }
        if let Some(limit) = credentials.request_limit {
            let decision = app.owner_limits.check(credentials.owner_id, limit);
            facts.limit = Some((REQUESTS, decision));
            if !decision.is_allowed {
                app.metrics.throttled.with_label_values(&[REQUESTS]).inc();
                return Err(ProblemExample::RATE_LIMITED.problem());
            }
        }
        let (app, Credentials { owner_id, label, scope, .. }) = (Arc::clone(app), credentials);
        Ok(Self { app, owner_id, credential, key, key_id, scope, label, request_id })
    }

    /// Checks the key in the database, because a change of the owner may not have reached the cache
    /// yet.
    ///
    /// # Errors
    /// The problem of a key that is no longer valid, or whose owner is suspended, or if the database
    /// fails.
    pub async fn check_again(&self) -> Result<(), Problem> {
        let key = keys::look_up(&self.app.store, &self.app.caches.keys, self.key).await?;
        match key {
            None => Err(Problem::unknown_key()),
            Some(key) if key.credentials.is_owner_suspended => {
                Err(ProblemExample::OWNER_SUSPENDED.problem())
            }
            Some(_) => Ok(()),
        }
    }

    /// Returns the owner and the key for which links are created.
    pub const fn creator(&self) -> LinkCreator {
        LinkCreator { owner_id: self.owner_id, key_id: self.key_id }
    }
}

/// The authenticated caller of an operation of the operator's programs. A handler that has one is
/// only run for a valid operator key whose role allows the operation.
#[derive(Clone)]
pub struct OperatorCaller {
    /// The server to which the caller has sent the request.
    pub app: Arc<AppState>,
    /// The operator key, from which the secrets of the API keys that it creates are derived.
    credential: OperatorKey,
    /// Identifier of the key.
    pub key_id: i64,
    /// Name of the key.
    pub name: Arc<str>,
    /// Role of the key.
    role: OperatorRole,
    /// Name of the owner whom the request concerns, for the log.
    owner: Arc<OnceLock<Arc<str>>>,
}

impl OperatorCaller {
    /// Authenticates a request and checks whether its key has a permission.
    ///
    /// # Errors
    /// The problem that the client sees: 401, 403, 429 or 503, the first that applies.
    pub async fn authenticate(
        app: &Arc<AppState>,
        request: &Request,
        permission: OperatorPermission,
        facts: &mut AuthenticationFacts,
    ) -> Result<Self, Problem> {
        let key = key_text(request.headers())
            .and_then(|text| OperatorKey::parse(text).map_err(|_| Problem::unknown_key()))
            .map_err(|problem| reject_key(app, request, facts, problem))?;
        let credentials = operators::authenticate(&app.store, key.hash())
            .await?
            .ok_or_else(|| reject_key(app, request, facts, Problem::unknown_key()))?;
        let owner = Arc::default();
        let name = Arc::clone(&credentials.name);
        facts.caller = Some(LoggedCaller::operator_key(name, Arc::clone(&owner)));
        let OperatorCredentials { id: key_id, name, role } = credentials;
        let app = Arc::clone(app);
        let caller = Self { app, credential: key, key_id, name, role, owner };
        caller.require(permission)?;
        Ok(caller)
    }

    /// Checks whether the role of the key has a permission.
    ///
    /// # Errors
    /// The problem that the client sees.
    pub fn require(&self, permission: OperatorPermission) -> Result<(), Problem> {
        let is_allowed = self.role.allows(permission);
        if is_allowed { Ok(()) } else { Err(ProblemExample::OPERATOR_ROLE.problem()) }
    }

    /// Records the owner whom the request concerns, for the log.
    pub fn concerns(&self, owner: &str) {
        // A request concerns one owner, so a second name is the same.
        let _ = self.owner.set(owner.into());
    }

    /// Records the owner whom a filter of the request names.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`].
    pub async fn concerns_owner(&self, id: Option<OwnerId>) -> Result<(), Error> {
        if let Some(id) = id {
            self.concerns(&owners::get(&self.app.store, id.into()).await?.name);
        }
        Ok(())
    }

    /// Returns the owner whom the request concerns, if it is known.
    pub fn owner(&self) -> Option<Arc<str>> {
        self.owner.get().cloned()
    }
}

/// What callers of both kinds ask of their server.
pub trait Requester {
    /// Returns the server.
    fn app(&self) -> &AppState;

    /// Returns the owner whose links and other things the caller reaches.
    fn realm(&self) -> Realm;

    /// Returns who makes the changes, for the history.
    fn actor(&self) -> Actor;

    /// Returns within what the caller's idempotency keys are unique.
    fn namespace(&self) -> Namespace {
        match self.realm() {
            Realm::Owner(id) => Namespace::Owner(id),
            Realm::Everyone => Namespace::Operator,
        }
    }

    /// Returns the key, from which the secrets of the keys that it creates are derived.
    fn credential(&self) -> &str;

    /// Returns the request as one that the caller may repeat.
    fn repeatable<'a>(
        &'a self,
        request: Option<&'a IdempotentRequest>,
    ) -> Option<RepeatableRequest<'a>> {
        let (namespace, credential) = (self.namespace(), self.credential());
        request.map(|request| RepeatableRequest { namespace, request, credential })
    }

    /// Returns a change by the caller, of which a request with an idempotency key is repeated.
    /// `operation` says what the request does.
    fn change_once(&self, audit: Audit, key: IdempotencyKeyHeader, operation: &str) -> Change {
        let mut change = self.change(audit);
        let request = key.for_request(&self.app().base_url, || change.fingerprint(operation));
        change.request = request.map(|request| (self.namespace(), request));
        change
    }

    /// Returns a change by the caller, now.
    fn change(&self, audit: Audit) -> Change {
        audit.change_by(self.actor(), self.app().store.now())
    }

    /// Finds the page of the caller's list at `path` that a request with these parameters asks for.
    ///
    /// # Errors
    /// If the list did not issue the cursor.
    fn page(
        &self,
        path: impl Into<String>,
        conditions: Vec<Condition>,
        limit: Option<Limit>,
        cursor: Option<Cursor>,
    ) -> Result<ListPage<'_>, Problem> {
        let owner_id = self.realm().owner_id().unwrap_or(NO_OWNER);
        ListPage::find(self.app(), owner_id, path.into(), conditions, limit, cursor)
    }
}

impl Requester for Caller {
    fn app(&self) -> &AppState {
        &self.app
    }

    fn realm(&self) -> Realm {
        Realm::Owner(self.owner_id)
    }

    fn actor(&self) -> Actor {
        let name = key_name(self.key_id, self.label.as_deref()).into();
        Actor::OwnerKey { id: self.key_id, name }
    }

    fn credential(&self) -> &str {
        self.credential.reveal()
    }
}

impl Requester for OperatorCaller {
    fn app(&self) -> &AppState {
        &self.app
    }

    fn realm(&self) -> Realm {
        Realm::Everyone
    }

    fn actor(&self) -> Actor {
        Actor::OperatorKey { id: self.key_id, name: Arc::clone(&self.name) }
    }

    fn credential(&self) -> &str {
        self.credential.reveal()
    }
}

/// Implements the extraction of callers that `authenticate` has found, and declares both headers as
/// alternatives. The document describes the key.
macro_rules! extract_callers {
    ($($caller:ty)*) => {$(
        impl<'a> ApiExtractor<'a> for $caller {
            const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
            type ParamType = ();
            type ParamRawType = ();

            fn register(registry: &mut Registry) {
                register_schemes(registry);
            }

            fn security_schemes() -> Vec<&'static str> {
                SCHEMES.to_vec()
            }

            async fn from_request(
                request: &'a Request,
                _: &mut RequestBody,
                _: ExtractParamOptions<()>,
            ) -> Result<Self> {
                Ok(authenticated(request)?)
            }
        }
    )*};
}
extract_callers!(Caller OperatorCaller);

/// Returns the caller that `authenticate` has found.
///
/// # Errors
/// If it was not called.
pub fn authenticated<T: Clone + Send + Sync + 'static>(request: &Request) -> Result<T, Problem> {
    let caller = request.data().cloned();
    caller.ok_or_else(|| Problem::internal_error(&"the request was not authenticated"))
}

/// Returns the problem of a request without a valid key: `problem`, or the problem `rate-limited`
/// if the client has sent too many such requests.
fn reject_key(
    app: &AppState,
    request: &Request,
    facts: &mut AuthenticationFacts,
    problem: Problem,
) -> Problem {
    let Some(decision) = app.check_client_limit(ClientLimit::FailedKeys, request) else {
        return problem;
    };
    facts.limit = Some((ClientLimit::FailedKeys.into_str(), decision));
    ProblemExample::KEY_FAILURES_LIMITED.problem()
}

/// Declares both headers as alternatives. The document describes them.
fn register_schemes(registry: &mut Registry) {
    registry.create_security_scheme(
        API_KEY_SCHEME,
        MetaSecurityScheme {
            ty: "apiKey",
            description: Some(""),
            name: Some(X_API_KEY),
            key_in: Some("header"),
            ..SCHEME
        },
    );
    registry.create_security_scheme(
        BEARER_SCHEME,
        MetaSecurityScheme { ty: "http", description: Some(""), scheme: Some("bearer"), ..SCHEME },
    );
}

/// Returns the text of the key of a request. If several headers contain a key, it must be the same in all.
/// An empty header counts as absent, because some generated clients always send both headers.
///
/// # Errors
/// The problem of a request without a key, or with several.
fn key_text(headers: &HeaderMap) -> Result<&str, Problem> {
    let plain = headers.get_all(&X_API_KEY_NAME).iter().map(|value| value.as_bytes().trim_ascii());
    let bearer =
        headers.get_all(AUTHORIZATION).iter().filter_map(|value| bearer_token(value.as_bytes()));
    let mut keys = plain.chain(bearer).filter(|key| !key.is_empty());
    let first = keys.next().ok_or_else(|| ProblemExample::UNAUTHORIZED.problem())?;
    if keys.any(|other| other != first) {
        return Err(Problem::new(
            ProblemType::UNAUTHORIZED,
            "The headers carry different API keys.",
        ));
    }
    std::str::from_utf8(first).map_err(|_| Problem::unknown_key())
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
        key_text(&headers).ok().map(str::to_owned)
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
    fn different_keys_are_rejected() {
        let bearer = format!("Bearer {OTHER}");
        assert_eq!(key_of(&[("x-api-key", KEY), ("authorization", &bearer)]), None);
        assert_eq!(key_of(&[("x-api-key", KEY), ("x-api-key", OTHER)]), None);
        assert_eq!(key_of(&[("authorization", KEY)]), None);
        assert_eq!(key_of(&[]), None);
    }
}
