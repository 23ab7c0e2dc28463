//! The clock by which days and months are closed. It ignores a leap of the database's clock until that
//! has run without a further leap for a while of the process's monotonic clock.

use std::time::{Duration, Instant};

use crate::store::books_clock::LEAP;
use crate::store::click_days::DayClose;
use crate::values::{Month, Timestamp};

/// Difference from which a clock is reported as wrong.
const MAX_ERROR: Duration = Duration::from_secs(24 * 60 * 60);

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
    #[must_use]
    pub fn new(delay: Duration, started_at: Instant) -> Self {
        Self { delay, started_at, settled: None, current: None, closed_until: i64::MIN }
    }

    /// Notes that all days up to this one are closed.
    pub fn note_closed(&mut self, day: i64) {
        self.closed_until = day;
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
