//! The close of months: after the last day of a month is closed, it keeps the name and the number of
//! links of every owner, in short slices. Only an operator opens closed months again.

use std::time::Duration;

use crate::domain::Error;
use crate::domain::changes::{Action, Change, Changed, Subject};
use crate::store::usage::OwnerUsage;
use crate::store::{Durability, Store, StoreError, click_days, usage};
use crate::values::{Month, Timestamp};

/// Maximum number of owners per transaction, for which creations of links wait.
const MAX_OWNERS: u32 = 500;
/// Pause after a transaction, during which others can write.
const PAUSE: Duration = Duration::from_millis(10);

/// Closes all months that were over at `over_at` and whose last day is closed.
///
/// # Errors
/// If the database fails. The next call continues.
pub async fn close_months(store: &Store, over_at: Timestamp) -> Result<(), StoreError> {
    loop {
        let state = click_days::state(store.reader()).await?;
        let open = Month::from_number(state.open_month);
        if open >= Month::from_day(state.closed_until + 1).min(Month::from(over_at)) {
            return Ok(());
        }
        close_month(store, open).await?;
        tracing::info!(month = %open, "month closed");
    }
}

async fn close_month(store: &Store, month: Month) -> Result<(), StoreError> {
    let mut last = 0;
    loop {
        let transaction = store.begin(Durability::PowerLoss).await?;
        let closed = usage::close_slice(&transaction, month, last, MAX_OWNERS).await?;
        if closed.is_none() {
            usage::close(&transaction, month).await?;
        }
        transaction.commit().await?;
        let Some(closed) = closed else { return Ok(()) };
        last = closed;
        tokio::time::sleep(PAUSE).await;
    }
}

/// The usage of the owners in a month before and after it was opened again.
#[derive(Debug, Clone)]
pub struct Reopened {
    /// Usage of the closed month.
    pub before: Vec<OwnerUsage>,
    /// Usage of the open month.
    pub after: Vec<OwnerUsage>,
}

/// Opens a closed month and all later ones again, which a wrong clock closed before they were over.
///
/// # Errors
/// [`Error::MonthStays`].
pub async fn reopen(
    store: &Store,
    month: Month,
    change: &Change,
) -> Result<Changed<Reopened>, Error> {
    let reopened = change.apply(store, Action::UsageReopen, async |mut transaction| {
        let (db, today) = (&transaction.db, change.now.day());
        let is_closed = usage::is_closed(&click_days::state(db).await?, month);
        if !is_closed || month.end() <= change.now {
            return Err(Error::MonthStays(month));
        }
        let before = usage::of_month(db, month, true, today).await?;
        usage::reopen(db, month, today - 1).await?;
        let after = usage::of_month(db, month, false, today).await?;
        transaction.record(&Subject::new(month.to_string()), 1).await?;
        transaction.done(Reopened { before, after })
    });
    reopened.await
}
