//! What changes send to webhooks: deliveries that the transaction of a change stores, so that they are sent
//! if and only if it commits.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Action;
use crate::store::entities::link;
use crate::store::events::{ChangeKind, EventChange};
use crate::store::subscriptions::Subscriptions;
use crate::store::webhook_deliveries::{self, Delivery};
use crate::store::{StoreError, Transaction, links};
use crate::values::{Reason, Timestamp, WebhookType};

/// Maximum number of an owner's links of which a change sends a delivery each.
const MAX_SINGLE: u64 = 100;
/// Time after a slice from which its deliveries are sent even if no other slice follows, as after a crash.
const HOLD: Duration = Duration::from_secs(5);

/// Something that a change did and that webhooks may want to know.
#[derive(Debug, Clone)]
pub(super) enum Occurrence {
    /// A link has other values, which are JSON objects of columns.
    Link { id: i64, before: String, after: String },
    /// A link was deleted.
    Deletion { owner_id: i64, content: String },
    /// An owner has other values, which are JSON objects of columns.
    Owner { id: i64, after: String },
}

impl Occurrence {
    /// Returns what an event records of a change, if webhooks may want to know it.
    pub(super) fn from_event(kind: ChangeKind, change: &EventChange) -> Option<Self> {
        let EventChange { subject, before, after } = change;
        let (id, before, after) = (subject.parse().ok()?, before.clone(), after.clone());
        match kind {
            ChangeKind::Link => Some(Self::Link { id, before, after }),
            ChangeKind::Owner => Some(Self::Owner { id, after }),
            ChangeKind::Block
            | ChangeKind::Domain
            | ChangeKind::Key
            | ChangeKind::Plan
            | ChangeKind::OperatorKey
            | ChangeKind::Webhook => None,
        }
    }

    /// Returns the deletion of a link that exists still.
    pub(super) fn deletion(link: &link::Model) -> Option<Self> {
        let content = json!({ "short_code": link.short_code, "external_id": link.external_id });
        Some(Self::Deletion { owner_id: link.owner_id?, content: content.to_string() })
    }
}

/// The change that deliveries are about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// Identifier of its event.
    pub(super) event_id: Option<i64>,
    /// What it does.
    pub(super) action: Action,
    /// Its reason.
    pub(super) reason: Option<Reason>,
    /// The time of the change.
    pub(super) at: Timestamp,
    /// The current time.
    pub(super) now: Timestamp,
    /// Whether another transaction of the same change follows.
    pub(super) continues: bool,
}

/// Numbers of changed links by owner, of all transactions of a change so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ChangedLinks(BTreeMap<i64, u64>);

/// A delivery that every webhook of an owner gets that wants it.
struct Draft {
    owner_id: i64,
    kind: WebhookType,
    link_id: Option<i64>,
    content: Option<String>,
}

/// Stores the deliveries of what a transaction did, and adds to the counts of its change.
pub(super) async fn store(
    db: &Transaction,
    subscriptions: &Subscriptions,
    origin: Origin,
    occurrences: &[Occurrence],
    counts: &mut ChangedLinks,
) -> Result<(), StoreError> {
    if subscriptions.is_empty() {
        return Ok(());
    }
    let mut drafts = drafts(db, origin, occurrences).await?;
    drafts.retain(|draft| subscriptions.has(draft.owner_id));
    let before = counts.clone();
    for draft in drafts.iter().filter(|draft| draft.kind.is_about_change()) {
        *counts.0.entry(draft.owner_id).or_default() += 1;
    }
    if let Some(event_id) = origin.event_id {
        for (&owner_id, &changed) in &counts.0 {
            if changed <= MAX_SINGLE || before.0.get(&owner_id) == Some(&changed) {
                continue;
            }
            drafts.retain(|draft| draft.owner_id != owner_id);
            for webhook_id in subscriptions.webhooks_of(owner_id) {
                webhook_deliveries::delete_of_event(db, webhook_id, event_id).await?;
            }
            let content = json!({ "action": origin.action.into_str(), "changed": changed });
            let (kind, content) = (WebhookType::LinksChanged, Some(content.to_string()));
            drafts.push(Draft { owner_id, kind, link_id: None, content });
        }
    }
    let first_attempt_at = if origin.continues { origin.now.plus(HOLD) } else { origin.now };
    let mut deliveries = Vec::new();
    for Draft { owner_id, kind, link_id, content } in drafts {
        deliveries.extend(subscriptions.wanting(owner_id, kind).map(|webhook_id| Delivery {
            link_id,
            event_id: origin.event_id,
            content: content.clone(),
            ..Delivery::new(webhook_id, kind, origin.at, Some(first_attempt_at))
        }));
    }
    webhook_deliveries::insert(db, &deliveries).await?;
    // Those of earlier transactions wait for the last one.
    if let Some(event_id) = origin.event_id.filter(|_| !before.0.is_empty()) {
        for &owner_id in before.0.keys() {
            for webhook_id in subscriptions.webhooks_of(owner_id) {
                let at = first_attempt_at;
                webhook_deliveries::reschedule_event(db, webhook_id, event_id, at).await?;
            }
        }
    }
    Ok(())
}

async fn drafts(
    db: &Transaction,
    origin: Origin,
    occurrences: &[Occurrence],
) -> Result<Vec<Draft>, StoreError> {
    let id = |occurrence: &Occurrence| match occurrence {
        Occurrence::Link { id, .. } => Some(*id),
        Occurrence::Deletion { .. } | Occurrence::Owner { .. } => None,
    };
    let ids: Vec<i64> = occurrences.iter().filter_map(id).collect();
    let owners = links::owners_of(db, &ids).await?;
    let reason = |reason: Option<&Value>| {
        let reason = reason.and_then(Value::as_str).map(Reason::from_stored).or(origin.reason);
        Some(json!({ "reason": reason.unwrap_or(Reason::Other).into_str() }).to_string())
    };
    let parsed = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
    let draft = |occurrence: &Occurrence| match occurrence {
        Occurrence::Deletion { owner_id, content } => Some(Draft {
            owner_id: *owner_id,
            kind: WebhookType::LinkDeleted,
            link_id: None,
            content: Some(content.clone()),
        }),
        Occurrence::Link { id, before, after } => {
            let (kind, content) = match parsed(after).get("disabled_reason") {
                Some(Value::Null) => (WebhookType::LinkEnabled, reason(None)),
                Some(new) => (WebhookType::LinkDisabled, reason(Some(new))),
                None => {
                    let content = format!("{{\"before\":{before},\"after\":{after}}}");
                    (WebhookType::LinkUpdated, Some(content))
                }
            };
            Some(Draft { owner_id: *owners.get(id)?, kind, link_id: Some(*id), content })
        }
        Occurrence::Owner { id, after } => {
            let after = parsed(after);
            let new = after.get("suspended_reason")?;
            let (kind, content) = if new.is_null() {
                (WebhookType::OwnerResumed, reason(None))
            } else {
                (WebhookType::OwnerSuspended, reason(Some(new)))
            };
            Some(Draft { owner_id: *id, kind, link_id: None, content })
        }
    };
    Ok(occurrences.iter().filter_map(draft).collect())
}
