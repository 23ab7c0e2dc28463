//! Changes of domains by operators, and their undo.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Domain, of_owner};
use crate::domain::changes::{Action, Change, ChangeTransaction, Changed, Subject};
use crate::domain::idempotency::{
    Fingerprint, FirstFacts, IdempotentRequest, Namespace, StoredResponse, audit_of,
    earlier_response, fingerprint,
};
use crate::domain::links::LinkRules;
use crate::domain::owner_lookup::OwnerRef;
use crate::domain::{Addresses, Error, Field};
use crate::store::domains::{self as rows, DomainRow};
use crate::store::entities::owner;
use crate::store::events::{ChangeKind, EventChange, EventChangeRow};
use crate::store::idempotency::Created;
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Connection, Store, Transaction, owners};
use crate::values::{
    Destination, DomainHost, ErrorCode, Timestamp, is_ip_or_localhost, split_authority,
};

/// A domain to add.
#[derive(Debug, Clone)]
pub struct NewDomain<'a> {
    /// Host, with a port if the domain is for that port only.
    pub host: &'a DomainHost,
    /// The owner.
    pub owner: OwnerRef<'a>,
    /// Where visitors of the start page go. `None`: they see a page.
    pub home: Option<&'a Destination>,
    /// Whether destinations may lead to the host already.
    pub accepts_destinations: bool,
}

impl NewDomain<'_> {
    /// Returns the fingerprint of a request that adds the domain.
    pub fn fingerprint(&self, change: &Change) -> Fingerprint {
        let Self { host, owner, home, accepts_destinations } = self;
        let owner = format!("{owner:?}");
        let own = [
            Some(host.as_str()),
            Some(owner.as_str()),
            home.map(Destination::as_str),
            accepts_destinations.then_some("1"),
        ];
        fingerprint("domains", &[&own[..], &audit_of(change)].concat())
    }
}

/// New values for properties of a domain. `None` keeps a value.
#[derive(Debug, Clone, Default)]
pub struct DomainEdit {
    /// Where visitors of the start page go. `Some(None)`: they see a page.
    pub home: Option<Option<Destination>>,
    /// Whether the domain is the owner's default. The default stays until another domain is it.
    pub is_default: Option<bool>,
}

/// Adds a domain. The first domain of an owner is the owner's default. Running servers apply the change within a
/// second.
///
/// # Errors
/// [`Error::Invalid`], [`Error::DestinationBlocked`], [`Error::OwnerNotFound`],
/// [`Error::DomainExists`], [`Error::DomainHasDestinations`], [`Error::KeyReused`], or if the database
/// fails.
pub async fn add(
    store: &Store,
    new: &NewDomain<'_>,
    repeatable: Option<&IdempotentRequest>,
    rules: &LinkRules,
    change: &Change,
) -> Result<Changed<Domain>, Error> {
    if let Err(error) = check_new(store, new, rules, change.now).await {
        // The domain that an earlier transmission has added fails the checks, too.
        let (db, Some(request)) = (store.reader(), repeatable) else { return Err(error) };
        let first = earlier_response(db, Namespace::Operator, request, change.now).await?;
        let Some(first) = first else { return Err(error) };
        let event = first.event_id;
        let value = added_before(db, first, new).await?;
        return Ok(Changed { event, changed: 0, is_replay: true, value });
    }
    let added = change.apply(store, Action::DomainAdd, async |mut transaction| {
        if let Some(first) = transaction.earlier_response(Namespace::Operator, repeatable).await? {
            let domain = added_before(&transaction.db, first, new).await?;
            return transaction.done(domain);
        }
        let db = &transaction.db;
        let owner = new.owner.lock(db).await?;
        let before = rows::of_owner(db, owner.id).await?;
        let row = DomainRow {
            host: new.host.as_str().to_owned(),
            owner_id: owner.id,
            home_url: new.home.map(|home| home.as_str().to_owned()),
            default_at: None,
            created_at: change.now,
        };
        if !rows::insert(db, row.clone()).await? {
            return Err(Error::DomainExists(row.host));
        }
        let (mut transaction, domain) = finish(transaction, &owner, &before, row).await?;
        let (owner, is_default) = (domain.owner.clone(), domain.is_default);
        let facts = FirstFacts { owner, expires_at: None, is_default }.to_text();
        let created = Created::Domain(new.host.as_str(), &facts);
        transaction.store_response(Namespace::Operator, repeatable, created).await?;
        transaction.done(domain)
    });
    added.await
}

/// Returns the domain that an earlier transmission of the request has added, as it was then. The domain may
/// be removed by now.
///
/// # Errors
/// [`Error::OwnerNotFound`] for a response that an earlier version stored.
async fn added_before(
    db: &impl Connection,
    first: StoredResponse,
    new: &NewDomain<'_>,
) -> Result<Domain, Error> {
    let facts = FirstFacts::from_stored(&first);
    let StoredResponse { short_code: host, created_at, .. } = first;
    let (owner_id, owner, is_default) = match (&new.owner, facts) {
        (&OwnerRef::Id(id), Some(facts)) => (id, facts.owner, facts.is_default),
        // An earlier version stored no facts.
        (owner, _) => {
            let owner = owner.find(db).await?;
            let is_default = of_owner(db, owner.id).await?.first() == Some(&host);
            (owner.id, owner.name, is_default)
        }
    };
    let home_url = new.home.map(|home| home.as_str().to_owned());
    Ok(Domain { host, owner_id, owner, home_url, is_default, created_at })
}

/// Checks a domain before it is added.
async fn check_new(
    store: &Store,
    new: &NewDomain<'_>,
    rules: &LinkRules,
    now: Timestamp,
) -> Result<(), Error> {
    let &NewDomain { host, ref owner, home, accepts_destinations } = new;
    check_host(&rules.addresses, host)?;
    if let Some(home) = home {
        check_home(home, host.host(), rules, now)?;
    }
    owner.find(store.reader()).await?;
    if rows::find(store.reader(), host.as_str()).await?.is_some() {
        return Err(Error::DomainExists(host.as_str().to_owned()));
    }
    // Before the transaction, because writers on SQLite would wait for the search.
    if accepts_destinations {
        Ok(())
    } else {
        check_destinations(store, &rules.addresses, host).await
    }
}

/// Checks that the host of a domain is none of the service's own.
pub(super) fn check_host(addresses: &Addresses, host: &DomainHost) -> Result<(), Error> {
    let reason = if is_ip_or_localhost(host.host()) {
        "must be a name, because the service itself responds to requests for IP addresses and \
         localhost"
    } else if addresses.is_own(host.host()) {
        "must not be an address of this service itself"
    } else {
        return Ok(());
    };
    Err(Error::Invalid(vec![(Field::Host, ErrorCode::NotAllowed.because(reason))]))
}

/// Checks that no destination leads to a domain with this host, or on its port to another own host.
pub(super) async fn check_destinations(
    store: &Store,
    addresses: &Addresses,
    host: &DomainHost,
) -> Result<(), Error> {
    match count_destinations(store, addresses, host).await? {
        0 => Ok(()),
        count => {
            let port = host.port().map(|port| format!(", or to this service on port {port},"));
            let host = format!("{host}{}", port.unwrap_or_default());
            Err(Error::DomainHasDestinations { host, count })
        }
    }
}

/// Checks where visitors of the start page go. The domain itself, which the addresses may not have
/// yet, is no valid destination.
fn check_home(
    home: &Destination,
    host: &str,
    rules: &LinkRules,
    now: Timestamp,
) -> Result<(), Error> {
    rules.check_destination(Field::Home, home, now)?;
    if home.host() == host {
        let reason = ErrorCode::NotAllowed.because("must not lead to this service itself");
        return Err(Error::Invalid(vec![(Field::Home, reason)]));
    }
    Ok(())
}

/// Returns how many destinations and fallbacks of links and owners would lead to the service because of
/// a domain.
async fn count_destinations(
    store: &Store,
    addresses: &Addresses,
    host: &DomainHost,
) -> Result<u64, Error> {
    let db = store.reader();
    let parsed = |url: &str| Destination::parse(url).ok();
    let leads_there =
        |url: &str| parsed(url).is_some_and(|url| addresses.would_contain(host, &url));
    // An index has the hosts of first destinations, but not their ports.
    let mut count = rows::count_destinations(db, host.host()).await?;
    let port = host.port().map(|port| (rows::first_destination_column(), format!(":{port}")));
    let further = rows::further_destination_columns().map(|column| (column, String::new()));
    for (column, text) in port.into_iter().chain(further) {
        let is_counted = |url: &str| {
            !text.is_empty() && parsed(url).is_some_and(|url| url.host() == host.host())
        };
        let mut last = 0;
        loop {
            let page = rows::destinations(db, column, &text, last).await?;
            let Some(newest) = page.last() else { break };
            last = newest.id;
            let urls = page.iter().map(|link| link.url.as_str());
            count += urls.filter(|url| leads_there(url) && !is_counted(url)).count() as u64;
        }
    }
    let fallbacks = owners::list(db).await?.into_iter().filter_map(|owner| owner.fallback_url);
    Ok(count + fallbacks.filter(|url| leads_there(url)).count() as u64)
}

/// Removes a domain. Its host is then unknown, and free for any owner.
///
/// # Errors
/// [`Error::DomainNotFound`] or [`Error::PreconditionFailed`].
pub async fn remove(store: &Store, host: &str, change: &Change) -> Result<Changed<Domain>, Error> {
    let removed = change.apply(store, Action::DomainRemove, async |transaction| {
        let (owner, row) = lock(&transaction, host).await?;
        let before = rows::of_owner(&transaction.db, owner.id).await?;
        rows::delete(&transaction.db, host).await?;
        finish(transaction, &owner, &before, row).await
    });
    removed.await
}

/// Changes the properties of a domain. Running servers apply the change within a second.
///
/// # Errors
/// [`Error::DomainNotFound`], [`Error::PreconditionFailed`], [`Error::Invalid`],
/// [`Error::DestinationBlocked`], or if the database fails.
pub async fn edit(
    store: &Store,
    host: &str,
    edit: &DomainEdit,
    rules: &LinkRules,
    change: &Change,
) -> Result<Changed<Domain>, Error> {
    let DomainEdit { home, is_default } = edit;
    // An event names one action, and the choice of the default is the more important one.
    let action = match is_default {
        Some(true) => Action::DomainDefault,
        Some(false) | None => Action::DomainEdit,
    };
    let edited = change.apply(store, action, async |transaction| {
        let db = &transaction.db;
        let (owner, before) = lock(&transaction, host).await?;
        let all = rows::of_owner(db, owner.id).await?;
        let mut after = before.clone();
        if let Some(home) = home {
            after.home_url = home.as_ref().map(|home| home.as_str().to_owned());
            let new = home.as_ref().filter(|_| after.home_url != before.home_url);
            if let Some(new) = new {
                check_home(new, &split_authority(host).0, rules, change.now)?;
            }
        }
        if let Some(is_default) = is_default {
            let is_first = all.first().is_some_and(|first| first.host == host);
            if is_first && !is_default {
                let reason = "must stay true; make another domain of the owner the default";
                let reason = ErrorCode::NotAllowed.because(reason);
                return Err(Error::Invalid(vec![(Field::Default, reason)]));
            }
            if *is_default && !is_first {
                // Clocks may differ, and the newest default must win.
                let last = all.iter().filter_map(|row| row.default_at).max();
                let next = last.map(|last| last.plus(Duration::from_millis(1)));
                after.default_at = Some(change.now).max(next);
            }
        }
        if after != before {
            rows::update(db, after.clone()).await?;
        }
        finish(transaction, &owner, &all, after).await
    });
    edited.await
}

/// Finds a domain and locks its owner, so that changes of an owner's domains wait for each other. Checks
/// the version of the domain.
async fn lock(
    transaction: &ChangeTransaction<'_>,
    host: &str,
) -> Result<(owner::Model, DomainRow), Error> {
    let db = &transaction.db;
    let missing = || Error::DomainNotFound(host.to_owned());
    let found = rows::find(db, host).await?.ok_or_else(missing)?;
    let owner = owners::lock(db, found.owner_id).await?.ok_or_else(missing)?;
    // Another change may have removed the domain before the lock, or given it to another owner.
    let row = rows::find(db, host).await?.filter(|row| row.owner_id == owner.id);
    let row = row.ok_or_else(missing)?;
    transaction.change.check(&describe(db, &owner, row.clone()).await?)?;
    Ok((owner, row))
}

/// Records what changed of the owner's domains, which were `before`, unless nothing did. Returns the domain
/// of the change, whose last row is given.
async fn finish<'a>(
    mut transaction: ChangeTransaction<'a>,
    owner: &owner::Model,
    before: &[DomainRow],
    row: DomainRow,
) -> Result<(ChangeTransaction<'a>, Domain), Error> {
    let db = &transaction.db;
    let changes = changes(before, &rows::of_owner(db, owner.id).await?);
    if !changes.is_empty() {
        invalidations::publish(db, &Invalidation::Domains, transaction.change.now).await?;
        let subject = Subject::from_owner(owner, row.host.as_str());
        transaction.record_values(&subject, ChangeKind::Domain, changes).await?;
    }
    let domain = describe(&transaction.db, owner, row).await?;
    transaction.done(domain)
}

/// Describes a domain of an owner.
async fn describe(
    db: &impl Connection,
    owner: &owner::Model,
    row: DomainRow,
) -> Result<Domain, Error> {
    let first = of_owner(db, owner.id).await?.into_iter().next();
    let is_default = first.is_some_and(|first| first == row.host);
    Ok(Domain::new(row, owner.name.clone(), is_default))
}

/// Returns what differs between an owner's domains before and after a change, the default ones first, as
/// events record it: the domain that was changed itself, and then those that only became the default, or no
/// longer are.
fn changes(before: &[DomainRow], after: &[DomainRow]) -> Vec<EventChange> {
    let find = |all: &'_ [DomainRow], host: &str| {
        let position = all.iter().position(|row| row.host == host)?;
        Some((all.get(position)?.clone(), position == 0))
    };
    let hosts: BTreeSet<&str> = before.iter().chain(after).map(|row| row.host.as_str()).collect();
    let differing = hosts.into_iter().map(|host| (host, find(before, host), find(after, host)));
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for (host, before, after) in differing.filter(|(_, before, after)| before != after) {
        let row = |version: &Option<(DomainRow, bool)>| version.clone().map(|(row, _)| row);
        let list = if row(&before) == row(&after) { &mut others } else { &mut own };
        let (before, after) = (values(before.as_ref()), values(after.as_ref()));
        list.push(EventChange { subject: host.to_owned(), before, after });
    }
    [own, others].concat()
}

/// Returns a row, and whether it is the default, as `event_changes` stores it: `null` if there is none.
fn values(version: Option<&(DomainRow, bool)>) -> String {
    let values = version.map(|(row, is_default)| {
        let DomainRow { host: _, owner_id, home_url, default_at, created_at } = row;
        json!({
            "owner_id": owner_id, "home_url": home_url, "default_at": default_at.map(Timestamp::millis),
            "created_at": created_at.millis(), "is_default": is_default,
        })
    });
    json!(values).to_string()
}

/// A recorded change of a domain.
pub(in crate::domain) struct Recorded<'a> {
    host: &'a str,
    before: Option<DomainRow>,
    after: Option<DomainRow>,
    /// Whether it is the default afterwards, if it was not before or the other way round.
    is_default: Option<bool>,
}

impl<'a> Recorded<'a> {
    /// Parses what an event recorded.
    pub(in crate::domain) fn new(change: &'a EventChangeRow) -> Self {
        let EventChangeRow { subject: host, before, after, .. } = change;
        let row = |text: &Option<String>| row(host, text.as_deref()?);
        let is_default = |text: &Option<String>| -> Option<bool> {
            serde_json::from_str::<Value>(text.as_deref()?).ok()?["is_default"].as_bool()
        };
        let [was_default, is_default] = [before, after].map(is_default);
        let is_default = is_default.filter(|is| was_default.is_some_and(|was| was != *is));
        Self { host, before: row(before), after: row(after), is_default }
    }

    /// Returns whether the change of another domain made it the default, or another one in its place.
    pub(in crate::domain) fn follows_from_another(&self) -> bool {
        self.is_default.is_some() && self.before == self.after
    }

    /// Returns whether a later change of the domain affects what this one changed.
    pub(in crate::domain) fn is_affected_by(&self, later: &Self) -> bool {
        self.is_default.is_some() || !later.follows_from_another()
    }

    /// Locks the owner, as all changes of the owner's domains do. Returns whether the owner still exists.
    pub(in crate::domain) async fn lock(&self, db: &Transaction) -> Result<bool, Error> {
        let Some(owner_id) = self.owner_id() else { return Ok(false) };
        Ok(owners::lock(db, owner_id).await?.is_some())
    }

    fn owner_id(&self) -> Option<i64> {
        self.before.as_ref().or(self.after.as_ref()).map(|row| row.owner_id)
    }

    /// Restores the domain as it was before the change, unless it is not as the change left it, or its
    /// start page would lead to the service itself. Callers must have locked the owner. Returns what changed
    /// of the owner's domains, or `None` if nothing did.
    pub(in crate::domain) async fn revert(
        self,
        db: &Transaction,
        addresses: &Addresses,
        now: Timestamp,
    ) -> Result<Option<Vec<EventChange>>, Error> {
        let Some(owner_id) = self.owner_id() else { return Ok(None) };
        let Self { host, before, after, is_default } = self;
        let present = rows::of_owner(db, owner_id).await?;
        let is_first = present.first().is_some_and(|first| first.host == host);
        if rows::find(db, host).await? != after || is_default.is_some_and(|is| is != is_first) {
            return Ok(None);
        }
        let home = |row: &Option<DomainRow>| row.as_ref().and_then(|row| row.home_url.clone());
        if home(&before)
            .is_some_and(|url| home(&after) != Some(url.clone()) && addresses.contain(&url))
        {
            return Ok(None);
        }
        let is_restored = match (before, after) {
            (None, _) => rows::delete(db, host).await.map(|()| true),
            (Some(row), Some(_)) => rows::update(db, row).await.map(|()| true),
            // An older version may have added it, or the service may have the address since.
            (Some(_), None)
                if DomainHost::parse(host)
                    .is_ok_and(|host| check_host(addresses, &host).is_err()) =>
            {
                return Ok(None);
            }
            // The lock does not keep other owners from adding the host.
            (Some(row), None) => rows::insert(db, row).await,
        };
        if !is_restored? {
            return Ok(None);
        }
        invalidations::publish(db, &Invalidation::Domains, now).await?;
        Ok(Some(changes(&present, &rows::of_owner(db, owner_id).await?)))
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
    let Recorded { host, before, after, .. } = Recorded::new(change);
    match (before, after, DomainHost::parse(host)) {
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
            assert_eq!(row("go.example", &values(Some(&(one.clone(), true)))), Some(one));
        }
        assert_eq!(row("go.example", &values(None)), None);
    }
}
