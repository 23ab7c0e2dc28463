//! Click counts in the database.

use std::time::{Duration, Instant};

use crate::Result;
use crate::database::Database;

/// How long a benchmark waits for the rollup of clicks.
const ROLLUP_TIMEOUT: Duration = Duration::from_secs(20);

/// Returns the number of clicks of all links, including pending ones.
pub fn sum(database: &Database) -> Result<u64> {
    let sum = database.number(
        "SELECT CAST((SELECT COALESCE(SUM(count), 0) FROM click_counts)
                   + (SELECT COALESCE(SUM(count), 0) FROM recent_counts)
                   + (SELECT COALESCE(SUM(count), 0) FROM pending_clicks) AS bigint)",
    )?;
    Ok(u64::try_from(sum.ok_or("no sum of clicks")?)?)
}

/// Waits until no clicks are pending; reports if some still are after the timeout.
pub fn wait_for_rollup(name: &str, database: &Database) -> Result<()> {
    let deadline = Instant::now() + ROLLUP_TIMEOUT;
    while database.number("SELECT id FROM pending_clicks LIMIT 1")?.is_some() {
        if Instant::now() > deadline {
            eprintln!("{name}: clicks are still pending; their rollup is not in the figures");
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
