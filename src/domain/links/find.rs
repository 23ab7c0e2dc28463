//! Searches for links, as operators see them.

use std::collections::HashMap;

use super::search::SearchScope;
use super::select::{LinkSelector, ResolvedSelector};
use super::state::LinkState;
use crate::domain::blocks::BlockSnapshot;
use crate::domain::{Error, Realm};
use crate::store::entities::link::Model;
use crate::store::links::Link;
use crate::store::{Store, clicks, link_changes};
use crate::values::Timestamp;

/// Number of links per query.
const PAGE: usize = 500;

/// A link of any owner, which may be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLink {
    /// Short code.
    pub short_code: String,
    /// State at the time of the search.
    pub state: LinkState,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Name of the owner.
    pub owner: Option<String>,
    /// The link, unless it is deleted.
    pub link: Option<Link>,
}

/// The links that a selector chooses, in pages, oldest first.
#[derive(Debug)]
pub struct LinkSearch<'a> {
    selection: ResolvedSelector,
    /// Number of identifiers of the selection that were read.
    position: usize,
    scope: SearchScope,
    blocks: &'a BlockSnapshot,
    now: Timestamp,
}

impl<'a> LinkSearch<'a> {
    /// Searches for the links that a selector chooses. The states of the links are those at `now`.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`] or [`Error::LinksNotFound`].
    pub async fn new(
        store: &Store,
        selector: &LinkSelector,
        blocks: &'a BlockSnapshot,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let mut selection = selector.resolve(store.reader()).await?;
        if !selector.is_only_codes() {
            selection.deleted.clear();
        }
        let scope = SearchScope::of_operator(store, None).await?;
        Ok(Self { selection, position: 0, scope, blocks, now })
    }

    /// Returns the next links, or `None` at the end. A page may be empty, because links may have
    /// been edited or deleted since the search began. Deleted links are on the first page.
    pub async fn next_page(&mut self, store: &Store) -> Result<Option<Vec<FoundLink>>, Error> {
        let Self { selection, position, scope, blocks, now } = self;
        let ids = selection.ids.get(*position..).unwrap_or_default();
        let part = ids.get(..PAGE).unwrap_or(ids);
        if part.is_empty() && selection.deleted.is_empty() {
            return Ok(None);
        }
        *position += part.len();
        let links = link_changes::with_ids(store.reader(), part).await?;
        let counts = clicks::counts(store.reader(), part).await?;
        let links = links.into_iter().filter(|link| selection.conditions.is_met_by(link));
        let all = selection.deleted.drain(..).chain(links);
        Ok(Some(all.map(|link| found(link, scope, &counts, blocks, *now)).collect()))
    }
}

/// Returns a link by its code, even a deleted one.
///
/// # Errors
/// [`Error::LinksNotFound`].
pub async fn find_by_code(
    store: &Store,
    code: &str,
    blocks: &BlockSnapshot,
    now: Timestamp,
) -> Result<FoundLink, Error> {
    let mut search =
        LinkSearch::new(store, &LinkSelector::of_code(Realm::Everyone, code), blocks, now).await?;
    let found = search.next_page(store).await?.and_then(|mut page| page.pop());
    found.ok_or_else(|| Error::LinksNotFound(vec![code.to_owned()]))
}

/// Returns the number of links that a selector chooses, deleted ones not included.
///
/// # Errors
/// As [`LinkSearch::new`].
pub async fn count(store: &Store, selector: &LinkSelector) -> Result<u64, Error> {
    Ok(selector.resolve(store.reader()).await?.ids.len() as u64)
}

fn found(
    row: Model,
    scope: &SearchScope,
    counts: &HashMap<i64, i64>,
    blocks: &BlockSnapshot,
    now: Timestamp,
) -> FoundLink {
    let (short_code, created_at) = (row.short_code.clone(), Timestamp::from_millis(row.created_at));
    let clicks = counts.get(&row.id).copied().unwrap_or(0);
    let link = Link::from_row(row, clicks);
    let owner = link.as_ref().map(|link| scope.owner_of(link).to_owned());
    let state = link.as_ref().map_or(LinkState::Deleted, |link| scope.state(link, blocks, now));
    FoundLink { short_code, state, created_at, owner, link }
}
