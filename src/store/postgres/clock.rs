use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use sea_orm::sqlx::{self, PgConnection, Row as _};

use crate::values::Moment;

/// Whether a session may write, and the time in milliseconds since the epoch.
const ASK: &str = "
    SELECT current_setting('transaction_read_only'),
        CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";

/// The database's clock, which all instances have in common: what one keeps for a time, another
/// whose clock is wrong must not find out of date. It goes on while the database is away, and as this
/// machine's hands are moved.
#[derive(Debug)]
pub(super) struct Clock {
    began: Instant,
    /// What it said then, in milliseconds since the epoch.
    then: AtomicI64,
}

impl Default for Clock {
    fn default() -> Self {
        Self { began: Instant::now(), then: AtomicI64::new(Moment::now().millis()) }
    }
}

impl Clock {
    pub(super) fn now(&self) -> Moment {
        let then = Moment::from_millis(self.then.load(Ordering::Relaxed));
        then.plus(self.began.elapsed())
    }

    /// Asks for the time, and whether the session is read-only.
    pub(super) async fn ask(&self, connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
        let asked = self.began.elapsed();
        let row = sqlx::raw_sql(ASK).fetch_one(connection).await?;
        let (read_only, said): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
        self.set(Moment::from_millis(said), asked, self.began.elapsed());
        Ok(read_only == "on")
    }

    /// Takes what it said at some time between the question and the answer. Only what it must have
    /// gone wrong by since is news: an answer that took long says little.
    fn set(&self, said: Moment, asked: Duration, answered: Duration) {
        let uncertainty = answered.saturating_sub(asked) / 2;
        let then = said.minus(asked + uncertainty).millis();
        let off = then.abs_diff(self.then.load(Ordering::Relaxed));
        if u128::from(off) > uncertainty.as_millis() {
            self.then.store(then, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn it_says_what_the_database_said() {
        let clock = Clock::default();
        let day = 24 * 60 * 60 * SECOND;
        for said in [Moment::now().minus(day), Moment::now().plus(day), Moment::from_millis(0)] {
            let asked = clock.began.elapsed();
            clock.set(said, asked, asked);
            assert!((said..said.plus(SECOND)).contains(&clock.now()), "{said} {}", clock.now());
        }
    }

    #[test]
    fn a_slow_answer_changes_only_what_is_wrong() {
        let clock = Clock::default();
        let then = Moment::now();
        clock.set(then, Duration::ZERO, Duration::ZERO);
        for (late, is_news) in [(SECOND, false), (SECOND / 2, false), (SECOND * 3, true)] {
            clock.set(then.plus(late), Duration::ZERO, SECOND * 2);
            assert_eq!(clock.then.load(Ordering::Relaxed) != then.millis(), is_news, "{late:?}");
        }
        assert_eq!(clock.then.load(Ordering::Relaxed), then.plus(SECOND * 2).millis());
    }
}
