//! `/api/operator/v1/link-changes`

use super::long_change;
use super::tag::OperatorTag;
use crate::domain::links;
use crate::http::objects::change::LinkChangeResult;
use crate::http::objects::link_change::{LinkChange, LinkChangeRequest};
use crate::http::prelude::*;
use crate::values::OperatorPermission::Moderate;

const NO_SELECTOR: ProblemExample =
    ProblemExample::invalid("/selectors", "must have at least one condition");

/// The operations.
pub(super) const OPERATIONS: &[Operation] =
    &[Operation::new("changeLinks", Permission::Operator(Moderate), "What the request changed.")
        .with(&[
            ProblemExample::new(ProblemType::LINK_NOT_FOUND, "There is no link 'unknown'."),
            ProblemExample::OWNER_NOT_FOUND,
            NO_SELECTOR,
        ])];

/// Changes of any number of links.
#[derive(Debug, Default)]
pub struct LinkChangesApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Links")]
impl LinkChangesApi {
    /// Change any number of links
    ///
    /// Changes the links that all selectors choose: disables, enables, pauses, unpauses or deletes them.
    /// Redirects follow within a second. An unknown code changes nothing.
    ///
    /// The change is one event, made in slices, and the response follows when all are done. If the
    /// client disconnects, the change continues. If the operator key is revoked or the server shuts down,
    /// the change stops after the slice in progress; the event counts what was done, and the same request
    /// does the rest.
    #[oai(path = "/link-changes", method = "post", operation_id = "changeLinks")]
    async fn change_links(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The change.
        JsonBody(body): JsonBody<LinkChangeRequest>,
    ) -> OperationResult<OkResponse<LinkChangeResult>> {
        let change = body.into_change().ok_or_else(|| NO_SELECTOR.problem())?;
        let LinkChange { switch, selector, is_dry_run, account } = change;
        if let Some(owner) = &selector.owner {
            caller.concerns(owner);
        }
        let mut change = caller.change(account, app.store.now());
        change.is_dry_run = is_dry_run;
        let store = app.store.clone();
        let work = async move |change| links::switch(&store, &selector, switch, &change).await;
        let changed = long_change::run(change, work).await.map_err(problem)?;
        Ok(OkResponse::new(LinkChangeResult::new(&changed, is_dry_run)))
    }
}

/// Converts an error. Unlike other operations, this one names the codes that are missing.
fn problem(error: Error) -> Problem {
    if matches!(error, Error::LinksNotFound(_) | Error::LinksDeleted(_)) {
        return Problem::new(ProblemType::LINK_NOT_FOUND, Problem::sentence(&error.to_string()));
    }
    error.into()
}
