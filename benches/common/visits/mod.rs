//! Visited links, their visitors and their clicks.

pub mod baseline;
pub mod clicks;
pub mod constant_rate;
pub mod fill;
pub mod traffic;

use crate::Result;
use crate::database::Database;

/// Runs the maintenance that the database would otherwise run during the load.
pub fn settle(database: &Database) -> Result<()> {
    let settle: &[&str] = if database.is_postgres() {
        &["VACUUM ANALYZE links", "VACUUM ANALYZE click_counts", "CHECKPOINT"]
    } else {
        &["PRAGMA wal_checkpoint(TRUNCATE)"]
    };
    settle.iter().try_for_each(|statement| database.execute(statement))
}
