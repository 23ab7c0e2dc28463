//! `/api/manage/v1/events` and `/api/manage/v1/links/{code}/events`

use crate::domain::changes::{self, Action, HistoryFilter};
use crate::http::events::{self, StoppedResponse};
use crate::http::objects::event::{Event, EventChange, EventDetails};
use crate::http::objects::fields::{CodeSegment, EventSegment};
use crate::http::objects::parameters::EventId;
use crate::http::prelude::*;
use crate::values::ShortCode;

const PATH: &str = "/api/manage/v1/events";

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listLinkEvents", Permission::Read, "A page of the changes of the link."),
    Operation::new("listEvents", Permission::Read, "A page of the owner's events.")
        .with(&[ProblemExample::LINK_NOT_FOUND]),
    Operation::new("getEvent", Permission::Read, "The event, and what it changed."),
    Operation::new("listEventChanges", Permission::Read, "A page of what the event changed."),
    Operation::new("stopEvent", Permission::Edit, "The event, whose change no longer goes on.")
        .with(&[ProblemExample::MALFORMED_NOTE]),
];

/// Events of links.
#[derive(Debug, Default)]
pub struct LinkEventsApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Links")]
impl LinkEventsApi {
    /// List the events of a link
    ///
    /// Returns the changes of a link, newest first, even if the link is deleted. For a change by the operator,
    /// it returns the time, the action and the reason, but neither name, note nor case.
    #[oai(path = "/links/:code/events", method = "get", operation_id = "listLinkEvents")]
    async fn list_link_events(
        &self,
        caller: Caller,
        Path(code): Path<CodeSegment>,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<Event>, NextPageLink>> {
        let code = code.parsed()?;
        let path = format!("/api/manage/v1/links/{}/events", code.path_segment());
        let page = caller.page(path, Vec::new(), limit, cursor)?;
        let filter = HistoryFilter::of_link(caller.realm(), code.as_str());
        events::list(&caller.app, page, filter, None).await
    }
}

/// Events of the owner.
#[derive(Debug, Default)]
pub struct EventsApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Events")]
impl EventsApi {
    /// List events
    ///
    /// Returns the changes of the owner, and of the owner's links, keys, domains and webhooks, also of links
    /// that are deleted, newest first. With `after_id`, it returns later events, oldest first: events become
    /// visible in the order of their identifiers, so a program that follows the pages to the end, and later
    /// continues after the last one it has seen, misses none.
    #[oai(path = "/events", method = "get", operation_id = "listEvents")]
    async fn list_events(
        &self,
        caller: Caller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        /// Only events that changed the link with this short code, even if it is deleted.
        Parameter(short_code): Parameter<ShortCode>,
        /// Only events of this action, such as `link edit`.
        Parameter(action): Parameter<Action>,
        /// Only events after the one with this identifier, oldest first; `0` begins with the first.
        Parameter(after_id): Parameter<EventId>,
    ) -> OperationResult<ListResponse<List<Event>, NextPageLink>> {
        let owner_id = caller.owner_id;
        let filter = HistoryFilter {
            link: short_code.map(String::from),
            action,
            ..HistoryFilter::new(Realm::Owner(owner_id))
        };
        let (path, conditions) = (PATH.to_owned(), events::conditions(&filter, after_id));
        let page = caller.page(path, conditions, limit, cursor)?;
        events::list(&caller.app, page, filter, after_id).await
    }

    /// Read an event
    ///
    /// Returns an event, and the first 100 of what it changed. Of a change over several owners, it returns
    /// only what is the owner's.
    #[oai(path = "/events/:id", method = "get", operation_id = "getEvent")]
    async fn get_event(
        &self,
        caller: Caller,
        /// The identifier of the event.
        Path(id): Path<EventSegment>,
    ) -> OperationResult<OkResponse<EventDetails>> {
        Ok(OkResponse::new(events::details(&caller, id.parsed()?).await?))
    }

    /// List what an event changed
    ///
    /// Returns everything that an event changed, in the order in which it did. Of a change over several
    /// owners, it returns only what is the owner's.
    #[oai(path = "/events/:id/changes", method = "get", operation_id = "listEventChanges")]
    async fn list_event_changes(
        &self,
        caller: Caller,
        /// The identifier of the event.
        Path(id): Path<EventSegment>,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<EventChange>, NextPageLink>> {
        let id = id.parsed()?;
        let path = format!("{PATH}/{id}/changes");
        let page = caller.page(path, Vec::new(), limit, cursor)?;
        events::list_changes(&caller, page, id).await
    }

    /// Stop the change of an event
    ///
    /// Changes an event that runs, which is a change of many links by a key of the owner: it stops after the
    /// slice in progress. What was changed stays changed, and the request that made the change goes on if it
    /// is repeated. The stop is itself an event, except if the change had ended: then nothing happens. A
    /// change by the operator cannot be stopped; the response is 404.
    #[oai(path = "/events/:id/stop", method = "post", operation_id = "stopEvent")]
    async fn stop_event(
        &self,
        caller: Caller,
        /// The identifier of the event.
        Path(id): Path<EventSegment>,
        /// Why, for the history.
        OptionalBody(body): OptionalBody<AuditRequest>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<StoppedResponse<Event>> {
        let id = id.parsed()?;
        let change = caller.change_once(body.into(), key, &format!("stop of {id}"));
        Ok(changes::stop(&caller.app.store, caller.realm(), id, &change).await?.into())
    }
}
