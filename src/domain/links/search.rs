//! Searches for links in pages, newest first.

use std::collections::HashMap;
use std::sync::Arc;

use super::Link;
use super::owner_permits::OwnerPermits;
use super::state::LinkState;
use crate::domain::blocks::BlockSnapshot;
use crate::domain::clicks::Recorder;
use crate::domain::owners::{self, Owner, OwnerRef};
use crate::domain::page::{FoundPage, ListPosition, PageRequest};
use crate::domain::{Error, Realm};
use crate::store::link_changes::LinkConditions;
use crate::store::link_pages::{LinkFilter, LinkPage, LinkRange};
use crate::store::links::LinkRef;
use crate::store::{MAX_READ, Store, links, owners as owner_store};
use crate::values::{Reason, ShortCode, Timestamp};

/// Maximum number of rows per query.
const MAX_SLICE: u32 = 500;

/// The parts of the server that reads of links need.
#[derive(Debug, Clone)]
pub struct LinkSource<'a> {
    /// The database.
    pub store: &'a Store,
    /// Recorder of clicks.
    pub recorder: &'a Recorder,
    /// Permits to read pages.
    pub permits: &'a OwnerPermits,
    /// Patterns of blocked destinations.
    pub blocks: Arc<BlockSnapshot>,
    /// The time.
    pub now: Timestamp,
}

/// The links that a caller may search, and their owners.
#[derive(Debug, Clone)]
pub struct SearchScope {
    realm: Realm,
    /// Names of owners and reasons of their suspensions, by their identifiers.
    owners: HashMap<i64, (String, Option<Reason>)>,
}

impl SearchScope {
    /// Returns the scope of a search by one owner, who is not suspended.
    pub fn own(owner_id: i64) -> Self {
        Self { realm: Realm::Owner(owner_id), owners: HashMap::new() }
    }

    /// Returns the scope of an operator's search: all owners, or one owner.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`].
    pub async fn of_operator(store: &Store, owner: Option<OwnerRef<'_>>) -> Result<Self, Error> {
        let realm = match owner {
            Some(owner) => Realm::Owner(owner.find(store.reader()).await?.id),
            None => Realm::Everyone,
        };
        let owners = owner_store::list(store.reader()).await?.into_iter();
        let owners = owners.map(|owner| (owner.id, (owner.name, owner.suspended_reason)));
        Ok(Self { realm, owners: owners.collect() })
    }

    /// Returns the name of the owner of a link.
    pub fn owner_of(&self, link: &Link) -> &str {
        self.owners.get(&link.owner_id).map_or("", |(name, _)| name)
    }

    /// Returns the state of a link.
    pub fn state(&self, link: &Link, blocks: &BlockSnapshot, now: Timestamp) -> LinkState {
        let suspended = self.owners.get(&link.owner_id).and_then(|(_, suspended)| *suspended);
        LinkState::from_link(link, suspended, blocks, now)
    }

    fn range(&self, filter: &LinkFilter, position: ListPosition) -> LinkRange {
        let (filter, id) = (filter.clone(), position.0);
        match self.realm {
            Realm::Owner(owner_id) => LinkRange::Before { owner_id, filter, id },
            Realm::Everyone => LinkRange::BeforeOfAll { campaign: filter.campaign, id },
        }
    }
}

/// Searches the links of a scope, newest first, and returns each with its state. A page has fewer
/// links than its limit, even none, if the search has read the maximum number of rows. With codes, it
/// returns only links that have one of them; likewise with an external identifier.
///
/// # Errors
/// [`Error::ClicksPending`].
pub async fn search(
    source: &LinkSource<'_>,
    scope: &SearchScope,
    codes: &[ShortCode],
    filter: &LinkConditions,
    page: PageRequest,
) -> Result<FoundPage<(Link, LinkState)>, Error> {
    source.recorder.check_counted()?;
    if !codes.is_empty() {
        return search_codes(source, scope, codes, filter, page).await;
    }
    if let Some(id) = &filter.external_id {
        let (db, owner_id) = (source.store.reader(), scope.realm.owner_id());
        let codes = links::codes_of_external_id(db, owner_id, id).await?;
        let codes: Vec<_> = codes.iter().map(|code| ShortCode::from_stored(code)).collect();
        return search_codes(source, scope, &codes, filter, page).await;
    }
    let PageRequest { position, limit } = page;
    let campaign = LinkFilter { campaign: filter.campaign.clone(), ..LinkFilter::default() };
    let (mut items, mut rows_left, mut end) = (Vec::new(), MAX_READ, position);
    // The first query suffices for a list whose links all match. A further link shows whether the
    // list continues.
    let mut slice = limit.saturating_add(1).min(MAX_SLICE);
    loop {
        let range = scope.range(&campaign, end);
        let page = {
            // All operators share the permits of one owner, who does not exist.
            let _permit = source.permits.acquire(scope.realm.owner_id().unwrap_or(0)).await?;
            source.store.page(LinkPage { range, limit: slice, with_clicks: true }).await?
        };
        let is_last = page.len() < slice as usize;
        rows_left = rows_left.saturating_sub(slice);
        for link in page {
            if items.len() == limit as usize {
                return Ok(FoundPage { items, next: Some(end) });
            }
            end = ListPosition(link.id);
            let state = scope.state(&link, &source.blocks, source.now);
            if filter.are_met_by(&link, state.into_str()) {
                items.push((link, state));
            }
        }
        if is_last || rows_left == 0 {
            return Ok(FoundPage { items, next: (!is_last).then_some(end) });
        }
        slice = MAX_SLICE.min(rows_left);
    }
}

/// Returns those links with these codes that meet the conditions, newest first.
async fn search_codes(
    source: &LinkSource<'_>,
    scope: &SearchScope,
    codes: &[ShortCode],
    filter: &LinkConditions,
    PageRequest { position, limit }: PageRequest,
) -> Result<FoundPage<(Link, LinkState)>, Error> {
    let mut items = Vec::new();
    for code in codes {
        let key = LinkRef { owner_id: scope.realm.owner_id(), code: code.clone() };
        let Some(link) = source.store.find_with_clicks(key).await? else { continue };
        let state = scope.state(&link, &source.blocks, source.now);
        if link.id < position.0 && filter.are_met_by(&link, state.into_str()) {
            items.push((link, state));
        }
    }
    items.sort_unstable_by_key(|(link, _)| std::cmp::Reverse(link.id));
    items.dedup_by_key(|(link, _)| link.id);
    Ok(FoundPage::cut(items, limit, |(link, _)| link.id))
}

/// Returns a link with its clicks and its state, and also its owner unless the realm is the owner's, who
/// is not suspended.
///
/// # Errors
/// [`Error::LinkNotFound`] or [`Error::ClicksPending`].
pub async fn get(
    source: &LinkSource<'_>,
    realm: Realm,
    code: &ShortCode,
) -> Result<(Link, LinkState, Option<Owner>), Error> {
    source.recorder.check_counted()?;
    let key = LinkRef { owner_id: realm.owner_id(), code: code.clone() };
    let link = source.store.find_with_clicks(key).await?.ok_or(Error::LinkNotFound)?;
    let owner = match realm {
        Realm::Everyone => Some(owners::get(source.store, link.owner_id.into()).await?),
        Realm::Owner(_) => None,
    };
    let suspended = owner.as_ref().and_then(|owner| owner.suspended_reason);
    let state = LinkState::from_link(&link, suspended, &source.blocks, source.now);
    Ok((link, state, owner))
}
