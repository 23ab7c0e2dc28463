//! `/api/operator/v1/events` and the paths below it

use crate::domain::changes::{self, Action, ActorType, HistoryFilter};
use crate::http::events::{self, StoppedResponse};
use crate::http::long_change::{self, EventLocation, LongChangeResponse};
use crate::http::objects::change::UndoResult;
use crate::http::objects::event::EventChange;
use crate::http::objects::event::operator::{Event, EventDetails};
use crate::http::objects::fields::{EventSegment, KeyId, OwnerId};
use crate::http::objects::parameters::EventId;
use crate::http::prelude::*;
use crate::values::{ShortCode, Timestamp};

const PATH: &str = "/api/operator/v1/events";

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listEvents", READ, "A page of events.")
        .with(&[ProblemExample::LINK_NOT_FOUND, ProblemExample::OWNER_NOT_FOUND]),
    Operation::new("getEvent", READ, "The event, and what it changed."),
    Operation::new("listEventChanges", READ, "A page of what the event changed."),
    Operation::new("undoEvent", MODERATE, "What the undo changed, and what it left as it is.")
        .with(&[
            ProblemExample::CANNOT_UNDO,
            ProblemExample::EVENT_RUNNING,
            ProblemExample::DOMAIN_HAS_DESTINATIONS,
            ProblemExample::MALFORMED_NOTE,
        ]),
    Operation::new("stopEvent", MODERATE, "The event, whose change no longer goes on.")
        .with(&[ProblemExample::MALFORMED_NOTE]),
];

/// The history.
#[derive(Debug, Default)]
pub struct EventsApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Events")]
impl EventsApi {
    /// List events
    ///
    /// Returns what was changed, by whom, when and why, newest first. With `after_id`, it returns later
    /// events, oldest first: events become visible in the order of their identifiers, so a program
    /// that follows the pages to the end, and later continues after the last one it has seen, misses none.
    #[oai(path = "/events", method = "get", operation_id = "listEvents")]
    async fn list_events(
        &self,
        caller: OperatorCaller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        /// Only events of this case.
        Parameter(case_id): Parameter<CaseId>,
        /// Only events about this owner, who may be deleted, or the owner's links.
        Parameter(owner_id): Parameter<OwnerId>,
        /// Only events that changed the link with this short code, even if it is deleted.
        Parameter(short_code): Parameter<ShortCode>,
        /// Only events of this action, such as `link disable`.
        Parameter(action): Parameter<Action>,
        /// Only events of actors of this type.
        Parameter(actor_type): Parameter<ActorType>,
        /// Only events of the API key or operator key with this identifier.
        Parameter(actor_id): Parameter<KeyId>,
        /// Only events at this time or later (RFC 3339).
        Parameter(created_after): Parameter<Timestamp>,
        /// Only events after the one with this identifier, oldest first; `0` begins with the first.
        Parameter(after_id): Parameter<EventId>,
    ) -> OperationResult<ListResponse<List<Event>, NextPathLink>> {
        let filter = HistoryFilter {
            link: short_code.map(String::from),
            owner: owner_id.map(Into::into),
            action,
            actor_type,
            actor_id: actor_id.map(|KeyId(id)| id),
            case: case_id.map(|case| case.as_str().to_owned()),
            since: created_after,
            ..HistoryFilter::new(Realm::Everyone)
        };
        // A deleted owner has no name to log.
        let _ = caller.concerns_owner(owner_id).await;
        let conditions = events::conditions(&filter, after_id);
        let page = caller.page(PATH, conditions, limit, cursor)?;
        events::list(&caller.app, page, filter, after_id).await
    }

    /// Read an event
    ///
    /// Returns an event, and the first 100 of what it changed.
    #[oai(path = "/events/:id", method = "get", operation_id = "getEvent")]
    async fn get_event(
        &self,
        caller: OperatorCaller,
        /// The identifier of the event.
        Path(id): Path<EventSegment>,
    ) -> OperationResult<OkResponse<EventDetails>> {
        let (event, shown) = events::details(&caller, id.parsed()?).await?;
        event.owner.iter().for_each(|owner| caller.concerns(owner));
        Ok(OkResponse::new((event, shown)))
    }

    /// List what an event changed
    ///
    /// Returns everything that an event changed, in the order in which it did. Of a deletion of links, it
    /// returns the codes.
    #[oai(path = "/events/:id/changes", method = "get", operation_id = "listEventChanges")]
    async fn list_event_changes(
        &self,
        caller: OperatorCaller,
        /// The identifier of the event.
        Path(id): Path<EventSegment>,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<EventChange>, NextPathLink>> {
        let id = id.parsed()?;
        let path = format!("{PATH}/{id}/changes");
        let page = caller.page(path, Vec::new(), limit, cursor)?;
        events::list_changes(&caller, page, id).await
    }

    /// Undo an event
    ///
    /// Changes everything back that an event changed and nothing has changed since. Only events that
    /// disable, enable, pause, unpause or edit links, suspend or resume owners, change patterns, or
    /// change domains can be undone; the last only with the role `admin`. The undo is itself an event.
    ///
    /// It does not depend on the connection: if it takes longer than 20 seconds, the response is 202 with the
    /// `Location` of its event, and a repetition with the same `Idempotency-Key` returns 202 while it runs,
    /// and then the result. If it was interrupted, the repetition goes on under the same event.
    #[oai(path = "/events/:id/undo", method = "post", operation_id = "undoEvent")]
    async fn undo_event(
        &self,
        caller: OperatorCaller,
        /// The identifier of the event.
        Path(id): Path<EventSegment>,
        /// Why, for the history.
        OptionalBody(body): OptionalBody<AuditRequest>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<LongChangeResponse<UndoResult, EventLocation>> {
        let app = &caller.app;
        let id = id.parsed()?;
        let event = changes::event(&app.store, Realm::Everyone, id).await?;
        event.owner.iter().for_each(|owner| caller.concerns(owner));
        if event.action.parse().is_ok_and(Action::is_about_domains) {
            caller.require(OperatorPermission::Provision)?;
        }
        let change = caller.change_once(body.into(), key, &format!("undo of {id}"));
        let (store, addresses) = (app.store.clone(), Arc::clone(&app.creator.rules().addresses));
        let undo = async move |change| {
            changes::undo(&store, id, &addresses, &change).await.map(|(undone, _)| undone)
        };
        let undone = long_change::run(app, change, undo).await?;
        Ok(LongChangeResponse::new(&undone, (&undone).into()))
    }

    /// Stop the change of an event
    ///
    /// Changes an event that runs, which is a change of many links, an undo or the deletion of an owner: it
    /// stops after the slice in progress. What was changed stays changed, and the request that made the
    /// change goes on if it is repeated. Stopping a deletion needs the role `admin`. The stop is itself an
    /// event, except if the change had ended: then nothing happens.
    #[oai(path = "/events/:id/stop", method = "post", operation_id = "stopEvent")]
    async fn stop_event(
        &self,
        caller: OperatorCaller,
        /// The identifier of the event.
        Path(id): Path<EventSegment>,
        /// Why, for the history.
        OptionalBody(body): OptionalBody<AuditRequest>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<StoppedResponse<Event>> {
        let id = id.parsed()?;
        let event = changes::event(&caller.app.store, Realm::Everyone, id).await?;
        event.owner.iter().for_each(|owner| caller.concerns(owner));
        if event.action == Action::OwnerDelete.into_str() {
            caller.require(OperatorPermission::Administer)?;
        }
        let change = caller.change_once(body.into(), key, &format!("stop of {id}"));
        Ok(changes::stop(&caller.app.store, Realm::Everyone, id, &change).await?.into())
    }
}
