//! `GET /api/manage/v1/owner`

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::{ApiResponse, OpenApi};

use super::tag::ManageTag;
use crate::domain::account;
use crate::http::caller::Caller;
use crate::http::objects::owner::OwnerAccount;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::payload::{Json, OperationResult};
use crate::http::problem::Problem;
use crate::http::state::AppState;
use crate::values::Permission;

/// Operation `GET /owner`.
pub(super) const GET_OWNER: Operation =
    Operation { id: "getOwner", permission: Permission::AnyKey, problems: &[] };

/// Response of [`GET_OWNER`].
#[derive(Debug, ApiResponse)]
pub enum OwnerResponse {
    /// The owner of the API key.
    #[oai(status = 200)]
    Ok(Json<OwnerAccount>),
}

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
    ) -> OperationResult<OwnerResponse> {
        let Caller { owner_id, key_id, .. } = caller;
        let account = account::account(&app.store, owner_id, key_id, app.store.now()).await?;
        let account = account.ok_or_else(Problem::unknown_key)?;
        Ok(OwnerResponse::Ok(Json::new(&account.into())))
    }
}
