//! `GET /api/operator/v1/operator`

use poem_openapi::{ApiResponse, OpenApi};

use super::tag::OperatorTag;
use crate::http::objects::operator::OperatorAccount;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::payload::{Json, OperationResult};
use crate::http::operator_caller::OperatorCaller;
use crate::values::{OperatorPermission, Permission};

/// Operation `GET /operator`.
pub(super) const GET_OPERATOR: Operation = Operation {
    id: "getOperator",
    permission: Permission::Operator(OperatorPermission::Read),
    problems: &[],
};

/// Response of [`GET_OPERATOR`].
#[derive(Debug, ApiResponse)]
pub enum OperatorResponse {
    /// The operator key.
    #[oai(status = 200)]
    Ok(Json<OperatorAccount>),
}

/// The operator key of the request.
#[derive(Debug, Default)]
pub struct OperatorKeyApi;

#[OpenApi(prefix_path = "/api/operator/v1")]
impl OperatorKeyApi {
    /// Read the operator key
    ///
    /// Returns the name and the role of the operator key that sends the request.
    #[oai(
        path = "/operator",
        method = "get",
        operation_id = "getOperator",
        tag = "OperatorTag::Operator"
    )]
    async fn get_operator(&self, caller: OperatorCaller) -> OperationResult<OperatorResponse> {
        let account = OperatorAccount::new(&caller.name, caller.role);
        Ok(OperatorResponse::Ok(Json::new(&account)))
    }
}
