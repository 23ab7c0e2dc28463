//! Visited links, their visitors and their clicks.

pub(crate) mod baseline;
pub(crate) mod clicks;
pub(crate) mod traffic;

use super::common::Result;
use super::common::database::Database;

/// Runs the maintenance that the database would run later.
pub(crate) fn settle(database: &Database) -> Result<()> {
    let settle: &[&str] = if database.is_postgres() {
        &["VACUUM ANALYZE links", "VACUUM ANALYZE click_counts", "CHECKPOINT"]
    } else {
        &["PRAGMA wal_checkpoint(TRUNCATE)"]
    };
    settle.iter().try_for_each(|statement| database.execute(statement))
}
