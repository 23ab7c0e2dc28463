//! Searches for links, as operators see them.

use std::sync::Arc;

use futures_util::Stream;

use super::search::SearchScope;
use super::select::{LinkSelector, ResolvedSelector, StateSource};
use super::state::LinkState;
use crate::domain::blocks::BlockSnapshot;
use crate::domain::{Error, Realm, page};
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

/// The links that a selector chooses, oldest first.
#[derive(Debug)]
pub struct LinkSearch {
    selection: ResolvedSelector,
}

impl LinkSearch {
    /// Searches for the links that a selector chooses. The states of the links are those at `now`.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`] or [`Error::LinksNotFound`].
    pub async fn new(
        store: &Store,
        selector: &LinkSelector,
        blocks: &Arc<BlockSnapshot>,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let scope = SearchScope::of_operator(store, None).await?;
        let states = StateSource { scope, blocks: Arc::clone(blocks), now };
        let mut selection = selector.resolve(store.reader(), states).await?.known()?;
        if !selector.is_only_codes() {
            selection.deleted.clear();
        }
        Ok(Self { selection })
    }

    /// Streams the pages of the links. A page may be empty, because links may have been edited or
    /// deleted since the search began. Deleted links are on the first page.
    pub fn pages(&self, store: &Store) -> impl Stream<Item = Result<Vec<FoundLink>, Error>> {
        page::stream(0, |position| self.page(store, position))
    }

    /// Reads the links after the first `position` identifiers. Also returns the next position, unless
    /// the page is the last one.
    async fn page(
        &self,
        store: &Store,
        position: usize,
    ) -> Result<(Vec<FoundLink>, Option<usize>), Error> {
        let Self { selection } = self;
        let StateSource { scope, blocks, now } = &selection.states;
        let rest = selection.ids.get(position..).unwrap_or_default();
        let part = rest.get(..PAGE).unwrap_or(rest);
        let links = link_changes::with_ids(store.reader(), part).await?;
        let counts = clicks::counts(store.reader(), part).await?;
        let links = links.into_iter().filter(|link| selection.chooses(link));
        let deleted = if position == 0 { selection.deleted.clone() } else { Vec::new() };
        let all = deleted.into_iter().chain(links);
        let found = all.map(|row| {
            let (short_code, created_at) = (row.short_code.clone(), row.created_at);
            let clicks = counts.get(&row.id).copied().unwrap_or(0);
            let link = Link::from_row(row, clicks);
            let owner = link.as_ref().map(|link| scope.owner_of(link).to_owned());
            let state = |link: &Link| scope.state(link, blocks, *now);
            let state = link.as_ref().map_or(LinkState::Deleted, state);
            FoundLink { short_code, state, created_at, owner, link }
        });
        Ok((found.collect(), (part.len() < rest.len()).then_some(position + part.len())))
    }
}

/// Returns a link by its code, even a deleted one.
///
/// # Errors
/// [`Error::LinksNotFound`].
pub async fn find_by_code(
    store: &Store,
    code: &str,
    blocks: &Arc<BlockSnapshot>,
    now: Timestamp,
) -> Result<FoundLink, Error> {
    let selector = LinkSelector::of_code(Realm::Everyone, code);
    let search = LinkSearch::new(store, &selector, blocks, now).await?;
    let (mut found, _) = search.page(store, 0).await?;
    found.pop().ok_or_else(|| Error::LinksNotFound(vec![code.to_owned()]))
}

/// Returns the number of links that a selector chooses, deleted ones not included.
///
/// # Errors
/// As [`LinkSearch::new`].
pub async fn count(
    store: &Store,
    selector: &LinkSelector,
    blocks: Arc<BlockSnapshot>,
) -> Result<u64, Error> {
    let states = StateSource::of_selector(store, selector, blocks, store.now()).await?;
    Ok(selector.resolve(store.reader(), states).await?.known()?.ids.len() as u64)
}
