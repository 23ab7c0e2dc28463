//! `/api/manage/v1/keys`

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::param::Path;
use poem_openapi::{ApiResponse, OpenApi};

use super::tag::ManageTag;
use crate::domain::links::ListPosition;
use crate::domain::{Error, keys};
use crate::http::caller::{Caller, ChangeAccount};
use crate::http::cursor::Cursor;
use crate::http::objects::fields::KeySegment;
use crate::http::objects::key::{KeyPatch, ManagedKey, ManagedKeyList};
use crate::http::openapi::headers::NextPageLink;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::json_body::MergePatch;
use crate::http::openapi::page::{Limit, ListPage};
use crate::http::openapi::parameter::Parameter;
use crate::http::openapi::payload::{Json, OperationResult};
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::{CaseId, Note, Permission, Reason};

/// Operation `GET /keys`.
pub(super) const LIST_KEYS: Operation = Operation {
    id: "listKeys",
    permission: Permission::Manage,
    problems: &[
        ProblemExample::OF_KEYS,
        &[ProblemExample::MALFORMED_LIMIT, ProblemExample::CURSOR_NOT_FOUND],
    ],
};

/// Operation `GET /keys/{id}`.
pub(super) const GET_KEY: Operation = Operation {
    id: "getKey",
    permission: Permission::Manage,
    problems: &[ProblemExample::OF_KEYS, &[ProblemExample::KEY_NOT_FOUND]],
};

/// Operation `PATCH /keys/{id}`.
pub(super) const CHANGE_KEY: Operation = Operation {
    id: "changeKey",
    permission: Permission::Manage,
    problems: &[
        ProblemExample::OF_KEYS,
        ProblemExample::OF_PATCHES,
        &[
            ProblemExample::KEY_NOT_FOUND,
            ProblemExample::EXPIRY_PASSED,
            ProblemExample::EXPIRY_AFTER_KEY,
            ProblemExample::invalid("/label", "must not contain control characters"),
        ],
    ],
};

/// Operation `DELETE /keys/{id}`.
pub(super) const REVOKE_KEY: Operation = Operation {
    id: "revokeKey",
    permission: Permission::Manage,
    problems: &[
        ProblemExample::OF_KEYS,
        &[ProblemExample::MALFORMED_REASON, ProblemExample::KEY_NOT_FOUND, ProblemExample::OWN_KEY],
    ],
};

/// Response of [`LIST_KEYS`].
#[derive(Debug, ApiResponse)]
pub enum KeysResponse {
    /// A page of the owner's keys.
    #[oai(status = 200)]
    Ok(Json<ManagedKeyList>, #[oai(header = "Link")] Option<NextPageLink>),
}

/// Response of [`GET_KEY`].
#[derive(Debug, ApiResponse)]
pub enum KeyResponse {
    /// The key, without its secret.
    #[oai(status = 200)]
    Ok(Json<ManagedKey>),
}

/// Response of [`CHANGE_KEY`].
#[derive(Debug, ApiResponse)]
pub enum ChangedKeyResponse {
    /// The key with its new values.
    #[oai(status = 200)]
    Ok(Json<ManagedKey>),
}

/// Response of [`REVOKE_KEY`].
#[derive(Debug, ApiResponse)]
pub enum RevokedKeyResponse {
    /// The key is revoked.
    #[oai(status = 204)]
    NoContent,
}

/// Keys.
#[derive(Debug, Default)]
pub struct KeysApi;

#[OpenApi(prefix_path = "/api/manage/v1")]
impl KeysApi {
    /// List the keys of the owner
    ///
    /// Returns the API keys of the owner, newest first, revoked and expired ones included. The server
    /// stores no secret, so it cannot show one.
    #[oai(path = "/keys", method = "get", operation_id = "listKeys", tag = "ManageTag::Keys")]
    async fn list_keys(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// Maximum number of keys, from `1` to `1000`. Without it, 100.
        Parameter(limit): Parameter<Limit>,
        /// Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: 32
        /// hexadecimal digits from the URL in the header `Link` of the previous page, valid only with
        /// the same conditions.
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<KeysResponse> {
        let path = "/api/manage/v1/keys".to_owned();
        let page = ListPage::find(&app, caller.owner_id, path, Vec::new(), limit, cursor)?;
        let mut all = keys::list_own(&app.store, caller.owner_id).await?;
        all.retain(|key| key.id < page.position.0);
        let max = page.limit() as usize;
        let is_cut = all.len() > max;
        all.truncate(max);
        let next = all.last().map(|key| ListPosition(key.id)).filter(|_| is_cut);
        let data = all.into_iter().map(ManagedKey::from).collect();
        Ok(KeysResponse::Ok(Json::new(&ManagedKeyList { data }), page.link(next)))
    }

    /// Read a key of the owner
    ///
    /// Returns an API key, without its secret. The response for another owner's key is the same as for
    /// one that does not exist.
    #[oai(path = "/keys/:id", method = "get", operation_id = "getKey", tag = "ManageTag::Keys")]
    async fn get_key(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
    ) -> OperationResult<KeyResponse> {
        let key = keys::get_own(&app.store, caller.owner_id, identifier(&id)?).await?;
        Ok(KeyResponse::Ok(Json::new(&key.into())))
    }

    /// Change a key of the owner
    ///
    /// Changes the label or the expiry of an API key. A key with an expiry cannot give another key a
    /// later one, or none. Servers follow within a second.
    #[oai(
        path = "/keys/:id",
        method = "patch",
        operation_id = "changeKey",
        tag = "ManageTag::Keys"
    )]
    async fn change_key(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
        /// The new values; `application/merge-patch+json` is accepted too.
        MergePatch(patch): MergePatch<KeyPatch>,
    ) -> OperationResult<ChangedKeyResponse> {
        let (edit, account) = patch.into();
        let change = caller.change(account, app.store.now());
        let id = identifier(&id)?;
        let edited = keys::edit_own(&app.store, caller.owner_id, id, &edit, &change).await?;
        Ok(ChangedKeyResponse::Ok(Json::new(&edited.value.into())))
    }

    /// Revoke a key of the owner
    ///
    /// Deletes the rights of an API key permanently; servers reject it within a second. A key cannot
    /// revoke itself. Revoking a key again returns 404.
    #[oai(
        path = "/keys/:id",
        method = "delete",
        operation_id = "revokeKey",
        tag = "ManageTag::Keys"
    )]
    async fn revoke_key(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
        /// The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`,
        /// `owner-request` or `other`.
        Parameter(reason): Parameter<Reason>,
        /// A note for the history.
        Parameter(note): Parameter<Note>,
        /// The identifier of a case in your own system, for the history.
        Parameter(case): Parameter<CaseId>,
    ) -> OperationResult<RevokedKeyResponse> {
        let change = caller.change(ChangeAccount { reason, note, case }, app.store.now());
        keys::revoke_own(&app.store, caller.owner_id, identifier(&id)?, &change).await?;
        Ok(RevokedKeyResponse::NoContent)
    }
}

fn identifier(KeySegment(id): &KeySegment) -> Result<i64, Error> {
    id.ok_or(Error::KeyNotFound(0))
}
