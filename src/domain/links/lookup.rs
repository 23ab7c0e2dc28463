//! The targets of redirects, and how a request finds them.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::state::{LinkState, StateInputs};
use crate::domain::Error;
use crate::domain::blocks::{Blocklist, CachedVerdict};
use crate::domain::cache::{HeapSize, VersionedCache};
use crate::store::code_lookup::{self, CodeKind, CodeLookup, FoundTarget};
use crate::store::links::TargetRow;
use crate::store::{Store, StoreError, link_changes};
use crate::values::{CONSOLE_CODE, Destination, ShortCode, Timestamp, code_candidates};

/// Data of a link that a redirect needs, as the cache holds them.
#[derive(Debug)]
pub struct Target {
    /// Identifier of the link.
    pub id: i64,
    /// Identifier of the owner. `None`: the link is deleted.
    pub owner_id: Option<i64>,
    /// Value of the `Location` header.
    pub location: Box<str>,
    /// What few links have.
    pub extras: Option<Box<TargetExtras>>,
    inputs: StateInputs,
    blocked: CachedVerdict,
}

/// Data of a link that change its redirect, and that most links lack.
#[derive(Debug)]
pub struct TargetExtras {
    /// Whether the redirect appends the query of the request.
    pub forward_query: bool,
    /// Value of the `Location` header once the link has expired.
    fallback: Option<Box<str>>,
}

impl Target {
    fn from_row(row: &TargetRow) -> Self {
        let TargetRow {
            link_id,
            owner_id,
            destination_url,
            disabled_reason,
            suspended_reason,
            expires_at,
            forward_query,
            is_paused,
            fallback_url,
            owner_fallback_url,
        } = row;
        let forward_query = *forward_query == 1;
        let fallback = fallback_url.as_deref().or(owner_fallback_url.as_deref());
        let fallback = fallback.map(|url| Destination::stored_location(url).into());
        let has_extras = forward_query || fallback.is_some();
        Self {
            extras: has_extras.then(|| Box::new(TargetExtras { forward_query, fallback })),
            id: *link_id,
            owner_id: *owner_id,
            location: Destination::stored_location(destination_url).into(),
            inputs: StateInputs {
                suspended: *suspended_reason,
                disabled: *disabled_reason,
                is_paused: *is_paused == 1,
                expires_at: *expires_at,
            },
            blocked: CachedVerdict::default(),
        }
    }

    /// Returns the state of the link at the time `now`.
    pub fn state_at(&self, blocklist: &Blocklist, now: Timestamp) -> LinkState {
        if self.owner_id.is_none() {
            return LinkState::Deleted;
        }
        let blocked = self.blocked.reason(blocklist, &self.location, now);
        self.inputs.state_at(blocked, now)
    }
}

impl Target {
    /// Returns where visitors go instead of to a page, if a link in this state has such a
    /// destination that is not blocked at the time `now`.
    pub fn fallback(
        &self,
        state: LinkState,
        blocklist: &Blocklist,
        now: Timestamp,
    ) -> Option<&str> {
        let fallback = self.extras.as_ref()?.fallback.as_deref();
        fallback.filter(|url| {
            state == LinkState::Expired && blocklist.snapshot().blocked(url, now).is_none()
        })
    }
}

impl HeapSize for Target {
    fn heap_size(&self) -> u64 {
        let extras = self.extras.as_ref().map_or(0, |extras| {
            size_of::<TargetExtras>() + extras.fallback.as_ref().map_or(0, |url| url.len())
        });
        (self.location.len() + extras) as u64
    }
}

/// Cache of redirect targets by short code.
pub type LinkCache = VersionedCache<ShortCode, Target>;

/// The kinds of codes that exist, as far as this instance knows. Without codes of a kind, a path that
/// only such a code could have costs no query.
#[derive(Debug, Default)]
pub struct KnownKinds {
    wide: AtomicBool,
    folded: AtomicBool,
}

impl KnownKinds {
    /// Reads from the database which kinds of codes exist.
    pub async fn load(&self, store: &Store) -> Result<(), StoreError> {
        let kinds: HashSet<CodeKind> = code_lookup::kinds(store.reader()).await?;
        self.wide.store(kinds.contains(&CodeKind::Wide), Ordering::Relaxed);
        self.folded.store(kinds.contains(&CodeKind::Folded), Ordering::Relaxed);
        Ok(())
    }

    /// Returns the codes that a decoded path may mean and that a link, of this owner if there is one,
    /// may have.
    fn lookup(&self, path: &str, owner_id: Option<i64>) -> CodeLookup {
        let is_wide_known = self.wide.load(Ordering::Relaxed);
        let is_possible = |code: &ShortCode| {
            let is_kind_known = is_wide_known || code.is_narrow();
            is_kind_known && (!code.is_reserved() || code.as_str() == CONSOLE_CODE)
        };
        let codes = code_candidates(path, is_possible);
        let mut folded = Vec::new();
        if self.folded.load(Ordering::Relaxed) {
            folded.extend(codes.iter().map(ShortCode::folded));
            folded.dedup();
        }
        CodeLookup { codes, folded, owner_id }
    }
}

/// Returns whether a link that is not deleted has exactly this code.
pub async fn exists(store: &Store, code: &str) -> Result<bool, StoreError> {
    let codes: Vec<ShortCode> = ShortCode::parse(code).into_iter().collect();
    let links = link_changes::with_codes(store.reader(), &codes).await?;
    Ok(links.iter().any(|link| link.owner_id.is_some()))
}

/// Returns the target of the link that a decoded path means: of the link with this code, or else of
/// the one that the path means without what people and programs have added to it. With an owner, only
/// the owner's links count, so that another owner's code hides none of them.
///
/// # Errors
/// [`Error::LinkNotFound`], or if the link is not in the cache and the database fails.
pub async fn resolve(
    store: &Store,
    cache: &LinkCache,
    kinds: &KnownKinds,
    path: &str,
    owner_id: Option<i64>,
) -> Result<Arc<Target>, Error> {
    let counts = |target: &Arc<Target>| owner_id.is_none() || target.owner_id == owner_id;
    let exact = cache.get(path);
    let is_exact_known = exact.is_some();
    if let Some(target) = exact.filter(counts) {
        return Ok(target);
    }
    let mut lookup = kinds.lookup(path, owner_id);
    if is_exact_known {
        // It belongs to another owner.
        lookup.codes.retain(|code| code.as_str() != path);
    }
    let first = lookup.codes.first();
    if first.is_none() && lookup.folded.is_empty() {
        return Err(Error::LinkNotFound);
    }
    // No link that counts can have the path itself as its code, so this one goes first.
    if let Some(first) = first.filter(|first| first.as_str() != path)
        && let Some(target) = cache.get(first.as_str()).filter(counts)
    {
        return Ok(target);
    }
    let version = cache.begin_read();
    let FoundTarget { code, row } = store.target(&lookup).await?.ok_or(Error::LinkNotFound)?;
    let target = Arc::new(Target::from_row(&row));
    cache.insert(version, code, Arc::clone(&target));
    Ok(target)
}
