use std::sync::atomic::{AtomicI64, Ordering};

use sea_orm::sqlx::{self, PgConnection, Row as _};

use crate::values::Moment;

/// In milliseconds since the epoch.
const NOW: &str = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";

/// The database's clock, which all instances have in common: what one keeps for a time, another
/// whose clock is wrong must not find out of date.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// By how many milliseconds it was ahead of this machine's when it was last read.
    lead: AtomicI64,
}

impl Clock {
    pub(super) fn now(&self) -> Moment {
        let lead = self.lead.load(Ordering::Relaxed);
        Moment::from_millis(Moment::now().millis().saturating_add(lead))
    }

    /// Asks for the time.
    pub(super) async fn read(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let asked = Moment::now();
        let row = sqlx::raw_sql(NOW).fetch_one(connection).await?;
        self.set(row.try_get(0)?, asked);
        Ok(())
    }

    /// Takes what it said at some time since `asked`.
    fn set(&self, said: i64, asked: Moment) {
        let (asked, now) = (asked.millis(), Moment::now().millis());
        let middle = asked.saturating_add(now.saturating_sub(asked) / 2);
        self.lead.store(said.saturating_sub(middle), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_the_database_said() {
        let clock = Clock::default();
        let day = 24 * 60 * 60 * 1000;
        let asked = Moment::now();
        for said in [asked.millis() - day, asked.millis() + day, 0] {
            clock.set(said, asked);
            let now = clock.now().millis();
            assert!((said - 1000..said + 1000).contains(&now), "{said} {now}");
        }
    }
}
