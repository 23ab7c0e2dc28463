//! Changes of any number of links: disable, enable, pause, unpause, delete and update.

use super::properties::LinkEdit;
use super::rules::LinkRules;
use super::select::{LinkSelector, LinkTarget, ResolvedSelector, StateSource};
use crate::domain::changes::{
    Action, Change, ChangeExtent, ChangeTransaction, Changed, FirstNames, Subject,
};
use crate::domain::{Error, Realm};
use crate::store::entities::link;
use crate::store::events::{ChangeKind, EventStatus};
use crate::store::link_changes::LinkConditions;
use crate::store::{Store, clicks, events, link_changes, links as link_store, owners};
use crate::values::Reason;

/// A change of any number of links.
#[derive(Debug, Clone)]
pub enum BulkChange {
    /// Disables links for the reason of the [`Change`].
    Disable,
    /// Enables disabled links.
    Enable,
    /// Pauses links.
    Pause,
    /// Ends the pause of links.
    Unpause,
    /// Deletes links and retires their codes.
    Delete,
    /// Gives all links the same new values. They are neither destinations nor unique.
    Update(Box<LinkEdit>),
}

impl BulkChange {
    const fn action(&self) -> Action {
        match self {
            Self::Disable => Action::LinkDisable,
            Self::Enable => Action::LinkEnable,
            Self::Pause => Action::LinkPause,
            Self::Unpause => Action::LinkUnpause,
            Self::Delete => Action::LinkDelete,
            Self::Update(_) => Action::LinkEdit,
        }
    }

    /// Sets the new values of a link that is not to be deleted. Without a reason, a link that is already
    /// disabled keeps its own.
    ///
    /// # Errors
    /// [`Error::ExpiryPassed`] or [`Error::ColoursTooClose`], if the value is new.
    fn apply(
        &self,
        link: &mut link::Model,
        rules: &LinkRules,
        change: &Change,
    ) -> Result<(), Error> {
        match self {
            Self::Disable => {
                if change.reason.is_some() || link.disabled_reason.is_none() {
                    let reason = change.reason.unwrap_or(Reason::Other);
                    link.disabled_reason = Some(<&str>::from(reason).to_owned());
                }
            }
            Self::Enable => link.disabled_reason = None,
            Self::Pause => link.is_paused = 1,
            Self::Unpause => link.is_paused = 0,
            Self::Delete => {}
            Self::Update(edit) => edit.apply(link, rules, change.now)?,
        }
        Ok(())
    }
}

/// What a change does if the selector lists codes that no link has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingCodes {
    /// It changes nothing. Deleted links are no error if they are to be deleted.
    Fail,
    /// It changes the other links, and returns the codes.
    Return,
}

/// Changes the links that a selector chooses. Running servers apply the change within a second. The codes
/// that no link has are in the order of the selector. Owners change no links that the operator has disabled
/// or blocked.
///
/// # Errors
/// [`Error::OwnerNotFound`]; with [`MissingCodes::Fail`], [`Error::LinksNotFound`], and
/// [`Error::LinksDeleted`] unless the links are to be deleted; [`Error::Invalid`],
/// [`Error::DestinationBlocked`] or [`Error::ExpiryPassed`] if new values are; [`Error::Incomplete`]; or
/// if the database fails. Slices before a failure stay changed.
pub async fn change_all(
    store: &Store,
    selector: &LinkSelector,
    bulk: &BulkChange,
    missing_codes: MissingCodes,
    rules: &LinkRules,
    change: &Change,
) -> Result<Changed<ChangeExtent>, Error> {
    let mut begun = match change.earlier(store).await? {
        Some(earlier) if earlier.value.status != EventStatus::Stopped => return Ok(earlier),
        begun => begun.unwrap_or_default(),
    };
    // All links are looked at again.
    begun.value.skipped = FirstNames::default();
    let now = change.now;
    if let BulkChange::Update(edit) = bulk {
        edit.check_destinations(None, rules, now)?;
        rules.check_expiry(edit.values.expires_at.flatten(), now)?;
    }
    let states = StateSource::of_selector(store, selector, rules.blocklist.snapshot(), now).await?;
    let mut selection = selector.resolve(store.reader(), states).await?;
    if missing_codes == MissingCodes::Return {
        let missing = std::mem::take(&mut selection.missing);
        // A repetition names the codes that were unknown at first.
        if begun.event.is_none() {
            begun.value.unknown.extend(missing.iter().map(|missing| &missing.code));
        }
        selection.deleted.clear();
    }
    let mut selection = selection.known()?;
    let is_deletion = matches!(bulk, BulkChange::Delete);
    let deleted = std::mem::take(&mut selection.deleted);
    if !is_deletion && !deleted.is_empty() {
        let codes = deleted.into_iter().map(|link| link.short_code).collect();
        return Err(Error::LinksDeleted(codes));
    }
    let selected = selection.owner.as_ref().map(|(_, name)| name.as_str());
    let text = selector.description(selected, is_deletion);
    let owner = match &selection.owner {
        None => only_owner_of(store, &selection.ids).await?,
        owner => owner.clone(),
    };
    let subject = Subject { text, owner };
    let slice =
        BulkSlice { realm: selector.realm, bulk, selection: &selection, rules, subject: &subject };
    let work = |transaction, ids| slice.run(transaction, ids);
    let changed =
        change.apply_in_slices(store, bulk.action(), &subject, &selection.ids, begun, work);
    Ok(changed.await?.0)
}

/// What all slices of a change have in common.
#[derive(Clone, Copy)]
struct BulkSlice<'s> {
    realm: Realm,
    bulk: &'s BulkChange,
    selection: &'s ResolvedSelector,
    rules: &'s LinkRules,
    subject: &'s Subject,
}

impl BulkSlice<'_> {
    /// Changes those of the links that are still chosen.
    async fn run<'a>(
        self,
        mut transaction: ChangeTransaction<'a>,
        ids: &[i64],
    ) -> Result<(ChangeTransaction<'a>, ()), Error> {
        let Self { realm, bulk, selection, rules, subject } = self;
        let (db, now) = (&transaction.db, transaction.change.now);
        let is_deletion = matches!(bulk, BulkChange::Delete);
        if is_deletion {
            clicks::lock_rollups(db).await?;
        }
        if let Realm::Owner(id) = realm {
            transaction.authorize(id).await?;
            let running = events::other_running(db, id, transaction.event, now).await?;
            if let Some(event) = running.filter(|_| !transaction.change.is_dry_run) {
                return Err(Error::ChangeRunning(event));
            }
        }
        if is_deletion {
            link_store::lock_owners_of(db, ids).await?;
        }
        let mut links = link_changes::lock(db, ids, &selection.conditions).await?;
        links.retain(|link| selection.chooses(link));
        let held: Vec<link::Model> =
            links.extract_if(.., |link| rules.is_held(realm, link, now)).collect();
        transaction.extent.skipped.extend(held.iter().map(|link| &link.short_code));
        if is_deletion {
            if !links.is_empty() {
                let id = transaction.record(subject, links.len()).await?;
                transaction.announce_deletion(&links);
                let ids: Vec<i64> = links.iter().map(|link| link.id).collect();
                link_store::erase(&transaction.db, id, &ids, now).await?;
            }
        } else {
            links = self.update(&mut transaction, links).await?;
        }
        let owned = links.iter().map(|link| (link.id, link.owner_id));
        transaction.record_owners(subject, owned).await?;
        transaction.done(())
    }

    /// Gives the links their new values. Returns those that had others.
    async fn update(
        self,
        transaction: &mut ChangeTransaction<'_>,
        links: Vec<link::Model>,
    ) -> Result<Vec<link::Model>, Error> {
        let Self { bulk, rules, subject, .. } = self;
        let now = transaction.change.now;
        let mut edited = Vec::new();
        for before in links {
            let mut after = before.clone();
            bulk.apply(&mut after, rules, transaction.change)?;
            if after != before {
                edited.push((before, after));
            }
        }
        if edited.is_empty() {
            return Ok(Vec::new());
        }
        link_changes::update_all(&transaction.db, &edited, now).await?;
        let values =
            edited.iter().map(|(before, after)| link_changes::edit_of(before, after)).collect();
        transaction.record_values(subject, ChangeKind::Link, values).await?;
        let links: Vec<link::Model> = edited.into_iter().map(|(_, after)| after).collect();
        link_changes::invalidate(&transaction.db, &links, now).await?;
        Ok(links)
    }
}

/// Deletes one link and retires its code. Running servers apply the change within a second.
///
/// # Errors
/// [`Error::LinksNotFound`], [`Error::LinksDeleted`], [`Error::PreconditionFailed`],
/// [`Error::LinkDisabled`], or if the database fails: the first that applies.
pub async fn delete(
    store: &Store,
    target: LinkTarget<'_>,
    rules: &LinkRules,
    change: &Change,
) -> Result<Changed, Error> {
    let found = target.find(store.reader()).await?;
    let subject = &target.subject(store, &found).await?;
    let deleted = change.apply(store, Action::LinkDelete, async |mut transaction| {
        clicks::lock_rollups(&transaction.db).await?;
        target.authorize(&transaction).await?;
        link_store::lock_owners_of(&transaction.db, &[found.id]).await?;
        let conditions = LinkConditions::default();
        let locked = link_changes::lock(&transaction.db, &[found.id], &conditions).await?.pop();
        let link = locked.ok_or_else(|| Error::LinksDeleted(vec![subject.text.clone()]))?;
        target.check(&link, rules, change)?;
        let event = transaction.record(subject, 1).await?;
        transaction.announce_deletion(std::slice::from_ref(&link));
        link_store::erase(&transaction.db, event, &[link.id], change.now).await?;
        transaction.done(())
    });
    deleted.await
}

/// Returns the identifier and name of the owner of all these links, or `None` if the links have
/// several owners.
async fn only_owner_of(store: &Store, ids: &[i64]) -> Result<Option<(i64, String)>, Error> {
    let db = store.reader();
    let mut only = None;
    for part in ids.chunks(link_changes::MAX_IDS) {
        for owner_id in link_store::owners_of(db, part).await?.into_values() {
            if *only.get_or_insert(owner_id) != owner_id {
                return Ok(None);
            }
        }
    }
    let Some(owner_id) = only else { return Ok(None) };
    Ok(owners::name_of(db, owner_id).await?.map(|name| (owner_id, name)))
}
