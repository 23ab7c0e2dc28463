//! Authentication of the operator's programs by operator key.

use std::sync::{Arc, OnceLock};

use poem::{Request, RequestBody, Result};
use poem_openapi::registry::Registry;
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use super::caller::{Findings, reject_key};
use super::key_headers;
use super::objects::change::ChangeAccount;
use super::problem::Problem;
use super::problem_examples::ProblemExample;
use super::request_log::LoggedCaller;
use super::state::AppState;
use crate::domain::changes::{Actor, Change};
use crate::domain::idempotency::{IdempotentRequest, Namespace};
use crate::domain::keys::RepeatableRequest;
use crate::domain::operators;
use crate::values::{OperatorKey, OperatorPermission, OperatorRole, Timestamp};

/// The authenticated caller of an operation of the operator's programs. A handler that has one is
/// only run for a valid operator key whose role allows the operation.
#[derive(Debug, Clone)]
pub struct OperatorCaller {
    /// The operator key, from which the secrets of the API keys that it creates are derived.
    credential: OperatorKey,
    /// Identifier of the key.
    key_id: i64,
    /// Name of the key.
    pub name: Arc<str>,
    /// Role of the key.
    pub role: OperatorRole,
    /// Name of the owner whom the request concerns, for the log.
    owner: Arc<OnceLock<Arc<str>>>,
}

impl OperatorCaller {
    /// Authenticates a request and checks whether its key has a permission.
    ///
    /// # Errors
    /// The problem that the client sees: 401, 403, 429 or 503, the first that applies.
    pub async fn authenticate(
        app: &AppState,
        request: &Request,
        permission: OperatorPermission,
        findings: &mut Findings,
    ) -> Result<Self, Problem> {
        let key = key_headers::text(request.headers())
            .and_then(|text| OperatorKey::parse(text).map_err(|_| Problem::unknown_key()))
            .map_err(|problem| reject_key(app, request, findings, problem))?;
        let credentials = operators::authenticate(&app.store, key.hash())
            .await?
            .ok_or_else(|| reject_key(app, request, findings, Problem::unknown_key()))?;
        let owner = Arc::default();
        let name = Arc::clone(&credentials.name);
        findings.caller = Some(LoggedCaller::operator_key(name, Arc::clone(&owner)));
        let operators::OperatorCredentials { id: key_id, name, role } = credentials;
        let caller = Self { credential: key, key_id, name, role, owner };
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

    /// Returns the owner whom the request concerns, if it is known.
    #[must_use]
    pub fn owner(&self) -> Option<Arc<str>> {
        self.owner.get().cloned()
    }

    /// Returns the request as one that the caller may repeat.
    #[must_use]
    pub fn repeatable<'a>(
        &'a self,
        request: Option<&'a IdempotentRequest>,
    ) -> Option<RepeatableRequest<'a>> {
        request.map(|request| RepeatableRequest {
            namespace: Namespace::Operator,
            request,
            credential: self.credential.reveal(),
        })
    }

    /// Returns a change by the caller at the time `now`.
    #[must_use]
    pub fn change(&self, account: ChangeAccount, now: Timestamp) -> Change {
        let actor = Actor::OperatorKey { id: self.key_id, name: Arc::clone(&self.name) };
        account.change_by(actor, now)
    }
}

/// Extracts the caller that [`OperatorCaller::authenticate`] has found.
impl<'a> ApiExtractor<'a> for OperatorCaller {
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
