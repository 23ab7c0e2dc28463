//! The history: the events that record what operators changed.

use std::collections::HashMap;

use futures_util::Stream;
use serde_json::Value;

use super::{Action, ActorType};
use crate::domain::owner_lookup::OwnerRef;
use crate::domain::page::{self, FoundPage, ListPosition, PageRequest};
use crate::domain::{Error, Realm};
use crate::store::entities::link::Model;
use crate::store::event_pages::{self, EventFilter, EventRange, ListedEvent, MadeChange};
use crate::store::events::{self, ChangeKind};
use crate::store::{Connection, Store, link_changes, owners};
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
    /// Only events of this realm, to which the link must belong.
    pub realm: Realm,
    /// Only events about this owner, or about all owners that have had this name.
    pub owner: Option<OwnerRef<'static>>,
    /// Only events of this action.
    pub action: Option<Action>,
    /// Only events of an actor of this type.
    pub actor_type: Option<ActorType>,
    /// Only events of the key with this identifier.
    pub actor_id: Option<i64>,
    /// Only events of this case.
    pub case: Option<String>,
    /// Only events at this time or later.
    pub since: Option<Timestamp>,
}

impl HistoryFilter {
    /// Returns the filter of all events in a realm.
    pub const fn new(realm: Realm) -> Self {
        Self {
            link: None,
            realm,
            owner: None,
            action: None,
            actor_type: None,
            actor_id: None,
            case: None,
            since: None,
        }
    }

    /// Returns the filter of all events that changed a link in a realm.
    pub fn of_link(realm: Realm, code: &str) -> Self {
        Self { link: Some(code.to_owned()), ..Self::new(realm) }
    }
}

/// Returns the identifier of an owner, who may be deleted, if any owner has ever had it.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn known_owner(store: &Store, id: i64) -> Result<i64, Error> {
    let db = store.reader();
    let is_known = owners::get(db, id).await?.is_some() || event_pages::know_owner(db, id).await?;
    if is_known { Ok(id) } else { Err(Error::OwnerNotFound(id.to_string())) }
}

/// The events that meet the conditions of a filter.
#[derive(Debug)]
pub struct History {
    filter: EventFilter,
}

impl History {
    /// Finds the link of the filter, if there is one.
    ///
    /// # Errors
    /// [`Error::LinksNotFound`], or [`Error::OwnerNotFound`] if no owner has ever had the identifier.
    pub async fn new(store: &Store, filter: HistoryFilter) -> Result<Self, Error> {
        let HistoryFilter { link, realm, owner, action, actor_type, actor_id, case, since } =
            filter;
        let link = match link {
            None => None,
            Some(code) => Some(find_link(store.reader(), realm, code).await?),
        };
        let owner_ids = match (owner, realm) {
            // All events that changed a link of the realm belong to the realm.
            (None, Realm::Owner(id)) => link.is_none().then(|| vec![id]),
            (None, Realm::Everyone) => None,
            (Some(OwnerRef::Name(name)), _) => {
                Some(events::owners_named(store.reader(), &name).await?)
            }
            (Some(OwnerRef::Id(id)), _) => Some(vec![known_owner(store, id).await?]),
        };
        let filter = EventFilter {
            link_id: link.as_ref().map(|link| link.id),
            deleted_event: link.and_then(|link| link.deleted_event),
            owner_ids,
            action: action.map(|action| action.into_str()),
            actor_type: actor_type.map(ActorType::stored),
            actor_id,
            case_id: case,
            since,
        };
        Ok(Self { filter })
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
        self.read(store, EventRange::After(after), request.limit).await
    }

    /// Returns a page of the events, newest first. The events of a link are in the order in which they
    /// changed the link.
    pub async fn page(
        &self,
        store: &Store,
        PageRequest { position, limit }: PageRequest,
    ) -> Result<FoundPage<Event>, Error> {
        let EventFilter { link_id: Some(link), deleted_event, .. } = self.filter else {
            return self.read(store, EventRange::Before(position.0), limit).await;
        };
        let (db, mut found) = (store.reader(), Vec::new());
        if let Some(id) = deleted_event.filter(|_| position == ListPosition::START) {
            let deletion = event_pages::find_matching(db, &self.filter, id).await?;
            let position = AFTER_DELETION.0;
            found.extend(deletion.map(|event| ListedEvent { position, event }));
        }
        let rows = u64::from(limit) + 1 - found.len() as u64;
        found.extend(event_pages::list_of_link(db, link, &self.filter, position.0, rows).await?);
        let page = FoundPage::cut(found, limit, |last| last.position);
        Ok(page.map(|listed| listed.event.read_at(store.now())))
    }

    async fn read(
        &self,
        store: &Store,
        range: EventRange,
        limit: u32,
    ) -> Result<FoundPage<Event>, Error> {
        let (items, next) = event_pages::list(store.reader(), &self.filter, range, limit).await?;
        let page = FoundPage { items, next: next.map(ListPosition) };
        Ok(page.map(|event| event.read_at(store.now())))
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

/// Finds a link of a realm, also one that is deleted and belonged to it.
async fn find_link(db: &impl Connection, realm: Realm, code: String) -> Result<Model, Error> {
    let missing = || Error::LinksNotFound(vec![code.clone()]);
    let parsed = ShortCode::parse(&code).map_err(|_| missing())?;
    let link = link_changes::with_codes(db, &[parsed]).await?.pop().ok_or_else(missing)?;
    let deletion = match link.deleted_event {
        Some(id) if !realm.includes(link.owner_id) => events::find(db, id).await?,
        Some(_) | None => None,
    };
    let is_visible = match (realm, &deletion) {
        (Realm::Owner(id), Some(event)) => events::concerns(db, event, id, Some(link.id)).await?,
        (Realm::Owner(_) | Realm::Everyone, _) => realm.includes(link.owner_id),
    };
    if is_visible { Ok(link) } else { Err(missing()) }
}

/// Returns an event of a realm.
///
/// # Errors
/// [`Error::EventNotFound`].
pub async fn event(store: &Store, realm: Realm, id: i64) -> Result<Event, Error> {
    let db = store.reader();
    let found = events::find(db, id).await?.ok_or(Error::EventNotFound(id))?;
    if let Realm::Owner(owner_id) = realm
        && !events::concerns(db, &found, owner_id, None).await?
    {
        return Err(Error::EventNotFound(id));
    }
    Ok(found.read_at(store.now()))
}

/// What an event changed of one link, owner, key or other thing.
#[derive(Debug, Clone)]
pub struct ShownChange {
    /// What it changed. `None`: only a newer version of Terse knows it.
    pub kind: Option<ChangeKind>,
    /// Short code, name of the owner or plan, pattern, host, or identifier of the key or webhook.
    pub subject: String,
    /// Recorded values before the event, or null if there was no such thing. `None`: they were erased when
    /// the link or owner was deleted.
    pub before: Option<Value>,
    /// Recorded values after the event. `None`: they were erased when the link or owner was deleted.
    pub after: Option<Value>,
    /// The link, if it changed one that is not deleted.
    pub link: Option<Model>,
}

/// Returns a page of what an event changed in a realm, in the order in which the event changed it. For a
/// deletion of links, it returns their codes.
///
/// # Errors
/// If the database fails.
pub async fn changes(
    store: &Store,
    realm: Realm,
    event: &Event,
    request: PageRequest,
) -> Result<FoundPage<ShownChange>, Error> {
    let db = store.reader();
    let after = match request.position {
        ListPosition::START => event_pages::FIRST_CHANGE,
        ListPosition(last) => last,
    };
    let found =
        event_pages::changes_page(db, event, realm.owner_id(), after, request.rows()).await?;
    let FoundPage { items, next } = FoundPage::cut(found, request.limit, |(position, _)| *position);
    let ids = |kind| {
        let id = move |(_, change): &(i64, MadeChange)| match change {
            MadeChange::Recorded(row) if row.kind() == Some(kind) => row.subject.parse().ok(),
            MadeChange::Deletion(id) if kind == ChangeKind::Link => Some(*id),
            MadeChange::Recorded(_) | MadeChange::Deletion(_) => None,
        };
        items.iter().filter_map(id).collect::<Vec<i64>>()
    };
    let links = link_changes::with_ids(db, &ids(ChangeKind::Link)).await?;
    let links: HashMap<i64, Model> = links.into_iter().map(|link| (link.id, link)).collect();
    let mut owners_by_id = HashMap::new();
    for id in ids(ChangeKind::Owner) {
        owners_by_id.extend(owners::get(db, id).await?.map(|owner| (id, owner.name)));
    }
    let parsed = |kind, text: Option<String>| {
        let mut values: Option<Value> = serde_json::from_str(&text?).ok();
        if realm != Realm::Everyone
            && let Some(fields) = values.as_mut().and_then(Value::as_object_mut)
        {
            match kind {
                // Nothing else shows owners what the operator calls them.
                Some(ChangeKind::Owner) => drop(fields.remove("external_id")),
                // Only keys of the scope `full` read webhooks, whose URLs may contain secrets.
                Some(ChangeKind::Webhook) => fields.clear(),
                _ => {}
            }
        }
        values
    };
    let shown = items.into_iter().map(|(_, change)| match change {
        MadeChange::Recorded(row) => {
            let (kind, id) = (row.kind(), row.subject.parse().unwrap_or(0));
            let link = links.get(&id).filter(|_| kind == Some(ChangeKind::Link));
            let owner = owners_by_id.get(&id).filter(|_| kind == Some(ChangeKind::Owner));
            let name = link.map(|link| &link.short_code).or(owner);
            ShownChange {
                kind,
                subject: name.cloned().unwrap_or(row.subject),
                before: parsed(kind, row.before),
                after: parsed(kind, row.after),
                link: link.filter(|link| link.owner_id.is_some()).cloned(),
            }
        }
        MadeChange::Deletion(id) => ShownChange {
            kind: Some(ChangeKind::Link),
            subject: links.get(&id).map_or_else(String::new, |link| link.short_code.clone()),
            before: None,
            after: None,
            link: None,
        },
    });
    Ok(FoundPage { items: shown.collect(), next })
}

/// Returns a link as it was before and after a change with these recorded values, apart from what others have
/// changed since.
///
/// # Errors
/// If a value does not fit the link.
pub fn before_and_after(link: &Model, recorded: [&Value; 2]) -> Result<[Model; 2], Error> {
    let mut versions = [link.clone(), link.clone()];
    for (version, values) in versions.iter_mut().zip(recorded) {
        if let Some(values) = values.as_object() {
            link_changes::restore(version, values)?;
        }
    }
    Ok(versions)
}
