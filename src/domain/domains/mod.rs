//! Owners' domains: which owner a host belongs to, and how operators change that.

mod change;
mod table;

use std::cmp::Reverse;
use std::collections::HashMap;

use futures_util::{Stream, TryStreamExt as _};
use serde::Serialize;
use serde_json::{Value, json};

pub use self::change::{DomainEdit, NewDomain, add, edit, remove};
pub(super) use self::change::{Recorded, check_restored};
pub use self::table::{DomainTable, OwnerDomain, Site};
use super::Error;
use super::owner_lookup::OwnerRef;
use super::page::{self, FoundPage, ListPosition, PageRequest};
use super::version::Versioned;
use crate::store::domains::{self as rows, DomainRow, OwnedDomain};
use crate::store::{Connection, Store, StoreError, owners};
use crate::values::{Timestamp, serialize_flag};

/// A domain as the operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Domain {
    /// Host in normal form, with a port if the domain is for that port only.
    pub host: String,
    /// Identifier of the owner.
    pub owner_id: i64,
    /// Name of the owner.
    pub owner: String,
    /// Where visitors of the start page go. `None`: they see a page.
    pub home_url: Option<String>,
    /// Whether the owner's short URLs have this host.
    #[serde(serialize_with = "serialize_flag")]
    pub is_default: bool,
    /// Time of creation.
    pub created_at: Timestamp,
}

impl Domain {
    fn new(row: DomainRow, owner: String, is_default: bool) -> Self {
        let DomainRow { host, owner_id, home_url, default_at: _, created_at } = row;
        Self { host, owner_id, owner, home_url, is_default, created_at }
    }
}

/// The owner too, so that no version of a domain is one of another owner's at the same host.
impl Versioned for Domain {
    fn writable(&self) -> Value {
        json!([self.owner_id, self.home_url, self.is_default])
    }
}

/// Returns all domains in the order of their hosts.
pub async fn list(store: &Store) -> Result<Vec<Domain>, Error> {
    let all: Vec<OwnedDomain> = pages(store).try_concat().await?;
    let mut defaults: HashMap<i64, &DomainRow> = HashMap::new();
    for OwnedDomain { domain, .. } in &all {
        let default = defaults.entry(domain.owner_id).or_insert(domain);
        if domain.rank() < default.rank() {
            *default = domain;
        }
    }
    let shown = all.iter().map(|OwnedDomain { domain, owner, suspended_reason: _ }| {
        let is_default = defaults.get(&domain.owner_id).is_some_and(|one| *one == domain);
        Domain::new(domain.clone(), owner.clone(), is_default)
    });
    Ok(shown.collect())
}

/// Returns a page of all domains, or of those of one owner, newest first.
///
/// # Errors
/// [`Error::OwnerNotFound`].
pub async fn page(
    store: &Store,
    owner: Option<OwnerRef<'_>>,
    request: PageRequest,
) -> Result<FoundPage<Domain>, Error> {
    let mut found = match owner {
        None => list(store).await?,
        Some(owner) => {
            let db = store.reader();
            let owner = owner.find(db).await?;
            let domains = rows::of_owner(db, owner.id).await?.into_iter().enumerate();
            domains.map(|(rank, row)| Domain::new(row, owner.name.clone(), rank == 0)).collect()
        }
    };
    // A time has 42 bits until the year 2109; 21 bits of a hash tell domains of one millisecond apart.
    let position =
        |domain: &Domain| domain.created_at.millis() << 21 | ListPosition::hash(&domain.host) >> 42;
    found.retain(|domain| position(domain) < request.position.0);
    found.sort_by_key(|domain| Reverse(position(domain)));
    Ok(FoundPage::cut(found, request.limit, position))
}

/// Returns a domain by its host.
///
/// # Errors
/// [`Error::DomainNotFound`].
pub async fn find(store: &Store, host: &str) -> Result<Domain, Error> {
    let db = store.reader();
    let missing = || Error::DomainNotFound(host.to_owned());
    let row = rows::find(db, host).await?.ok_or_else(missing)?;
    let owner = owners::name_of(db, row.owner_id).await?.ok_or_else(missing)?;
    let is_default = of_owner(db, row.owner_id).await?.first().is_some_and(|first| first == host);
    Ok(Domain::new(row, owner, is_default))
}

/// Returns the hosts of an owner's domains, the default one first.
pub async fn of_owner(db: &impl Connection, owner_id: i64) -> Result<Vec<String>, StoreError> {
    Ok(rows::of_owner(db, owner_id).await?.into_iter().map(|row| row.host).collect())
}

/// Streams the pages of all domains in the order of their hosts.
pub(super) fn pages(store: &Store) -> impl Stream<Item = Result<Vec<OwnedDomain>, StoreError>> {
    page::stream(String::new(), move |after| async move {
        let page = rows::page(store.reader(), &after).await?;
        let next = page.last().map(|last| last.domain.host.clone());
        Ok((page, next))
    })
}
