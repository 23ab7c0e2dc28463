//! How far a change has come, and the first response to a request that makes one.

use serde::{Deserialize, Serialize};

use super::outbox::ChangedLinks;
use super::{Change, Changed, Event};
use crate::domain::Error;
use crate::domain::idempotency::{StoredResponse, earlier_response};
use crate::store::events::{self, EventStatus, RunProgress};
use crate::store::{Connection, Store};
use crate::values::{ApiKey, Timestamp};

/// The first of several names, and the number of all.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FirstNames {
    /// At most 100 names.
    pub first: Vec<String>,
    /// Number of all names.
    pub count: u64,
}

impl FirstNames {
    const MAX: usize = 100;

    /// Adds names. One may be a key that was pasted in the wrong place.
    pub(in crate::domain) fn extend<'a>(
        &mut self,
        names: impl ExactSizeIterator<Item = &'a String>,
    ) {
        self.count += names.len() as u64;
        let room = Self::MAX.saturating_sub(self.first.len());
        self.first.extend(names.take(room).map(|name| ApiKey::redact(name).into_owned()));
    }
}

/// How far a change of any number of things has come, apart from what its event counts. An event has it
/// as JSON, and so has the stored response to a request without an event.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangeExtent {
    /// Whether the change goes on.
    #[serde(skip)]
    pub status: EventStatus,
    /// Listed codes that no link has.
    pub unknown: FirstNames,
    /// What the change left as it was.
    pub skipped: FirstNames,
    /// Number of things that changed, or would change in a dry run, if there is no event.
    pub(super) changed: u64,
    /// Identifier of the last change that an undo has looked at.
    pub(super) position: i64,
    /// Numbers of links that it has changed, for webhooks.
    #[serde(skip)]
    pub(super) told: ChangedLinks,
}

impl ChangeExtent {
    /// Returns the text in which an event or a stored response has it.
    pub(super) fn to_text(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// Returns what a change left as it was, by what its event has of it.
    pub fn skipped_of(text: Option<&str>) -> FirstNames {
        Self::from_text(text).skipped
    }

    fn from_text(text: Option<&str>) -> Self {
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Returns what the event stores after a slice of a run.
    pub(in crate::domain) fn progress(&self, run: i64, status: EventStatus) -> RunProgress {
        let is_empty = self.unknown.count + self.skipped.count == 0;
        RunProgress {
            run,
            status,
            skipped: (!is_empty || self.position > 0).then(|| self.to_text()),
            skipped_count: Some(self.skipped.count.try_into().unwrap_or(i64::MAX)),
        }
    }
}

impl Changed<ChangeExtent> {
    /// Returns how far the change of an event has come by the time `now`.
    fn of_event(event: Event, now: Timestamp) -> Self {
        let event = event.read_at(now);
        let status = event.status();
        Self {
            event: Some(event.id),
            changed: event.changed.try_into().unwrap_or(0),
            is_replay: true,
            value: ChangeExtent { status, ..ChangeExtent::from_text(event.skipped.as_deref()) },
        }
    }
}

/// Returns how far the change of an event has come.
///
/// # Errors
/// [`Error::EventNotFound`].
pub async fn extent(store: &Store, event_id: i64) -> Result<Changed<ChangeExtent>, Error> {
    let event = events::find(store.reader(), event_id).await?;
    let event = event.ok_or(Error::EventNotFound(event_id))?;
    Ok(Changed { is_replay: false, ..Changed::of_event(event, store.now()) })
}

impl Change {
    /// Returns what an earlier transmission of the request has done so far, if there was one.
    ///
    /// # Errors
    /// [`Error::KeyReused`].
    pub(in crate::domain) async fn earlier(
        &self,
        store: &Store,
    ) -> Result<Option<Changed<ChangeExtent>>, Error> {
        self.find_earlier(store.reader(), store.now()).await
    }

    pub(super) async fn find_earlier(
        &self,
        db: &impl Connection,
        now: Timestamp,
    ) -> Result<Option<Changed<ChangeExtent>>, Error> {
        let Some((namespace, request)) = &self.request else { return Ok(None) };
        let first = earlier_response(db, *namespace, request, now).await?;
        let Some(StoredResponse { event_id, origin, .. }) = first else { return Ok(None) };
        // Its event may have come further since.
        if let Some(id) = event_id {
            let event = events::find(db, id).await?.ok_or(Error::EventNotFound(id))?;
            return Ok(Some(Changed::of_event(event, now)));
        }
        let value = ChangeExtent::from_text(origin.as_deref());
        Ok(Some(Changed { event: None, changed: value.changed, is_replay: true, value }))
    }
}
