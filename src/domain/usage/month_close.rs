//! The close of months: after the last day of a month is closed, it keeps the name and the number of
//! links of every owner, in short slices.

use std::time::Duration;

use crate::store::{Durability, Store, StoreError, click_days, usage};
use crate::values::Month;

/// Maximum number of owners per transaction, for which creations of links wait.
const MAX_OWNERS: u32 = 500;
/// Pause after a transaction, during which others can write.
const PAUSE: Duration = Duration::from_millis(10);

/// Closes all months whose last day is closed.
///
/// A month that was closed at most a day too early stays closed, because clocks differ a little. If the
/// clock was further ahead, its months open again.
///
/// # Errors
/// If the database fails. The next call continues.
pub async fn close_months(store: &Store) -> Result<(), StoreError> {
    loop {
        let state = click_days::state(store.reader()).await?;
        let open = Month::from_number(state.open_month);
        let tomorrow = Month::from_day(store.now().day() + 1);
        if open > tomorrow {
            let transaction = store.begin(Durability::PowerLoss).await?;
            usage::reopen(&transaction, Month::from(store.now())).await?;
            transaction.commit().await?;
            tracing::warn!(month = %open, "the clock was ahead; months that it closed are open again");
            return Ok(());
        }
        if open >= Month::from_day(state.closed_until + 1) {
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
