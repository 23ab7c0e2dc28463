//! `GET /api/manage/v1/links/{code}/events`

use crate::domain::changes::{History, HistoryFilter};
use crate::http::objects::event::Event;
use crate::http::objects::fields::CodeSegment;
use crate::http::prelude::*;

/// The operations.
pub(super) const OPERATIONS: &[Operation] =
    &[Operation::new("listLinkEvents", Permission::Read, "A page of the changes of the link.")];

/// Events of links.
#[derive(Debug, Default)]
pub struct EventsApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Links")]
impl EventsApi {
    /// List the events of a link
    ///
    /// Returns the changes of a link, newest first. For a change by the operator, it returns the time,
    /// the action and the reason, but neither name, note nor case.
    #[oai(path = "/links/:code/events", method = "get", operation_id = "listLinkEvents")]
    async fn list_link_events(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        Path(code): Path<CodeSegment>,
        /// Maximum number of events, from `1` to `1000`. Without it, 100.
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<Event>, NextPageLink>> {
        let code = code.0.ok_or(Error::LinkNotFound)?;
        let path = format!("/api/manage/v1/links/{}/events", code.path_segment());
        let page = ListPage::find(&app, caller.owner_id, path, Vec::new(), limit, cursor)?;
        let filter = HistoryFilter::of_link(Realm::Owner(caller.owner_id), code.as_str());
        let history = History::new(&app.store, filter).await?;
        let found = history.page(&app.store, page.request()).await?;
        Ok(page.response(found))
    }
}
