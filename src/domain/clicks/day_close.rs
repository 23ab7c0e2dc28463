//! The close of days: once a day, it adds the clicks of the day to `click_days`, in short slices.
//!
//! Each slice is one transaction that also records how far the close has come. A close thus
//! continues after a kill, and instances on one database share it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::rollup;
use crate::domain::periodic_task::PeriodicTask;
use crate::domain::usage::close_clock::CloseClock;
use crate::domain::usage::month_close::{self, close_months};
use crate::metrics::Metrics;
use crate::store::click_days::{self, CloseSlice, DayClose};
use crate::store::{Durability, Store, StoreError, Transaction, books_clock, clicks};
use crate::values::{Day, Month, Timestamp};

/// Time between two looks at the clock.
const INTERVAL: Duration = Duration::from_secs(10);
/// Maximum number of links per transaction, for which redirects on SQLite wait.
const MAX_LINKS: u32 = 1_000;
/// Number of transactions between two checkpoints of SQLite.
const SLICES_PER_CHECKPOINT: u32 = 100;
/// Minimum and maximum pause after a slice, during which others can write.
const MIN_PAUSE: Duration = Duration::from_millis(2);
const MAX_PAUSE: Duration = Duration::from_millis(50);

/// Maximum number of merges before a close, if another process keeps writing or links are clicked
/// all the time.
const MAX_MERGES: u32 = 100;

/// Closes each day and each month after it has ended, and folds days into opening balances if `keep_days` later
/// ones stay. A clock that leaps closes nothing until it has run for `delay`. It runs until it is dropped.
pub async fn run(store: Store, keep_days: u32, delay: Duration, metrics: Arc<Metrics>) {
    let mut close = PeriodicTask::new(
        INTERVAL,
        "day-close",
        "the last day cannot be closed; its clicks are counted, but belong to no day yet",
    );
    let mut checkpoint = rollup::checkpoint_task(INTERVAL);
    // A close of many links would let the write-ahead log grow during the check.
    store.wait_for_startup_check().await;
    let (mut clock, mut overdue) = (CloseClock::new(delay, Instant::now()), None);
    loop {
        close.tick().await;
        let closed = close_all(&store, &mut checkpoint, &mut clock, &mut overdue, &metrics).await;
        let folded = fold_days(&store, keep_days, &mut checkpoint).await;
        close.report(closed.and(folded));
    }
}

async fn close_all(
    store: &Store,
    checkpoint: &mut PeriodicTask,
    clock: &mut CloseClock,
    overdue: &mut Option<Month>,
    metrics: &Metrics,
) -> Result<(), StoreError> {
    let state = click_days::state(store.reader()).await?;
    let now = store.now();
    let at = Instant::now();
    let time = clock.observe(now, Timestamp::now(), at, &state);
    report_error(now, time.error_millis / 1000, metrics);
    books_clock::set(time.day, at);
    if let Some(now) = time.day {
        let yesterday = now.day() - 1;
        close_days(store, checkpoint, &state, yesterday).await?;
        clock.note_closed(yesterday);
    }
    match time.month {
        Some(over_at) => close_months(store, over_at).await?,
        None => warn_if_overdue(month_close::overdue(&state, now), overdue),
    }
    Ok(())
}

/// Reports a clock that is wrong by this number of seconds, once.
fn report_error(now: Timestamp, seconds: i64, metrics: &Metrics) {
    let before = metrics.clock_error.get();
    metrics.clock_error.set(seconds);
    if seconds != 0 && before == 0 {
        tracing::warn!(
            clock = %now,
            error_seconds = seconds,
            "the clock is wrong by more than a day; correct it: no month is closed until it is right, or \
             has run for an hour without a leap"
        );
    } else if seconds == 0 && before != 0 {
        tracing::info!(clock = %now, "the clock counts as right again");
    }
}

/// Reports a month that is overdue, once.
fn warn_if_overdue(month: Option<Month>, reported: &mut Option<Month>) {
    if let Some(month) = month.filter(|month| *reported != Some(*month)) {
        tracing::warn!(
            %month,
            "a month that is over is not closed yet; a server closes it when it has run for an hour with \
             a clock that is right and does not leap"
        );
    }
    *reported = month;
}

async fn close_days(
    store: &Store,
    checkpoint: &mut PeriodicTask,
    state: &DayClose,
    yesterday: i64,
) -> Result<(), StoreError> {
    if state.closed_until >= yesterday {
        return Ok(());
    }
    let started = Instant::now();
    merge(store, checkpoint).await?;
    let (mut links, mut pace) = (0, Pace::default());
    loop {
        let transaction = pace.begin(store, checkpoint).await?;
        let slice = click_days::close_slice(&transaction, yesterday, MAX_LINKS).await?;
        pace.commit(transaction).await?;
        let Some(CloseSlice { day, links: closed, is_complete }) = slice else { return Ok(()) };
        links += closed;
        if is_complete {
            let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            tracing::info!(
                day = %Day::from_number(day),
                links,
                millis = millis(started.elapsed()),
                longest_slice_millis = millis(pace.longest),
                "day closed"
            );
            return Ok(());
        }
    }
}

/// Rolls up pending clicks and merges the recent counts of SQLite, because the close reads only
/// merged counts.
async fn merge(store: &Store, checkpoint: &mut PeriodicTask) -> Result<(), StoreError> {
    rollup::roll_up_all(store).await?;
    for _ in 0..MAX_MERGES {
        rollup::merge_all(store, checkpoint).await?;
        if !clicks::any_recent(store.reader()).await? {
            return Ok(());
        }
        tokio::time::sleep(MAX_PAUSE).await;
    }
    Err(StoreError::Busy)
}

async fn fold_days(
    store: &Store,
    keep_days: u32,
    checkpoint: &mut PeriodicTask,
) -> Result<(), StoreError> {
    let mut pace = Pace::default();
    while click_days::is_fold_due(store.reader(), keep_days).await? {
        let transaction = pace.begin(store, checkpoint).await?;
        click_days::fold_slice(&transaction, keep_days, MAX_LINKS).await?;
        pace.commit(transaction).await?;
    }
    Ok(())
}

/// Begins and commits the transactions of slices, with pauses between them.
#[derive(Debug, Default)]
struct Pace {
    slices: u32,
    /// When the slice in progress began.
    begun: Option<Instant>,
    /// Duration of the last slice.
    last: Duration,
    /// Duration of the longest slice.
    longest: Duration,
}

impl Pace {
    async fn begin(
        &mut self,
        store: &Store,
        checkpoint: &mut PeriodicTask,
    ) -> Result<Transaction, StoreError> {
        if self.slices > 0 {
            tokio::time::sleep(self.last.clamp(MIN_PAUSE, MAX_PAUSE)).await;
        }
        self.slices += 1;
        if self.slices.is_multiple_of(SLICES_PER_CHECKPOINT) {
            checkpoint.report(store.checkpoint().await);
        }
        // A slice may be lost in a power loss, as its clicks are then still unclosed.
        let transaction = store.begin(Durability::ProcessDeath).await?;
        self.begun = Some(Instant::now());
        Ok(transaction)
    }

    async fn commit(&mut self, transaction: Transaction) -> Result<(), StoreError> {
        transaction.commit().await?;
        self.last = self.begun.take().map_or(Duration::ZERO, |begun| begun.elapsed());
        self.longest = self.longest.max(self.last);
        Ok(())
    }
}
