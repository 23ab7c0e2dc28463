//! `/api/operator/v1/owners/{id}/keys`, `/api/operator/v1/keys/{id}` and `/api/operator/v1/keys/find`

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;

use super::tag::OperatorTag;
use crate::domain::keys::{self, KeyOwner, KeySelection};
use crate::domain::page::FoundPage;
use crate::domain::{Error, Realm, owners};
use crate::http::cursor::Cursor;
use crate::http::objects::change::ChangeAccount;
use crate::http::objects::fields::{KeySegment, OwnerSegment};
use crate::http::objects::owned_key::{
    CreatedOwnedKey, KeySearch, OwnedKey, OwnedKeyList, OwnedKeyPatch, OwnedKeyRequest,
};
use crate::http::openapi::headers::{NextPathLink, Replayed, header_type, path_location_schema};
use crate::http::openapi::idempotency::KeyHeader;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::json_body::{JsonBody, MergePatch};
use crate::http::openapi::page::{Limit, ListPage, NO_OWNER};
use crate::http::openapi::parameter::Parameter;
use crate::http::openapi::payload::{
    CreatedResponse, Json, ListResponse, NoContentResponse, OkResponse, OperationResult,
};
use crate::http::operator_caller::OperatorCaller;
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::{CaseId, Note, OperatorPermission, Permission, Reason};

/// Operation `GET /owners/{id}/keys`.
pub(super) const LIST_OWNER_KEYS: Operation = Operation {
    id: "listOwnerKeys",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "A page of the owner's keys.",
    problems: &[&[
        ProblemExample::MALFORMED_LIMIT,
        ProblemExample::OWNER_NOT_FOUND,
        ProblemExample::CURSOR_NOT_FOUND,
    ]],
};

/// Operation `POST /owners/{id}/keys`.
pub(super) const CREATE_OWNER_KEY: Operation = Operation {
    id: "createOwnerKey",
    permission: Permission::Operator(OperatorPermission::Provision),
    success: "The key with its secret, which nothing else shows.",
    problems: &[
        ProblemExample::OF_BODIES,
        &[
            ProblemExample::OWNER_NOT_FOUND,
            ProblemExample::KEY_LIMIT_REACHED,
            ProblemExample::EXPIRY_PASSED,
            ProblemExample::MALFORMED_KEY,
            ProblemExample::KEY_REUSED,
            ProblemExample::SECRET_UNAVAILABLE,
            ProblemExample::invalid("/label", "must not contain control characters"),
        ],
    ],
};

/// Operation `GET /keys/{id}`.
pub(super) const GET_KEY: Operation = Operation {
    id: "getKeyById",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "The key, without its secret.",
    problems: &[&[ProblemExample::KEY_NOT_FOUND]],
};

/// Operation `PATCH /keys/{id}`.
pub(super) const CHANGE_KEY: Operation = Operation {
    id: "changeKeyById",
    permission: Permission::Operator(OperatorPermission::Provision),
    success: "The key, without its secret.",
    problems: &[
        ProblemExample::OF_PATCHES,
        &[
            ProblemExample::KEY_NOT_FOUND,
            ProblemExample::KEY_LIMIT_REACHED,
            ProblemExample::invalid("/label", "must not contain control characters"),
        ],
    ],
};

/// Operation `DELETE /keys/{id}`.
pub(super) const REVOKE_KEY: Operation = Operation {
    id: "revokeKeyById",
    permission: Permission::Operator(OperatorPermission::Provision),
    success: "The key is revoked.",
    problems: &[&[ProblemExample::MALFORMED_REASON, ProblemExample::KEY_NOT_FOUND]],
};

/// Operation `POST /keys/find`.
pub(super) const FIND_KEY: Operation = Operation {
    id: "findKey",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "The key, without its secret.",
    problems: &[
        ProblemExample::OF_BODIES,
        &[
            ProblemExample::KEY_NOT_FOUND,
            ProblemExample::invalid("/secret", "is not an API key of Terse"),
        ],
    ],
};

header_type!(
    /// `Location` of what was created.
    OwnedKeyLocation,
    path_location_schema("/api/operator/v1/keys/12")
);

/// API keys of owners.
#[derive(Debug, Default)]
pub struct OwnerKeysApi;

#[OpenApi(prefix_path = "/api/operator/v1")]
impl OwnerKeysApi {
    /// List the keys of an owner
    ///
    /// Returns the API keys of an owner, newest first, revoked and expired ones included. The server
    /// stores no secret, so it cannot show one.
    #[oai(
        path = "/owners/:id/keys",
        method = "get",
        operation_id = "listOwnerKeys",
        tag = "OperatorTag::Keys"
    )]
    async fn list_owner_keys(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        /// Maximum number of items, from `1` to `1000`. Without it, 100.
        Parameter(limit): Parameter<Limit>,
        /// Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: 32
        /// hexadecimal digits from the path in the header `Link` of the previous page, valid only with
        /// the same conditions.
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<OwnedKeyList, NextPathLink>> {
        let owner = owners::get(&app.store, id.identifier()?.into()).await?;
        caller.concerns(&owner.name);
        let path = format!("/api/operator/v1/owners/{}/keys", owner.id);
        let page = ListPage::find(&app, NO_OWNER, path, Vec::new(), limit, cursor)?;
        let FoundPage { items, next } = keys::page(&app.store, owner.id, page.request()).await?;
        let data = items.into_iter().map(OwnedKey::from).collect();
        Ok(ListResponse::Ok(Json::new(&OwnedKeyList { data }), page.path_link(next)))
    }

    /// Create a key of an owner
    ///
    /// Creates an API key. Its secret is in this response and nowhere else: the server stores only a
    /// hash of it. An owner has at most 100 valid keys.
    ///
    /// With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same
    /// secret again, as long as the created key is valid; with another operator key, 409
    /// `secret-unavailable`.
    #[oai(
        path = "/owners/:id/keys",
        method = "post",
        operation_id = "createOwnerKey",
        tag = "OperatorTag::Keys"
    )]
    async fn create_owner_key(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        /// The key to create.
        JsonBody(body): JsonBody<OwnedKeyRequest>,
        /// A unique value, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`, that makes retries safe:
        /// repeating the request with the same key within 24 hours returns the original response and
        /// changes nothing more. Up to 255 visible ASCII characters; surrounding quotation marks are
        /// not part of the key.
        #[oai(name = "Idempotency-Key")]
        idempotency_key: KeyHeader,
    ) -> OperationResult<CreatedResponse<CreatedOwnedKey, OwnedKeyLocation>> {
        let id = id.identifier()?;
        let (new, account) = body.into();
        let change = caller.change(account, app.store.now());
        let fingerprint = || new.fingerprint(&format!("keys of {id}"), &change);
        let request = idempotency_key.for_request(&app.base_url, fingerprint);
        let (repeatable, rng) = (caller.repeatable(request.as_ref()), &mut app.randomness());
        let owner = KeyOwner::Chosen(id.into());
        let created = keys::create(&app.store, owner, &new, repeatable, &change, rng).await?.value;
        caller.concerns(&created.info.owner);
        let location = OwnedKeyLocation(format!("/api/operator/v1/keys/{}", created.info.id));
        let replayed = Replayed::from_flag(created.first_base_url.is_some());
        Ok(CreatedResponse::Created(Json::new(&created.into()), location, replayed))
    }

    /// Read a key of any owner
    ///
    /// Returns an API key with its owner, without its secret.
    #[oai(
        path = "/keys/:id",
        method = "get",
        operation_id = "getKeyById",
        tag = "OperatorTag::Keys"
    )]
    async fn get_key(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
    ) -> OperationResult<OkResponse<OwnedKey>> {
        let key = keys::get(&app.store, Realm::Everyone, id.identifier()?).await?;
        caller.concerns(&key.owner);
        Ok(OkResponse::Ok(Json::new(&key.into())))
    }

    /// Change a key
    ///
    /// Changes the label or the expiry of an API key. Servers follow within a second.
    #[oai(
        path = "/keys/:id",
        method = "patch",
        operation_id = "changeKeyById",
        tag = "OperatorTag::Keys"
    )]
    async fn change_key(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
        /// The new values; `application/merge-patch+json` is accepted too.
        MergePatch(patch): MergePatch<OwnedKeyPatch>,
    ) -> OperationResult<OkResponse<OwnedKey>> {
        let (edit, account) = patch.into();
        let change = caller.change(account, app.store.now());
        let edited = keys::edit(&app.store, id.identifier()?, &edit, &change).await?;
        caller.concerns(&edited.value.owner);
        Ok(OkResponse::Ok(Json::new(&edited.value.into())))
    }

    /// Revoke a key
    ///
    /// Deletes the rights of an API key permanently; servers reject it within a second. Revoking a key
    /// again returns 404.
    #[oai(
        path = "/keys/:id",
        method = "delete",
        operation_id = "revokeKeyById",
        tag = "OperatorTag::Keys"
    )]
    async fn revoke_key(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
        /// The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`,
        /// `owner-request` or `other`.
        Parameter(reason): Parameter<Reason>,
        /// A note for the history.
        Parameter(note): Parameter<Note>,
        /// The identifier of a case in your own system, for the history.
        Parameter(case): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let change = caller.change(ChangeAccount { reason, note, case }, app.store.now());
        let id = id.identifier()?;
        let revoked = keys::revoke(&app.store, KeySelection::Ids(&[id]), &change).await?;
        revoked.value.iter().for_each(|key| caller.concerns(&key.owner));
        if revoked.changed == 0 {
            return Err(Error::KeyNotFound(id).into());
        }
        Ok(NoContentResponse::NoContent)
    }

    /// Find a key by its secret
    ///
    /// Returns the API key with this secret and its owner, even if the key is no longer valid. The secret
    /// stands in the body, so that no log has it.
    #[oai(
        path = "/keys/find",
        method = "post",
        operation_id = "findKey",
        tag = "OperatorTag::Keys"
    )]
    async fn find_key(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The secret.
        JsonBody(search): JsonBody<KeySearch>,
    ) -> OperationResult<OkResponse<OwnedKey>> {
        let key = keys::find(&app.store, &search.into_key()).await?;
        caller.concerns(&key.owner);
        Ok(OkResponse::Ok(Json::new(&key.into())))
    }
}
