//! `GET /api/v1/links` and `GET /api/v1/stats/{code}`

use super::list_query::{LIST_PROBLEMS, ListQuery};
use super::wire::{LinkList, LinkStats, ListedLink, StatsResponse};
use crate::domain;
use crate::domain::links::{self, LinkState};
use crate::http::caller::Caller;
use crate::http::objects::fields::CodeSegment;
use crate::http::openapi::headers::NextLink;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::payload::{Json, ListResponse, OkResponse, OperationResult};
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::Permission;

/// Operation `GET /api/v1/links`.
pub(super) const LIST_LINKS: Operation = Operation {
    id: "listLinks",
    permission: Permission::Read,
    success: "The links of the owner: all of them or, with `limit`, one page.",
    problems: LIST_PROBLEMS,
};

/// Operation `GET /api/v1/stats/{code}`.
pub(super) const GET_STATS: Operation = Operation {
    id: "getStats",
    permission: Permission::Read,
    success: "The statistics of the link.",
    problems: &[&[ProblemExample::LINK_NOT_FOUND]],
};

pub(super) async fn list(
    app: &AppState,
    caller: Caller,
    query: &ListQuery,
) -> OperationResult<ListResponse<LinkList, NextLink>> {
    let (body, next) = query.run::<ListedLink>(app, caller, "/api/v1/links", false).await?;
    Ok(ListResponse::Ok(Json::from_stream(body), next))
}

pub(super) async fn statistics(
    app: &AppState,
    caller: Caller,
    code: CodeSegment,
) -> OperationResult<OkResponse<StatsResponse>> {
    let code = code.0.ok_or(domain::Error::LinkNotFound)?;
    let link = links::statistics(&app.store, &app.recorder, caller.owner_id, &code).await?;
    let state = LinkState::from_link(&link, None, &app.caches.blocks.snapshot(), app.store.now());
    Ok(OkResponse::Ok(Json::new(&StatsResponse { data: LinkStats::from((link, state)) })))
}
