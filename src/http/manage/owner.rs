//! `GET /api/manage/v1/owner`

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::OpenApi;

use super::tag::ManageTag;
use crate::domain::account;
use crate::http::caller::Caller;
use crate::http::objects::owner::OwnerAccount;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::payload::{Json, OkResponse, OperationResult};
use crate::http::problem::Problem;
use crate::http::state::AppState;
use crate::values::Permission;

/// Operation `GET /owner`.
pub(super) const GET_OWNER: Operation = Operation {
    id: "getOwner",
    permission: Permission::AnyKey,
    success: "The owner of the API key.",
    problems: &[],
};

/// The owner of the key.
#[derive(Debug, Default)]
pub struct OwnerApi;

#[OpenApi(prefix_path = "/api/manage/v1")]
impl OwnerApi {
    /// Read the owner of the key
    ///
    /// Returns the owner of the API key, what the owner's plan allows and what the owner uses of it.
    /// Keys of every scope may call this operation.
    #[oai(path = "/owner", method = "get", operation_id = "getOwner", tag = "ManageTag::Owner")]
    async fn get_owner(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
    ) -> OperationResult<OkResponse<OwnerAccount>> {
        let Caller { owner_id, key_id, .. } = caller;
        let account = account::account(&app.store, owner_id, key_id, app.store.now()).await?;
        let account = account.ok_or_else(Problem::unknown_key)?;
        Ok(OkResponse::Ok(Json::new(&account.into())))
    }
}
