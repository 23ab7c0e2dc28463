//! Changes of links by operators: disable, enable and delete.

use serde_json::json;

use super::bulk::{BulkChange, SliceEvent};
use super::selector::{LinkSelector, ResolvedSelector};
use crate::domain::AdminError;
use crate::domain::events::{Action, ChangeContext, ChangeResult};
use crate::store::entities::link::Model;
use crate::store::events::EventChange;
use crate::store::{Store, Transaction, clicks, events, link_changes, links as link_store, owners};
use crate::values::Reason;

/// A change of any number of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkChange {
    /// Disables links for the reason in the [`ChangeContext`].
    Disable,
    /// Enables disabled links.
    Enable,
    /// Deletes links and retires their codes.
    Delete,
}

impl LinkChange {
    const fn action(self) -> Action {
        match self {
            Self::Disable => Action::LinkDisable,
            Self::Enable => Action::LinkEnable,
            Self::Delete => Action::LinkDelete,
        }
    }
}

/// Changes the links that a selector chooses, and returns the number of changed links. Running
/// servers apply the change within a second.
///
/// # Errors
/// [`AdminError::NoSuchOwner`]; [`AdminError::NoSuchLinks`]; [`AdminError::LinksDeleted`], unless
/// the change is a deletion; or if the database fails. Slices before a failure stay changed.
pub async fn change(
    store: &Store,
    selector: &LinkSelector,
    change: LinkChange,
    context: &ChangeContext,
) -> Result<ChangeResult, AdminError> {
    let selection = selector.resolve(store.reader()).await?;
    let ResolvedSelector { conditions, ids, owner, deleted, .. } = selection;
    if change != LinkChange::Delete && !deleted.is_empty() {
        let codes = deleted.into_iter().map(|link| link.short_code).collect();
        return Err(AdminError::LinksDeleted(codes));
    }
    let owner = match owner {
        None => only_owner_of(store, &ids).await?,
        owner => owner,
    };
    let subject = selector.description(change == LinkChange::Delete);
    let action = change.action();
    let bulk = BulkChange { context, action, subject, owner };
    bulk.run(store, &ids, async |db, ids, event| {
        if change == LinkChange::Delete {
            clicks::lock_rollups(db).await?;
            link_changes::lock_owners_of(db, ids).await?;
        }
        let links = link_changes::lock(db, ids, &conditions).await?;
        match change {
            LinkChange::Disable => {
                let reason = context.reason.unwrap_or(Reason::Other);
                // Without an explicit reason, a link that is already disabled keeps its reason.
                let changes = |link: &Model| match &link.disabled_reason {
                    None => true,
                    Some(before) => context.reason.is_some() && before != reason.as_str(),
                };
                let links = links.into_iter().filter(changes).collect();
                set_disabled(db, links, Some(reason), context, event).await
            }
            LinkChange::Enable => {
                let links = links.into_iter().filter(|link| link.disabled_reason.is_some());
                set_disabled(db, links.collect(), None, context, event).await
            }
            LinkChange::Delete if links.is_empty() => Ok(()),
            LinkChange::Delete => {
                let id = event.record(db, links.len()).await?;
                event.record_owners(db, &links).await?;
                let ids: Vec<i64> = links.iter().map(|link| link.id).collect();
                link_store::erase(db, id, &ids, context.now).await?;
                Ok(())
            }
        }
    })
    .await
}

/// Returns the identifier and name of the owner of all these links, or `None` if the links have
/// several owners.
async fn only_owner_of(store: &Store, ids: &[i64]) -> Result<Option<(i64, String)>, AdminError> {
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

async fn set_disabled(
    db: &Transaction,
    links: Vec<Model>,
    disabled: Option<Reason>,
    context: &ChangeContext,
    event: &mut SliceEvent<'_>,
) -> Result<(), AdminError> {
    if links.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = links.iter().map(|link| link.id).collect();
    link_changes::set_disabled(db, &ids, disabled).await?;
    let after = json!({ "disabled_reason": disabled.map(Reason::as_str) }).to_string();
    let changes = links.iter().map(|link| EventChange {
        subject: link.id.to_string(),
        before: json!({ "disabled_reason": link.disabled_reason }).to_string(),
        after: after.clone(),
    });
    let id = event.record(db, links.len()).await?;
    event.record_owners(db, &links).await?;
    events::insert_changes(db, id, events::LINK, changes.collect()).await?;
    link_changes::publish_link_changes(db, &links, context.now).await?;
    Ok(())
}
