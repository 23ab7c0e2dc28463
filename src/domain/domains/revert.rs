//! The undo of a change of a domain.

use serde_json::Value;

use super::change::{check_destinations, check_host};
use crate::domain::{Addresses, Error};
use crate::store::domains::{self as rows, DomainRow};
use crate::store::events::EventChangeRow;
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Store, Transaction, owners};
use crate::values::{DomainHost, Timestamp};

/// A change of a domain to revert, whose owner is locked.
pub(in crate::domain) struct Reversal<'a> {
    host: &'a str,
    before: Option<DomainRow>,
    after: Option<DomainRow>,
}

impl<'a> Reversal<'a> {
    /// Locks the owner, as all changes of the owner's domains do. Returns `None` if the owner no longer
    /// exists.
    pub(in crate::domain) async fn lock(
        db: &Transaction,
        change: &'a EventChangeRow,
    ) -> Result<Option<Self>, Error> {
        let EventChangeRow { subject: host, before, after, .. } = change;
        let row = |text: &Option<String>| row(host, text.as_deref()?);
        let (before, after) = (row(before), row(after));
        let Some(owner_id) = before.as_ref().or(after.as_ref()).map(|row| row.owner_id) else {
            return Ok(None);
        };
        let owner = owners::lock(db, owner_id).await?;
        Ok(owner.map(|_| Self { host, before, after }))
    }

    /// Restores the domain as it was before the change, unless it is not as the change left it, or its
    /// start page would lead to the service itself. Returns whether that changed anything.
    pub(in crate::domain) async fn run(
        self,
        db: &Transaction,
        addresses: &Addresses,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let Self { host, before, after } = self;
        if rows::find(db, host).await? != after {
            return Ok(false);
        }
        let home = |row: &Option<DomainRow>| row.as_ref().and_then(|row| row.home_url.clone());
        if home(&before)
            .is_some_and(|url| home(&after) != Some(url.clone()) && addresses.contain(&url))
        {
            return Ok(false);
        }
        let is_restored = match (before, after) {
            (None, _) => rows::delete(db, host).await.map(|()| true),
            (Some(row), Some(_)) => rows::update(db, row).await.map(|()| true),
            // An older version may have added it, or the service may have the address since.
            (Some(_), None)
                if DomainHost::parse(host)
                    .is_ok_and(|host| check_host(addresses, &host).is_err()) =>
            {
                return Ok(false);
            }
            // The lock does not keep other owners from adding the host.
            (Some(row), None) => rows::insert(db, row).await,
        };
        if !is_restored? {
            return Ok(false);
        }
        invalidations::publish(db, &Invalidation::Domains, now).await?;
        Ok(true)
    }
}

/// Checks a domain that the undo of a change would add again.
///
/// # Errors
/// [`Error::DomainHasDestinations`].
pub(in crate::domain) async fn check_restored(
    store: &Store,
    addresses: &Addresses,
    change: &EventChangeRow,
) -> Result<(), Error> {
    let row = |text: &Option<String>| row(&change.subject, text.as_deref()?);
    match (row(&change.before), row(&change.after), DomainHost::parse(&change.subject)) {
        (Some(_), None, Ok(host)) => check_destinations(store, addresses, &host).await,
        _ => Ok(()),
    }
}

/// Returns the row that a recorded change describes, or `None` if it records that there was none.
fn row(host: &str, text: &str) -> Option<DomainRow> {
    let stored: Value = serde_json::from_str(text).ok()?;
    let time = |name| stored[name].as_i64().map(Timestamp::from_millis);
    Some(DomainRow {
        host: host.to_owned(),
        owner_id: stored["owner_id"].as_i64()?,
        home_url: stored["home_url"].as_str().map(str::to_owned),
        default_at: time("default_at"),
        created_at: time("created_at")?,
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
            created_at: Timestamp::from_millis(1),
        };
        for one in [
            row_of(None, None),
            row_of(Some("https://example.org/"), Some(Timestamp::from_millis(2))),
        ] {
            assert_eq!(row("go.example", &values(Some(&one))), Some(one));
        }
        assert_eq!(row("go.example", &values(None)), None);
    }
}
