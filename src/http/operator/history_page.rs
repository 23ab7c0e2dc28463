//! Pages of the history.

use crate::domain::Error;
use crate::domain::changes::{History, HistoryFilter};
use crate::domain::links::ListPosition;
use crate::http::objects::event::EventDetails;
use crate::http::openapi::page::ListPage;
use crate::http::state::AppState;

/// Returns the events on a page, newest first, and the position after them.
pub(super) async fn history_page(
    app: &AppState,
    filter: HistoryFilter,
    page: &ListPage<'_>,
) -> Result<(Vec<EventDetails>, Option<ListPosition>), Error> {
    let filter = HistoryFilter { limit: Some(page.limit().into()), ..filter };
    let mut history = History::new(&app.store, filter).await?;
    if page.position != ListPosition::START {
        history = history.after(page.position.0);
    }
    let mut data: Vec<EventDetails> = Vec::new();
    loop {
        let events = history.next_page(&app.store).await?;
        if events.is_empty() {
            break;
        }
        data.extend(events.into_iter().map(EventDetails::from));
    }
    let is_full = data.len() == page.limit() as usize;
    Ok((data, is_full.then(|| ListPosition(history.position()))))
}
