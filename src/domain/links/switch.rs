//! Changes of any number of links: disable, enable, pause, unpause and delete.

use super::rules::LinkRules;
use super::select::{LinkSelector, ResolvedSelector};
use super::target::LinkTarget;
use crate::domain::Error;
use crate::domain::changes::{Action, Change, ChangeTransaction, Changed, Subject};
use crate::store::events::ChangeKind;
use crate::store::link_changes::{LinkConditions, StopValue};
use crate::store::{Store, clicks, link_changes, links as link_store, owners};
use crate::values::Reason;

/// A change of any number of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkSwitch {
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
}

impl LinkSwitch {
    const fn action(self) -> Action {
        match self {
            Self::Disable => Action::LinkDisable,
            Self::Enable => Action::LinkEnable,
            Self::Pause => Action::LinkPause,
            Self::Unpause => Action::LinkUnpause,
            Self::Delete => Action::LinkDelete,
        }
    }

    /// Returns what the links get. `None`: they are deleted.
    fn value(self, reason: Reason) -> Option<StopValue> {
        match self {
            Self::Disable => Some(StopValue::Disabled(Some(reason))),
            Self::Enable => Some(StopValue::Disabled(None)),
            Self::Pause => Some(StopValue::Paused(true)),
            Self::Unpause => Some(StopValue::Paused(false)),
            Self::Delete => None,
        }
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

/// Changes the links that a selector chooses. Running servers apply the change within a second. Returns
/// the codes that no link has, in the order of the selector.
///
/// # Errors
/// [`Error::OwnerNotFound`]; with [`MissingCodes::Fail`], [`Error::LinksNotFound`], and
/// [`Error::LinksDeleted`] unless the links are to be deleted; [`Error::Incomplete`]; or if the database
/// fails. Slices before a failure stay changed.
pub async fn switch(
    store: &Store,
    selector: &LinkSelector,
    switch: LinkSwitch,
    missing_codes: MissingCodes,
    change: &Change,
) -> Result<Changed<Vec<String>>, Error> {
    let mut selection = selector.resolve(store.reader()).await?;
    let mut unknown = Vec::new();
    if missing_codes == MissingCodes::Return {
        unknown.extend(selection.missing.drain(..).map(|missing| missing.code));
        selection.deleted.clear();
    }
    let ResolvedSelector { conditions, ids, owner, deleted, .. } = selection.known()?;
    if switch != LinkSwitch::Delete && !deleted.is_empty() {
        let codes = deleted.into_iter().map(|link| link.short_code).collect();
        return Err(Error::LinksDeleted(codes));
    }
    let owner = match owner {
        None => only_owner_of(store, &ids).await?,
        owner => owner,
    };
    let subject = Subject { text: selector.description(switch == LinkSwitch::Delete), owner };
    let work = |transaction, ids| switch_slice(transaction, switch, &conditions, &subject, ids);
    let switched = change.apply_in_slices(store, switch.action(), &ids, work).await?;
    Ok(switched.map(|_| unknown))
}

async fn switch_slice<'a>(
    mut transaction: ChangeTransaction<'a>,
    switch: LinkSwitch,
    conditions: &LinkConditions,
    subject: &Subject,
    ids: &[i64],
) -> Result<(ChangeTransaction<'a>, ()), Error> {
    let db = &transaction.db;
    if switch == LinkSwitch::Delete {
        clicks::lock_rollups(db).await?;
        link_changes::lock_owners_of(db, ids).await?;
    }
    let mut links = link_changes::lock(db, ids, conditions).await?;
    let given = transaction.change.reason;
    let value = switch.value(given.unwrap_or(Reason::Other));
    links.retain(|link| match value {
        // Without an explicit reason, a link that is already disabled keeps its reason.
        Some(StopValue::Disabled(Some(_))) if given.is_none() => link.disabled_reason.is_none(),
        Some(value) => !value.is_of(link),
        None => true,
    });
    if links.is_empty() {
        return transaction.done(());
    }
    if let Some(value) = value {
        let changes = link_changes::set_stop(&transaction.db, &links, value).await?;
        transaction.record_values(subject, ChangeKind::Link, changes).await?;
        link_changes::invalidate(&transaction.db, &links, transaction.change.now).await?;
    } else {
        let id = transaction.record(subject, links.len()).await?;
        let ids: Vec<i64> = links.iter().map(|link| link.id).collect();
        link_store::erase(&transaction.db, id, &ids, transaction.change.now).await?;
    }
    transaction.record_owners(subject, &links).await?;
    transaction.done(())
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
        link_changes::lock_owners_of(&transaction.db, &[found.id]).await?;
        let conditions = LinkConditions::default();
        let locked = link_changes::lock(&transaction.db, &[found.id], &conditions).await?.pop();
        let link = locked.ok_or_else(|| Error::LinksDeleted(vec![subject.text.clone()]))?;
        target.check(&link, rules, change.now)?;
        let event = transaction.record(subject, 1).await?;
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
        for owner_id in link_changes::owners_of(db, part).await? {
            if *only.get_or_insert(owner_id) != owner_id {
                return Ok(None);
            }
        }
    }
    let Some(owner_id) = only else { return Ok(None) };
    Ok(owners::name_of(db, owner_id).await?.map(|name| (owner_id, name)))
}
