//! Links that are created or changed, whichever their external identifiers need.

use std::collections::HashMap;
use std::sync::Arc;

use rand::Rng;
use tokio_util::sync::CancellationToken;

use super::create_link::{CreateLink, LinkCreator};
use super::creator::{BatchLink, Creator};
use super::edit::{edit, edit_locked};
use super::properties::LinkEdit;
use super::rules::LinkRules;
use super::select::LinkTarget;
use crate::domain::changes::{self, Action, Change, ChangeTransaction, Changed, Subject};
use crate::domain::idempotency::{
    Idempotent, IdempotentRequest, Namespace, StoredResponse, make_room, replay,
};
use crate::domain::{Error, Realm};
use crate::store::events::{ChangeKind, EventStatus};
use crate::store::idempotency::{self, BatchMember, Created};
use crate::store::{Connection, Store, StoreError, link_changes, links, owners};
use crate::values::{ExternalId, ShortCode, Timestamp};

/// Maximum number of times that concurrent changes may replace the link.
const MAX_ATTEMPTS: u32 = 10;

/// What happened to a link.
#[derive(Debug)]
pub enum PutLink {
    /// It was created.
    Created(Idempotent),
    /// It existed, and has the given values.
    Changed {
        /// Code of the link.
        code: ShortCode,
        /// Identifier of the event, if anything changed.
        event: Option<i64>,
        /// The stored response, if an earlier transmission of the request made the change.
        replay: Option<StoredResponse>,
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
                    return Ok(PutLink::Changed { code, event, replay: None });
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
/// Returns them with their results, in order, and the identifier of the event. A repetition changes no link
/// again, and goes on under the same event if the change was interrupted.
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
    let (mut links, mut results): (_, Vec<BatchPut>) = (links, Vec::new());
    if let Some(request) = &idempotent {
        let changed = take_changed(creator.store(), by, &mut links, request, change).await?;
        results.extend(changed.into_iter().map(|(link, stored)| (link, Ok(stored.into()))));
    }
    let known = event_of(&results);
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
    let created = creator.create_batch(by, new, idempotent.clone(), stop, change.now, rng).await?;
    for (link, result) in created {
        match result {
            Err(Error::ExternalIdInUse { short_code: Some(code) }) if link.edit.is_some() => {
                existing.push((link, code));
            }
            result => results.push((link, result.map(PutLink::Created))),
        }
    }
    existing.sort_unstable_by_key(|(link, _)| link.position);
    let (edited, event) =
        edit_batch(creator, by, &existing, idempotent.as_ref(), known, change).await?;
    let edited = existing.into_iter().zip(edited).map(|((link, code), result)| {
        let code = ShortCode::from_stored(&code);
        let changed = |stored: Option<StoredResponse>| {
            stored.map_or(PutLink::Changed { code, event, replay: None }, Into::into)
        };
        (link, result.map(changed))
    });
    results.extend(edited);
    results.sort_unstable_by_key(|(link, _)| link.position);
    let event = event.or_else(|| event_of(&results));
    Ok((results, event))
}

/// Returns the identifier of the last event in which links of a batch changed.
fn event_of(results: &[BatchPut]) -> Option<i64> {
    let events = results.iter().filter_map(|(_, result)| match result {
        Ok(PutLink::Changed { event, .. }) => *event,
        Ok(PutLink::Created(_)) | Err(_) => None,
    });
    events.max()
}

impl From<StoredResponse> for PutLink {
    /// Converts the response of an earlier transmission that changed the link.
    fn from(stored: StoredResponse) -> Self {
        let code = ShortCode::from_stored(&stored.short_code);
        Self::Changed { code, event: stored.event_id, replay: Some(stored) }
    }
}

/// Returns the requests of those links of a batch that may exist.
fn members<'l>(
    request: &IdempotentRequest,
    links: impl Iterator<Item = &'l BatchLink>,
) -> Vec<IdempotentRequest> {
    let updates = links.filter(|link| link.edit.is_some());
    let member = |link: &BatchLink| Some(BatchMember::Changed(link.position));
    updates.map(|link| IdempotentRequest { member: member(link), ..request.clone() }).collect()
}

/// Returns the stored responses of those requests for links of a batch that earlier transmissions of the
/// batch made, by position.
async fn find_changed(
    db: &impl Connection,
    by: LinkCreator,
    members: &[IdempotentRequest],
    now: Timestamp,
) -> Result<HashMap<usize, StoredResponse>, Error> {
    if members.is_empty() {
        return Ok(HashMap::new());
    }
    let found = idempotency::find_all(db, Namespace::Owner(by.owner_id), members, now).await?;
    let changed = found.into_iter().filter_map(|(request, stored)| match request.member? {
        BatchMember::Changed(position) => Some(replay(stored).map(|stored| (position, stored))),
        BatchMember::Created(_) => None,
    });
    changed.collect()
}

/// Removes those links from a batch that an earlier transmission has changed, and returns them with its
/// responses.
async fn take_changed(
    store: &Store,
    by: LinkCreator,
    links: &mut Vec<BatchLink>,
    request: &IdempotentRequest,
    change: &Change,
) -> Result<Vec<(BatchLink, StoredResponse)>, Error> {
    let members = members(request, links.iter());
    let mut stored = find_changed(store.reader(), by, &members, change.now).await?;
    let (mut changed, mut left) = (Vec::new(), Vec::new());
    for link in links.drain(..) {
        match stored.remove(&link.position) {
            Some(response) => changed.push((link, response)),
            None => left.push(link),
        }
    }
    *links = left;
    Ok(changed)
}

/// Makes the edits of links that exist, and returns their results and the identifier of the event. A
/// result has a stored response if another transmission has changed the link meanwhile. `known` is the
/// event of an earlier transmission, which goes on if it was interrupted.
async fn edit_batch(
    creator: &Creator,
    by: LinkCreator,
    existing: &[(BatchLink, String)],
    idempotent: Option<&IdempotentRequest>,
    known: Option<i64>,
    change: &Change,
) -> Result<(Vec<EditResult>, Option<i64>), Error> {
    let store = creator.store();
    let name = owners::name_of(store.reader(), by.owner_id).await?;
    let text = match existing {
        [] => return Ok((Vec::new(), None)),
        [(_, code)] => code.clone(),
        several => format!("{} codes", several.len()),
    };
    let subject = &Subject { text, owner: name.map(|name| (by.owner_id, name)) };
    let work =
        |transaction, part| edit_slice(transaction, creator.rules(), by, subject, idempotent, part);
    let failed = |cause| {
        let cause = match cause {
            Some(Error::Store(cause)) => cause,
            Some(_) | None => Arc::new(StoreError::Busy),
        };
        existing.iter().map(|_| Err(Error::Store(Arc::clone(&cause)))).collect()
    };
    let begun = match known {
        Some(event) => changes::extent(store, event).await?,
        None => Changed::default(),
    };
    // What failed is tried again under an event of its own.
    let is_interrupted = begun.event.is_some() && begun.value.status != EventStatus::Done;
    let begun = if is_interrupted { begun } else { Changed::default() };
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

/// What became of the edit of a link.
type EditResult = Result<Option<StoredResponse>, Error>;

async fn edit_slice<'a>(
    mut transaction: ChangeTransaction<'a>,
    rules: &LinkRules,
    by: LinkCreator,
    subject: &Subject,
    idempotent: Option<&IdempotentRequest>,
    part: &[(BatchLink, String)],
) -> Result<(ChangeTransaction<'a>, Vec<EditResult>), Error> {
    transaction.authorize(by.owner_id).await?;
    let now = transaction.change.now;
    let members = idempotent.map(|request| members(request, part.iter().map(|(link, _)| link)));
    let members = members.unwrap_or_default();
    let mut stored = find_changed(&transaction.db, by, &members, now).await?;
    let (mut results, mut all, mut edited) = (Vec::new(), Vec::new(), Vec::new());
    let mut answered = Vec::new();
    for (BatchLink { position, link, edit }, code) in part {
        if let Some(stored) = stored.remove(position) {
            results.push(Ok(Some(stored)));
            continue;
        }
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
                answered.push((*position, code));
                Ok(None)
            }
            // The transaction may be broken.
            Err(Error::Store(error)) => return Err(Error::Store(error)),
            // The link was deleted, or lost the identifier, since it was found: the same batch creates it.
            Err(Error::LinksNotFound(_) | Error::LinksDeleted(_)) => Err(StoreError::Busy.into()),
            Err(error) => Err(error),
        });
    }
    if !all.is_empty() {
        link_changes::invalidate(&transaction.db, &edited, now).await?;
        transaction.record_values(subject, ChangeKind::Link, all).await?;
    }
    if let Some(request) = idempotent {
        let (db, namespace) = (&transaction.db, Namespace::Owner(by.owner_id));
        make_room(db, by.owner_id).await?;
        for (position, code) in answered {
            let member = Some(BatchMember::Changed(position));
            let request = IdempotentRequest { member, ..request.clone() };
            let (code, event) = (ShortCode::from_stored(code), transaction.event);
            idempotency::store(db, namespace, &request, Created::Link(&code), event, now).await?;
            transaction.has_response = true;
        }
    }
    transaction.done(results)
}
