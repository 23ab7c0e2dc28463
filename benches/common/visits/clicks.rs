//! What Terse has counted.

use std::time::{Duration, Instant};

use crate::common::Result;
use crate::common::database::Database;

/// How long clicks may take to be added up.
const PATIENCE: Duration = Duration::from_secs(20);

/// The clicks of all links together, added up or not.
pub(crate) fn sum(database: &Database) -> Result<u64> {
    let sum = database.number(
        "SELECT CAST((SELECT COALESCE(SUM(count), 0) FROM click_counts)
                   + (SELECT COALESCE(SUM(count), 0) FROM recent_counts)
                   + (SELECT COALESCE(SUM(count), 0) FROM pending_clicks) AS bigint)",
    )?;
    Ok(u64::try_from(sum.ok_or("no sum of clicks")?)?)
}

/// Waits until the ledger of clicks is empty; says so where it does not become so in time.
pub(crate) fn wait_for_fold(name: &str, database: &Database) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while database.number("SELECT id FROM pending_clicks LIMIT 1")?.is_some() {
        if Instant::now() > deadline {
            eprintln!("{name}: clicks are still being added up; that is not in its figures");
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
