//! Deletion of an owner with everything that the owner has stored, in slices.
//!
//! It suspends the owner first, so that neither clients nor imports add anything. Each slice is a
//! transaction of its own, and the last slice deletes the owner's row. After an interruption, the
//! same command finishes the deletion.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::Error;
use super::changes::{Action, Change, ChangeExtent, Changed, Run, Subject, stop_run};
use super::owners::{OwnerRef, reason_to_suspend, store_suspension};
use crate::store::events::{ChangeKind, EventRow, EventStatus};
use crate::store::invalidations::{self, Invalidation};
use crate::store::{
    Attempts, Durability, Store, Transaction, click_days, clicks, domains, events, idempotency,
    keys, links, owners, usage, webhooks,
};
use crate::values::{CaseId, Note, Reason};

/// Maximum number of rows per transaction. Redirects on SQLite wait for the transaction.
const MAX_SLICE_ROWS: u64 = 500;
/// Minimum pause after a slice, during which other processes can write.
const MIN_PAUSE: Duration = Duration::from_millis(2);
/// Maximum pause after a slice. Up to this time, the pause is as long as the slice took.
const MAX_PAUSE: Duration = Duration::from_millis(50);

/// Numbers of rows that the deletion of an owner has deleted or would delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct DeletedRows {
    /// Links. Their rows stay without content, so that their codes are never used again.
    pub links: u64,
    /// Click counts of the links.
    pub click_counts: u64,
    /// Days of clicks of the links.
    pub click_days: u64,
    /// API keys.
    pub keys: u64,
    /// Stored responses to requests with an idempotency key.
    pub responses: u64,
    /// Domains.
    pub domains: u64,
    /// Owners.
    pub owners: u64,
}

impl DeletedRows {
    /// Returns the number of changed things, as events count them: links, keys, domains
    /// and owners.
    pub const fn changed(&self) -> u64 {
        self.links + self.keys + self.domains + self.owners
    }
}

/// Returns the rows that the deletion of an owner would delete now. Pending clicks may add further
/// counts.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn count_rows(store: &Store, name: &str) -> Result<DeletedRows, Error> {
    let db = store.reader();
    let owner = OwnerRef::from(name).find(db).await?;
    let click_counts = clicks::count_click_counts(db, owner.id).await?;
    Ok(DeletedRows {
        links: u64::try_from(owner.link_count).unwrap_or(0),
        click_counts,
        click_days: click_days::count(db, owner.id).await?,
        keys: keys::count(db, owner.id).await?,
        responses: idempotency::count(db, owner.id).await?,
        domains: domains::of_owner(db, owner.id).await?.len() as u64,
        owners: 1,
    })
}

/// The deletion of one owner, which begins with a suspension.
#[derive(Debug)]
pub struct OwnerDeletion {
    owner_id: i64,
    name: String,
    event_id: i64,
    run: Run,
    stop: CancellationToken,
}

impl OwnerDeletion {
    /// Suspends the owner, and records the event of the deletion.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`].
    pub async fn begin(store: &Store, name: &str, change: &Change) -> Result<Self, Error> {
        Ok(Self::begin_for(store, name.into(), false, change).await?.0)
    }

    /// Deletes an owner who is suspended. A deletion for the same reasons goes on if it was interrupted, and
    /// does not begin again while it runs.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`], [`Error::PreconditionFailed`], [`Error::OwnerNotSuspended`], or those of [`run`](Self::run).
    pub async fn delete_suspended(
        store: &Store,
        id: i64,
        change: &Change,
    ) -> Result<Changed<ChangeExtent>, Error> {
        let (deletion, is_running) = Self::begin_for(store, id.into(), true, change).await?;
        let (event, mut value) = (Some(deletion.event_id), ChangeExtent::default());
        let changed = if is_running {
            value.status = EventStatus::Running;
            0
        } else {
            deletion.run(store, |_| ()).await?.changed()
        };
        Ok(Changed { event, changed, is_replay: false, value })
    }

    /// Returns the event of a deletion for the same reasons that is done and took at least this long, so that
    /// a client was told to ask again.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn done_after(
        store: &Store,
        owner_id: i64,
        change: &Change,
        wait: Duration,
    ) -> Result<Option<i64>, Error> {
        let action = Action::OwnerDelete.into_str();
        let last = events::last_about(store.reader(), action, owner_id).await?;
        let last = last.filter(|event| is_for_same_reasons(event, change));
        let took_longer =
            |event: &EventRow| event.finished_at.is_some_and(|end| event.at <= end.minus(wait));
        Ok(last
            .filter(|event| event.status() == EventStatus::Done && took_longer(event))
            .map(|event| event.id))
    }

    /// Returns the deletion, and whether another request or command already runs it.
    async fn begin_for(
        store: &Store,
        owner: OwnerRef<'_>,
        must_be_suspended: bool,
        change: &Change,
    ) -> Result<(Self, bool), Error> {
        let run = Run::new();
        let begun = change.apply(store, Action::OwnerDelete, async |mut transaction| {
            let owner = owner.lock(&transaction.db).await?;
            change.check(&owner)?;
            if must_be_suspended && owner.suspended_reason.is_none() {
                return Err(Error::OwnerNotSuspended(owner.name));
            }
            let (action, now) = (Action::OwnerDelete.into_str(), store.now());
            let last = events::last_about(&transaction.db, action, owner.id).await?;
            let last = last.filter(|_| must_be_suspended).map(|event| event.read_at(now));
            match last {
                Some(event) if event.status() == EventStatus::Running => {
                    return transaction.done((owner.id, owner.name, event.id, true));
                }
                Some(event) if is_for_same_reasons(&event, change) => {
                    events::take_over(&transaction.db, event.id, run.id, now).await?;
                    (transaction.run, transaction.event) = (Some(run), Some(event.id));
                    return transaction.done((owner.id, owner.name, event.id, false));
                }
                Some(_) | None => transaction.run = Some(run),
            }
            let reason = reason_to_suspend(&owner, change);
            let db = &transaction.db;
            let values = store_suspension(db, &owner, Some(reason), change.now).await?;
            let subject = Subject::from_owner(&owner, owner.name.as_str());
            let event_id = transaction.record(&subject, 1).await?;
            // Supersedes an earlier suspension, so that an `undo` of that event does not resume the
            // owner.
            let values = values.into_iter().collect();
            events::insert_changes(&transaction.db, event_id, ChangeKind::Owner, values).await?;
            transaction.done((owner.id, owner.name, event_id, false))
        });
        let (owner_id, name, event_id, is_running) = begun.await?.value;
        let stop = change.stop.clone();
        Ok((Self { owner_id, name, event_id, run, stop }, is_running))
    }

    /// Returns the identifier of the event.
    pub const fn event_id(&self) -> i64 {
        self.event_id
    }

    /// Deletes everything of the owner, and finally the owner. After each slice, `progress`
    /// receives the numbers of rows deleted so far.
    ///
    /// # Errors
    /// [`Error::DeletionAborted`] if the owner is no longer suspended, or
    /// [`Error::Incomplete`] if the database fails or a stop is requested. What was deleted
    /// until then stays deleted.
    pub async fn run(
        &self,
        store: &Store,
        mut progress: impl FnMut(DeletedRows),
    ) -> Result<DeletedRows, Error> {
        let mut deleted = DeletedRows::default();
        let result = self.delete_slices(store, &mut deleted, &mut progress).await;
        if result.is_err() {
            // Otherwise, its silence tells that it has stopped.
            let _ = stop_run(store, self.event_id, self.run).await;
        }
        result.map(|()| deleted)
    }

    async fn delete_slices(
        &self,
        store: &Store,
        deleted: &mut DeletedRows,
        progress: &mut impl FnMut(DeletedRows),
    ) -> Result<(), Error> {
        let mut attempts = Attempts::default();
        while deleted.owners == 0 {
            if self.stop.is_cancelled() {
                return Err(self.incomplete(*deleted, None));
            }
            let started = Instant::now();
            match self.delete_slice(store).await {
                Ok(slice) => {
                    attempts = Attempts::default();
                    deleted.links += slice.links;
                    deleted.click_counts += slice.click_counts;
                    deleted.click_days += slice.click_days;
                    deleted.keys += slice.keys;
                    deleted.responses += slice.responses;
                    deleted.domains += slice.domains;
                    deleted.owners += slice.owners;
                    progress(*deleted);
                    let pause = started.elapsed().clamp(MIN_PAUSE, MAX_PAUSE);
                    tokio::time::sleep(pause).await;
                }
                Err(error) if attempts.may_retry(error.store_error()).await => {}
                Err(error @ Error::DeletionAborted(_)) => return Err(error),
                Err(Error::Incomplete { .. }) => return Err(self.incomplete(*deleted, None)),
                Err(error) => return Err(self.incomplete(*deleted, Some(Box::new(error)))),
            }
        }
        Ok(())
    }

    fn incomplete(&self, deleted: DeletedRows, cause: Option<Box<Error>>) -> Error {
        // The event has counted the owner since it began.
        Error::Incomplete { event: Some(self.event_id), changed: deleted.changed() + 1, cause }
    }

    /// Deletes the next rows, in the order: stored responses, webhooks, links, keys, domains, owner. The
    /// responses come first, so that the deletion of links has none to search, and webhooks before what they
    /// would be told.
    async fn delete_slice(&self, store: &Store) -> Result<DeletedRows, Error> {
        let transaction = store.begin(Durability::PowerLoss).await?;
        let db = &transaction;
        // All deletions of links take these locks in the same order, so that they do not deadlock.
        clicks::lock_rollups(db).await?;
        let owner = owners::lock(db, self.owner_id).await?;
        if owner.is_none_or(|owner| owner.suspended_reason.is_none()) {
            return Err(Error::DeletionAborted(self.name.clone()));
        }
        let deleted = self.delete_rows(store, db).await?;
        // The event has counted the owner since it began.
        let changed = deleted.links + deleted.keys + deleted.domains;
        if changed > 0 {
            let changed = i64::try_from(changed).unwrap_or(i64::MAX);
            events::add_changed(db, self.event_id, changed).await?;
        }
        let is_last = deleted.owners > 0;
        let status = if is_last { EventStatus::Done } else { EventStatus::Running };
        let progress = ChangeExtent::default().progress(self.run.id, status);
        if !events::advance(db, self.event_id, progress, store.now()).await? {
            return Err(self.incomplete(DeletedRows::default(), None));
        }
        transaction.commit().await?;
        Ok(deleted)
    }

    async fn delete_rows(&self, store: &Store, db: &Transaction) -> Result<DeletedRows, Error> {
        let &Self { owner_id, event_id, .. } = self;
        let none = DeletedRows::default();
        let responses = idempotency::delete_of_owner(db, owner_id, MAX_SLICE_ROWS).await?;
        if responses > 0 {
            return Ok(DeletedRows { responses, ..none });
        }
        let now = store.now();
        if webhooks::delete_of_owner(db, owner_id, MAX_SLICE_ROWS).await? {
            invalidations::publish(db, &Invalidation::Webhooks, now).await?;
            return Ok(none);
        }
        let ids = links::ids_of_owner(db, owner_id, MAX_SLICE_ROWS).await?;
        if !ids.is_empty() {
            let links::Erased { links, click_counts, click_days } =
                links::erase(db, event_id, &ids, now).await?;
            return Ok(DeletedRows { links, click_counts, click_days, ..none });
        }
        let keys = keys::delete_of_owner(db, owner_id, MAX_SLICE_ROWS).await?;
        if keys > 0 {
            invalidations::publish(db, &Invalidation::Keys, now).await?;
            return Ok(DeletedRows { keys, ..none });
        }
        let domains = domains::delete_of_owner(db, owner_id).await?;
        if domains > 0 {
            invalidations::publish(db, &Invalidation::Domains, now).await?;
            return Ok(DeletedRows { domains, ..none });
        }
        events::erase_owner(db, owner_id).await?;
        // Erases earlier names of the owner.
        events::erase_values(db, ChangeKind::Owner, &[owner_id.to_string()]).await?;
        if let Some(owner) = owners::get(db, owner_id).await? {
            usage::keep_deleted(db, &owner, now).await?;
        }
        owners::delete(db, owner_id).await?;
        invalidations::publish(db, &Invalidation::Owner(owner_id), now).await?;
        Ok(DeletedRows { owners: 1, ..none })
    }
}

/// Returns whether a change has the reasons of an earlier event.
fn is_for_same_reasons(event: &EventRow, Change { reason, note, case, .. }: &Change) -> bool {
    event.reason == reason.unwrap_or(Reason::Other)
        && event.note.as_deref() == note.as_ref().map(Note::as_str)
        && event.case_id.as_deref() == case.as_ref().map(CaseId::as_str)
}
