//! `/api/operator/v1/owners/{id}/suspend` and `/api/operator/v1/owners/{id}/resume`

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;

use super::tag::OperatorTag;
use crate::domain::owners;
use crate::http::objects::change::{ChangeAccount, ChangeResult};
use crate::http::objects::fields::OwnerSegment;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::json_body::OptionalBody;
use crate::http::openapi::payload::{Json, OkResponse, OperationResult};
use crate::http::operator_caller::OperatorCaller;
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::{OperatorPermission, Permission};

/// Operation `POST /owners/{id}/suspend`.
pub(super) const SUSPEND_OWNER: Operation = Operation {
    id: "suspendOwner",
    permission: Permission::Operator(OperatorPermission::Suspend),
    success: "What the request changed.",
    problems: OF_SUSPENSIONS,
};

/// Operation `POST /owners/{id}/resume`.
pub(super) const RESUME_OWNER: Operation = Operation {
    id: "resumeOwner",
    permission: Permission::Operator(OperatorPermission::Suspend),
    success: "What the request changed.",
    problems: OF_SUSPENSIONS,
};

const OF_SUSPENSIONS: &[&[ProblemExample]] = &[
    ProblemExample::OF_BODIES,
    &[
        ProblemExample::OWNER_NOT_FOUND,
        ProblemExample::invalid("/note", "must not contain control characters"),
    ],
];

/// Suspensions of owners.
#[derive(Debug, Default)]
pub struct SuspensionsApi;

#[OpenApi(prefix_path = "/api/operator/v1")]
impl SuspensionsApi {
    /// Suspend an owner
    ///
    /// Changes an owner so that the API rejects the owner's keys and the owner's links return 410, or 451
    /// if the reason is `legal`, within a second. A new reason replaces the earlier one.
    #[oai(
        path = "/owners/:id/suspend",
        method = "post",
        operation_id = "suspendOwner",
        tag = "OperatorTag::Owners"
    )]
    async fn suspend_owner(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        /// Reason, note and case of the suspension, for the history.
        OptionalBody(account): OptionalBody<ChangeAccount>,
    ) -> OperationResult<OkResponse<ChangeResult>> {
        let id = id.identifier()?;
        caller.concerns(&owners::get(&app.store, id.into()).await?.name);
        let change = caller.change(account, app.store.now());
        let changed = owners::suspend(&app.store, id, &change).await?;
        Ok(OkResponse::Ok(Json::new(&(&changed).into())))
    }

    /// Resume an owner
    ///
    /// Changes a suspended owner back: keys and links work as before, within a second.
    #[oai(
        path = "/owners/:id/resume",
        method = "post",
        operation_id = "resumeOwner",
        tag = "OperatorTag::Owners"
    )]
    async fn resume_owner(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        /// Reason, note and case of its end, for the history.
        OptionalBody(account): OptionalBody<ChangeAccount>,
    ) -> OperationResult<OkResponse<ChangeResult>> {
        let id = id.identifier()?;
        caller.concerns(&owners::get(&app.store, id.into()).await?.name);
        let change = caller.change(account, app.store.now());
        let changed = owners::resume(&app.store, id, &change).await?;
        Ok(OkResponse::Ok(Json::new(&(&changed).into())))
    }
}
