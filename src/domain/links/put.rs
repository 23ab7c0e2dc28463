//! Links that are created or changed, whichever their external identifiers need.

use std::collections::HashMap;
use std::sync::Arc;

use rand::Rng;
use tokio_util::sync::CancellationToken;

use super::create_link::{CreateLink, LinkCreator};
use super::creator::{BatchLink, Creator};
use super::edit::{edit, edit_locked};
use super::link_edit::LinkEdit;
use super::rules::LinkRules;
use super::select::LinkTarget;
use crate::domain::changes::{Action, Change, ChangeTransaction, Changed, Subject};
use crate::domain::idempotency::{Idempotent, IdempotentRequest};
use crate::domain::{Error, Realm};
use crate::store::events::ChangeKind;
use crate::store::{Store, StoreError, link_changes, links, owners};
use crate::values::{ExternalId, ShortCode};

/// Maximum number of times that concurrent changes may replace the link.
const MAX_ATTEMPTS: u32 = 10;

/// What happened to a link.
#[derive(Debug)]
pub enum PutLink {
    /// It was created.
    Created(Idempotent<ShortCode>),
    /// It existed, and has the given values.
    Changed {
        /// Code of the link.
        code: ShortCode,
        /// Identifier of the event, if anything changed.
        event: Option<i64>,
    },
}

/// Returns the code of an owner's link with this external identifier.
///
/// # Errors
/// If the database fails.
pub async fn code_of_external_id(
    store: &Store,
    owner_id: i64,
    external_id: &ExternalId,
) -> Result<Option<String>, Error> {
    Ok(links::code_of_external_id(store.reader(), owner_id, external_id.as_str()).await?)
}

/// Creates a link, or makes an edit to the one of the owner that has its external identifier. Requests
/// at the same time make one link. With a precondition, it creates none.
///
/// # Errors
/// Those of [`Creator::create`] and [`edit`].
pub async fn put(
    creator: &Creator,
    by: LinkCreator,
    new: &CreateLink,
    change_of_existing: &LinkEdit,
    change: &Change,
    rng: &mut impl Rng,
) -> Result<PutLink, Error> {
    let store = creator.store();
    let Some(external_id) = &new.external_id else {
        return Ok(PutLink::Created(creator.create(by, new, None, change.now, rng).await?));
    };
    let mut refusal = None;
    for _ in 0..MAX_ATTEMPTS {
        if let Some(code) = code_of_external_id(store, by.owner_id, external_id).await? {
            let target = LinkTarget {
                realm: Realm::Owner(by.owner_id),
                code: &code,
                external_id: Some(external_id.as_str()),
            };
            match edit(store, target, change_of_existing, creator.rules(), change).await {
                // It was deleted or got another identifier meanwhile.
                Err(Error::LinksNotFound(_) | Error::LinksDeleted(_)) => continue,
                edited => {
                    let (code, event) = (ShortCode::from_stored(&code), edited?.event);
                    return Ok(PutLink::Changed { code, event });
                }
            }
        }
        if change.precondition.is_some() {
            return Err(Error::PreconditionFailed);
        }
        // The link of a concurrent request may have been the last that the plan allows.
        if let Some(error) = refusal.take() {
            return Err(error);
        }
        match creator.create(by, new, None, change.now, rng).await {
            Ok(created) => return Ok(PutLink::Created(created)),
            Err(Error::ExternalIdInUse { .. }) => {}
            Err(error) => refusal = Some(error),
        }
    }
    Err(StoreError::Busy.into())
}

/// A link of a batch, and what happened to it.
pub type BatchPut = (BatchLink, Result<PutLink, Error>);

/// Creates the links of a batch, and makes their edits to those that exist already, all in one event.
/// Returns them with their results, in order, and the identifier of the event.
///
/// # Errors
/// Those of [`Creator::create_batch`].
pub async fn put_batch<R: Rng + Clone + Send + 'static>(
    creator: &Creator,
    by: LinkCreator,
    links: Vec<BatchLink>,
    idempotent: Option<IdempotentRequest>,
    stop: &CancellationToken,
    change: &Change,
    rng: R,
) -> Result<(Vec<BatchPut>, Option<i64>), Error> {
    let (mut existing, mut new) = (Vec::new(), Vec::new());
    // A repetition finds its earlier creations by the idempotency key first.
    let mut codes = HashMap::new();
    if idempotent.is_none() {
        let ids = links.iter().filter(|link| link.edit.is_some());
        let ids: Vec<&str> =
            ids.filter_map(|link| Some(link.link.external_id.as_ref()?.as_str())).collect();
        codes = links::codes_by_external_id(creator.store().reader(), by.owner_id, &ids).await?;
    }
    for link in links {
        let external_id = link.link.external_id.as_ref().filter(|_| link.edit.is_some());
        match external_id.and_then(|id| codes.remove(id.as_str())) {
            Some(code) => existing.push((link, code)),
            None => new.push(link),
        }
    }
    let mut results = Vec::new();
    for (link, result) in creator.create_batch(by, new, idempotent, stop, change.now, rng).await? {
        match result {
            Err(Error::ExternalIdInUse { short_code: Some(code) }) if link.edit.is_some() => {
                existing.push((link, code));
            }
            result => results.push((link, result.map(PutLink::Created))),
        }
    }
    existing.sort_unstable_by_key(|(link, _)| link.position);
    let (edited, event) = edit_batch(creator, by, &existing, change).await?;
    let edited = existing.into_iter().zip(edited).map(|((link, code), result)| {
        let code = ShortCode::from_stored(&code);
        (link, result.map(|()| PutLink::Changed { code, event }))
    });
    results.extend(edited);
    results.sort_unstable_by_key(|(link, _)| link.position);
    Ok((results, event))
}

/// Makes the edits of links that exist, and returns their results and the identifier of the event.
async fn edit_batch(
    creator: &Creator,
    by: LinkCreator,
    existing: &[(BatchLink, String)],
    change: &Change,
) -> Result<(Vec<Result<(), Error>>, Option<i64>), Error> {
    let store = creator.store();
    let name = owners::name_of(store.reader(), by.owner_id).await?;
    let text = match existing {
        [] => return Ok((Vec::new(), None)),
        [(_, code)] => code.clone(),
        several => format!("{} codes", several.len()),
    };
    let subject = &Subject { text, owner: name.map(|name| (by.owner_id, name)) };
    let work = |transaction, part| edit_slice(transaction, creator.rules(), by, subject, part);
    let failed = |cause| {
        let cause = match cause {
            Some(Error::Store(cause)) => cause,
            Some(_) | None => Arc::new(StoreError::Busy),
        };
        existing.iter().map(|_| Err(Error::Store(Arc::clone(&cause)))).collect()
    };
    let begun = Changed::default();
    match change.apply_in_slices(store, Action::LinkEdit, subject, existing, begun, work).await {
        Ok((Changed { event, .. }, results)) => {
            Ok((results.into_iter().flatten().collect(), event))
        }
        // The same batch does the rest.
        Err(Error::Incomplete { event, cause, .. }) => {
            Ok((failed(cause.map(|cause| *cause)), event))
        }
        Err(error) => Ok((failed(Some(error)), None)),
    }
}

async fn edit_slice<'a>(
    mut transaction: ChangeTransaction<'a>,
    rules: &LinkRules,
    by: LinkCreator,
    subject: &Subject,
    part: &[(BatchLink, String)],
) -> Result<(ChangeTransaction<'a>, Vec<Result<(), Error>>), Error> {
    transaction.authorize(by.owner_id).await?;
    let (mut results, mut all, mut edited) = (Vec::new(), Vec::new(), Vec::new());
    for (BatchLink { link, edit, .. }, code) in part {
        let external_id = link.external_id.as_ref().map(ExternalId::as_str);
        let target = LinkTarget { realm: Realm::Owner(by.owner_id), code, external_id };
        let found = target.find(&transaction.db).await;
        let result = match (found, edit) {
            (Ok(found), Some(edit)) => {
                edit_locked(&transaction, target, found.id, edit, rules).await
            }
            (Err(error), _) => Err(error),
            (Ok(_), None) => Ok(None),
        };
        results.push(match result {
            Ok(changed) => {
                let (values, after) = changed.unzip();
                all.extend(values);
                edited.extend(after);
                Ok(())
            }
            // The transaction may be broken.
            Err(Error::Store(error)) => return Err(Error::Store(error)),
            // The link was deleted, or lost the identifier, since it was found: the same batch creates it.
            Err(Error::LinksNotFound(_) | Error::LinksDeleted(_)) => Err(StoreError::Busy.into()),
            Err(error) => Err(error),
        });
    }
    if !all.is_empty() {
        link_changes::invalidate(&transaction.db, &edited, transaction.change.now).await?;
        transaction.record_values(subject, ChangeKind::Link, all).await?;
    }
    transaction.done(results)
}
