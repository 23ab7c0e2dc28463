//! The history: the events that record what operators changed.

use std::collections::HashMap;

use futures_util::Stream;
use serde_json::Value;

use super::ActorType;
use crate::domain::page::{self, FoundPage, ListPosition, PageRequest};
use crate::domain::{Error, Realm};
use crate::store::entities::link::Model;
use crate::store::events::{self, ChangeKind, EventFilter};
use crate::store::{Store, link_changes, owners};
use crate::values::{ShortCode, Timestamp};

pub use crate::store::events::EventRow as Event;

/// Number of events per query of a stream.
const PAGE: u32 = 500;
/// Position after the event that deleted the link of a filter.
const AFTER_DELETION: ListPosition = ListPosition(ListPosition::START.0 - 1);

/// Conditions on the events of a history.
#[derive(Debug, Clone)]
pub struct HistoryFilter {
    /// Only events that changed the link with this code.
    pub link: Option<String>,
    /// To whom that link must belong.
    pub link_realm: Realm,
    /// Only events about the owner with this name.
    pub owner: Option<String>,
    /// Only events of an actor of this type.
    pub actor_type: Option<ActorType>,
    /// Only events of this case.
    pub case: Option<String>,
    /// Only events at this time or later.
    pub since: Option<Timestamp>,
}

impl HistoryFilter {
    /// Returns the filter of all events in a realm.
    #[must_use]
    pub const fn new(link_realm: Realm) -> Self {
        Self { link: None, link_realm, owner: None, actor_type: None, case: None, since: None }
    }

    /// Returns the filter of all events that changed a link in a realm.
    #[must_use]
    pub fn of_link(link_realm: Realm, code: &str) -> Self {
        Self { link: Some(code.to_owned()), ..Self::new(link_realm) }
    }
}

/// The events that meet the conditions of a filter.
#[derive(Debug)]
pub struct History {
    filter: EventFilter,
    /// The event that deleted the link of the filter. It has no values of the link.
    deleted_event: Option<i64>,
}

impl History {
    /// Finds the link of the filter, if there is one.
    ///
    /// # Errors
    /// [`Error::LinksNotFound`].
    pub async fn new(store: &Store, filter: HistoryFilter) -> Result<Self, Error> {
        let HistoryFilter { link, link_realm, owner, actor_type, case, since } = filter;
        let link = match link {
            None => None,
            Some(code) => {
                let missing = || Error::LinksNotFound(vec![code.clone()]);
                let parsed = ShortCode::parse(&code).map_err(|_| missing())?;
                let found = link_changes::with_codes(store.reader(), &[parsed]).await?;
                let is_visible = |link: &Model| link_realm.includes(link.owner_id);
                Some(found.into_iter().find(is_visible).ok_or_else(missing)?)
            }
        };
        let filter = EventFilter {
            link_id: link.as_ref().map(|link| link.id),
            event_id: None,
            owner,
            actor_type: actor_type.map(ActorType::stored),
            case_id: case,
            since,
        };
        let deleted_event = link.and_then(|link| link.deleted_event);
        Ok(Self { filter, deleted_event })
    }

    /// Returns a page of the events after the event with the identifier `after`, oldest first. A caller
    /// that continues after the last one misses no event.
    pub async fn following(
        &self,
        store: &Store,
        after: i64,
        request: PageRequest,
    ) -> Result<FoundPage<Event>, Error> {
        let after = match request.position {
            ListPosition::START => after,
            ListPosition(last) => last,
        };
        let filter = EventFilter { event_id: self.deleted_event, ..self.filter.clone() };
        let found = events::list_after(store.reader(), &filter, after, request.rows()).await?;
        Ok(FoundPage::cut(found, request.limit, |last| last.id))
    }

    /// Returns a page of the events, newest first. The events of a link are in the order in which they
    /// changed the link. A full page may be the last one.
    pub async fn page(
        &self,
        store: &Store,
        request: PageRequest,
    ) -> Result<FoundPage<Event>, Error> {
        let PageRequest { position, limit } = request;
        let (db, mut next, mut page) = (store.reader(), position, Vec::new());
        if let Some(event_id) = self.deleted_event.filter(|_| position == ListPosition::START) {
            let (event_id, link_id) = (Some(event_id), None);
            let filter = EventFilter { link_id, event_id, ..self.filter.clone() };
            page = events::list(db, &filter, position.0, limit.into()).await?;
            next = AFTER_DELETION;
        }
        let rest = u64::from(limit) - page.len() as u64;
        if rest > 0 {
            let further = events::list(db, &self.filter, next.0, rest).await?;
            next = further.last().map_or(next, |last| ListPosition(last.position));
            page.extend(further);
        }
        let is_full = page.len() == limit as usize;
        let items = page.into_iter().map(|listed| listed.event).collect();
        Ok(FoundPage { items, next: is_full.then_some(next) })
    }

    /// Streams the pages of the newest `limit` events, or of all.
    pub fn pages(
        &self,
        store: &Store,
        limit: Option<u64>,
    ) -> impl Stream<Item = Result<Vec<Event>, Error>> {
        let all = limit.unwrap_or(u64::MAX);
        page::stream((ListPosition::START, all), move |(position, left)| async move {
            let limit = u32::try_from(left).unwrap_or(PAGE).min(PAGE);
            let FoundPage { items, next } =
                self.page(store, PageRequest { position, limit }).await?;
            let left = left - items.len() as u64;
            Ok((items, next.filter(|_| left > 0).map(|next| (next, left))))
        })
    }
}

/// Returns an event.
///
/// # Errors
/// [`Error::EventNotFound`].
pub async fn event(store: &Store, id: i64) -> Result<Event, Error> {
    let found = events::find(store.reader(), id).await?;
    found.ok_or(Error::EventNotFound(id))
}

/// What an event changed of one link, owner, key or other thing.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownChange {
    /// `link`, `owner`, `block`, `domain`, `key`, `plan` or `operator key`.
    pub kind: String,
    /// Short code, name of the owner or plan, pattern, host, or identifier of the key.
    pub subject: String,
    /// Changed fields before the event, or null if there was no such thing. `None`: they were erased when
    /// the link or owner was deleted.
    pub before: Option<Value>,
    /// Changed fields after the event. `None`: they were erased when the link or owner was deleted.
    pub after: Option<Value>,
}

/// Returns what an event changed, in the order in which the event changed it. For a deletion of
/// links, it returns their codes.
///
/// # Errors
/// [`Error::EventNotFound`].
pub async fn changes(store: &Store, event_id: i64) -> Result<Vec<ShownChange>, Error> {
    let db = store.reader();
    events::find(db, event_id).await?.ok_or(Error::EventNotFound(event_id))?;
    let changes = events::changes_of(db, event_id).await?;
    let ids = changes.iter().filter(|change| change.kind() == Some(ChangeKind::Link));
    let ids: Vec<i64> = ids.filter_map(|change| change.subject.parse().ok()).collect();
    let mut codes = HashMap::new();
    for part in ids.chunks(link_changes::MAX_IDS) {
        let links = link_changes::with_ids(db, part).await?;
        codes.extend(links.into_iter().map(|link| (link.id.to_string(), link.short_code)));
    }
    let owners: HashMap<String, String> = owners::list(db)
        .await?
        .into_iter()
        .map(|owner| (owner.id.to_string(), owner.name))
        .collect();
    let parsed = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
    let deleted = link_changes::deleted_by(db, event_id).await?;
    let deleted = deleted.into_iter().map(|code| ShownChange {
        kind: ChangeKind::Link.into_str().to_owned(),
        subject: code,
        before: None,
        after: None,
    });
    let shown = changes.into_iter().map(|change| {
        let name = match change.kind() {
            Some(ChangeKind::Link) => codes.get(&change.subject),
            Some(ChangeKind::Owner) => owners.get(&change.subject),
            Some(
                ChangeKind::Block
                | ChangeKind::Domain
                | ChangeKind::Key
                | ChangeKind::Plan
                | ChangeKind::OperatorKey,
            )
            | None => None,
        };
        ShownChange {
            kind: change.kind,
            subject: name.cloned().unwrap_or(change.subject),
            before: parsed(change.before),
            after: parsed(change.after),
        }
    });
    Ok(shown.chain(deleted).collect())
}
