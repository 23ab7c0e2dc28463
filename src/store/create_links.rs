//! Links that several requests create in one transaction, and the outcome of each.

use super::books_clock;
use super::idempotency::{IdempotentRequest, StoredResponse};
use super::links::NewProperties;
use crate::values::{Month, ShortCode, Timestamp};

/// A link to create.
#[derive(Debug, Clone)]
pub struct NewLink {
    /// Identifier of the owner.
    pub owner_id: i64,
    /// Custom code that the client requests.
    pub custom_code: CustomCodeRequest,
    /// Whether a plan without custom codes refuses the requested one, which it ignores otherwise.
    pub demands_custom_code: bool,
    /// Short code of the link if the client requests no custom code, or the plan allows none.
    pub generated_code: ShortCode,
    /// Other properties of the link.
    pub properties: NewProperties,
    /// Idempotency key and fingerprint of the request, if it has a key. Two links of one
    /// transaction may have the same key, because a client may repeat a request before the first
    /// response is stored.
    pub idempotent: Option<IdempotentRequest>,
}

/// Custom code that a client requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CustomCodeRequest {
    /// The client requests no custom code.
    None,
    /// The client requests this code.
    Requested(ShortCode),
    /// The client requests a reserved or malformed code.
    Invalid,
}

/// Outcome of a [`NewLink`]. Only [`Self::Created`] changes the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreateOutcome {
    /// The link was created with this code.
    Created(ShortCode),
    /// A response is already stored under the idempotency key.
    Replay {
        /// The stored response.
        stored: StoredResponse,
        /// Whether the custom code of this request is invalid.
        is_invalid: bool,
    },
    /// Another link has the custom code.
    CustomCodeInUse,
    /// Another link of the owner, which has this code, has the external identifier.
    ExternalIdInUse(ShortCode),
    /// Another link has the generated code: the caller must generate another one.
    GeneratedCodeInUse,
    /// The custom code is reserved or malformed, and the plan allows custom codes.
    CustomCodeInvalid,
    /// The client demands a custom code, and the plan allows none.
    CustomCodesNotAllowed,
    /// The plan does not allow the owner another link.
    PlanLimitReached(PlanLimit),
    /// A concurrent change made the outcome uncertain: the caller must retry.
    Retry,
    /// The owner does not exist or is suspended, or another transaction is changing the owner's
    /// plan. The caller must retry.
    OwnerUnavailable,
}

/// Why a requested custom code creates no link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeRefusal {
    /// The code is reserved or malformed.
    Invalid,
    /// The plan allows no custom codes.
    NotAllowed,
}

impl From<CodeRefusal> for CreateOutcome {
    fn from(refusal: CodeRefusal) -> Self {
        match refusal {
            CodeRefusal::Invalid => Self::CustomCodeInvalid,
            CodeRefusal::NotAllowed => Self::CustomCodesNotAllowed,
        }
    }
}

/// A limit on the number of an owner's links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanLimit {
    /// The number of links that exist.
    Links,
    /// The number of links that the owner has created on the same day in UTC.
    LinksPerDay,
}

/// What the plan still allows an owner to create.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    pub(super) custom_codes: bool,
    /// Number of links that the owner may still create.
    pub(super) links: i64,
    /// The limit that determines [`Self::links`].
    pub(super) limit: PlanLimit,
}

impl Allowance {
    /// Creates an allowance from the numbers of links that the two limits still allow.
    pub(super) fn new(custom_codes: bool, links: i64, links_today: i64) -> Self {
        let is_daily = links_today < links;
        let limit = if is_daily { PlanLimit::LinksPerDay } else { PlanLimit::Links };
        Self { custom_codes, links: links.min(links_today), limit }
    }
}

/// Returns the day in UTC on which a transaction creates these links: the day of the newest link,
/// as a number since the Unix epoch.
pub(super) fn creation_day(links: &[&NewLink]) -> i64 {
    links.iter().map(|link| link.properties.link.created_at.day()).max().unwrap_or(0)
}

/// Returns the month in UTC in which a transaction creates these links.
pub(super) fn creation_month(links: &[&NewLink]) -> Month {
    let newest = links.iter().map(|link| link.properties.link.created_at).max();
    Month::from(books_clock::time(newest.unwrap_or(Timestamp::from_millis(0))))
}

impl NewLink {
    /// Returns the code to insert under a plan that allows custom codes or does not.
    ///
    /// # Errors
    /// If the custom code creates no link.
    pub(super) fn code(&self, custom_codes: bool) -> Result<&ShortCode, CodeRefusal> {
        match &self.custom_code {
            CustomCodeRequest::None => Ok(&self.generated_code),
            CustomCodeRequest::Requested(code) if custom_codes => Ok(code),
            CustomCodeRequest::Invalid if custom_codes => Err(CodeRefusal::Invalid),
            _ if self.demands_custom_code => Err(CodeRefusal::NotAllowed),
            CustomCodeRequest::Requested(_) | CustomCodeRequest::Invalid => {
                Ok(&self.generated_code)
            }
        }
    }

    /// Returns the outcome of a request whose response is stored already.
    pub(super) fn replay(&self, stored: StoredResponse, custom_codes: bool) -> CreateOutcome {
        let is_invalid = self.code(custom_codes) == Err(CodeRefusal::Invalid);
        CreateOutcome::Replay { stored, is_invalid }
    }

    /// Returns the outcome of this link if another link has `code`.
    pub(super) fn code_in_use(&self, code: &ShortCode) -> CreateOutcome {
        if *code == self.generated_code {
            CreateOutcome::GeneratedCodeInUse
        } else {
            CreateOutcome::CustomCodeInUse
        }
    }
}
