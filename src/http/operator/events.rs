//! `/api/operator/v1/events` and the paths below it

use super::long_change;
use crate::domain::changes::{self, Action, History, HistoryFilter};
use crate::http::objects::change::UndoResult;
use crate::http::objects::event::operator::Event;
use crate::http::objects::fields::EventSegment;
use crate::http::objects::parameters::EventId;
use crate::http::prelude::*;
use crate::values::{Name, ShortCode};

const PATH: &str = "/api/operator/v1/events";

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listEvents", READ, "A page of events.").with(&[ProblemExample::LINK_NOT_FOUND]),
    Operation::new("getEvent", READ, "The event, with its actor."),
    Operation::new("undoEvent", MODERATE, "What the undo changed, and what it left as it is.")
        .with(&[
            ProblemExample::CANNOT_UNDO,
            ProblemExample::DOMAIN_HAS_DESTINATIONS,
            ProblemExample::invalid("/audit/note", "must not contain control characters"),
        ]),
];

/// The history.
#[derive(Debug, Default)]
pub struct EventsApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Events")]
impl EventsApi {
    /// List events
    ///
    /// Returns what was changed, by whom, when and why, newest first. With `after`, it returns later
    /// events, oldest first: events become visible in the order of their identifiers, so a program
    /// that follows the pages to the end, and later continues after the last one it has seen, misses none.
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    #[oai(path = "/events", method = "get", operation_id = "listEvents")]
    async fn list_events(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        /// Only events of this case.
        Parameter(case): Parameter<CaseId>,
        /// Only events about the owner with this name, or the owner's links.
        Parameter(owner): Parameter<Name>,
        /// Only events that changed the link with this short code, even if it is deleted.
        Parameter(short_code): Parameter<ShortCode>,
        /// Only events after the one with this identifier, oldest first; `0` begins with the first.
        Parameter(after): Parameter<EventId>,
    ) -> OperationResult<ListResponse<List<Event>, NextPathLink>> {
        let filter = HistoryFilter {
            link: short_code.map(String::from),
            owner: owner.map(|name| name.as_str().to_owned()),
            case: case.map(|case| case.as_str().to_owned()),
            ..HistoryFilter::new(Realm::Everyone)
        };
        if let Some(owner) = &filter.owner {
            caller.concerns(owner);
        }
        let after = after.map(|EventId(id)| id);
        let conditions = vec![
            ("case", filter.case.clone()),
            ("owner", filter.owner.clone()),
            ("short_code", filter.link.clone()),
            ("after", after.map(|id| id.to_string())),
        ];
        let page = ListPage::find(&app, NO_OWNER, PATH.to_owned(), conditions, limit, cursor)?;
        let (request, history) = (page.request(), History::new(&app.store, filter).await?);
        let found = match after {
            Some(after) => history.following(&app.store, after, request).await?,
            None => history.page(&app.store, request).await?,
        };
        Ok(page.response(found))
    }

    /// Read an event
    ///
    /// Returns an event.
    #[oai(path = "/events/:id", method = "get", operation_id = "getEvent")]
    async fn get_event(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the event.
        Path(id): Path<EventSegment>,
    ) -> OperationResult<OkResponse<Event>> {
        let event = changes::event(&app.store, id.identifier()?).await?;
        event.owner.iter().for_each(|owner| caller.concerns(owner));
        Ok(OkResponse::new(event))
    }

    /// Undo an event
    ///
    /// Changes everything back that an event changed and nothing has changed since. Only events that
    /// disable, enable, pause, unpause or edit links, suspend or resume owners, change patterns, or
    /// change domains can be undone; the last only with the role `admin`. The undo is itself an event. If
    /// the client disconnects, it continues.
    #[oai(path = "/events/:id/undo", method = "post", operation_id = "undoEvent")]
    async fn undo_event(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the event.
        Path(id): Path<EventSegment>,
        /// Why, for the history.
        OptionalBody(body): OptionalBody<AuditRequest>,
    ) -> OperationResult<OkResponse<UndoResult>> {
        let id = id.identifier()?;
        let event = changes::event(&app.store, id).await?;
        event.owner.iter().for_each(|owner| caller.concerns(owner));
        if event.action.parse().is_ok_and(Action::is_about_domains) {
            caller.require(OperatorPermission::Provision)?;
        }
        let change = caller.change(body.into(), app.store.now());
        let (store, addresses) = (app.store.clone(), Arc::clone(&app.creator.rules().addresses));
        let undo = async move |change| changes::undo(&store, id, &addresses, &change).await;
        let undone = long_change::run(change, undo).await?;
        Ok(OkResponse::new(undone))
    }
}
