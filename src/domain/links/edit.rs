//! Corrections of a link's properties.

use super::link_edit::LinkEdit;
use super::rules::LinkRules;
use super::target::LinkTarget;
use crate::domain::Error;
use crate::domain::changes::{Action, Change, Changed};
use crate::store::events::{ChangeKind, EventChange};
use crate::store::link_changes::LinkConditions;
use crate::store::{Store, link_changes};

/// Changes the properties of one link. Running servers apply the change within a second.
///
/// # Errors
/// [`Error::Invalid`], [`Error::DestinationBlocked`], [`Error::LinksNotFound`],
/// [`Error::LinksDeleted`], [`Error::PreconditionFailed`], [`Error::LinkDisabled`],
/// [`Error::ExpiryPassed`], [`Error::ColoursTooClose`], or if the database fails: the first that
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
        let (db, now) = (&transaction.db, change.now);
        let locked = link_changes::lock(db, &[found.id], &LinkConditions::default()).await?.pop();
        let before = locked.ok_or_else(|| Error::LinksDeleted(vec![subject.text.clone()]))?;
        edit.check_destinations(Some(&before), rules, now)?;
        target.check(&before, rules, now)?;
        let mut after = before.clone();
        edit.apply(&mut after, rules, now)?;
        if after != before {
            link_changes::update(db, &before, &after).await?;
            let values = EventChange::between(
                before.id,
                &link_changes::recorded(&before).into(),
                &link_changes::recorded(&after).into(),
            );
            link_changes::invalidate(db, &[after], now).await?;
            transaction.record_values(subject, ChangeKind::Link, vec![values]).await?;
        }
        transaction.done(())
    });
    edited.await
}
