//! `GET /api/v1/links` and `GET /api/v1/stats/{code}`

use poem_openapi::registry::MetaHeader;

use super::caller::Caller;
use super::headers;
use super::list_query::{LIST_PROBLEMS, ListOperation};
use super::operation::{Operation, OperationKind};
use super::problem_examples::ProblemExample;
use super::response::{OperationResponse, OperationResult};
use super::schema::CodeText;
use super::wire::{self, LinkStats, ListLinksResponse, StatsResponse};
use crate::domain::{self, links};
use crate::http::state::AppState;

/// Operation `GET /api/v1/links`.
pub struct ListLinks;

impl Operation for ListLinks {
    const ID: &'static str = "listLinks";
    const KIND: OperationKind = OperationKind::List;
    const SUCCESS_DESCRIPTION: &'static str =
        "The links of the owner: all of them or, with `limit`, one page.";
    const PROBLEMS: &'static [ProblemExample] = LIST_PROBLEMS;
    type Body = ListLinksResponse;

    fn headers() -> Vec<MetaHeader> {
        headers::list(Self::PATH)
    }
}

impl ListOperation for ListLinks {
    const PATH: &'static str = "/api/v1/links";
    const WITH_QR: bool = false;
    type Item = wire::ListedLink;
}

/// Operation `GET /api/v1/stats/{code}`.
pub struct GetStats;

impl Operation for GetStats {
    const ID: &'static str = "getStats";
    const KIND: OperationKind = OperationKind::Read;
    const SUCCESS_DESCRIPTION: &'static str = "The statistics of the link.";
    const PROBLEMS: &'static [ProblemExample] = &[
        ProblemExample::UNAUTHORIZED,
        ProblemExample::OWNER_SUSPENDED,
        ProblemExample::KEY_SCOPE,
        ProblemExample::LINK_NOT_FOUND,
        ProblemExample::RATE_LIMITED,
        ProblemExample::INTERNAL_ERROR,
        ProblemExample::UNAVAILABLE,
    ];
    type Body = StatsResponse;
}

pub(super) async fn statistics(
    app: &AppState,
    caller: Caller,
    code: CodeText,
) -> OperationResult<GetStats> {
    let code = code.0.ok_or(domain::Error::LinkNotFound)?;
    let link = links::statistics(&app.store, &app.recorder, caller.owner_id, &code).await?;
    let state = links::state(&link, &app.caches.blocks.snapshot(), app.store.now());
    Ok(OperationResponse::object(&StatsResponse { data: LinkStats::from((link, state)) }))
}
