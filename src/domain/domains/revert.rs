//! The undo of a change of a domain.

use serde_json::Value;

use crate::domain::Error;
use crate::store::domains::{self as rows, DomainRow};
use crate::store::events::EventChangeRow;
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Transaction, owners};
use crate::values::Timestamp;

/// Restores a domain as it was before an event, unless it has changed since or its owner no longer
/// exists. Returns whether that changed anything.
pub(in crate::domain) async fn revert(
    db: &Transaction,
    change: &EventChangeRow,
    now: Timestamp,
) -> Result<bool, Error> {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return Ok(false) };
    let host = &change.subject;
    let (row_before, row_after) = (row(host, before), row(host, after));
    // All changes of an owner's domains take this lock.
    let owner_id = row_before.as_ref().or(row_after.as_ref()).map(|row| row.owner_id);
    let Some(owner_id) = owner_id else { return Ok(false) };
    if owners::lock(db, owner_id).await?.is_none() {
        return Ok(false);
    }
    if rows::find(db, host).await? != row_after {
        return Ok(false);
    }
    match row_before {
        None => rows::delete(db, host).await?,
        Some(row) => rows::put(db, row).await?,
    }
    invalidations::publish(db, &Invalidation::Domains, now).await?;
    Ok(true)
}

/// Returns the row that a recorded change describes, or `None` if it records that there was none.
fn row(host: &str, text: &str) -> Option<DomainRow> {
    let stored: Value = serde_json::from_str(text).ok()?;
    Some(DomainRow {
        host: host.to_owned(),
        owner_id: stored["owner_id"].as_i64()?,
        home_url: stored["home_url"].as_str().map(str::to_owned),
        default_at: stored["default_at"].as_i64(),
        created_at: stored["created_at"].as_i64()?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::change::values;
    use super::*;

    #[test]
    fn recorded_values_give_the_row_again() {
        let row_of = |home_url: Option<&str>, default_at| DomainRow {
            host: "go.example".to_owned(),
            owner_id: 7,
            home_url: home_url.map(str::to_owned),
            default_at,
            created_at: 1,
        };
        for one in [row_of(None, None), row_of(Some("https://example.org/"), Some(2))] {
            assert_eq!(row("go.example", &values(Some(&one))), Some(one));
        }
        assert_eq!(row("go.example", &values(None)), None);
    }
}
