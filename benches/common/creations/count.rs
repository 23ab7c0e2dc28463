//! How many links there are.

use crate::common::Result;
use crate::common::database::Database;

/// Sees that there are so many links, and that their owners are held to have as many.
pub(crate) fn check(database: &Database, answered: u64) -> Result<()> {
    let there = count(database, "SELECT COUNT(*) FROM links")?;
    let counted = count(database, "SELECT CAST(SUM(link_count) AS bigint) FROM owners")?;
    if there == answered && counted == answered {
        return Ok(());
    }
    Err(format!("{answered} links should be there, {there} are, {counted} are counted").into())
}

fn count(database: &Database, query: &str) -> Result<u64> {
    Ok(u64::try_from(database.number(query)?.ok_or("no count")?)?)
}
