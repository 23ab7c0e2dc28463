//! `POST /api/manage/v1/link-changes`

use crate::domain::links::BulkChange;
use crate::http::links;
use crate::http::long_change::{LongChangeResponse, OwnEventLocation};
use crate::http::objects::link_change::owner::LinkChange;
use crate::http::objects::link_change::{ChangeParts, LinkChangeResult};
use crate::http::prelude::*;

/// The operations.
pub(super) const OPERATIONS: &[Operation] =
    &[Operation::new("changeLinks", Permission::Edit, "What the request changed.").with(&[
        ProblemExample::LARGE_BODY_TOO_LARGE,
        ProblemExample::EXPIRY_PASSED,
        ChangeParts::NO_SELECTOR,
        ProblemExample::CHANGE_RUNNING,
        ProblemExample::blocked("/update/fallback_url"),
    ])];

/// Changes of many links.
#[derive(Debug, Default)]
pub struct LinkChangesApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Links")]
impl LinkChangesApi {
    /// Change any number of links
    ///
    /// Changes the links that all selectors choose: pauses, unpauses, deletes or updates them, that is gives
    /// all the same new values. Redirects follow within a second. Codes that no link has are named, and the
    /// other links change. Links that the operator has disabled or blocked stay as they are, and are
    /// counted in `skipped`. A deletion needs a key of the scope `full`.
    ///
    /// The change is one event, made in slices. It does not depend on the connection: if it takes longer than
    /// 20 seconds, the response is 202 with the `Location` of its event, and a repetition with the same
    /// `Idempotency-Key` returns 202 while it runs, and then the result. A dry run always returns when it is
    /// done. If the key is revoked or the server shuts down, the change stops after the slice in progress, and
    /// the same request does the rest, with the same `Idempotency-Key` under the same event. One change of an
    /// owner runs at a time.
    #[oai(path = "/link-changes", method = "post", operation_id = "changeLinks")]
    async fn change_links(
        &self,
        caller: Caller,
        /// The change; the body may have 1 MiB.
        LargeBody(body): LargeBody<LinkChange>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<LongChangeResponse<LinkChangeResult, OwnEventLocation>> {
        let parts = body.into_parts(caller.realm())?;
        if matches!(parts.bulk, BulkChange::Delete) && !caller.scope.allows(Permission::Full) {
            return Err(ProblemExample::KEY_SCOPE.problem());
        }
        links::change(&caller, parts, key).await
    }
}
