//! `GET /api/manage/v1/links/{code}/history`

use crate::domain::changes::{History, HistoryFilter};
use crate::http::objects::event::OwnEventList;
use crate::http::objects::fields::CodeSegment;
use crate::http::prelude::*;

/// The operations.
pub(super) const OPERATIONS: &[Operation] =
    &[Operation::new("getLinkHistory", Permission::Manage, "A page of the changes of the link.")];

/// Histories.
#[derive(Debug, Default)]
pub struct HistoryApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Links")]
impl HistoryApi {
    /// Read the history of a link
    ///
    /// Returns the changes of a link, newest first. For a change by the operator, it returns the time,
    /// the action and the reason, but neither name, note nor case.
    #[oai(path = "/links/:code/history", method = "get", operation_id = "getLinkHistory")]
    async fn get_link_history(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        Path(code): Path<CodeSegment>,
        /// Maximum number of events, from `1` to `1000`. Without it, 100.
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<OwnEventList, NextPageLink>> {
        let code = code.0.ok_or(Error::LinkNotFound)?;
        let path = format!("/api/manage/v1/links/{}/history", code.path_segment());
        let page = ListPage::find(&app, caller.owner_id, path, Vec::new(), limit, cursor)?;
        let filter = HistoryFilter::of_link(Realm::Owner(caller.owner_id), code.as_str());
        let history = History::new(&app.store, filter).await?;
        let found = history.page(&app.store, page.request()).await?;
        Ok(page.response(found))
    }
}
