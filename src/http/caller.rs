//! Authentication of callers by API key.

use std::sync::Arc;

use poem::{Request, RequestBody, Result};
use poem_openapi::registry::Registry;
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use super::key_headers;
use super::objects::change::ChangeAccount;
use super::problem::Problem;
use super::problem_examples::ProblemExample;
use super::rate_limit::REQUESTS;
use super::request_id::RequestId;
use super::request_log::LoggedCaller;
use super::state::AppState;
use crate::domain::changes::{Actor, Change};
use crate::domain::idempotency::{IdempotentRequest, Namespace};
use crate::domain::keys::{self, RepeatableRequest};
use crate::domain::rate_limits::{ClientLimit, RateDecision};
use crate::values::{ApiKey, KeyHash, Permission, Timestamp};

/// The authenticated caller of an operation. A handler that has one is only run for a valid key
/// whose scope allows the operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Identifier of the owner of the API key. The owner is not suspended.
    pub owner_id: i64,
    /// The API key, from which the secrets of the keys that it creates are derived.
    credential: ApiKey,
    /// Hash of the API key.
    pub key: KeyHash,
    /// Identifier of the API key.
    pub key_id: i64,
    /// Label of the key, if it has one.
    pub label: Option<Arc<str>>,
    /// Identifier of the request.
    pub request_id: RequestId,
}

/// Facts about a request that authentication finds, whether it succeeds or not.
#[derive(Debug, Default)]
pub struct Findings {
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
        app: &AppState,
        request: &Request,
        request_id: RequestId,
        permission: Permission,
        findings: &mut Findings,
    ) -> Result<Self, Problem> {
        let credential = key_headers::text(request.headers())
            .and_then(|text| ApiKey::parse(text).map_err(|_| Problem::unknown_key()))
            .map_err(|problem| reject_key(app, request, findings, problem))?;
        let key = credential.hash();
        let credentials = keys::authenticate(&app.store, &app.caches.keys, key)
            .await?
            .ok_or_else(|| reject_key(app, request, findings, Problem::unknown_key()))?;
        let (owner, key_id) = (credentials.owner, credentials.key_id);
        findings.caller = Some(LoggedCaller::owner_key(owner, credentials.owner_id, key_id));
        if credentials.is_owner_suspended {
            return Err(ProblemExample::OWNER_SUSPENDED.problem());
        }
        if !credentials.scope.allows(permission) {
            return Err(ProblemExample::KEY_SCOPE.problem());
        }
        if let Some(limit) = credentials.request_limit {
            let decision = app.owner_limits.check(credentials.owner_id, limit);
            findings.limit = Some((REQUESTS, decision));
            if !decision.is_allowed {
                app.metrics.throttled.with_label_values(&[REQUESTS]).inc();
                return Err(ProblemExample::RATE_LIMITED.problem());
            }
        }
        let (owner_id, label) = (credentials.owner_id, credentials.label);
        Ok(Self { owner_id, credential, key, key_id, label, request_id })
    }
}

impl Caller {
    /// Checks the key in the database, because a change of the owner may not have reached the cache
    /// yet.
    ///
    /// # Errors
    /// The problem of a key that is no longer valid, or whose owner is suspended, or if the database
    /// fails.
    pub async fn check_again(&self, app: &AppState) -> Result<(), Problem> {
        let key = keys::look_up(&app.store, &app.caches.keys, self.key).await?;
        match key {
            None => Err(Problem::unknown_key()),
            Some(key) if key.credentials.is_owner_suspended => {
                Err(ProblemExample::OWNER_SUSPENDED.problem())
            }
            Some(_) => Ok(()),
        }
    }

    /// Returns the request as one that the caller may repeat.
    #[must_use]
    pub fn repeatable<'a>(
        &'a self,
        request: Option<&'a IdempotentRequest>,
    ) -> Option<RepeatableRequest<'a>> {
        request.map(|request| RepeatableRequest {
            namespace: Namespace::Owner(self.owner_id),
            request,
            credential: self.credential.reveal(),
        })
    }

    /// Returns a change by the caller at the time `now`.
    #[must_use]
    pub fn change(&self, account: ChangeAccount, now: Timestamp) -> Change {
        let id = self.key_id;
        let name = self.label.clone().unwrap_or_else(|| format!("key {id}").into());
        account.change_by(Actor::OwnerKey { id, name }, now)
    }
}

/// Returns the problem of a request without a valid key: `problem`, or the problem `rate-limited`
/// if the client has sent too many such requests.
pub fn reject_key(
    app: &AppState,
    request: &Request,
    findings: &mut Findings,
    problem: Problem,
) -> Problem {
    let Some(decision) = app.check_client_limit(ClientLimit::FailedKeys, request) else {
        return problem;
    };
    findings.limit = Some((ClientLimit::FailedKeys.name(), decision));
    ProblemExample::KEY_FAILURES_LIMITED.problem()
}

/// Extracts the caller that [`Caller::authenticate`] has found, and declares both headers as
/// alternatives. The document describes the key.
impl<'a> ApiExtractor<'a> for Caller {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        key_headers::register(registry);
    }

    fn security_schemes() -> Vec<&'static str> {
        key_headers::SCHEMES.to_vec()
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> Result<Self> {
        let caller = request.data().cloned();
        Ok(caller.ok_or_else(|| Problem::internal_error(&"the request was not authenticated"))?)
    }
}
