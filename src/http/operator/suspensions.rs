//! `/api/operator/v1/owners/{id}/suspend` and `/api/operator/v1/owners/{id}/resume`

use super::tag::OperatorTag;
use crate::domain::owners;
use crate::http::objects::change::ChangeResult;
use crate::http::objects::fields::OwnerSegment;
use crate::http::prelude::*;
use crate::values::OperatorPermission::Suspend;

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("suspendOwner", Permission::Operator(Suspend), "What the request changed.")
        .with(OF_SUSPENSIONS),
    Operation::new("resumeOwner", Permission::Operator(Suspend), "What the request changed.")
        .with(OF_SUSPENSIONS),
];

const OF_SUSPENSIONS: &[ProblemExample] =
    &[ProblemExample::invalid("/note", "must not contain control characters")];

/// Suspensions of owners.
#[derive(Debug, Default)]
pub struct SuspensionsApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Owners")]
impl SuspensionsApi {
    /// Suspend an owner
    ///
    /// Changes an owner so that the API rejects the owner's keys and the owner's links return 410, or 451
    /// if the reason is `legal`, within a second. A new reason replaces the earlier one.
    #[oai(path = "/owners/:id/suspend", method = "post", operation_id = "suspendOwner")]
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
        Ok(OkResponse::new(&changed))
    }

    /// Resume an owner
    ///
    /// Changes a suspended owner back: keys and links work as before, within a second.
    #[oai(path = "/owners/:id/resume", method = "post", operation_id = "resumeOwner")]
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
        Ok(OkResponse::new(&changed))
    }
}
