//! `GET /api/manage/v1/links/{code}/history`

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;

use super::tag::ManageTag;
use crate::domain::changes::{History, HistoryFilter};
use crate::domain::page::FoundPage;
use crate::domain::{self, Realm};
use crate::http::caller::Caller;
use crate::http::cursor::Cursor;
use crate::http::objects::event::{OwnEvent, OwnEventList};
use crate::http::objects::fields::CodeSegment;
use crate::http::openapi::headers::NextPageLink;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::page::{Limit, ListPage};
use crate::http::openapi::parameter::Parameter;
use crate::http::openapi::payload::{Json, ListResponse, OperationResult};
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::Permission;

/// Operation `GET /links/{code}/history`.
pub(super) const GET_LINK_HISTORY: Operation = Operation {
    id: "getLinkHistory",
    permission: Permission::Manage,
    success: "A page of the changes of the link.",
    problems: &[&[
        ProblemExample::MALFORMED_LIMIT,
        ProblemExample::LINK_NOT_FOUND,
        ProblemExample::CURSOR_NOT_FOUND,
    ]],
};

/// Histories.
#[derive(Debug, Default)]
pub struct HistoryApi;

#[OpenApi(prefix_path = "/api/manage/v1")]
impl HistoryApi {
    /// Read the history of a link
    ///
    /// Returns the changes of a link, newest first. For a change by the operator, it returns the time,
    /// the action and the reason, but neither name, note nor case.
    #[oai(
        path = "/links/:code/history",
        method = "get",
        operation_id = "getLinkHistory",
        tag = "ManageTag::Links"
    )]
    async fn get_link_history(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link's short code, case-sensitive.
        Path(code): Path<CodeSegment>,
        /// Maximum number of events, from `1` to `1000`. Without it, 100.
        Parameter(limit): Parameter<Limit>,
        /// Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: 32
        /// hexadecimal digits from the URL in the header `Link` of the previous page, valid only with
        /// the same conditions.
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<OwnEventList, NextPageLink>> {
        let code = code.0.ok_or(domain::Error::LinkNotFound)?;
        let path = format!("/api/manage/v1/links/{}/history", code.path_segment());
        let page = ListPage::find(&app, caller.owner_id, path, Vec::new(), limit, cursor)?;
        let filter = HistoryFilter {
            link: Some(code.as_str().to_owned()),
            ..HistoryFilter::new(Realm::Owner(caller.owner_id))
        };
        let history = History::new(&app.store, filter).await?;
        let FoundPage { items, next } = history.page(&app.store, page.request()).await?;
        let data = items.into_iter().map(OwnEvent::from).collect();
        Ok(ListResponse::Ok(Json::new(&OwnEventList { data }), page.link(next)))
    }
}
