//! Idempotent requests: a client may repeat such a request, but it takes effect only once.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Error;
use super::addresses::{Addresses, short_url};
use super::changes::Change;
use crate::store::idempotency::{self, Created};
pub use crate::store::idempotency::{Fingerprint, IdempotentRequest, Namespace, StoredResponse};
use crate::store::{Connection, StoreError, owners};
use crate::values::{CaseId, Note, ShortCode, Timestamp};

/// Result of a request that creates or changes a link, and that a client may have repeated.
#[derive(Debug)]
pub enum Idempotent {
    /// The request was executed for the link with this code.
    Executed(ShortCode),
    /// The request is a repetition. The server replays the response to the first request.
    Replayed(StoredResponse),
}

/// What the first response to a request says about the link that it created or changed.
#[derive(Debug)]
pub struct FirstResponse {
    /// Code of the link.
    pub code: ShortCode,
    /// Public address of the service.
    pub base_url: String,
    /// Origin of the link's short URL.
    pub origin: String,
    /// Time of the request.
    pub at: Timestamp,
    /// Identifier of the key that created the link, if the request is a repetition of its creation.
    pub created_by: Option<i64>,
    /// Whether the request is a repetition.
    pub is_replay: bool,
}

impl FirstResponse {
    /// Returns the short URL of the link.
    pub fn short_url(&self) -> String {
        short_url(&self.origin, &self.code)
    }
}

impl Idempotent {
    /// Returns what the first response said, or says, about a link of this owner.
    pub fn first_response(
        self,
        addresses: &Addresses,
        owner_id: i64,
        now: Timestamp,
    ) -> FirstResponse {
        match self {
            Self::Executed(code) => FirstResponse {
                code,
                base_url: addresses.base_url().to_string(),
                origin: addresses.origin(owner_id),
                at: now,
                created_by: None,
                is_replay: false,
            },
            Self::Replayed(stored) => {
                let StoredResponse { short_code, base_url, origin, created_at, created_by, .. } =
                    stored;
                FirstResponse {
                    code: ShortCode::from_stored(&short_code),
                    origin: origin.unwrap_or_else(|| base_url.clone()),
                    base_url,
                    at: created_at,
                    created_by,
                    is_replay: true,
                }
            }
        }
    }
}

/// Returns the fingerprint of a request: a hash of its operation and fields. An absent field and an
/// empty one give different fingerprints.
pub fn fingerprint(operation: &str, parts: &[Option<&str>]) -> Fingerprint {
    let mut hash = Sha256::new();
    for part in [Some(operation)].iter().chain(parts) {
        // The length precedes each field, so that different fields never give the same input. An
        // absent field has the length -1.
        hash.update(
            part.map_or(-1, |text| i64::try_from(text.len()).unwrap_or(i64::MAX)).to_be_bytes(),
        );
        hash.update(part.unwrap_or_default());
    }
    hash.finalize().into()
}

/// Returns the fingerprint of a request with several parts from those of the parts, in order.
pub fn combined_fingerprint(operation: &str, parts: &[Fingerprint]) -> Fingerprint {
    let mut hash = Sha256::new_with_prefix(fingerprint(operation, &[]));
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// Returns what the history says about a change, as parts of a fingerprint.
pub(super) fn audit_of(change: &Change) -> [Option<&str>; 3] {
    [
        change.reason.map(<&str>::from),
        change.note.as_ref().map(Note::as_str),
        change.case.as_ref().map(CaseId::as_str),
    ]
}

impl Change {
    /// Returns the fingerprint of a request that makes the change.
    pub fn fingerprint(&self, operation: &str) -> Fingerprint {
        fingerprint(operation, &audit_of(self))
    }
}

/// Returns the response to an earlier transmission of a request, if there was one.
///
/// # Errors
/// [`Error::KeyReused`] if that was another request.
pub(super) async fn earlier_response(
    db: &impl Connection,
    namespace: Namespace,
    request: &IdempotentRequest,
    now: Timestamp,
) -> Result<Option<StoredResponse>, Error> {
    idempotency::find(db, namespace, request, now).await?.map(replay).transpose()
}

/// Returns the response stored for an owner's idempotency key, or [`Error::KeyReused`] if that is one to
/// another request. Returns `None` if there is none.
pub(super) async fn stored_response(
    db: &impl Connection,
    owner_id: i64,
    idempotent: Option<&IdempotentRequest>,
    now: Timestamp,
) -> Result<Option<Result<StoredResponse, Error>>, StoreError> {
    let Some(request) = idempotent else { return Ok(None) };
    Ok(idempotency::find(db, Namespace::Owner(owner_id), request, now).await?.map(replay))
}

/// Returns the stored response if the request is the same as the first one.
///
/// # Errors
/// [`Error::KeyReused`] if the fingerprints differ.
pub(super) fn replay(stored: StoredResponse) -> Result<StoredResponse, Error> {
    if stored.is_of_request { Ok(stored) } else { Err(Error::KeyReused) }
}

/// What the first response to a creation says that neither the request nor the created row does,
/// because later changes replace it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FirstFacts {
    /// Name of the owner.
    pub(super) owner: String,
    /// Time from which the key is invalid, in milliseconds since the Unix epoch.
    pub(super) expires_at: Option<i64>,
    /// Whether the domain is the owner's default.
    pub(super) is_default: bool,
}

impl FirstFacts {
    /// Returns the facts as they are stored.
    pub(super) fn to_text(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// Parses the facts of a stored response, if it has any. All of a new owner's are in the request.
    pub(super) fn from_stored(stored: &StoredResponse) -> Option<Self> {
        serde_json::from_str(stored.origin.as_deref()?).ok()
    }
}

/// Number of stored responses that an owner may have in addition to one for each link of the plan.
/// Requests that create no link would not be limited by the plan alone.
const MAX_EXTRA_RESPONSES: u64 = 1_000;

/// Stores the response to a request that creates no link, with its event. Callers must hold the lock
/// of the namespace.
pub(super) async fn store_response(
    db: &impl Connection,
    namespace: Namespace,
    request: &IdempotentRequest,
    created: Created<'_>,
    event_id: Option<i64>,
    now: Timestamp,
) -> Result<(), StoreError> {
    if let Namespace::Owner(owner_id) = namespace {
        make_room(db, owner_id).await?;
    }
    idempotency::store(db, namespace, request, created, event_id, now).await
}

/// Deletes the oldest responses of an owner who has too many for the plan. Callers must hold the owner's
/// row lock.
pub(super) async fn make_room(db: &impl Connection, owner_id: i64) -> Result<(), StoreError> {
    let plan = owners::plan_of(db, owner_id).await?;
    let Some(max_links) = plan.and_then(|plan| plan.max_links) else { return Ok(()) };
    let max = u64::try_from(max_links).unwrap_or(0) + MAX_EXTRA_RESPONSES;
    idempotency::make_room(db, owner_id, max).await
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::domain::changes::Actor;
    use crate::domain::domains::NewDomain;
    use crate::domain::keys::NewKey;
    use crate::domain::links::{CreateLink, LinkValues};
    use crate::domain::owners::NewOwner;
    use crate::domain::plans::{LinkLimit, PlanSettings};
    use crate::values::{Destination, KeyScope, Name, Reason};

    /// Responses that earlier versions stored have these fingerprints.
    #[test]
    fn fingerprints_of_stored_responses_stay() {
        let time = Timestamp::from_millis(4_102_444_800_000);
        let change = &Change {
            actor: Actor::OperatorKey { id: 1, name: "billing".into() },
            reason: Some(Reason::Spam),
            note: Some("as agreed".parse().unwrap()),
            case: Some("C-7".parse().unwrap()),
            precondition: None,
            is_dry_run: false,
            now: time,
            stop: CancellationToken::new(),
            request: None,
            awaited: None,
        };
        let name: Name = "acme".parse().unwrap();
        let url = Destination::parse("https://example.com/").unwrap();
        let key = NewKey {
            label: Some("crm".parse().unwrap()),
            scope: KeyScope::Full,
            expires_at: Some(time),
        };
        let owner = NewOwner {
            name: name.clone(),
            plan: "pro".to_owned(),
            external_id: None,
            key: Some(key.clone()),
        };
        let plan = PlanSettings {
            max_links: Some(LinkLimit::AtMost(5)),
            custom_codes: Some(true),
            requests: Some("20/s".parse().unwrap()),
            burst: Some(Some("30".parse().unwrap())),
            links_per_day: Some(LinkLimit::Unlimited),
        };
        let domain = NewDomain {
            host: &"go.acme.example".parse().unwrap(),
            owner: 7.into(),
            home: Some(&url),
            accepts_destinations: true,
        };
        let link = CreateLink {
            values: LinkValues {
                title: Some(Some("T".parse().unwrap())),
                campaign: Some(Some("spring".parse().unwrap())),
                expires_at: Some(Some(time)),
                fallback: Some(Some(url.clone())),
                forward_query: Some(true),
                is_paused: Some(true),
                has_qr: Some(true),
                ..LinkValues::default()
            },
            custom_code: Some("one".to_owned()),
            ..CreateLink::new(url.clone())
        };
        for (found, expected) in [
            (
                key.fingerprint("keys", change),
                "64688b1f75e6a1577afd6ddc62c8be7f50371796765729137040e5b94bb40a02",
            ),
            (
                owner.fingerprint(change),
                "56866c962a8ca4823c7b2b4fe4a32ec98b9f90f0dbc944c2c46597f41b5adde5",
            ),
            (
                plan.fingerprint(&name, change),
                "c67a77ea651d572d3b6c1abe7e5e28e298bcf4820c1fb6d92cc99fda94386268",
            ),
            (
                domain.fingerprint(change),
                "1bb15394e88bd8c80b7e2d88a638f30d0df2925aa5c00f81e0f95adf0c89f4c3",
            ),
            (
                link.fingerprint(),
                "2d95d9a7847d4efff2625f9058978de0a1ee588b3d662750dde6ed6ace9d82b9",
            ),
            (
                link.full_fingerprint(),
                "0d8a1212c4b11deb787272a1532c655583d0d1445dcec855e732d42f4911989b",
            ),
        ] {
            assert_eq!(found.map(|byte| format!("{byte:02x}")).concat(), expected);
        }
    }

    #[test]
    fn different_requests_have_different_fingerprints() {
        let all = [
            fingerprint("a", &[Some("b"), None]),
            fingerprint("a", &[Some("b"), Some("")]),
            fingerprint("a", &[None, Some("b")]),
            fingerprint("a", &[Some("bc")]),
            fingerprint("ab", &[Some("c")]),
            fingerprint("a", &[Some("b"), Some("c")]),
        ];
        for (number, one) in all.iter().enumerate() {
            assert!(!all[..number].contains(one), "{number}");
        }
    }
}
