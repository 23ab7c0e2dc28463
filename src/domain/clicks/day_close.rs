//! The close of days: once a day, it adds the clicks of the day to `click_days`, in short slices.
//!
//! Each slice is one transaction that also records how far the close has come. A close thus
//! continues after a kill, and instances on one database share it.
//!
//! [`CloseClock`] is the clock by which days and months are closed. It ignores a leap of the database's
//! clock until that has run without a further leap for a while of the process's monotonic clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::rollup;
use crate::domain::periodic_task::PeriodicTask;
use crate::domain::usage::month_close::{self, close_months};
use crate::metrics::Metrics;
use crate::store::books_clock::LEAP;
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
/// Difference from which a clock is reported as wrong.
const MAX_ERROR: Duration = Duration::from_secs(24 * 60 * 60);

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
        clock.closed_until = yesterday;
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

/// The clock by which days and months are closed.
#[derive(Debug)]
pub struct CloseClock {
    /// How long a clock must run without a leap.
    delay: Duration,
    started_at: Instant,
    /// Time at `started_at` by the clock that closes. `None`: nothing is closed yet.
    settled: Option<Timestamp>,
    /// Time at `started_at` by the database's clock, and since when that has not leapt.
    current: Option<(Timestamp, Instant)>,
    /// The last day that was closed by this clock.
    closed_until: i64,
}

/// What the clock shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CloseTime {
    /// The time that days are closed by. `None`: no day is closed.
    pub day: Option<Timestamp>,
    /// The time that months are closed by: a while before now, without a leap or error since. `None`:
    /// no month is closed.
    pub month: Option<Timestamp>,
    /// By how much the database's clock is wrong, if it is wrong by more than a day. Negative: it is
    /// behind.
    pub error_millis: i64,
}

impl CloseClock {
    /// Creates a clock that has seen no time yet.
    pub fn new(delay: Duration, started_at: Instant) -> Self {
        Self { delay, started_at, settled: None, current: None, closed_until: i64::MIN }
    }

    /// Looks at the database's clock, which shows `now`, at the machine's and at the monotonic one.
    pub fn observe(
        &mut self,
        now: Timestamp,
        machine: Timestamp,
        at: Instant,
        state: &DayClose,
    ) -> CloseTime {
        // An operator has opened days again, because the clock that closed them was wrong.
        if state.closed_until < self.closed_until {
            (self.settled, self.current, self.closed_until) = (None, None, i64::MIN);
        }
        let elapsed = at.saturating_duration_since(self.started_at);
        let start = now.minus(elapsed);
        let since = match self.current {
            Some((before, since)) if before.is_near(start, LEAP) => since,
            _ => at,
        };
        self.current = Some((start, since));
        let stable = at.saturating_duration_since(since);
        // After a start, the clock is right if at most one day is due. A server that was down for longer
        // cannot know whether days have passed or the clock has leapt.
        let is_next = [1, 2].contains(&(now.day() - state.closed_until));
        let is_settled = self.settled.map_or(is_next, |settled| settled.is_near(start, LEAP));
        // A clock that differs from this machine's by days is not followed, however long it runs.
        if now.is_near(machine, MAX_ERROR) && (is_settled || stable >= self.delay) {
            self.settled = Some(start);
        }
        let day = self.settled.map(|settled| settled.plus(elapsed));
        let error_millis = error_millis(now, day, machine, state);
        let is_over = stable >= self.delay && error_millis == 0;
        let month = is_over.then(|| now.minus(self.delay));
        CloseTime { day, month, error_millis }
    }
}

/// Returns the error of a clock that shows `now` while the clock that closes shows `expected`. It is
/// also wrong if it shows a time before the last closed day or month, or another day than this
/// machine.
fn error_millis(
    now: Timestamp,
    expected: Option<Timestamp>,
    machine: Timestamp,
    state: &DayClose,
) -> i64 {
    let open_since = Timestamp::from_day(*Month::from_number(state.open_month).days().start());
    let last_close = Timestamp::from_day(state.closed_until + 1).max(open_since);
    let error =
        |right| if now.is_near(right, MAX_ERROR) { 0 } else { now.millis() - right.millis() };
    match error(expected.unwrap_or(now).max(last_close)) {
        0 => error(machine),
        behind_or_ahead => behind_or_ahead,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);
    const DAY: Duration = Duration::from_secs(86_400);

    /// A clock that has run for two hours, with noon of the day after the last closed one.
    struct Running {
        clock: CloseClock,
        state: DayClose,
        at: Instant,
        right: Timestamp,
    }

    impl Running {
        fn new() -> Self {
            let right = Timestamp::from_day(20_000).plus(DAY / 2);
            let state = DayClose {
                id: 1,
                closed_day: 19_999,
                closed_until: 19_999,
                position: 0,
                open_month: Month::from(right).number(),
            };
            let at = Instant::now();
            let mut running = Self { clock: CloseClock::new(HOUR, at), state, at, right };
            running.run(Duration::ZERO, |right| right);
            running.run(2 * HOUR, |right| right);
            running
        }

        /// Lets time pass, and looks at a clock that shows another time than the right one.
        fn run(
            &mut self,
            time: Duration,
            shown: impl Fn(Timestamp) -> Timestamp,
        ) -> (CloseTime, Timestamp) {
            (self.at, self.right) = (self.at + time, self.right.plus(time));
            let now = shown(self.right);
            (self.clock.observe(now, now, self.at, &self.state), self.right)
        }
    }

    #[test]
    fn leaps_close_nothing_and_are_reported() {
        let mut running = Running::new();
        let (time, right) = running.run(HOUR, |right| right);
        assert_eq!(
            time,
            CloseTime { day: Some(right), month: Some(right.minus(HOUR)), error_millis: 0 }
        );
        type Leap = fn(Timestamp) -> Timestamp;
        let leaps: [(Leap, i64); 4] = [
            (|right| right.plus(DAY * 500), 500),
            (|right| right.minus(DAY * 9_000), -9_000),
            (|right| right.minus(HOUR), 0),
            (|right| right.plus(Duration::from_secs(2)), 0),
        ];
        for (leap, days) in leaps {
            for _ in 0..2 {
                let (time, right) = running.run(HOUR / 3, leap);
                assert_eq!((time.day, time.month), (Some(right), None));
                assert_eq!(time.error_millis / 86_400_000, days);
            }
            let (time, right) = running.run(HOUR / 3, |right| right);
            assert_eq!(time, CloseTime { day: Some(right), month: None, error_millis: 0 });
        }
        assert!(running.run(HOUR, |right| right).0.month.is_some());
    }

    #[test]
    fn clock_that_keeps_running_is_followed_after_the_delay() {
        let mut running = Running::new();
        running.run(HOUR, |right| right.plus(DAY * 5));
        let (time, right) = running.run(HOUR, |right| right.plus(DAY * 5));
        assert_eq!(time.day, Some(right.plus(DAY * 5)));
        assert_eq!(time.month, Some(right.plus(DAY * 5).minus(HOUR)));
    }

    #[test]
    fn clock_that_differs_from_that_of_the_machine_closes_nothing() {
        let Running { mut clock, state, at, right } = Running::new();
        for hours in 1..48 {
            let (at, right) = (at + HOUR * hours, right.plus(HOUR * hours));
            let time = clock.observe(right.plus(DAY * 5), right, at, &state);
            assert_eq!((time.day, time.month), (Some(right), None));
            assert_eq!(time.error_millis / 86_400_000, 5);
        }
    }

    #[test]
    fn server_that_starts_with_a_wrong_clock_closes_nothing() {
        for days in [-9_000, -3, 3, 9_000] {
            let Running { state, at, right, .. } = Running::new();
            let now = Timestamp::from_millis(right.millis() + days * 86_400_000);
            let time = CloseClock::new(HOUR, at).observe(now, now, at, &state);
            assert_eq!((time.day, time.month), (None, None), "{days}");
            assert_eq!(time.error_millis != 0, days < 0, "a later day may be right");
        }
    }
}
