//! `/api/operator/v1/operator`, `/api/operator/v1/operator-keys` and the path below it

use poem_openapi::ApiResponse;

use crate::domain::operators::{self, OperatorRef};
use crate::http::objects::fields::OperatorKeySegment;
use crate::http::objects::operator::{CreatedOperatorKey, OperatorKey, OperatorKeyCreate};
use crate::http::prelude::*;

const PATH: &str = "/api/operator/v1/operator-keys";

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("getOperator", READ, "The operator key."),
    Operation::new("listOperatorKeys", READ, "A page of operator keys."),
    Operation::new(
        "createOperatorKey",
        ADMINISTER,
        "The key with its secret, which nothing else shows.",
    )
    .with(&[
        ProblemExample::OPERATOR_KEY_EXISTS,
        ProblemExample::EXPIRY_PASSED,
        ProblemExample::KEY_REUSED,
        ProblemExample::SECRET_UNAVAILABLE,
        ProblemExample::invalid("/role", "must be auditor, provisioner, moderator or admin")
            .with_code(ErrorCode::NotAllowed),
    ]),
    Operation::new("revokeOperatorKey", ADMINISTER, "The key is revoked.")
        .with(&[ProblemExample::OWN_KEY]),
];

path_location!(OperatorKeyLocation, "/api/operator/v1/operator-keys/3");

/// Response with a new operator key.
#[derive(Debug, ApiResponse)]
pub enum CreatedOperatorKeyResponse {
    /// The key.
    #[oai(status = 201)]
    Created(
        Json<CreatedOperatorKey>,
        #[oai(header = "Location")] OperatorKeyLocation,
        #[oai(header = "Event-Id")] Option<EventIdHeader>,
        #[oai(header = "Idempotent-Replayed")] Option<Replayed>,
    ),
}

/// Operator keys.
#[derive(Debug, Default)]
pub struct OperatorKeysApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::OperatorKeys")]
impl OperatorKeysApi {
    /// Read the operator key
    ///
    /// Returns the operator key that sends the request.
    #[oai(path = "/operator", method = "get", operation_id = "getOperator")]
    async fn get_operator(
        &self,
        caller: OperatorCaller,
    ) -> OperationResult<OkResponse<OperatorKey>> {
        let key = operators::get(&caller.app.store, caller.key_id).await?;
        Ok(OkResponse::new(key.ok_or_else(Problem::unknown_key)?))
    }

    /// List the operator keys
    ///
    /// Returns the operator keys, newest first, revoked and expired ones included. The server stores no
    /// secret, so it cannot show one.
    #[oai(path = "/operator-keys", method = "get", operation_id = "listOperatorKeys")]
    async fn list_operator_keys(
        &self,
        caller: OperatorCaller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<OperatorKey>, NextPathLink>> {
        let page = caller.page(PATH, Vec::new(), limit, cursor)?;
        let found = operators::page(&caller.app.store, page.request()).await?;
        Ok(page.response(found))
    }

    /// Create an operator key
    ///
    /// Creates an operator key. Its secret is in this response and nowhere else: the server stores only a
    /// hash of it.
    ///
    /// With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same
    /// secret again, as long as the created key is valid; with another operator key, 409
    /// `secret-unavailable`.
    #[oai(path = "/operator-keys", method = "post", operation_id = "createOperatorKey")]
    async fn create_operator_key(
        &self,
        caller: OperatorCaller,
        /// The key to create.
        JsonBody(body): JsonBody<OperatorKeyCreate>,
        #[oai(name = "Idempotency-Key")] idempotency_key: IdempotencyKeyHeader,
    ) -> OperationResult<CreatedOperatorKeyResponse> {
        let app = &caller.app;
        let (new, audit) = body.into();
        let change = caller.change(audit);
        let request = idempotency_key.for_request(&app.base_url, || new.fingerprint(&change));
        let (repeatable, rng) = (caller.repeatable(request.as_ref()), &mut app.randomness());
        let created = operators::add(&app.store, &new, repeatable, &change, rng).await?;
        let event = EventIdHeader::from_event(created.event);
        let location = OperatorKeyLocation(format!("{PATH}/{}", created.value.info.id));
        let replayed = Replayed::from_flag(created.is_replay);
        let created = Json::new(&CreatedOperatorKey::from(created.value));
        Ok(CreatedOperatorKeyResponse::Created(created, location, event, replayed))
    }

    /// Revoke an operator key
    ///
    /// Deletes the rights of an operator key permanently; servers reject it at once. A key cannot revoke
    /// itself. Revoking a key again returns 404.
    #[oai(path = "/operator-keys/:id", method = "delete", operation_id = "revokeOperatorKey")]
    async fn revoke_operator_key(
        &self,
        caller: OperatorCaller,
        /// The identifier of the operator key.
        Path(id): Path<OperatorKeySegment>,
        Parameter(reason): Parameter<Reason>,
        Parameter(note): Parameter<Note>,
        Parameter(case_id): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let change = caller.change(Audit { reason, note, case_id });
        let id = id.parsed()?;
        let revoked = operators::revoke(&caller.app.store, OperatorRef::Id(id), &change).await?;
        if revoked.changed == 0 {
            return Err(Error::OperatorNotFound(id.to_string()).into());
        }
        Ok(NoContentResponse::new(revoked.event))
    }
}
