//! Corrections of a link's properties.

use super::properties::LinkEdit;
use super::rules::LinkRules;
use super::select::LinkTarget;
use crate::domain::Error;
use crate::domain::changes::{Action, Change, ChangeTransaction, Changed};
use crate::store::entities::link::Model;
use crate::store::events::{ChangeKind, EventChange};
use crate::store::link_changes::LinkConditions;
use crate::store::{Connection, Store, link_changes, links};

/// Changes the properties of one link. Running servers apply the change within a second.
///
/// # Errors
/// [`Error::Invalid`], [`Error::DestinationBlocked`], [`Error::LinksNotFound`],
/// [`Error::LinksDeleted`], [`Error::PreconditionFailed`], [`Error::LinkDisabled`],
/// [`Error::ExpiryPassed`], [`Error::ColoursTooClose`], [`Error::ExternalIdInUse`], or if the database fails: the first that
/// applies.
pub async fn edit(
    store: &Store,
    target: LinkTarget<'_>,
    edit: &LinkEdit,
    rules: &LinkRules,
    change: &Change,
) -> Result<Changed, Error> {
    let found = match target.find(store.reader()).await {
        Ok(found) => found,
        Err(error) => {
            edit.check_destinations(None, rules, change.now)?;
            return Err(error);
        }
    };
    let subject = &target.subject(store, &found).await?;
    let edited = change.apply(store, Action::LinkEdit, async |mut transaction| {
        target.authorize(&transaction).await?;
        if let Some((values, after)) =
            edit_locked(&transaction, target, found.id, edit, rules).await?
        {
            link_changes::invalidate(&transaction.db, &[after], change.now).await?;
            transaction.record_values(subject, ChangeKind::Link, vec![values]).await?;
        }
        transaction.done(())
    });
    edited.await
}

/// Locks and edits a link in a transaction that has checked the caller. Returns the change, as events record
/// it, and the link after it, unless nothing changes.
///
/// # Errors
/// As [`edit`]. After one of them that is not of the database, the transaction can go on.
pub(super) async fn edit_locked(
    transaction: &ChangeTransaction<'_>,
    target: LinkTarget<'_>,
    link_id: i64,
    edit: &LinkEdit,
    rules: &LinkRules,
) -> Result<Option<(EventChange, Model)>, Error> {
    let (db, change) = (&transaction.db, transaction.change);
    if edit.external_id.is_some() {
        // A transaction that gives a link an external identifier locks the owner, as creations do.
        links::lock_owners_of(db, &[link_id]).await?;
    }
    let locked = link_changes::lock(db, &[link_id], &LinkConditions::default()).await?.pop();
    let before = locked.ok_or_else(|| Error::LinksDeleted(vec![target.code.to_owned()]))?;
    edit.check_destinations(Some(&before), rules, change.now)?;
    target.check(&before, rules, change)?;
    let mut after = before.clone();
    edit.apply(&mut after, rules, change.now)?;
    if after == before {
        return Ok(None);
    }
    if after.external_id != before.external_id {
        check_external_id(db, &after).await?;
    }
    link_changes::update(db, &before, &after, change.now).await?;
    Ok(Some((link_changes::edit_of(&before, &after), after)))
}

/// Checks that no other link of the owner has a link's new external identifier.
///
/// # Errors
/// [`Error::ExternalIdInUse`]
async fn check_external_id(db: &impl Connection, link: &Model) -> Result<(), Error> {
    let (Some(owner_id), Some(external_id)) = (link.owner_id, &link.external_id) else {
        return Ok(());
    };
    let short_code = links::code_of_external_id(db, owner_id, external_id).await?;
    if short_code.is_none() { Ok(()) } else { Err(Error::ExternalIdInUse { short_code }) }
}
