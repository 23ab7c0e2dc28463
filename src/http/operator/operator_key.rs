//! `GET /api/operator/v1/operator`

use poem_openapi::OpenApi;

use super::tag::OperatorTag;
use crate::http::objects::operator::OperatorAccount;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::payload::{Json, OkResponse, OperationResult};
use crate::http::operator_caller::OperatorCaller;
use crate::values::{OperatorPermission, Permission};

/// Operation `GET /operator`.
pub(super) const GET_OPERATOR: Operation = Operation {
    id: "getOperator",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "The operator key.",
    problems: &[],
};

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
    async fn get_operator(
        &self,
        caller: OperatorCaller,
    ) -> OperationResult<OkResponse<OperatorAccount>> {
        let account = OperatorAccount::new(&caller.name, caller.role);
        Ok(OkResponse::Ok(Json::new(&account)))
    }
}
