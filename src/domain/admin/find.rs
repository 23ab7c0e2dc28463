//! Links of any owner, as operators see them.

use std::collections::HashMap;

use super::selector::LinkSelector;
use crate::domain::AdminError;
use crate::domain::blocks::BlockSnapshot;
use crate::domain::links::{LinkState, StateInputs};
use crate::store::entities::link::Model;
use crate::store::{Store, clicks, link_changes, owners};
use crate::values::{Reason, Timestamp};

/// Number of links per query.
const PAGE: usize = 500;

/// A link of any owner. A deleted link has only its code, its state and its time of creation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLink {
    /// Short code.
    pub short_code: String,
    /// Name of the owner.
    pub owner: Option<String>,
    /// Destination as the client sent it.
    pub destination_url: Option<String>,
    /// Title, if the link has one.
    pub title: Option<String>,
    /// Campaign, if the link has one.
    pub campaign: Option<String>,
    /// Number of clicks, pending ones included.
    pub clicks: Option<i64>,
    /// State at the time of the search.
    pub state: LinkState,
    /// Reason for which an operator has disabled the link, even if `state` is not
    /// [`LinkState::Disabled`].
    pub disabled: Option<Reason>,
    /// Whether the QR code is enabled.
    pub has_qr: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time from which the link no longer redirects, if it expires.
    pub expires_at: Option<Timestamp>,
}

/// Names and suspensions of owners by their identifiers.
type Owners = HashMap<i64, (String, Option<Reason>)>;

/// Passes the links that a selector chooses to `each`, oldest first, until `each` returns false. It
/// skips links for whose state `is_wanted` returns false.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], [`AdminError::NoSuchLinks`], an error of `each`, or if the database
/// fails.
pub async fn find<E: From<AdminError>>(
    store: &Store,
    selector: &LinkSelector,
    blocks: &BlockSnapshot,
    now: Timestamp,
    is_wanted: impl Fn(LinkState) -> bool,
    mut each: impl FnMut(FoundLink) -> Result<bool, E>,
) -> Result<(), E> {
    let db = store.reader();
    let selection = selector.resolve(db).await?;
    let owners = all_owners(store).await?;
    if selector.is_only_codes() {
        for link in selection.deleted {
            let link = found(link, &owners, &HashMap::new(), blocks, now);
            if is_wanted(link.state) && !each(link)? {
                return Ok(());
            }
        }
    }
    for part in selection.ids.chunks(PAGE) {
        let links = link_changes::with_ids(db, part).await.map_err(AdminError::from)?;
        let counts = clicks::counts(db, part).await.map_err(AdminError::from)?;
        for link in links {
            // An operator has edited or deleted the link since the selection.
            if !selection.conditions.is_met_by(&link) {
                continue;
            }
            let link = found(link, &owners, &counts, blocks, now);
            if is_wanted(link.state) && !each(link)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Returns a link of any owner, even a deleted one.
///
/// # Errors
/// [`AdminError::NoSuchLink`], or if the database fails.
pub async fn find_by_code(
    store: &Store,
    code: &str,
    blocks: &BlockSnapshot,
    now: Timestamp,
) -> Result<FoundLink, AdminError> {
    let selector = LinkSelector::of_code(code);
    let mut shown = None;
    let all = |_: LinkState| true;
    let result = find(store, &selector, blocks, now, all, |link| {
        shown = Some(link);
        Ok::<_, AdminError>(false)
    });
    match result.await {
        Ok(()) => shown.ok_or_else(|| AdminError::NoSuchLink(code.to_owned())),
        Err(AdminError::NoSuchLinks(_)) => Err(AdminError::NoSuchLink(code.to_owned())),
        Err(error) => Err(error),
    }
}

/// Returns the number of links that a selector chooses, deleted ones not included.
///
/// # Errors
/// As [`find`].
pub async fn count(store: &Store, selector: &LinkSelector) -> Result<u64, AdminError> {
    Ok(selector.resolve(store.reader()).await?.ids.len() as u64)
}

async fn all_owners(store: &Store) -> Result<Owners, AdminError> {
    let owners = owners::list(store.reader()).await?.into_iter().map(|owner| {
        let suspended = owner.suspended_reason.as_deref().map(Reason::from_stored);
        (owner.id, (owner.name, suspended))
    });
    Ok(owners.collect())
}

fn found(
    link: Model,
    owners: &Owners,
    counts: &HashMap<i64, i64>,
    blocks: &BlockSnapshot,
    now: Timestamp,
) -> FoundLink {
    let created_at = Timestamp::from_millis(link.created_at);
    let Some(owner_id) = link.owner_id else {
        return FoundLink {
            short_code: link.short_code,
            owner: None,
            destination_url: None,
            title: None,
            campaign: None,
            clicks: None,
            state: LinkState::Deleted,
            disabled: None,
            has_qr: false,
            created_at,
            expires_at: None,
        };
    };
    let owner = owners.get(&owner_id);
    let disabled = link.disabled_reason.as_deref().map(Reason::from_stored);
    let expires_at = link.expires_at.map(Timestamp::from_millis);
    let inputs = StateInputs {
        suspended: owner.and_then(|(_, suspended)| *suspended),
        blocked: blocks.blocked(&link.destination_url, now),
        disabled,
        expires_at,
    };
    FoundLink {
        short_code: link.short_code,
        owner: owner.map(|(name, _)| name.clone()),
        destination_url: Some(link.destination_url),
        title: link.title,
        campaign: link.campaign,
        clicks: Some(counts.get(&link.id).copied().unwrap_or(0)),
        state: inputs.state_at(now),
        disabled,
        has_qr: link.has_qr == 1,
        created_at,
        expires_at,
    }
}
