//! `GET /api/operator/v1/operator`

use crate::http::objects::operator::OperatorKey;
use crate::http::prelude::*;

/// The operations.
pub(super) const OPERATIONS: &[Operation] =
    &[Operation::new("getOperator", READ, "The operator key.")];

/// The operator key of the request.
#[derive(Debug, Default)]
pub struct OperatorKeyApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::OperatorKeys")]
impl OperatorKeyApi {
    /// Read the operator key
    ///
    /// Returns the name and the role of the operator key that sends the request.
    #[oai(path = "/operator", method = "get", operation_id = "getOperator")]
    async fn get_operator(
        &self,
        caller: OperatorCaller,
    ) -> OperationResult<OkResponse<OperatorKey>> {
        Ok(OkResponse::new(OperatorKey::new(&caller.name, caller.role)))
    }
}
