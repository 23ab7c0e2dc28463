//! Links that requests create together: in one transaction, each with an outcome of its own.

use super::idempotency::{IdempotentRequest, StoredResponse};
use super::links::LinkProperties;
use crate::values::ShortCode;

/// A link to create.
#[derive(Debug, Clone)]
pub struct NewLink {
    /// The owner.
    pub owner_id: i64,
    /// The code that the request asks for.
    pub custom_code: CustomCodeRequest,
    /// The code of the link if the request asks for none, or the plan has no custom codes.
    pub generated_code: ShortCode,
    /// Everything else.
    pub properties: LinkProperties,
    /// The idempotency key of the request. Two links of one transaction may share a key under which a
    /// response was stored a moment ago.
    pub idempotent: Option<IdempotentRequest>,
}

/// A code that a request asks for. Plans without custom codes ignore it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CustomCodeRequest {
    /// It asks for none.
    None,
    /// It asks for this one.
    Requested(ShortCode),
    /// It asks for one that no link can have.
    Invalid,
}

/// The outcome of a [`NewLink`]. Unless it is `Created`, nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreateOutcome {
    /// The link exists, with this code.
    Created(ShortCode),
    /// A response is stored under the idempotency key.
    Replay {
        /// The response.
        stored: StoredResponse,
        /// The custom code of this request is invalid.
        is_invalid: bool,
    },
    /// Another link has the custom code.
    CustomCodeInUse,
    /// Another link has the generated code: try another.
    GeneratedCodeInUse,
    /// The plan has custom codes, and no link can have this one.
    CustomCodeInvalid,
    /// The owner has as many links as the plan allows.
    PlanLimitReached,
    /// The decision depends on a state that has changed meanwhile: try again.
    Retry,
    /// The owner does not exist, or its plan is being changed: try again.
    OwnerUnavailable,
}

/// What an owner's plan allows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    pub(super) custom_codes: bool,
    /// More links.
    pub(super) links: i64,
}

impl NewLink {
    /// Returns the code to insert; none if the custom code is invalid.
    pub(super) fn code(&self, custom_codes: bool) -> Option<&ShortCode> {
        match &self.custom_code {
            CustomCodeRequest::Requested(code) if custom_codes => Some(code),
            CustomCodeRequest::Invalid if custom_codes => None,
            CustomCodeRequest::None
            | CustomCodeRequest::Requested(_)
            | CustomCodeRequest::Invalid => Some(&self.generated_code),
        }
    }

    /// Returns the outcome if another link has `code`.
    pub(super) fn code_in_use(&self, code: &ShortCode) -> CreateOutcome {
        if *code == self.generated_code {
            CreateOutcome::GeneratedCodeInUse
        } else {
            CreateOutcome::CustomCodeInUse
        }
    }
}
