//! `GET /api/v1/links` and `GET /api/v1/stats/{code}`

use poem_openapi::ApiResponse;

use super::list_query::{LIST_PROBLEMS, ListQuery};
use super::wire::{LinkList, LinkStats, ListedLink, StatsResponse};
use crate::domain;
use crate::domain::links::{self, LinkState};
use crate::http::caller::Caller;
use crate::http::objects::fields::CodeSegment;
use crate::http::openapi::headers::NextLink;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::payload::{Json, OperationResult};
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::Permission;

/// Operation `GET /api/v1/links`.
pub(super) const LIST_LINKS: Operation =
    Operation { id: "listLinks", permission: Permission::Read, problems: LIST_PROBLEMS };

/// Operation `GET /api/v1/stats/{code}`.
pub(super) const GET_STATS: Operation = Operation {
    id: "getStats",
    permission: Permission::Read,
    problems: &[&[ProblemExample::LINK_NOT_FOUND]],
};

/// Response of [`LIST_LINKS`].
#[derive(Debug, ApiResponse)]
pub enum LinksResponse {
    /// The links of the owner: all of them or, with `limit`, one page.
    #[oai(status = 200)]
    Ok(Json<LinkList>, #[oai(header = "Link")] Option<NextLink>),
}

/// Response of [`GET_STATS`].
#[derive(Debug, ApiResponse)]
pub enum StatisticsResponse {
    /// The statistics of the link.
    #[oai(status = 200)]
    Ok(Json<StatsResponse>),
}

pub(super) async fn list(
    app: &AppState,
    caller: Caller,
    query: &ListQuery,
) -> OperationResult<LinksResponse> {
    let (body, next) = query.run::<ListedLink>(app, caller, "/api/v1/links", false).await?;
    Ok(LinksResponse::Ok(Json::from_stream(body), next))
}

pub(super) async fn statistics(
    app: &AppState,
    caller: Caller,
    code: CodeSegment,
) -> OperationResult<StatisticsResponse> {
    let code = code.0.ok_or(domain::Error::LinkNotFound)?;
    let link = links::statistics(&app.store, &app.recorder, caller.owner_id, &code).await?;
    let state = LinkState::from_link(&link, None, &app.caches.blocks.snapshot(), app.store.now());
    Ok(StatisticsResponse::Ok(Json::new(&StatsResponse { data: LinkStats::from((link, state)) })))
}
