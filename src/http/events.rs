//! Lists of events and of what they changed, in both interfaces.

use poem_openapi::ApiResponse;
use poem_openapi::types::Type;
use serde::Serialize;

use super::objects::event::EventChange;
use super::objects::parameters::EventId;
use super::openapi::headers::PageLink;
use super::openapi::page::{Condition, Listed};
use super::prelude::*;
use crate::domain::changes::{self, Changed, Event, History, HistoryFilter, ShownChange};
use crate::domain::owners::OwnerRef;
use crate::domain::page::PageRequest;
use crate::values::Timestamp;

/// Response with an event whose change was stopped.
#[derive(Debug, ApiResponse)]
pub(super) enum StoppedResponse<T: Type> {
    /// The event.
    #[oai(status = 200)]
    Ok(
        Json<T>,
        #[oai(header = "Event-Id")] Option<EventIdHeader>,
        #[oai(header = "Idempotent-Replayed")] Option<Replayed>,
    ),
}

impl<T: Type + Serialize + From<Event>> From<Changed<Event>> for StoppedResponse<T> {
    fn from(stopped: Changed<Event>) -> Self {
        let replayed = Replayed::from_flag(stopped.is_replay);
        let event = EventIdHeader::from_event(stopped.event);
        Self::Ok(Json::new(&stopped.value.into()), event, replayed)
    }
}

/// Maximum number of changes that an event shows by itself.
const SHOWN: u32 = 100;

/// Returns the parameters of a request that lists the events of this filter.
pub(super) fn conditions(filter: &HistoryFilter, after_id: Option<EventId>) -> Vec<Condition> {
    let HistoryFilter { link, realm: _, owner, action, actor_type, actor_id, case, since } =
        filter.clone();
    let owner_id = owner.and_then(|owner| match owner {
        OwnerRef::Id(id) => Some(id.to_string()),
        OwnerRef::Name(_) => None,
    });
    vec![
        ("case_id", case),
        ("owner_id", owner_id),
        ("short_code", link),
        ("action", action.map(|action| action.into_str().to_owned())),
        ("actor_type", actor_type.map(|kind| kind.into_str().to_owned())),
        ("actor_id", actor_id.map(|id| id.to_string())),
        ("created_after", since.map(Timestamp::to_millis_text)),
        ("after_id", after_id.map(|EventId(id)| id.to_string())),
    ]
}

/// Returns a page of events, after an event if one is given.
pub(super) async fn list<T, L>(
    app: &AppState,
    page: ListPage<'_>,
    filter: HistoryFilter,
    after_id: Option<EventId>,
) -> OperationResult<ListResponse<List<T>, L>>
where
    T: Listed + Serialize + From<Event>,
    L: PageLink + Type,
{
    let (request, history) = (page.request(), History::new(&app.store, filter).await?);
    let found = match after_id {
        Some(EventId(after)) => history.following(&app.store, after, request).await?,
        None => history.page(&app.store, request).await?,
    };
    Ok(page.response(found))
}

/// Returns an event that the caller reaches, and the first of what it changed.
pub(super) async fn details(
    caller: &(impl Requester + Sync),
    id: i64,
) -> Result<(Event, Vec<ShownChange>), Error> {
    let (store, realm) = (&caller.app().store, caller.realm());
    let event = changes::event(store, realm, id).await?;
    let found = changes::changes(store, realm, &event, PageRequest::first(SHOWN)).await?;
    Ok((event, found.items))
}

/// Returns a page of what an event that the caller reaches changed.
pub(super) async fn list_changes<L: PageLink + Type>(
    caller: &(impl Requester + Sync),
    page: ListPage<'_>,
    id: i64,
) -> OperationResult<ListResponse<List<EventChange>, L>> {
    let (store, realm) = (&caller.app().store, caller.realm());
    let event = changes::event(store, realm, id).await?;
    let found = changes::changes(store, realm, &event, page.request()).await?;
    Ok(page.response(found))
}
