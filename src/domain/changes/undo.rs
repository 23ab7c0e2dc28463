//! The undo of an event: it reverts what the event changed, except for what has changed since.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value, json};
use strum::VariantArray as _;

use super::transaction::Subject;
use super::{Action, ActorType, Change, ChangeExtent, ChangeTransaction, Changed, Event};
use crate::domain::{Addresses, Error, Realm, domains};
use crate::store::blocks::BlockPatternRow;
use crate::store::domains::is_destination;
use crate::store::entities::link::Model;
use crate::store::entities::owner::Model as Owner;
use crate::store::events::{ChangeKind, EventChange, EventChangeRow, EventStatus};
use crate::store::invalidations::{Invalidation, lock, publish};
use crate::store::{Store, Transaction, blocks, events, link_changes, links, owners};
use crate::values::{Reason, Timestamp};

/// Fields of a link that change together.
const DESTINATION: &str = "destination_url";
const HOST: &str = "destination_host";
/// Field of a link that is unique among those of its owner.
const EXTERNAL_ID: &str = "external_id";

/// A link, owner, pattern or domain that an undo skipped, because it has changed since the event, or
/// because a destination would lead to the service itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// `link`, `owner`, `block` or `domain`.
    pub kind: String,
    /// Short code, name of the owner, pattern, or host.
    pub subject: String,
    /// The skipped fields of a link of which others were restored. Empty: all of them.
    pub fields: Vec<String>,
}

/// Reverts what an event changed, except for what has changed since. Returns also what this run has
/// skipped.
///
/// # Errors
/// [`Error::EventNotFound`], [`Error::CannotUndo`], [`Error::EventRunning`], or the errors of
/// [`domains::add`] for a domain that would exist again. Slices before a failure stay reverted.
pub async fn undo(
    store: &Store,
    event_id: i64,
    addresses: &Addresses,
    change: &Change,
) -> Result<(Changed<ChangeExtent>, Vec<Skipped>), Error> {
    let begun = match change.earlier(store).await? {
        Some(earlier) if earlier.value.status != EventStatus::Stopped => {
            return Ok((earlier, Vec::new()));
        }
        begun => begun.unwrap_or_default(),
    };
    let db = store.reader();
    let event = events::find(db, event_id).await?.ok_or(Error::EventNotFound(event_id))?;
    if event.clone().read_at(store.now()).status() == EventStatus::Running {
        return Err(Error::EventRunning(event_id));
    }
    if !event.action.parse().is_ok_and(Action::is_reversible) {
        return Err(Error::CannotUndo { event: event_id, action: event.action });
    }
    let mut changes = events::changes_of(db, event_id).await?;
    changes.retain(|change| change.id > begun.value.position);
    for change in changes.iter().filter(|change| change.kind() == Some(ChangeKind::Domain)) {
        // Before the transaction, because writers on SQLite would wait for the search.
        domains::check_restored(store, addresses, change).await?;
    }
    let subject = Subject { text: event_id.to_string(), owner: event.owner_id.zip(event.owner) };
    let work =
        |transaction, changes| revert_slice(transaction, &subject, event_id, addresses, changes);
    let undone = change.apply_in_slices(store, Action::Undo, &subject, &changes, begun, work);
    let (undone, slices) = undone.await?;
    Ok((undone, slices.concat()))
}

/// Stops the change of an event after the slice in progress. Does nothing if it has ended. Returns the
/// event. An owner stops only changes that keys of the owner make.
///
/// # Errors
/// [`Error::EventNotFound`].
pub async fn stop(
    store: &Store,
    realm: Realm,
    event_id: i64,
    change: &Change,
) -> Result<Changed<Event>, Error> {
    let event = super::event(store, realm, event_id).await?;
    if realm != Realm::Everyone && event.actor_type.as_deref() != ActorType::OwnerKey.stored() {
        return Err(Error::EventNotFound(event_id));
    }
    let subject = Subject { text: event_id.to_string(), owner: event.owner_id.zip(event.owner) };
    let stopped = change.apply_once(store, Action::Stop, async |mut transaction| {
        if events::stop(&transaction.db, event_id, None, store.now()).await? {
            transaction.record(&subject, 1).await?;
        }
        transaction.done(())
    });
    let (stopped, event) = (stopped.await?, super::event(store, realm, event_id).await?);
    Ok(stopped.map(|()| event))
}

/// Reverts a slice of an event's changes, and returns what it skipped.
async fn revert_slice<'a>(
    mut transaction: ChangeTransaction<'a>,
    subject: &Subject,
    event_id: i64,
    addresses: &Addresses,
    changes: &[EventChangeRow],
) -> Result<(ChangeTransaction<'a>, Vec<Skipped>), Error> {
    let now = transaction.change.now;
    let db = &transaction.db;
    let mut slice = UndoSlice {
        db,
        now,
        event_id,
        addresses,
        last: HashMap::new(),
        restored: HashMap::new(),
        done: Vec::new(),
        skipped: Vec::new(),
    };
    let links = slice.revert_all(changes).await?;
    let UndoSlice { done, skipped, .. } = slice;
    for &kind in ChangeKind::VARIANTS {
        let changes = done.iter().filter(|(of, _)| *of == kind).map(|(_, change)| change.clone());
        let changes: Vec<EventChange> = changes.collect();
        if !changes.is_empty() {
            transaction.record_values(subject, kind, changes).await?;
        }
    }
    let owned = links.iter().map(|link| (link.id, link.owner_id));
    transaction.record_owners(subject, owned).await?;
    let extent = &mut transaction.extent;
    extent.position = changes.last().map_or(extent.position, |last| last.id);
    extent.skipped.extend(skipped.iter().map(|skipped| &skipped.subject));
    transaction.done(skipped)
}

/// The undo of one slice of an event's changes.
struct UndoSlice<'a> {
    db: &'a Transaction,
    now: Timestamp,
    event_id: i64,
    addresses: &'a Addresses,
    /// Identifiers of the last changes of the links, by those of the links.
    last: HashMap<String, i64>,
    /// Links before and after this undo, by the fields that it restores.
    restored: HashMap<String, Vec<(Model, Model)>>,
    /// Reverted changes with their kinds.
    done: Vec<(ChangeKind, EventChange)>,
    skipped: Vec<Skipped>,
}

impl UndoSlice<'_> {
    /// Reverts the changes of the slice, and returns the restored links.
    async fn revert_all(&mut self, changes: &[EventChangeRow]) -> Result<Vec<Model>, Error> {
        let of_links = changes.iter().filter(|change| change.kind() == Some(ChangeKind::Link));
        let subjects = of_links.map(|change| change.subject.as_str());
        let ids: Vec<i64> = subjects.clone().filter_map(|id| id.parse().ok()).collect();
        let conditions = link_changes::LinkConditions::default();
        if changes.iter().any(restores_external_id) {
            links::lock_owners_of(self.db, &ids).await?;
        }
        let links = link_changes::lock(self.db, &ids, &conditions).await?;
        if !ids.is_empty() {
            self.last = events::last_changes_of_links(self.db, subjects).await?;
        }
        if changes.iter().any(|change| change.kind() == Some(ChangeKind::Block)) {
            // Every change of patterns takes this lock before it reads them.
            lock(self.db).await?;
        }
        let mut reverted = Vec::new();
        for change in changes {
            let Some(kind) = change.kind() else {
                self.skipped.push(self.skipped(change, Vec::new()).await?);
                continue;
            };
            let is_reverted = match kind {
                ChangeKind::Link => {
                    let id = change.subject.parse().ok();
                    let link = links.iter().find(|link| Some(link.id) == id);
                    reverted.extend(self.revert_link(change, link).await?);
                    continue;
                }
                ChangeKind::Owner => self.revert_owner(change).await?,
                ChangeKind::Block => self.revert_block(change).await?,
                ChangeKind::Domain => match self.revert_domain(change).await? {
                    Some(changes) => {
                        self.done.extend(changes.into_iter().map(|change| (kind, change)));
                        continue;
                    }
                    None => false,
                },
                // No event about any of them is reversible.
                ChangeKind::Key
                | ChangeKind::Plan
                | ChangeKind::OperatorKey
                | ChangeKind::Webhook => false,
            };
            if is_reverted {
                let values = |text: &Option<String>| text.clone().unwrap_or_default();
                self.push_done(kind, change, values(&change.after), values(&change.before));
            } else {
                self.skipped.push(self.skipped(change, Vec::new()).await?);
            }
        }
        for links in self.restored.values() {
            link_changes::update_all(self.db, links, self.now).await?;
        }
        link_changes::invalidate(self.db, &reverted, self.now).await?;
        Ok(reverted)
    }

    /// Records that this undo has reverted a change.
    fn push_done(
        &mut self,
        kind: ChangeKind,
        change: &EventChangeRow,
        before: String,
        after: String,
    ) {
        let subject = change.subject.clone();
        self.done.push((kind, EventChange { subject, before, after }));
    }

    /// Restores the fields of a link that have not changed since, and skips the others. Returns the
    /// restored link, or `None` if there is nothing to restore.
    async fn revert_link(
        &mut self,
        change: &EventChangeRow,
        link: Option<&Model>,
    ) -> Result<Option<Model>, Error> {
        let (Some(link), Some((mut before, mut after))) = (link, fields_before_and_after(change))
        else {
            self.skipped.push(self.skipped(change, Vec::new()).await?);
            return Ok(None);
        };
        let current = link_changes::recorded(link);
        let mut skipped = self.changed_since(change, &after).await?;
        let differing = after.iter().filter(|(name, value)| current.get(*name) != Some(*value));
        skipped.extend(differing.map(|(name, _)| name.clone()));
        // A domain may have been added since, so that the destination would lead to the service itself.
        let inside = before.iter().filter(|(name, value)| {
            is_destination(name) && value.as_str().is_some_and(|url| self.addresses.contain(url))
        });
        skipped.extend(inside.map(|(name, _)| name.clone()));
        if let (Some(owner_id), Some(id)) = (link.owner_id, before.get(EXTERNAL_ID))
            && let Some(id) = id.as_str()
            && links::code_of_external_id(self.db, owner_id, id).await?.is_some()
        {
            skipped.insert(EXTERNAL_ID.to_owned());
        }
        // The host belongs to the destination.
        let skips_destination = skipped.contains(DESTINATION);
        skipped.remove(HOST);
        let is_kept = |name: &str| match name {
            HOST => skips_destination,
            name => skipped.contains(name),
        };
        before.retain(|name, _| !is_kept(name));
        after.retain(|name, _| !is_kept(name));
        if !skipped.is_empty() {
            let fields = if after.is_empty() { Vec::new() } else { skipped.into_iter().collect() };
            self.skipped.push(self.skipped(change, fields).await?);
        }
        if after.is_empty() {
            return Ok(None);
        }
        let text = |fields: &Map<String, Value>| Value::Object(fields.clone()).to_string();
        self.push_done(ChangeKind::Link, change, text(&after), text(&before));
        let mut restored = link.clone();
        link_changes::restore(&mut restored, &before)?;
        let values = (link.clone(), restored.clone());
        if before.contains_key(EXTERNAL_ID) {
            // The next link may have the same identifier in the change.
            link_changes::update_all(self.db, &[values], self.now).await?;
        } else {
            self.restored.entry(text(&before)).or_default().push(values);
        }
        Ok(Some(restored))
    }

    /// Restores whether an owner is suspended. Returns whether that changed anything.
    async fn revert_owner(&self, change: &EventChangeRow) -> Result<bool, Error> {
        let (Ok(owner_id), Some((before, after))) =
            (change.subject.parse(), fields_before_and_after(change))
        else {
            return Ok(false);
        };
        owners::lock(self.db, owner_id).await?;
        let Some(owner) = owners::get(self.db, owner_id).await? else { return Ok(false) };
        let suspended = |fields: &Map<String, Value>| {
            fields.get("suspended_reason").and_then(Value::as_str).map(Reason::from_stored)
        };
        if owner.suspended_reason != suspended(&after)
            || !self.changed_since(change, &after).await?.is_empty()
        {
            return Ok(false);
        }
        // The values have no time if it did not change, or if an earlier version recorded them.
        let since =
            before.get("suspended_at").map(|since| since.as_i64().map(Timestamp::from_millis));
        let since = since.unwrap_or(owner.suspended_at);
        let reason = suspended(&before);
        let since = reason.and(since);
        let restored = Owner { suspended_reason: reason, suspended_at: since, ..owner.clone() };
        owners::update(self.db, &owner, &restored).await?;
        publish(self.db, &Invalidation::Owner(owner_id), self.now).await?;
        Ok(true)
    }

    /// Restores one of the operator's own patterns, or removes it if it did not exist before.
    /// Returns whether that changed anything.
    async fn revert_block(&self, change: &EventChangeRow) -> Result<bool, Error> {
        let (Some(before), Some(after)) = (&change.before, &change.after) else {
            return Ok(false);
        };
        let subject = std::slice::from_ref(&change.subject);
        let current = blocks::find_own(self.db, subject).await?.pop();
        let current = current.map_or(Value::Null, |row| {
            let (reason, until) = (row.reason.into_str(), row.until.map(Timestamp::millis));
            json!({ "action": row.action, "reason": reason, "until": until })
        });
        let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap_or(Value::Null);
        if current != parsed(after) || self.has_changed_since(change).await? {
            return Ok(false);
        }
        let values = parsed(before);
        if values.is_null() {
            blocks::delete_own(self.db, subject).await?;
        } else {
            let text = |name: &str| values[name].as_str().unwrap_or_default();
            let row = BlockPatternRow {
                pattern: change.subject.clone(),
                action: text("action").to_owned(),
                reason: Reason::from_stored(text("reason")),
                until: values["until"].as_i64().map(Timestamp::from_millis),
                event_id: self.event_id,
            };
            blocks::put_own(self.db, vec![row]).await?;
        }
        publish(self.db, &Invalidation::Blocks, self.now).await?;
        Ok(true)
    }

    /// Restores a domain. Returns what that changed, or `None` if the undo skips the domain.
    async fn revert_domain(
        &self,
        change: &EventChangeRow,
    ) -> Result<Option<Vec<EventChange>>, Error> {
        let recorded = domains::Recorded::new(change);
        if recorded.follows_from_another() {
            // The other domain comes first, and what its reversal changed includes this one.
            let mut done = self.done.iter().filter(|(kind, _)| *kind == ChangeKind::Domain);
            return Ok(done.any(|(_, done)| done.subject == change.subject).then(Vec::new));
        }
        if !recorded.lock(self.db).await? || self.has_changed_since(change).await? {
            return Ok(None);
        }
        recorded.revert(self.db, self.addresses, self.now).await
    }

    /// Returns whether a later event has changed a pattern or a domain, unless that change has itself
    /// been undone.
    async fn has_changed_since(&self, change: &EventChangeRow) -> Result<bool, Error> {
        // An undo restores it as a whole.
        let whole = Map::from_iter([(change.kind.clone(), Value::Null)]);
        Ok(!self.changed_since(change, &whole).await?.is_empty())
    }

    /// Returns those of these fields of a link or owner that a later event has changed, unless that
    /// change has itself been undone. A change of a pattern or a domain affects all fields.
    async fn changed_since(
        &self,
        change: &EventChangeRow,
        fields: &Map<String, Value>,
    ) -> Result<BTreeSet<String>, Error> {
        if self.last.get(&change.subject) == Some(&change.id) {
            return Ok(BTreeSet::new());
        }
        let is_whole = matches!(change.kind(), Some(ChangeKind::Block | ChangeKind::Domain));
        let mut later = events::changes_after(self.db, change).await?;
        if change.kind() == Some(ChangeKind::Domain) {
            let recorded = domains::Recorded::new(change);
            later.retain(|later| recorded.is_affected_by(&domains::Recorded::new(later)));
        }
        let changed = |change: &EventChangeRow| -> Vec<String> {
            let after = fields_before_and_after(change).map(|(_, after)| after);
            let after = after.filter(|_| !is_whole);
            let is_changed =
                |name: &String| after.as_ref().is_none_or(|after| after.contains_key(name));
            fields.keys().filter(|name| is_changed(name)).cloned().collect()
        };
        let mut reverted = HashSet::new();
        for change in &later {
            let event = events::find(self.db, change.event_id).await?;
            let undone = event.filter(|event| event.action == Action::Undo.into_str());
            let of = undone.and_then(|event| event.subject.parse::<i64>().ok());
            // An undo of this event, or of an earlier one, counts as a change since this event.
            let is_later = |of: &i64| later.iter().any(|change| change.event_id == *of);
            if let Some(of) = of.filter(is_later) {
                for name in changed(change) {
                    reverted.extend([(of, name.clone()), (change.event_id, name)]);
                }
            }
        }
        let all = later
            .iter()
            .flat_map(|change| changed(change).into_iter().map(|name| (change.event_id, name)));
        Ok(all.filter(|change| !reverted.contains(change)).map(|(_, name)| name).collect())
    }

    /// Describes a change that the undo skips, by the name by which the operator knows its subject.
    async fn skipped(
        &self,
        change: &EventChangeRow,
        fields: Vec<String>,
    ) -> Result<Skipped, Error> {
        let id = change.subject.parse::<i64>();
        let name = match (change.kind(), id) {
            (Some(ChangeKind::Link), Ok(id)) => {
                let link = link_changes::with_ids(self.db, &[id]).await?.pop();
                link.map(|link| link.short_code)
            }
            (Some(ChangeKind::Owner), Ok(id)) => owners::name_of(self.db, id).await?,
            _ => None,
        };
        let subject = name.unwrap_or_else(|| change.subject.clone());
        Ok(Skipped { kind: change.kind.clone(), subject, fields })
    }
}

/// Returns the fields before and after a change, or `None` if they were erased with a deleted link.
fn fields_before_and_after(
    change: &EventChangeRow,
) -> Option<(Map<String, Value>, Map<String, Value>)> {
    let parsed = |text: &Option<String>| serde_json::from_str(text.as_deref()?).ok();
    Some((parsed(&change.before)?, parsed(&change.after)?))
}

/// Returns whether an undo of a change gives a link an external identifier.
fn restores_external_id(change: &EventChangeRow) -> bool {
    let values = fields_before_and_after(change);
    values.is_some_and(|(before, _)| before.get(EXTERNAL_ID).is_some_and(Value::is_string))
}
