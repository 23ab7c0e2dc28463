//! Properties of a PostgreSQL server, which Terse queries when it connects, and its clock.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use sea_orm::sqlx::{self, PgConnection, Row as _};

use crate::values::Timestamp;

/// Query for the timeline of the server's write-ahead log, which a promotion changes. The result is
/// an empty text on a standby.
pub(super) const TIMELINE: &str = "
    SELECT CASE WHEN pg_is_in_recovery() THEN ''
        ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END";

/// Returns whether the server supports [`TIMELINE`]. Databases that are compatible with PostgreSQL may
/// not.
pub(super) async fn has_timelines(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    match sqlx::raw_sql(TIMELINE).fetch_one(connection).await {
        Ok(_) => Ok(true),
        Err(sqlx::Error::Database(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the encoding of the database.
pub(super) async fn encoding(connection: &mut PgConnection) -> Result<String, sqlx::Error> {
    sqlx::raw_sql("SHOW server_encoding").fetch_one(connection).await?.try_get(0)
}

/// Returns whether a pooler shares server processes, as PgBouncer does in transaction mode: whether the
/// two open connections use the same process, or one of them changes its process.
pub(super) async fn shares_processes(mut pair: [PgConnection; 2]) -> Result<bool, sqlx::Error> {
    let processes = [process_id(&mut pair[0]).await?, process_id(&mut pair[1]).await?];
    // The order of the queries is irregular, so that a pooler that alternates between two processes
    // does not match it by chance.
    for which in [1, 0, 0, 0, 1, 0, 1, 1] {
        let process = process_id(&mut pair[which]).await?;
        if processes[0] == processes[1] || process != processes[which] {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the server process of a session.
pub(super) async fn process_id(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    sqlx::raw_sql("SELECT pg_backend_pid()").fetch_one(connection).await?.try_get(0)
}

/// What a session may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    ReadWrite,
    /// A setting of the session, its role or its database does not allow changes.
    ReadOnly,
    /// The server is a standby, which may lack changes that its primary has confirmed.
    Standby,
}

/// Query that returns whether the session is read-only, whether the server is a standby, and the
/// time in milliseconds since the Unix epoch.
const READ_SESSION: &str = "
    SELECT current_setting('transaction_read_only'), pg_is_in_recovery(),
        CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";

/// The database's clock, by which all instances agree on whether something has expired.
///
/// It keeps running during an outage, and ignores changes of the system clock.
#[derive(Debug)]
pub(super) struct Clock {
    started_at: Instant,
    /// The database's time at `started_at`, in milliseconds since the Unix epoch.
    time_at_start: AtomicI64,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            started_at: Instant::now(),
            time_at_start: AtomicI64::new(Timestamp::now().millis()),
        }
    }
}

impl Clock {
    /// Returns the database's time.
    pub(super) fn now(&self) -> Timestamp {
        let start = Timestamp::from_millis(self.time_at_start.load(Ordering::Relaxed));
        start.plus(self.started_at.elapsed())
    }

    /// Sets the clock to the time of the database. Returns what the session may do.
    pub(super) async fn synchronize(
        &self,
        connection: &mut PgConnection,
    ) -> Result<Access, sqlx::Error> {
        let sent = self.started_at.elapsed();
        let row = sqlx::raw_sql(READ_SESSION).fetch_one(connection).await?;
        let (read_only, is_standby): (String, bool) = (row.try_get(0)?, row.try_get(1)?);
        let time = row.try_get(2)?;
        self.set(Timestamp::from_millis(time), sent, self.started_at.elapsed());
        Ok(match (is_standby, read_only.as_str()) {
            (true, _) => Access::Standby,
            (false, "on") => Access::ReadOnly,
            (false, _) => Access::ReadWrite,
        })
    }

    /// Sets the clock to `time`, which the database read between `sent` and `received`.
    fn set(&self, time: Timestamp, sent: Duration, received: Duration) {
        let uncertainty = received.saturating_sub(sent) / 2;
        let start = time.minus(sent + uncertainty).millis();
        let difference = start.abs_diff(self.time_at_start.load(Ordering::Relaxed));
        // A slow response leaves the time uncertain, and must not make an accurate clock worse.
        if u128::from(difference) > uncertainty.as_millis() {
            self.time_at_start.store(start, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn clock_follows_the_database() {
        let clock = Clock::default();
        let day = 24 * 60 * 60 * SECOND;
        for time in
            [Timestamp::now().minus(day), Timestamp::now().plus(day), Timestamp::from_millis(0)]
        {
            let sent = clock.started_at.elapsed();
            clock.set(time, sent, sent);
            assert!((time..time.plus(SECOND)).contains(&clock.now()), "{time} {}", clock.now());
        }
    }

    #[test]
    fn slow_response_corrects_only_a_wrong_clock() {
        let clock = Clock::default();
        let start = Timestamp::now();
        clock.set(start, Duration::ZERO, Duration::ZERO);
        for (error, is_corrected) in [(SECOND, false), (SECOND / 2, false), (SECOND * 3, true)] {
            clock.set(start.plus(error), Duration::ZERO, SECOND * 2);
            let time_at_start = clock.time_at_start.load(Ordering::Relaxed);
            assert_eq!(time_at_start != start.millis(), is_corrected, "{error:?}");
        }
        let time_at_start = clock.time_at_start.load(Ordering::Relaxed);
        assert_eq!(time_at_start, start.plus(SECOND * 2).millis());
    }
}
