//! Transactions of changes. The event of a change is in the transaction that makes the change, or in
//! the first one if the change runs in slices, so that other writers do not wait long.

use std::collections::BTreeSet;
use std::time::Duration;

use sea_orm::Set;

use super::{Action, Actor, Change, Changed};
use crate::domain::Error;
use crate::store::entities::{api_key, link, owner};
use crate::store::events::{ChangeKind, EventChange, NewEvent};
use crate::store::{
    Attempts, Durability, Store, StoreError, Transaction, events, keys, operator_keys, owners,
};
use crate::values::{CaseId, Note, Reason};

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

/// One transaction of a change, and the event that records the change.
#[derive(Debug)]
pub(in crate::domain) struct ChangeTransaction<'a> {
    /// The transaction.
    pub(in crate::domain) db: Transaction,
    /// The change.
    pub(in crate::domain) change: &'a Change,
    /// Identifier of the event, once it is recorded.
    pub(in crate::domain) event: Option<i64>,
    action: Action,
    changed: u64,
}

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
        let Change { actor, reason: _, note, case, now, is_dry_run: _, stop: _ } = self.change;
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
        events::insert_changes(&self.db, event, kind, values).await?;
        Ok(event)
    }

    /// Records which owners have the changed links, so that the event appears in the history of
    /// each owner. Does nothing if the event itself names the owner of all links.
    pub(in crate::domain) async fn record_owners(
        &self,
        subject: &Subject,
        links: &[link::Model],
    ) -> Result<(), StoreError> {
        let (None, Some(event)) = (&subject.owner, self.event) else { return Ok(()) };
        let owners: BTreeSet<i64> = links.iter().filter_map(|link| link.owner_id).collect();
        events::insert_owners(&self.db, event, owners).await
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
        let is_valid = |key: &api_key::Model| {
            key.owner_id == owner_id
                && key.revoked_at.is_none()
                && key.expires_at.is_none_or(|expiry| expiry > now)
        };
        let key = keys::lock(&self.db, id).await?.map(|(key, _)| key).filter(is_valid);
        Ok((owner, Some(key.ok_or(StoreError::OwnerUnavailable)?)))
    }

    /// Returns the result of the work that [`Change::apply`] runs.
    pub(in crate::domain) fn done<T>(self, value: T) -> Result<(Self, T), Error> {
        Ok((self, value))
    }

    /// Commits the transaction, or rolls it back if nothing was recorded or this is a dry run.
    async fn commit(self) -> Result<(Option<i64>, u64), StoreError> {
        let Self { db, change, action: _, event, changed } = self;
        if change.is_dry_run || changed == 0 {
            return Ok((None, changed));
        }
        db.commit().await?;
        Ok((event, changed))
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
        self.run(store, action, None, work).await
    }

    /// Runs `work` on each slice of `all` in a transaction of its own, as [`apply`](Self::apply)
    /// does, and returns the values of all slices. All slices share one event.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if a slice fails after an earlier slice has changed something, or if a
    /// stop is requested after the first slice. Otherwise, the error of the slice that failed.
    pub(in crate::domain) async fn apply_in_slices<'a, I, T, F>(
        &'a self,
        store: &Store,
        action: Action,
        all: &'a [I],
        work: impl Fn(ChangeTransaction<'a>, &'a [I]) -> F,
    ) -> Result<Changed<Vec<T>>, Error>
    where
        F: Future<Output = Result<(ChangeTransaction<'a>, T), Error>>,
    {
        let mut done = Changed::<Vec<T>> { event: None, changed: 0, value: Vec::new() };
        for (number, part) in all.chunks(SLICE).enumerate() {
            let mut stopped = None;
            if number > 0 {
                tokio::time::sleep(PAUSE).await;
                stopped = self.stop.is_cancelled().then_some(None);
            }
            let slice = match stopped {
                Some(cause) => Err(cause),
                None => {
                    self.run(store, action, done.event, |db| work(db, part)).await.map_err(Some)
                }
            };
            match slice {
                Ok(Changed { event, changed, value }) => {
                    done.event = event.or(done.event);
                    done.changed += changed;
                    done.value.push(value);
                }
                Err(Some(error)) if done.event.is_none() => return Err(error),
                Err(cause) => {
                    let Changed { event, changed, value: _ } = done;
                    return Err(Error::Incomplete { event, changed, cause: cause.map(Box::new) });
                }
            }
        }
        Ok(done)
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

    async fn run<'a, T, F>(
        &'a self,
        store: &Store,
        action: Action,
        event: Option<i64>,
        work: impl Fn(ChangeTransaction<'a>) -> F,
    ) -> Result<Changed<T>, Error>
    where
        F: Future<Output = Result<(ChangeTransaction<'a>, T), Error>>,
    {
        let mut attempts = Attempts::default();
        loop {
            let attempt = async {
                let db = store.begin(Durability::PowerLoss).await?;
                self.check_operator(store, &db).await?;
                let transaction = ChangeTransaction { db, change: self, action, event, changed: 0 };
                let (transaction, value) = work(transaction).await?;
                let (event, changed) = transaction.commit().await?;
                Ok(Changed { event, changed, value })
            };
            match attempt.await {
                Err(error) if attempts.may_retry(&error).await => {}
                result => return result,
            }
        }
    }
}
