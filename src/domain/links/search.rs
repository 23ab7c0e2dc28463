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
use crate::store::link_pages::{LinkFilter, LinkPage, LinkRange};
use crate::store::links::LinkRef;
use crate::store::{Store, owners as owner_store};
use crate::values::{Destination, Reason, ShortCode, Timestamp};

/// Maximum number of rows that one search reads.
const MAX_ROWS: u32 = 20_000;
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

/// Conditions of a search. A link must meet all of them.
#[derive(Debug, Clone, Default)]
pub struct SearchFilter {
    /// Campaign, exactly.
    pub campaign: Option<String>,
    /// Name of the state.
    pub state: Option<&'static str>,
    /// Host of the destination in Punycode, or a parent domain of it.
    pub host: Option<String>,
    /// Destination, exactly as the client sent it.
    pub destination: Option<String>,
    /// Part of the title, in ASCII lower case. ASCII letters match in any case.
    pub title: Option<String>,
    /// Only links created at this time or later.
    pub created_after: Option<Timestamp>,
    /// Only links created before this time.
    pub created_before: Option<Timestamp>,
}

impl SearchFilter {
    fn matches(&self, link: &Link, link_state: LinkState) -> bool {
        let Self { campaign, state, host, destination, title, created_after, created_before } =
            self;
        let has_title = |text: &String| {
            let title = link.properties.title.as_deref().unwrap_or_default();
            title.to_ascii_lowercase().contains(text.as_str())
        };
        campaign.as_ref().is_none_or(|text| link.properties.campaign.as_ref() == Some(text))
            && state.is_none_or(|name| link_state.into_str() == name)
            && destination.as_ref().is_none_or(|url| link.properties.destination_url == *url)
            && title.as_ref().is_none_or(has_title)
            && created_after.is_none_or(|time| link.properties.created_at >= time)
            && created_before.is_none_or(|time| link.properties.created_at < time)
            && host.as_ref().is_none_or(|host| has_host(link, host))
    }
}

/// Returns whether a link leads to a host or to a subdomain of it.
fn has_host(link: &Link, host: &str) -> bool {
    Destination::parse(&link.properties.destination_url).is_ok_and(|destination| {
        let rest = destination.host().strip_suffix(host);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
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
    #[must_use]
    pub fn own(owner_id: i64) -> Self {
        Self { realm: Realm::Owner(owner_id), owners: HashMap::new() }
    }

    /// Returns the scope of an operator's search: all owners, or the owner with this name.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`].
    pub async fn of_operator(store: &Store, owner: Option<&str>) -> Result<Self, Error> {
        let realm = match owner {
            Some(name) => Realm::Owner(OwnerRef::from(name).find(store.reader()).await?.id),
            None => Realm::Everyone,
        };
        let owners = owner_store::list(store.reader()).await?.into_iter();
        let owners = owners.map(|owner| (owner.id, (owner.name, owner.suspended_reason)));
        Ok(Self { realm, owners: owners.collect() })
    }

    /// Returns the name of the owner of a link.
    #[must_use]
    pub fn owner_of(&self, link: &Link) -> &str {
        self.owners.get(&link.owner_id).map_or("", |(name, _)| name)
    }

    /// Returns the state of a link.
    #[must_use]
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
/// links than its limit, even none, if the search has read the maximum number of rows.
///
/// # Errors
/// [`Error::ClicksPending`].
pub async fn search(
    source: &LinkSource<'_>,
    scope: &SearchScope,
    filter: &SearchFilter,
    PageRequest { position, limit }: PageRequest,
) -> Result<FoundPage<(Link, LinkState)>, Error> {
    source.recorder.check_counted()?;
    let campaign = LinkFilter { campaign: filter.campaign.clone(), ..LinkFilter::default() };
    let (mut items, mut rows_left, mut end) = (Vec::new(), MAX_ROWS, position);
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
            if filter.matches(&link, state) {
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
///
/// # Errors
/// [`Error::ClicksPending`].
pub async fn search_codes(
    source: &LinkSource<'_>,
    scope: &SearchScope,
    codes: &[ShortCode],
    filter: &SearchFilter,
) -> Result<FoundPage<(Link, LinkState)>, Error> {
    source.recorder.check_counted()?;
    let mut items = Vec::new();
    for code in codes {
        let key = LinkRef { owner_id: scope.realm.owner_id(), code: code.clone() };
        let Some(link) = source.store.find_with_clicks(key).await? else { continue };
        let state = scope.state(&link, &source.blocks, source.now);
        if filter.matches(&link, state) {
            items.push((link, state));
        }
    }
    items.sort_unstable_by_key(|(link, _)| std::cmp::Reverse(link.id));
    items.dedup_by_key(|(link, _)| link.id);
    Ok(FoundPage { items, next: None })
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
