//! Links that are visited: which they are, what asks for them, and what is counted of it.

pub(crate) mod clicks;
pub(crate) mod floor;
pub(crate) mod traffic;

use super::common::Result;
use super::common::database::Database;

/// Has the database do what it would do sooner or later with what it was filled with.
pub(crate) fn settle(database: &Database) -> Result<()> {
    let settle: &[&str] = if database.is_postgres() {
        &["VACUUM ANALYZE links", "VACUUM ANALYZE click_counts", "CHECKPOINT"]
    } else {
        &["PRAGMA wal_checkpoint(TRUNCATE)"]
    };
    settle.iter().try_for_each(|statement| database.execute(statement))
}
