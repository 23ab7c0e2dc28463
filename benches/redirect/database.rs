//! What is asked of Terse's database: to be filled, and to count.

use std::time::{Duration, Instant};

use crate::common::Result;
use crate::common::database::Database;
use crate::traffic::{CODE_LENGTH, MODULUS, MULTIPLIER, destination};

/// How long clicks may take to be added up.
const PATIENCE: Duration = Duration::from_secs(20);

/// What this benchmark asks of it.
pub(crate) trait Clicked {
    /// Makes links of the only owner, as quickly as the database can.
    fn fill(&self, links: u32) -> Result<()>;

    /// The clicks of all links together, added up or not.
    fn clicks(&self) -> Result<u64>;

    /// Waits until the ledger of clicks is empty; false where it does not become so in time.
    fn wait_for_fold(&self) -> Result<bool>;
}

impl Clicked for Database {
    fn fill(&self, links: u32) -> Result<()> {
        let postgres = [
            format!("generate_series(CAST(0 AS bigint), {links} - 1) AS numbers (number)"),
            format!("lpad(CAST(number * {MULTIPLIER} % {MODULUS} AS text), {CODE_LENGTH}, '0')"),
        ];
        let sqlite = [
            format!(
                "(WITH RECURSIVE numbers (number) AS (
                      SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < {links} - 1
                  ) SELECT number FROM numbers) AS numbers"
            ),
            format!("printf('%0{CODE_LENGTH}d', number * {MULTIPLIER} % {MODULUS})"),
        ];
        let [numbers, code] = if self.is_postgres() { postgres } else { sqlite };
        let destination = destination("' || code || '");
        self.execute(&format!(
            "INSERT INTO links
                 (owner_id, short_code, destination_url, title, campaign, created_at)
             SELECT (SELECT id FROM owners), code, '{destination}', 'Article ' || code, 'letter', 0
             FROM (SELECT {code} AS code, number FROM {numbers}) AS codes ORDER BY number"
        ))?;
        self.execute(&format!("UPDATE owners SET link_count = {links}"))?;
        let settle: &[&str] = if self.is_postgres() {
            &["VACUUM ANALYZE links", "CHECKPOINT"]
        } else {
            &["PRAGMA wal_checkpoint(TRUNCATE)"]
        };
        settle.iter().try_for_each(|statement| self.execute(statement))
    }

    fn clicks(&self) -> Result<u64> {
        let sum = self.number(
            "SELECT CAST((SELECT COALESCE(SUM(count), 0) FROM click_counts)
                       + (SELECT COALESCE(SUM(count), 0) FROM clicks) AS bigint)",
        )?;
        Ok(u64::try_from(sum.ok_or("no sum of clicks")?)?)
    }

    fn wait_for_fold(&self) -> Result<bool> {
        let deadline = Instant::now() + PATIENCE;
        while self.number("SELECT id FROM clicks LIMIT 1")?.is_some() {
            if Instant::now() > deadline {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(true)
    }
}
