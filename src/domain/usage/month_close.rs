//! The close of months: after the last day of a month is closed, it keeps the name and the number of
//! links of every owner, in short slices. Only an operator opens closed months again.

use std::time::Duration;

use super::MonthUsage;
use crate::domain::Error;
use crate::domain::changes::{Action, Change, Changed, Subject};
use crate::store::click_days::DayClose;
use crate::store::{Durability, Store, StoreError, click_days, clicks, usage};
use crate::values::{Month, Timestamp};

/// Maximum number of owners per transaction, for which creations of links wait.
const MAX_OWNERS: u32 = 500;
/// Pause after a transaction, during which others can write.
const PAUSE: Duration = Duration::from_millis(10);

/// Returns the month that ended more than a day ago and is not closed.
pub fn overdue(state: &DayClose, now: Timestamp) -> Option<Month> {
    let open = Month::from_number(state.open_month);
    (open.end().plus(Duration::from_secs(24 * 60 * 60)) < now).then_some(open)
}

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

/// The usage of the owners before and after months were opened again.
#[derive(Debug, Clone)]
pub struct Reopened {
    /// The usage before of each month that was opened.
    pub before: Vec<MonthUsage>,
    /// Usage of the first one, which is the only one afterwards.
    pub after: MonthUsage,
}

/// Opens a closed month and all later ones again, which a wrong clock closed before they were over. In the
/// open month, it opens days that are not over.
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
        clicks::lock_rollups(db).await?;
        let state = click_days::state(db).await?;
        let last = Month::from_number(state.open_month);
        let is_ahead = month < last || month == last && state.closed_until >= today;
        if !is_ahead || month.end() <= change.now {
            return Err(Error::MonthStays(month));
        }
        let mut before = Vec::new();
        let mut opened = month;
        while opened < last || before.is_empty() {
            let is_final = usage::is_closed(&state, opened);
            let owners = usage::of_month(db, None, opened, is_final, today).await?;
            before.push(MonthUsage { month: opened, is_final, owners });
            opened = opened.next();
        }
        usage::reopen(db, month, today - 1).await?;
        let owners = usage::of_month(db, None, month, false, today).await?;
        let after = MonthUsage { month, is_final: false, owners };
        transaction.record(&Subject::new(month.to_string()), before.len()).await?;
        transaction.done(Reopened { before, after })
    });
    reopened.await
}
