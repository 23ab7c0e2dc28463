//! `GET /api/operator/v1/status`

use crate::domain::status::{self, ServerStatus};
use crate::http::objects::status::Status;
use crate::http::prelude::*;

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[Operation::new("getStatus", READ, "The status.")];

/// The status of the service.
#[derive(Debug, Default)]
pub struct StatusApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Status")]
impl StatusApi {
    /// Read whether all is well
    ///
    /// Returns what the service has and does today, what waits, and what needs attention. It is cheap
    /// enough to be read every few seconds.
    #[oai(path = "/status", method = "get", operation_id = "getStatus")]
    async fn get_status(&self, caller: OperatorCaller) -> OperationResult<OkResponse<Status>> {
        let app = &caller.app;
        let server = ServerStatus {
            instance: app.instance,
            failed_requests: app.metrics.failed_requests(),
            can_commit: app.store.check_commits().is_ok() || app.store.is_standby(),
        };
        let are_clicks_waiting = app.recorder.has_waiting();
        Ok(OkResponse::new(
            status::Status::read(&app.store, are_clicks_waiting, Some(server)).await?,
        ))
    }
}
