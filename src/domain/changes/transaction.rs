//! Transactions of changes. The event of a change is in the transaction that makes the change, or in
//! the first one if the change runs in slices, so that other writers do not wait long.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use sea_orm::Set;

use super::outbox::{self, Occurrence, Origin};
use super::{Action, Actor, Awaited, Change, ChangeExtent, Changed};
use crate::domain::Error;
use crate::domain::idempotency::{
    IdempotentRequest, Namespace, StoredResponse, earlier_response, store_response,
};
use crate::store::entities::{api_key, link, owner};
use crate::store::events::{ChangeKind, EventChange, EventStatus, NewEvent};
use crate::store::idempotency::{self, Created};
use crate::store::subscriptions::Subscriptions;
use crate::store::{
    Attempts, Durability, Store, StoreError, Transaction, events, keys, operator_keys, owners,
};
use crate::values::{CaseId, Note, Reason, Timestamp};

/// Number of things per slice.
const SLICE: usize = 250;
/// Pause between two slices, during which other writers can proceed.
const PAUSE: Duration = Duration::from_millis(5);

/// The subject of an event: what the event changed, and its owner if everything has the same owner.
#[derive(Debug, Clone)]
pub(in crate::domain) struct Subject {
    /// Short code, name, identifier or pattern, or a description of several things. It never
    /// contains a destination, because the deletion of a link must erase the destination.
    pub(in crate::domain) text: String,
    /// Identifier and name of the owner.
    pub(in crate::domain) owner: Option<(i64, String)>,
}

impl Subject {
    /// Returns a subject that belongs to no owner.
    pub(in crate::domain) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), owner: None }
    }

    /// Returns something of an owner as a subject.
    pub(in crate::domain) fn from_owner(owner: &owner::Model, text: impl Into<String>) -> Self {
        Self { text: text.into(), owner: Some((owner.id, owner.name.clone())) }
    }
}

/// A run of a change in slices.
#[derive(Debug, Clone, Copy)]
pub(in crate::domain) struct Run {
    /// Distinguishes it from another one, which takes over after an interruption.
    pub(in crate::domain) id: i64,
    /// Whether the slice is the last one.
    is_last: bool,
}

impl Run {
    /// Returns a new run.
    pub(in crate::domain) fn new() -> Self {
        Self { id: UnwrapErr(SysRng).random(), is_last: false }
    }
}

/// One transaction of a change, and the event that records the change.
#[derive(Debug)]
pub(in crate::domain) struct ChangeTransaction<'a> {
    /// The transaction.
    pub(in crate::domain) db: Transaction,
    /// The change.
    pub(in crate::domain) change: &'a Change,
    /// Identifier of the event, once it is recorded, or of that of an earlier transmission.
    pub(in crate::domain) event: Option<i64>,
    /// The run, if the change has several transactions.
    pub(in crate::domain) run: Option<Run>,
    /// How far the change has come, apart from what the event counts.
    pub(in crate::domain) extent: ChangeExtent,
    /// Whether the transaction has stored the response to a request, and so commits without an event too.
    pub(in crate::domain) has_response: bool,
    /// Whether an earlier transmission of the request has made the change.
    is_replay: bool,
    action: Action,
    changed: u64,
    /// Which deliveries of webhooks owners want.
    subscriptions: Arc<Subscriptions>,
    /// What webhooks may want to know.
    occurrences: Vec<Occurrence>,
}

/// Where a transaction of a change goes on.
#[derive(Clone, Copy, Default)]
struct Start<'a> {
    event: Option<i64>,
    extent: Option<&'a ChangeExtent>,
    run: Option<Run>,
    /// What the event is about, if it may be recorded before anything changes.
    subject: Option<&'a Subject>,
}

/// What a transaction did, and how far the change has come; or what an earlier transmission of the request
/// has done so far.
type Ran<T> = Result<(Changed<T>, ChangeExtent), Changed<ChangeExtent>>;

impl<'a> ChangeTransaction<'a> {
    /// Records that the transaction changed `changed` things, and returns the identifier of the
    /// event. Without a record, the transaction is rolled back.
    pub(in crate::domain) async fn record(
        &mut self,
        subject: &Subject,
        changed: usize,
    ) -> Result<i64, StoreError> {
        self.record_for(self.change.reason, subject, changed as u64).await
    }

    /// Does the same as [`record`](Self::record), with a reason of its own.
    pub(in crate::domain) async fn record_for(
        &mut self,
        reason: Option<Reason>,
        subject: &Subject,
        changed: u64,
    ) -> Result<i64, StoreError> {
        self.changed += changed;
        let changed = i64::try_from(changed).unwrap_or(i64::MAX);
        if let Some(event) = self.event {
            events::add_changed(&self.db, event, changed).await?;
            return Ok(event);
        }
        let Change { actor, note, case, now, .. } = self.change;
        let (actor_type, actor_id) = actor.stored();
        let event = NewEvent {
            at: Set(*now),
            actor: Set(actor.name().to_owned()),
            action: Set(self.action.into_str().to_owned()),
            subject: Set(subject.text.clone()),
            owner_id: Set(subject.owner.as_ref().map(|(id, _)| *id)),
            owner: Set(subject.owner.as_ref().map(|(_, name)| name.clone())),
            reason: Set(reason.unwrap_or(Reason::Other)),
            note: Set(note.as_ref().map(|note| Note::as_str(note).to_owned())),
            case_id: Set(case.as_ref().map(|case| CaseId::as_str(case).to_owned())),
            changed: Set(changed),
            actor_type: Set(actor_type.map(str::to_owned)),
            actor_id: Set(actor_id),
            status: Set(self.run.map(|_| EventStatus::Running.into_str().to_owned())),
            instance_id: Set(self.run.map(|run| run.id)),
            ..NewEvent::default()
        };
        let event = events::insert(&self.db, event).await?;
        self.event = Some(event);
        Ok(event)
    }

    /// Records an event with the values before and after it, all of one kind.
    pub(in crate::domain) async fn record_values(
        &mut self,
        subject: &Subject,
        kind: ChangeKind,
        values: Vec<EventChange>,
    ) -> Result<i64, StoreError> {
        let event = self.record(subject, values.len()).await?;
        if !self.subscriptions.is_empty() {
            let occurred = values.iter().filter_map(|change| Occurrence::from_event(kind, change));
            self.occurrences.extend(occurred);
        }
        events::insert_changes(&self.db, event, kind, values).await?;
        Ok(event)
    }

    /// Tells webhooks that the transaction deletes these links. Callers [`record`](Self::record) it.
    pub(in crate::domain) fn announce_deletion(&mut self, links: &[link::Model]) {
        self.occurrences.extend(links.iter().filter_map(Occurrence::deletion));
    }

    /// Records which owners have the changed links or keys, given by their identifiers with those of the
    /// owners, so that each owner sees the own part of the event. Does nothing if the event itself names the
    /// owner of all.
    pub(in crate::domain) async fn record_owners(
        &self,
        subject: &Subject,
        changed: impl Iterator<Item = (i64, Option<i64>)>,
    ) -> Result<(), StoreError> {
        let (None, Some(event)) = (&subject.owner, self.event) else { return Ok(()) };
        let mut parts: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for (id, owner_id) in changed {
            if let Some(owner_id) = owner_id {
                parts.entry(owner_id).or_default().push(id);
            }
        }
        events::insert_parts(&self.db, event, parts).await
    }

    /// Locks the owner and the key that makes the change, and checks that the owner is not suspended
    /// and the key still valid: both may have changed since the authentication. Callers lock links
    /// and other keys afterwards, as creations do. Returns the owner, and the key unless the actor is
    /// none.
    ///
    /// # Errors
    /// [`StoreError::OwnerUnavailable`] if the authentication would reject the next request, or if
    /// the database fails.
    pub(in crate::domain) async fn authorize(
        &self,
        owner_id: i64,
    ) -> Result<(owner::Model, Option<api_key::Model>), StoreError> {
        let owner = owners::lock(&self.db, owner_id).await?;
        let owner = owner.filter(|owner| owner.suspended_reason.is_none());
        let owner = owner.ok_or(StoreError::OwnerUnavailable)?;
        let Some(id) = self.change.actor.owner_key_id() else { return Ok((owner, None)) };
        let now = self.change.now;
        let is_valid = |key: &api_key::Model| key.owner_id == owner_id && key.is_valid(now);
        let key = keys::lock(&self.db, id).await?.map(|(key, _)| key).filter(is_valid);
        Ok((owner, Some(key.ok_or(StoreError::OwnerUnavailable)?)))
    }

    /// Returns the result of the work that [`Change::apply`] runs.
    pub(in crate::domain) fn done<T>(self, value: T) -> Result<(Self, T), Error> {
        Ok((self, value))
    }

    /// Locks the idempotency keys of the caller, and returns what an earlier transmission of the request
    /// has done so far, if there was one.
    async fn find_earlier(&self) -> Result<Option<Changed<ChangeExtent>>, Error> {
        let (Some((namespace, _)), None) = (&self.change.request, self.event) else {
            return Ok(None);
        };
        match *namespace {
            Namespace::Operator => idempotency::lock_operator(&self.db).await?,
            Namespace::Owner(id) => drop(owners::lock(&self.db, id).await?),
        }
        self.change.find_earlier(&self.db, self.change.now).await
    }

    /// Returns the response to an earlier transmission of a request for a creation, if there was one. The
    /// result of the change is then a replay with the event of that one. Callers must hold the owner's row
    /// lock if the namespace is an owner's.
    ///
    /// # Errors
    /// [`Error::KeyReused`].
    pub(in crate::domain) async fn earlier_response(
        &mut self,
        namespace: Namespace,
        request: Option<&IdempotentRequest>,
    ) -> Result<Option<StoredResponse>, Error> {
        let Some(request) = request else { return Ok(None) };
        if namespace == Namespace::Operator {
            idempotency::lock_operator(&self.db).await?;
        }
        let first = earlier_response(&self.db, namespace, request, self.change.now).await?;
        if let Some(first) = &first {
            (self.event, self.is_replay) = (first.event_id, true);
        }
        Ok(first)
    }

    /// Stores the response to a request for a creation, with the event. Callers must hold the lock of the
    /// namespace, as [`earlier_response`](Self::earlier_response) does.
    pub(in crate::domain) async fn store_response(
        &mut self,
        namespace: Namespace,
        request: Option<&IdempotentRequest>,
        created: Created<'_>,
    ) -> Result<(), StoreError> {
        let Some(request) = request else { return Ok(()) };
        self.has_response = true;
        store_response(&self.db, namespace, request, created, self.event, self.change.now).await
    }

    /// Commits the transaction, or rolls it back if nothing was recorded or this is a dry run. It stores
    /// the response to the request together with the event, or at the end if there is none. Returns the
    /// event, unless it was rolled back.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if the change was stopped, or if the database fails.
    async fn commit(
        self,
        known: Option<i64>,
        now: Timestamp,
    ) -> Result<(Option<i64>, u64, ChangeExtent), Error> {
        let Self {
            db,
            change,
            event,
            run,
            mut extent,
            has_response,
            is_replay: _,
            action,
            changed,
            subscriptions,
            occurrences,
        } = self;
        let is_recorded = event.is_some() && (changed > 0 || run.is_some());
        let is_first = known.is_none() && (is_recorded || run.is_none());
        let request = change.request.as_ref().filter(|_| is_first);
        let is_kept = is_recorded || has_response || request.is_some();
        if (change.is_dry_run && changed > 0) || !is_kept {
            return Ok((event.filter(|_| !change.is_dry_run), changed, extent));
        }
        if let Some((namespace, request)) = request {
            let facts = extent.to_text();
            let created = Created::Change(&facts);
            store_response(&db, *namespace, request, created, event, change.now).await?;
        }
        if let (Some(id), Some(Run { id: run, is_last })) = (event, run) {
            let status = if is_last { EventStatus::Done } else { EventStatus::Running };
            if !events::advance(&db, id, extent.progress(run, status), now).await? {
                return Err(Error::Incomplete { event, changed: 0, cause: None });
            }
        }
        let origin = Origin {
            event_id: event,
            action,
            reason: change.reason,
            at: change.now,
            now,
            continues: run.is_some_and(|run| !run.is_last),
        };
        outbox::store(&db, &subscriptions, origin, &occurrences, &mut extent.told).await?;
        db.commit().await?;
        if let (Some(awaited), Some(_)) = (&change.awaited, run) {
            awaited.event.send_replace(event);
        }
        Ok((event, changed, extent))
    }
}

// The work is a function that returns a future, and owns the transaction meanwhile. The compiler
// cannot prove that the future of an async closure is `Send`, as handlers of requests need it.
impl Change {
    /// Runs `work` in a transaction. If the database aborts the transaction because of a concurrent
    /// one, it runs `work` again.
    ///
    /// # Errors
    /// The error of `work`, or if the database fails.
    pub(in crate::domain) async fn apply<'a, T, F>(
        &'a self,
        store: &Store,
        action: Action,
        work: impl Fn(ChangeTransaction<'a>) -> F,
    ) -> Result<Changed<T>, Error>
    where
        F: Future<Output = Result<(ChangeTransaction<'a>, T), Error>>,
    {
        let ran = self.run(store, action, Start::default(), work).await?;
        // Only changes that are applied once have a request.
        ran.map(|(changed, _)| changed).map_err(|_| Error::KeyReused)
    }

    /// Does the same as [`apply`](Self::apply), but only if no earlier transmission of the request has
    /// done it. Otherwise, it returns the first result with the default value.
    ///
    /// # Errors
    /// [`Error::KeyReused`], and those of [`apply`](Self::apply).
    pub(in crate::domain) async fn apply_once<'a, T: Default, F>(
        &'a self,
        store: &Store,
        action: Action,
        work: impl Fn(ChangeTransaction<'a>) -> F,
    ) -> Result<Changed<T>, Error>
    where
        F: Future<Output = Result<(ChangeTransaction<'a>, T), Error>>,
    {
        Ok(match self.run(store, action, Start::default(), work).await? {
            Ok((changed, _)) => changed,
            Err(earlier) => earlier.map(|_| T::default()),
        })
    }

    /// Runs `work` on each slice of `all` in a transaction of its own, as [`apply`](Self::apply)
    /// does, and returns the values of all slices. All slices share one event, which has `subject`.
    /// `begun` is what an earlier transmission of the request has done, if it was interrupted.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if a slice fails after an earlier slice has changed something, or if a
    /// stop is requested after the first slice. Otherwise, the error of the slice that failed.
    pub(in crate::domain) async fn apply_in_slices<'a, I, T, F>(
        &'a self,
        store: &Store,
        action: Action,
        subject: &Subject,
        all: &'a [I],
        begun: Changed<ChangeExtent>,
        work: impl Fn(ChangeTransaction<'a>, &'a [I]) -> F,
    ) -> Result<(Changed<ChangeExtent>, Vec<T>), Error>
    where
        F: Future<Output = Result<(ChangeTransaction<'a>, T), Error>>,
    {
        let (mut done, mut values, mut run) = (begun, Vec::new(), Run::new());
        if let Some(event) = done.event {
            let extent = Some(&done.value);
            let start = Start { event: done.event, extent, run: Some(run), subject: None };
            let taken = self.run(store, action, start, async |transaction| {
                events::take_over(&transaction.db, event, run.id, self.now).await?;
                transaction.done(())
            });
            match (taken.await, self.earlier(store).await?) {
                (Ok(_), _) => {}
                // Another repetition was faster.
                (Err(Error::Incomplete { .. }), Some(earlier)) => return Ok((earlier, values)),
                (Err(error), _) => return Err(error),
            }
        }
        let mut parts: Vec<&'a [I]> = all.chunks(SLICE).collect();
        if parts.is_empty() && done.event.is_some() {
            // An interrupted change of which nothing is left ends with a slice, too.
            parts.push(all);
        }
        for (number, &part) in parts.iter().enumerate() {
            if number > 0 {
                tokio::time::sleep(PAUSE).await;
            }
            run.is_last = number + 1 == parts.len();
            let slice = if number > 0 && self.stop.is_cancelled() {
                Err(None)
            } else {
                let (event, extent) = (done.event, Some(&done.value));
                let start = Start { event, extent, run: Some(run), subject: Some(subject) };
                let slice = self.run(store, action, start, |transaction| work(transaction, part));
                slice.await.map_err(Some)
            };
            match slice {
                Ok(Err(earlier)) => return Ok((earlier, values)),
                Ok(Ok((Changed { event, changed, is_replay: _, value }, extent))) => {
                    done.event = event.or(done.event);
                    done.changed += changed;
                    done.value = extent;
                    values.push(value);
                }
                Err(Some(error)) if done.event.is_none() => return Err(error),
                Err(cause) => {
                    let Changed { event, changed, .. } = done;
                    if let Some(event) = event {
                        // Otherwise, its silence tells that it has stopped.
                        let _ = stop_run(store, event, run).await;
                    }
                    let cause = cause.filter(|error| !matches!(error, Error::Incomplete { .. }));
                    return Err(Error::Incomplete { event, changed, cause: cause.map(Box::new) });
                }
            }
        }
        done.value.status = EventStatus::Done;
        if done.event.is_none() && self.request.is_some() {
            done.value.changed = done.changed;
            let start = Start { extent: Some(&done.value), ..Start::default() };
            if let Err(earlier) = self.run(store, action, start, async |of| of.done(())).await? {
                return Ok((earlier, values));
            }
        }
        Ok((done, values))
    }

    /// Checks that the operator key that makes the change is still valid, and prevents its revocation
    /// until the transaction ends.
    async fn check_operator(&self, store: &Store, db: &Transaction) -> Result<(), Error> {
        match &self.actor {
            Actor::OperatorKey { id, .. } if !operator_keys::hold(db, *id, store.now()).await? => {
                Err(Error::OperatorRevoked)
            }
            Actor::OperatorKey { .. } | Actor::OwnerKey { .. } | Actor::Command(_) => Ok(()),
        }
    }

    /// Runs `work` in a transaction, unless an earlier transmission of the request has begun it. If someone
    /// waits for the event, it is recorded even if nothing has changed yet.
    async fn run<'a, T, F>(
        &'a self,
        store: &Store,
        action: Action,
        Start { event, extent, run, subject }: Start<'_>,
        work: impl Fn(ChangeTransaction<'a>) -> F,
    ) -> Result<Ran<T>, Error>
    where
        F: Future<Output = Result<(ChangeTransaction<'a>, T), Error>>,
    {
        let mut attempts = Attempts::default();
        loop {
            let attempt = async {
                let db = store.begin(Durability::PowerLoss).await?;
                self.check_operator(store, &db).await?;
                let (change, extent) = (self, extent.cloned().unwrap_or_default());
                let subscriptions = store.subscriptions(&db).await?;
                let transaction = ChangeTransaction {
                    db,
                    change,
                    event,
                    run,
                    extent,
                    has_response: false,
                    is_replay: false,
                    action,
                    changed: 0,
                    subscriptions,
                    occurrences: Vec::new(),
                };
                if let Some(earlier) = transaction.find_earlier().await? {
                    return Ok(Err(earlier));
                }
                let (mut transaction, value) = work(transaction).await?;
                let is_late = self.awaited.as_ref().is_some_and(Awaited::is_late);
                if let Some(subject) = subject.filter(|_| is_late && !self.is_dry_run)
                    && transaction.event.is_none()
                {
                    transaction.record(subject, 0).await?;
                }
                let is_replay = transaction.is_replay;
                let (event, changed, extent) = transaction.commit(event, store.now()).await?;
                Ok(Ok((Changed { event, changed, is_replay, value }, extent)))
            };
            match attempt.await {
                Err(error) if attempts.may_retry(Error::store_error(&error)).await => {}
                result => return result,
            }
        }
    }
}

/// Records that a run of a change has stopped, unless another one has taken it over.
pub(in crate::domain) async fn stop_run(
    store: &Store,
    event: i64,
    run: Run,
) -> Result<(), StoreError> {
    let db = store.begin(Durability::PowerLoss).await?;
    events::stop(&db, event, Some(run.id), store.now()).await?;
    db.commit().await
}
