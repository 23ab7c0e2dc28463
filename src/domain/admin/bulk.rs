//! Bulk changes: one event, and one transaction per slice, so that other writers do not wait long.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::domain::AdminError;
use crate::domain::events::{Action, ChangeContext, ChangeResult, Subject, record};
use crate::store::entities::link::Model;
use crate::store::{Attempts, Durability, Store, StoreError, Transaction, events};

/// Number of links per transaction.
const SLICE: usize = 250;
/// Pause between two transactions, during which other writers can proceed.
const PAUSE: Duration = Duration::from_millis(5);

/// A bulk change: the data of its event, and whether it is a dry run.
#[derive(Debug)]
pub(in crate::domain) struct BulkChange<'a> {
    /// Context of the change.
    pub(in crate::domain) context: &'a ChangeContext,
    /// Action of the event.
    pub(in crate::domain) action: Action,
    /// The subject of the event.
    pub(in crate::domain) subject: String,
    /// Identifier and name of the owner, if all links belong to one.
    pub(in crate::domain) owner: Option<(i64, String)>,
}

/// The event of a bulk change, for the work of one slice.
#[derive(Debug)]
pub(in crate::domain) struct SliceEvent<'a> {
    bulk: &'a BulkChange<'a>,
    event: Option<i64>,
    changed: u64,
}

impl SliceEvent<'_> {
    /// Adds `changed` to the number of changed things that the event reports, and returns the
    /// identifier of the event. The first call of a bulk change inserts the event.
    ///
    /// A slice calls it at most once, and only if the slice changes something.
    pub(in crate::domain) async fn record(
        &mut self,
        db: &Transaction,
        changed: usize,
    ) -> Result<i64, StoreError> {
        let BulkChange { context, action, subject, owner } = self.bulk;
        self.changed = changed as u64;
        if let Some(event) = self.event {
            events::add_changed(db, event, i64::try_from(changed).unwrap_or(i64::MAX)).await?;
            return Ok(event);
        }
        let owner = owner.as_ref().map(|(id, name)| (*id, name.as_str()));
        let event =
            record(db, context, *action, Subject { text: subject, owner }, self.changed).await?;
        self.event = event;
        Ok(event.unwrap_or_default())
    }

    /// Records which owners have the changed links, so that the event appears in the history of
    /// each owner. Does nothing if the event itself names the owner of all links.
    pub(in crate::domain) async fn record_owners(
        &self,
        db: &Transaction,
        links: &[Model],
    ) -> Result<(), StoreError> {
        let (None, Some(event)) = (&self.bulk.owner, self.event) else { return Ok(()) };
        let owners: BTreeSet<i64> = links.iter().filter_map(|link| link.owner_id).collect();
        events::insert_owners(db, event, owners).await
    }
}

impl BulkChange<'_> {
    /// Runs `work` on each slice of `all` in a transaction of its own. If the database aborts a
    /// transaction because of a concurrent one, it runs the slice again.
    ///
    /// # Errors
    /// [`AdminError::Incomplete`] if a slice fails after an earlier slice has changed something, or
    /// if a stop is requested after the first slice. Otherwise, the error of the slice that failed.
    pub(in crate::domain) async fn run<T>(
        &self,
        store: &Store,
        all: &[T],
        work: impl AsyncFn(&Transaction, &[T], &mut SliceEvent<'_>) -> Result<(), AdminError>,
    ) -> Result<ChangeResult, AdminError> {
        let mut result = ChangeResult::default();
        for (number, part) in all.chunks(SLICE).enumerate() {
            if number > 0 {
                tokio::time::sleep(PAUSE).await;
                if self.context.stop.is_requested() {
                    return Err(AdminError::Incomplete { done: result, cause: None });
                }
            }
            let mut attempts = Attempts::default();
            loop {
                let mut event = SliceEvent { bulk: self, event: result.event, changed: 0 };
                match self.run_slice(store, part, &work, &mut event).await {
                    Ok(()) => {
                        result.changed += event.changed;
                        if !self.context.is_dry_run {
                            result.event = event.event;
                        }
                        break;
                    }
                    Err(error) if attempts.may_retry(&error).await => {}
                    Err(error) if result.event.is_some() => {
                        let cause = Some(Box::new(error));
                        return Err(AdminError::Incomplete { done: result, cause });
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(result)
    }

    async fn run_slice<T>(
        &self,
        store: &Store,
        part: &[T],
        work: &impl AsyncFn(&Transaction, &[T], &mut SliceEvent<'_>) -> Result<(), AdminError>,
        event: &mut SliceEvent<'_>,
    ) -> Result<(), AdminError> {
        let transaction = store.begin(Durability::PowerLoss).await?;
        work(&transaction, part, event).await?;
        if self.context.is_dry_run || event.changed == 0 {
            drop(transaction);
            return Ok(());
        }
        Ok(transaction.commit().await?)
    }
}
