//! Checks of the number of stored links.

use crate::Result;
use crate::database::Database;

/// Checks that the database has `expected` links, and that the owners' counters agree.
pub fn check(database: &Database, expected: u64) -> Result<()> {
    let stored = count(database, "SELECT COUNT(*) FROM links")?;
    let counted = count(database, "SELECT CAST(SUM(link_count) AS bigint) FROM owners")?;
    if stored == expected && counted == expected {
        return Ok(());
    }
    Err(format!("{expected} links are expected, {stored} are stored, {counted} are counted").into())
}

fn count(database: &Database, query: &str) -> Result<u64> {
    Ok(u64::try_from(database.number(query)?.ok_or("no count")?)?)
}
